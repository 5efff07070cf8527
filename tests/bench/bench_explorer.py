"""How fast the explorer answers on 28,000 runs, in a pty of 140x45 that drains at once.

Run by hand: `python -m tests.bench.bench_explorer`. Prints times and ratios against a Textual
app with one Static, started in turn in the same minutes. Key times end with the last byte
before 60 ms of silence; they leave out the terminal's own drawing. All code is compiled before
anything is timed, as in an installed program, wherever PYTHONDONTWRITEBYTECODE stands.
"""

import contextlib
import fcntl
import json
import os
import pty
import select
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Sequence
from pathlib import Path

SILENCE = 0.06
COLUMNS, ROWS = 140, 45
PROBE_ANSWER = b"\x1b[?62;c"


class Watched:
    """A program in a pty."""

    def __init__(self, *words: str) -> None:
        self.started = time.perf_counter()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ["TERM"] = "xterm-256color"
            os.environ["COLORTERM"] = "truecolor"
            os.execv(sys.executable, [sys.executable, "-m", "tests.bench.explorer_child", *words])
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 1400, 900))

    def wait_for(self, word: bytes, limit: float = 60.0) -> float:
        """Return the seconds since the start at which `word` was written."""
        seen = b""
        while time.perf_counter() - self.started < limit:
            if select.select([self.fd], [], [], 0.05)[0]:
                seen += os.read(self.fd, 1 << 16)
                if b"\x1b[c" in seen or b"\x1b[6n" in seen:
                    os.write(self.fd, PROBE_ANSWER)
                    seen = seen.replace(b"\x1b[c", b"").replace(b"\x1b[6n", b"")
                if word in seen:
                    return time.perf_counter() - self.started
        raise TimeoutError(f"{word!r} never came; the last was {seen[-300:]!r}")

    def drain(self, silence: float = 0.5) -> None:
        """Read until nothing comes any more."""
        while select.select([self.fd], [], [], silence)[0]:
            os.read(self.fd, 1 << 16)

    def key(self, keys: bytes, silence: float = SILENCE) -> tuple[float, int]:
        """Return milliseconds from `keys` to the last byte of the answer, and its bytes."""
        began = last = time.perf_counter()
        os.write(self.fd, keys)
        count = 0
        while select.select([self.fd], [], [], silence if count else 0.5)[0]:
            count += len(os.read(self.fd, 1 << 16))
            last = time.perf_counter()
        return (last - began) * 1000, count

    def cpu(self) -> float:
        """Return the milliseconds of processor time of its threads; a busy machine adds none."""
        threads = Path(f"/proc/{self.pid}/task").glob("*/schedstat")
        return sum(int(thread.read_text().split()[0]) for thread in threads) / 1e6

    def rss(self) -> float:
        """Return resident megabytes."""
        text = Path(f"/proc/{self.pid}/status").read_text()
        return int(text.split("VmRSS:")[1].split()[0]) / 1024

    def end(self) -> None:
        """End the program."""
        os.kill(self.pid, signal.SIGTERM)
        with contextlib.suppress(OSError):  # the pty closes with the program
            self.drain(0.3)
        os.waitpid(self.pid, 0)
        os.close(self.fd)


def spread(times: Sequence[float]) -> str:
    ordered = sorted(times)
    return f"p50 {statistics.median(ordered):6.1f}  p95 {ordered[int(0.95 * len(ordered))]:6.1f} ms"


def snapshot(root: Path) -> None:
    """Plant a run-list snapshot of a 28,000-run index."""
    import msgspec

    from b100tui.index import generation as files
    from b100tui.index.snapshot import first_paint
    from b100tui.workspace.places import cache_dir
    from tests.bench.explorer_child import RUNS, STEPS, plant

    cache = cache_dir(root)
    rows = plant().rows
    files.database_path(cache, 1).write_bytes(b"")
    paint = first_paint(1, root, rows, RUNS * STEPS, 23)
    files.first_path(cache, 1).write_bytes(msgspec.json.encode(paint))


def compile_once(root: Path, folder: Path) -> None:
    """Have both programs leave their compiled modules in `folder`."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = str(folder)
    for words in (("static",), ("first", str(root))):
        program = Watched(*words)
        program.wait_for(b"image-000")
        program.end()


def first_frames(root: Path, rounds: int = 9) -> None:
    statics: list[float] = []
    ours: list[float] = []
    used: dict[str, list[float]] = {"static": [], "first": []}
    for _ in range(rounds):
        for times, words in ((statics, ("static",)), (ours, ("first", str(root)))):
            program = Watched(*words)
            times.append(program.wait_for(b"image-000"))
            used[words[0]].append(program.cpu())
            program.end()
    yard, mine = statistics.median(statics), statistics.median(ours)
    yard_cpu, mine_cpu = (statistics.median(used[kind]) for kind in ("static", "first"))
    print(f"first frame: one Static {yard * 1000:.0f} ms, run names {mine * 1000:.0f} ms,"
          f" ratio {mine / yard:.2f} (goal 1.30); CPU {yard_cpu:.0f} and {mine_cpu:.0f} ms,"
        f" ratio {mine_cpu / yard_cpu:.2f}")  # fmt: skip


def keys(root: Path, beats: Path) -> None:
    program = Watched("beat", str(root), str(beats))
    program.wait_for(b"metric_22")
    program.drain()
    print(f"RSS with 28,000 runs in memory, no DuckDB: {program.rss():.0f} MB")
    program.key(b"*")
    program.drain()
    cases = {
        "list move": (b"\x1b[B", 60, "6/12"),
        "list page": (b"\x04", 60, "20/30"),
        "step key to slider, text and sparklines": (b"\x1b[C", 60, "15/30"),
        "ten steps back": (b"\x1b[5~", 9, "15/30"),
    }
    for name, (key, count, goal) in cases.items():
        # In the list the run opens once the cursor rests: that is not the answer to the key.
        silence = 0.03 if name.startswith("list") else SILENCE
        before = program.cpu()
        answers = [program.key(key, silence) for _ in range(count)]
        used = (program.cpu() - before) / count
        program.drain(0.3)
        size = statistics.median(size for _, size in answers)
        print(
            f"{name}: {spread([ms for ms, _ in answers])}  {size:.0f} bytes, CPU {used:.1f} ms"
            f"  (goal {goal})"
        )
    program.key(b"/")
    before = program.cpu()
    answers = [program.key(bytes([letter])) for letter in b"image-01 2k-3"]
    used = (program.cpu() - before) / len(answers)
    print(f"filter as typed: {spread([ms for ms, _ in answers])}  CPU {used:.1f} ms  (goal 16/30)")
    program.drain(0.3)
    gaps = json.loads(beats.read_text())
    print(f"longest turn of the event loop while keys came: {max(gaps[-3000:]) * 1000:.0f} ms")
    print(f"RSS at the end: {program.rss():.0f} MB")
    program.end()


def sparklines() -> None:
    """Time 23 rows of 100 steps drawn anew, in process."""
    subprocess.run([sys.executable, "-m", "tests.bench.bench_metric_rows"], check=True)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name in ("CACHE", "STATE", "CONFIG", "DATA"):
            os.environ[f"B100_{name}_DIR"] = str(Path(folder) / name.lower())
        os.environ["B100_PROBES"] = "off"
        root = Path(folder) / "runs"
        root.mkdir()
        snapshot(root)
        compile_once(root, Path(folder) / "compiled")
        first_frames(root)
        keys(root, Path(folder) / "beats.json")
    sparklines()


if __name__ == "__main__":
    main()
