"""Local pipelines (FLUX.2, FLUX.2 klein, Qwen-Image-Edit) in a worker process of their own."""

import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import IO, Any

import msgspec

from b100tui.editors.protocol import Capabilities, Outcome, Parameters, ReceivedImage
from b100tui.editors.table import Row
from b100tui.model.text import clean_line

_WORKER = Path(__file__).with_name("diffusers_worker.py")
_LOAD_SECONDS = 3600.0
_LOOK_SECONDS = 0.2
_SUFFIX = {"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp"}
# Weights are fetched by a person, not in the middle of an edit; telemetry sends nothing out.
_ENVIRONMENT = {"HF_HUB_DISABLE_TELEMETRY": "1", "DISABLE_TELEMETRY": "1"}


class DiffusersEditor:
    """One pipeline; edits queue for it. `command` of its row names another Python."""

    kind = "diffusers"

    def __init__(self, name: str, row: Row) -> None:
        self.name = name
        self.model = row.model
        self._row = row
        self._mutex = threading.Lock()
        self._worker: _Worker | None = None

    @property
    def capabilities(self) -> Capabilities:
        """What the pipeline takes."""
        return self._row.capabilities

    def edit(self, image: bytes, mime: str, prompt: str, parameters: Parameters) -> Outcome:
        """Edit once; the picture comes as pixels and is stored as lossless PNG of our own."""
        options = {**self._row.options, **parameters.extra}
        with self._mutex, tempfile.TemporaryDirectory(prefix="b100-edit-") as folder:
            given = Path(folder) / f"input{_SUFFIX.get(mime, '.img')}"
            output = Path(folder) / "output.png"
            given.write_bytes(image)
            failure = self._ready(options, parameters)
            if failure is not None:
                return failure
            asked = {
                "input": str(given),
                "output": str(output),
                "prompt": prompt,
                "seed": parameters.seed,
                "options": options,
            }
            told = self._asked(asked, parameters.deadline_seconds, parameters)
            if isinstance(told, Outcome):
                return told
            if not told.get("ok") or not output.is_file():
                return _failure(told)
            versions = self._worker.versions if self._worker else {}
            return Outcome(
                image=ReceivedImage(data=output.read_bytes()),
                model_version=self.model,
                endpoint="this machine",
                api=", ".join(f"{name} {value}" for name, value in versions.items()),
                encoding="PNG by b100: the pipeline gives pixels",
                sent={"seed": parameters.seed, **options},
            )

    def close(self) -> None:
        """End the worker and free its memory."""
        with self._mutex:
            self._end()

    def _ready(self, options: dict[str, Any], parameters: Parameters) -> Outcome | None:
        """Start the worker and load the pipeline where that is not done; a failure if it fails."""
        if self._worker is not None and self._worker.lives:
            return None
        python = self._row.command[0] if self._row.command else sys.executable
        try:
            self._worker = _Worker(os.path.expanduser(python))
        except OSError as error:
            return Outcome(
                failure="unavailable",
                message=f"cannot start {python}: {error.strerror}",
                hint='set command = ["PYTHON"] of the editor in your editors.toml',
            )
        asked = {"pipeline": self._row.pipeline, "model": self.model, "options": options}
        told = self._asked(asked, _LOAD_SECONDS, parameters)
        if isinstance(told, Outcome):
            return told
        if not told.get("ok"):
            self._end()
            return _failure(told)
        self._worker.versions = dict(told.get("versions") or {})
        return None

    def _asked(
        self, asked: dict[str, Any], deadline: float | None, parameters: Parameters
    ) -> dict[str, Any] | Outcome:
        assert self._worker is not None
        worker, begin = self._worker, time.monotonic()
        worker.send(asked)
        while True:
            try:
                told = worker.replies.get(timeout=_LOOK_SECONDS)
            except queue.Empty:
                if parameters.cancelled is not None and parameters.cancelled():
                    self._end()
                    return Outcome(failure="cancelled", message="aborted")
                if deadline is not None and time.monotonic() - begin > deadline:
                    self._end()
                    return Outcome(failure="backoff", message=f"not ready within {deadline:g} s")
                continue
            if told is None:
                how = worker.ending()
                self._end()
                return Outcome(failure="backoff", message=how)
            return told

    def _end(self) -> None:
        if self._worker is not None:
            self._worker.kill()
            self._worker = None


class _Worker:
    """The process, its requests and its replies; None as reply means that it is gone."""

    def __init__(self, python: str) -> None:
        self.versions: dict[str, str] = {}
        self.replies: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 lives as long as the process
        # -P: modules beside the worker's file must not stand in for the standard library's.
        self._process = subprocess.Popen(
            [python, "-P", str(_WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            start_new_session=True,
            env={**_ENVIRONMENT, **os.environ},
        )
        threading.Thread(target=self._listen, args=(self._process.stdout,), daemon=True).start()

    @property
    def lives(self) -> bool:
        return self._process.poll() is None

    def send(self, asked: dict[str, Any]) -> None:
        """Send one request; to a dead worker it is lost, and the replies say so."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(msgspec.json.encode(asked) + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            return

    def ending(self) -> str:
        """Return how it ended, with its last words."""
        code = self._process.wait()
        how = f"was ended by signal {-code}" if code < 0 else f"ended with code {code}"
        self._log.seek(0, os.SEEK_END)
        self._log.seek(max(0, self._log.tell() - 4096))
        lines = self._log.read().decode("utf-8", "replace").strip().splitlines()
        said = f": {clean_line(lines[-1])[:300]}" if lines else ""
        return f"the pipeline's process {how}{said}"

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._log):
            if pipe is not None:
                _close(pipe)

    def _listen(self, replies: IO[bytes] | None) -> None:
        assert replies is not None
        with replies:
            for line in replies:
                if line.endswith(b"\n"):
                    self.replies.put(msgspec.json.decode(line, type=dict[str, Any]))
        self.replies.put(None)


def _close(pipe: IO[bytes]) -> None:
    try:
        pipe.close()
    except BrokenPipeError:
        return  # what was still buffered has no reader any more


def _failure(told: dict[str, Any]) -> Outcome:
    message = clean_line(str(told.get("message") or "the pipeline wrote no picture"))
    missing = told.get("kind") == "unavailable"
    return Outcome(failure="unavailable" if missing else "fatal_run", message=message)
