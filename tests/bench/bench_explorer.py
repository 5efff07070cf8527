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
from collections.abc import Iterator, Sequence
from pathlib import Path

SILENCE = 0.06
COLUMNS, ROWS = 140, 45
PROBE_ANSWER = b"\x1b[?62;c"
WHOLE = b"Metrics"  # the early frame has no such panel


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
        program.wait_for(b"image-000" if words[0] == "static" else WHOLE)
        program.end()


def first_frames(root: Path, rounds: int = 9) -> None:
    """Time run names (drawn before Textual is imported) and the whole screen after them."""
    seen: dict[str, list[tuple[float, float]]] = {"static": [], "names": [], "screen": []}
    cases = (("static", b"image-000"), ("names", b"image-000"), ("screen", WHOLE))
    for _ in range(rounds):
        for case, word in cases:
            words = ("static",) if case == "static" else ("first", str(root))
            program = Watched(*words)
            wall = program.wait_for(word)
            seen[case].append((wall * 1000, program.cpu()))
            program.end()
    yard, yard_cpu = (statistics.median(part) for part in zip(*seen["static"], strict=True))
    print(f"first frame of one Static: {yard:.0f} ms, CPU {yard_cpu:.0f} ms")
    for case, goal in (("names", "  (goal 1.30)"), ("screen", "")):
        wall, used = (statistics.median(part) for part in zip(*seen[case], strict=True))
        print(
            f"{case}: {wall:.0f} ms, ratio {wall / yard:.2f}{goal};"
            f" CPU {used:.0f} ms, ratio {used / yard_cpu:.2f}"
        )


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


@contextlib.contextmanager
def scoring(folder: Path) -> Iterator[None]:
    """Score probes of 1408x752 pictures beside what is measured, as a job does."""
    from PIL import Image

    pictures = folder / "scored" / "plate"
    pictures.mkdir(parents=True)
    noise = Image.effect_noise((1408, 752), 60).convert("RGB")
    for step in range(48):
        noise.rotate(step).save(pictures / f"plate_step_{step}.jpg", quality=95)
    words = ["score", "--root", str(pictures.parent), "--metrics", "probes"]
    program = [sys.executable, "-m", "b100tui", *words]
    quiet = subprocess.DEVNULL
    job = subprocess.Popen(program, stdin=quiet, stdout=quiet, stderr=quiet)
    try:
        yield
    finally:
        print("the job was still at it" if job.poll() is None else "the job ended too soon")
        job.terminate()
        job.wait()


def keys_beside_a_job(root: Path, folder: Path) -> None:
    program = Watched("beat", str(root), str(folder / "beats.json"))
    program.wait_for(b"metric_22")
    program.drain()
    with scoring(folder):
        program.key(b"\x1b[C")
        answers = [program.key(b"\x1b[C") for _ in range(90)]
    print(f"step key while a job scores: {spread([ms for ms, _ in answers])}  (goal p95 35)")
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
        keys_beside_a_job(root, Path(folder))
    sparklines()


if __name__ == "__main__":
    main()
