"""Weight files: where backends look for them, whether one is whole, and their hashes."""

import hashlib
import os
import struct
import zipfile
from pathlib import Path

import msgspec

from b100tui.metrics.registry import Weight
from b100tui.model.errors import StoreError
from b100tui.workspace.atomic import write_atomic
from b100tui.workspace.places import cache_home, make_private

_CHUNK = 8 * 1024 * 1024


def torch_hub() -> Path:
    """Return the hub folder of torch: TORCH_HOME/hub, by default below the user's cache."""
    given = os.environ.get("TORCH_HOME")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return (Path(os.path.expanduser(given)) if given else cache / "torch") / "hub"


def hf_hub() -> Path:
    """Return the hub folder of huggingface_hub."""
    if os.environ.get("HF_HUB_CACHE"):
        return Path(os.environ["HF_HUB_CACHE"])
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(os.environ.get("HF_HOME") or cache / "huggingface") / "hub"


def place_of(weight: Weight) -> Path:
    """Return the file, or for the hub the folder, in which the backend looks for `weight`."""
    if weight.place == "hf":
        return hf_hub() / ("models--" + weight.file.replace("/", "--"))
    return torch_hub() / weight.place / weight.file


def fault_of(weight: Weight) -> str:
    """Return what is wrong with `weight` on this machine; empty when it is whole.

    Looks at presence, size where known and structure, which a download cut short lacks; the
    hash is compared by `verified`.
    """
    path = place_of(weight)
    if weight.place == "hf":
        snapshots = path / "snapshots"
        return "" if any(snapshots.glob("*/*")) else f"{weight.file} is not in {hf_hub()}"
    try:
        size = path.stat().st_size
    except OSError:
        return f"{weight.file} is not in {path.parent}"
    wanted = weight.bytes or _receipt(path)
    if wanted is not None and size != wanted:
        return f"{path} has {size:,} bytes, not {wanted:,}"
    return "" if _is_whole(path, size) else f"{path} is damaged or cut short"


def verified(weight: Weight) -> str:
    """Return what is wrong with `weight`, its hash included where the registry knows it."""
    fault = fault_of(weight)
    if fault or weight.place == "hf" or not weight.sha256:
        return fault
    found = sha256_of(place_of(weight))
    if not found.startswith(weight.sha256):
        return f"{place_of(weight)} has sha256 {found[:12]}, not {weight.sha256[:12]}"
    return ""


def identity_of(weight: Weight) -> str:
    """Return what tells these weights from others: the sha256, or the revision on the hub."""
    path = place_of(weight)
    if weight.place == "hf":
        try:
            return (path / "refs" / "main").read_text(encoding="ascii").strip()
        except OSError:
            return "missing"
    return sha256_of(path) if path.is_file() else "missing"


def sha256_of(path: Path) -> str:
    """Return the sha256 of a file; remembered by size and time, for the files are large."""
    facts = path.stat()
    key = f"{path.resolve()}|{facts.st_size}|{facts.st_mtime_ns}"
    notes = cache_home() / "weights.json"
    known = _notes(notes)
    if key not in known:
        digest = hashlib.sha256()
        with path.open("rb") as file:
            while block := file.read(_CHUNK):
                digest.update(block)
        known[key] = digest.hexdigest()
        try:
            make_private(notes.parent)
            write_atomic(notes, msgspec.json.encode(known), durable=False)
        except StoreError:
            return known[key]  # hashed again next time
    return known[key]


def _notes(path: Path) -> dict[str, str]:
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, str])
    except (OSError, msgspec.MsgspecError):
        return {}


def receipt_of(path: Path) -> Path:
    """Return where a fetch notes the size of the file it verified."""
    return path.with_name(f".{path.name}.fetched")


def _receipt(path: Path) -> int | None:
    try:
        return int(receipt_of(path).read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None


def _is_whole(path: Path, size: int) -> bool:
    """Say whether the file's structure is complete, as far as its kind tells."""
    if size == 0:
        return False
    try:
        with path.open("rb") as file:
            head = file.read(8)
            if path.suffix == ".mat":
                return head.startswith(b"MATLAB") or head.startswith(b"\x89HDF")
            if head[:2] == b"PK":
                return zipfile.is_zipfile(path)
            if path.suffix == ".safetensors":
                (length,) = struct.unpack("<Q", head)
                return 8 + int(length) <= size
            if (
                head[:1] == b"\x80"
            ):  # a pickle of tensors: nothing at its end tells that it is whole
                return size > 64
    except (OSError, struct.error):
        return False
    return False
