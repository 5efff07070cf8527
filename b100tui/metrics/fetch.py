"""Fetches weight files: once, under a lock, verified, and only from addresses in the registry."""

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct

from b100tui.metrics import registry
from b100tui.metrics.preflight import environment
from b100tui.metrics.registry import Weight
from b100tui.metrics.weights import place_of, receipt_of, torch_hub, verified
from b100tui.model.errors import MetricError, StoreError
from b100tui.model.text import clean_line
from b100tui.workspace.atomic import sync_folder, write_atomic
from b100tui.workspace.locks import hold

_HUB = "https://huggingface.co"
_OWN = "chaofengc/IQA-PyTorch-Weights/resolve/main"
_CHUNK = 1 << 20
_WAIT_SECONDS = 6 * 3600.0
Progress = Callable[[str, int, int], None]


class Fetched(Struct, frozen=True, kw_only=True):
    """What came of one file: there already, fetched, or failed with the reason and the fix."""

    metric: str
    file: str
    status: str
    path: str
    reason: str = ""
    fix: str = ""


def fetch(
    names: Sequence[str], python: str = "", progress: Progress | None = None
) -> list[Fetched]:
    """Fetch what the metrics lack; `progress` hears (file, bytes so far, bytes in all or 0).

    Other fetches wait for this one and then find the files there. A failure costs its file only.
    Raises StoreError when the cache folder cannot be written, MetricError for an unknown name.
    """
    wanted = [(name, weight) for name in names for weight in registry.weights(name)]
    hub = torch_hub()
    try:
        hub.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"cannot make {hub}: {error.strerror}", "set TORCH_HOME") from error
    found = []
    with hold(hub / ".b100-fetch.lock", "fetching weights", wait_seconds=_WAIT_SECONDS):
        for name, weight in wanted:
            path = place_of(weight)
            if not verified(weight):
                found.append(Fetched(metric=name, file=weight.file, status="there", path=str(path)))
                continue
            try:
                if weight.place == "hf":
                    _snapshot(weight, python)
                else:
                    _download(weight, path, progress)
                status, reason, fix = "fetched", "", ""
            except MetricError as error:
                status, reason, fix = "failed", error.message, error.hint
            found.append(
                Fetched(
                    metric=name,
                    file=weight.file,
                    status=status,
                    path=str(path),
                    reason=reason,
                    fix=fix,
                )
            )
    return found


def address_of(weight: Weight) -> str:
    """Return where a file comes from; HF_ENDPOINT names a mirror of the hub."""
    hub = os.environ.get("HF_ENDPOINT", _HUB).rstrip("/")
    return weight.url or f"{hub}/{_OWN}/{weight.file}"


def _download(weight: Weight, path: Path, progress: Progress | None) -> None:
    import httpx

    url = address_of(weight)
    by_hand = f"without a network: put the file from {url} at {path}"
    part = path.with_name(f".{path.name}.part")
    digest = hashlib.sha256()
    size = 0
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with (
            part.open("wb") as file,
            httpx.stream(
                "GET",
                url,
                follow_redirects=True,
                timeout=60.0,
                headers={"Accept-Encoding": "identity"},
            ) as reply,
        ):
            if reply.status_code != 200:
                raise MetricError(f"{url} answered {reply.status_code}", by_hand)
            told = int(reply.headers.get("Content-Length") or 0)
            for block in reply.iter_raw(_CHUNK):
                file.write(block)
                digest.update(block)
                size += len(block)
                if progress is not None:
                    progress(weight.file, size, told)
            file.flush()
            os.fsync(file.fileno())
        wrong = _wrong(weight, size, told, digest.hexdigest())
        if wrong:
            raise MetricError(f"{url}: {wrong}; nothing was kept", by_hand)
        os.replace(part, path)
        sync_folder(path.parent)
        write_atomic(receipt_of(path), str(size).encode("ascii"))
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        words = clean_line(str(error)) or type(error).__name__
        raise MetricError(f"cannot fetch {url}: {words}", by_hand) from error
    except OSError as error:
        raise MetricError(
            f"cannot write {path}: {error.strerror}", "free space, or set TORCH_HOME"
        ) from error
    finally:
        part.unlink(missing_ok=True)
    if fault := verified(weight):
        path.rename(path.with_name(f"{path.name}.bad"))
        raise MetricError(f"what {url} gave is no such file: {fault}", by_hand)


def _wrong(weight: Weight, size: int, told: int, sha256: str) -> str:
    if told and size != told:
        return f"cut short at {size:,} of {told:,} bytes"
    if weight.bytes is not None and size != weight.bytes:
        return f"has {size:,} bytes, not {weight.bytes:,}"
    if weight.sha256 and not sha256.startswith(weight.sha256):
        return f"has sha256 {sha256[:12]}, not {weight.sha256[:12]}"
    return ""


def _snapshot(weight: Weight, python: str) -> None:
    """Fetch a repository of the hub with the hub's own client, in the interpreter that scores."""
    line = "import sys; from huggingface_hub import snapshot_download as get; get(sys.argv[1])"
    known = {**environment(python), "HF_HUB_OFFLINE": "0"}
    fix = f"without a network: copy {weight.file} into {place_of(weight).parent} by hand"
    try:
        done = subprocess.run(
            [python or sys.executable, "-c", line, weight.file],
            env=known,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except OSError as error:
        raise MetricError(
            f"cannot start {python or sys.executable}: {error}", "mend [score] python"
        ) from error
    if done.returncode:
        words = done.stderr.decode("utf-8", "replace").strip().splitlines()
        last = clean_line(words[-1]) if words else f"code {done.returncode}"
        raise MetricError(f"cannot fetch {weight.file} from the hub: {last}", fix)
