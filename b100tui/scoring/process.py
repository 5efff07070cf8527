"""Starts the worker process and carries messages to and from it."""

import os
import queue
import subprocess
import sys
import threading
from pathlib import Path

import msgspec

from b100tui.metrics.preflight import environment
from b100tui.model.errors import MetricError, StoreError
from b100tui.scoring.messages import Begin, Reply, Request
from b100tui.workspace.places import cache_dir

_ENCODER = msgspec.json.Encoder()
# One thread a picture: libraries that start their own only get in each other's way.
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VIPS_CONCURRENCY")
# Feature maps of hundreds of megabytes come and go: with glibc's defaults each is mapped anew and
# its pages are zeroed again, which costs half of the time of the nets and classics on CPU. The
# heap keeps them instead; the most it holds is what it held at the largest moment anyway.
_HEAP = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(1 << 34)}
# Weights are fetched and verified ahead; TF32 would change values from one GPU to the next.
_FIXED = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "NVIDIA_TF32_OVERRIDE": "0",
    # shared memory that a killed worker leaves is cleaned up by this tracker: no news for a log
    "PYTHONWARNINGS": "ignore:resource_tracker:UserWarning",
}


def worker_environment(python: str) -> dict[str, str]:
    """Return the environment of the worker; what the user has set of it wins, threads apart."""
    known = environment(python)
    return {**_FIXED, **_HEAP, **known, **dict.fromkeys(_THREADS, "1")}


class WorkerProcess:
    """One worker; `pid` is its process. It ends by `close`, or when this process dies."""

    def __init__(self, begin: Begin, python: str = "") -> None:
        self._replies: queue.SimpleQueue[Reply | None] = queue.SimpleQueue()
        there, self._requests = os.pipe()
        here, back = os.pipe()
        try:
            with log_file(Path(begin.root)).open("ab") as log:
                self._process = subprocess.Popen(
                    [
                        *(python or sys.executable, "-m", "b100tui.scoring.worker"),
                        *(str(there), str(back)),
                    ],
                    pass_fds=(there, back),
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                    env=worker_environment(python),
                )
        except OSError as error:
            os.close(self._requests)
            os.close(here)
            raise MetricError(
                f"cannot start the scoring worker: {error}", "check [score] python in the settings"
            ) from error
        finally:
            os.close(there)
            os.close(back)
        self.pid = self._process.pid
        self.log = log_file(Path(begin.root))
        threading.Thread(target=self._listen, args=(here,), daemon=True).start()
        self.send(begin)

    def send(self, request: Request) -> None:
        """Send one request; to a dead worker it is lost, and `receive` will say so."""
        data = _ENCODER.encode(request) + b"\n"
        try:
            while data:
                data = data[os.write(self._requests, data) :]
        except BrokenPipeError:
            return

    def receive(self, timeout: float) -> Reply | None:
        """Return the next reply, None when the worker is dead; queue.Empty after `timeout` s."""
        return self._replies.get(timeout=timeout)

    def kill(self) -> None:
        """End the worker at once; what was in flight is lost."""
        self._process.kill()

    def close(self) -> None:
        """Let the worker end and wait for it; one that does not is killed."""
        os.close(self._requests)
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def ending(self) -> str:
        """Return how a dead worker ended, in words."""
        code = self._process.wait()
        how = f"was ended by signal {-code}" if code < 0 else f"ended with code {code}"
        return f"the worker {how}"

    def _listen(self, here: int) -> None:
        decoder = msgspec.json.Decoder(Reply)
        with os.fdopen(here, "rb") as replies:
            for line in replies:
                if line.endswith(b"\n"):
                    self._replies.put(decoder.decode(line))
        self._replies.put(None)


def log_file(root: Path) -> Path:
    """Return where the worker's own output goes: the log of the job it works for, else the cache.

    The null device when there is no cache folder.
    """
    job = os.environ.get("B100_JOB")
    if job:
        return Path(job) / "log"
    try:
        return cache_dir(root) / "score-worker.log"
    except StoreError:
        return Path(os.devnull)
