"""How fast the explorer answers on 28,000 runs, in a pty of 140x45 that drains at once.

Run by hand: `python -m tests.bench.bench_explorer`. The yardstick is a Textual app with one
Static, started in turn in the same minutes, as are the peers that are installed. Key times end
with the last byte before 60 ms of silence; they leave out the terminal's own drawing. All code is
compiled before anything is timed, as in an installed program, wherever PYTHONDONTWRITEBYTECODE
stands.
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

from tests.bench.bars import missing, tell
from tests.bench.peers import PEERS, readers

SILENCE = 0.06
COLUMNS, ROWS = 140, 45
PROBE_ANSWER = b"\x1b[?62;c"
WHOLE = b"Metrics"  # the early frame has no such panel


class Watched:
    """A program in a pty."""

    def __init__(self, words: Sequence[str]) -> None:
        self.started = time.perf_counter()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ["TERM"] = "xterm-256color"
            os.environ["COLORTERM"] = "truecolor"
            os.execv(words[0], list(words))
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


def child(*words: str) -> list[str]:
    """Return the words that start explorer_child."""
    return [sys.executable, "-m", "tests.bench.explorer_child", *words]


def spread(times: Sequence[float]) -> tuple[float, float]:
    """Return p50 and p95."""
    ordered = sorted(times)
    return statistics.median(ordered), ordered[int(0.95 * len(ordered))]


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
        program = Watched(child(*words))
        program.wait_for(b"image-000" if words[0] == "static" else WHOLE)
        program.end()


def first_frames(root: Path, folder: Path, rounds: int = 9) -> None:
    """Time run names (drawn before Textual is imported), the whole screen after them, and peers."""
    peers = readers(folder)
    cases = {
        "static": (child("static"), b"image-000"),
        "names": (child("first", str(root)), b"image-000"),
        "screen": (child("first", str(root)), WHOLE),
    }
    seen: dict[str, list[tuple[float, float]]] = {name: [] for name in (*cases, *peers)}
    for at in range(rounds):
        for case, (words, word) in {**cases, **(peers if at < 3 else {})}.items():
            program = Watched(words)
            wall = program.wait_for(word)
            seen[case].append((wall * 1000, program.cpu()))
            program.end()
    walls = {case: statistics.median(wall for wall, _ in found) for case, found in seen.items()}
    cpus = {case: statistics.median(cpu for _, cpu in found) for case, found in seen.items()}
    still = ("one Static", walls["static"])
    bar = 1.3 * walls["static"]
    note = f"CPU {cpus['names']:.0f} ms, {cpus['names'] / cpus['static']:.2f} x"
    tell("first frame with run names", walls["names"], "ms", bar, peer=still, note=note)
    tell("first whole screen", walls["screen"], "ms", peer=still)
    for name in ("harlequin", "toolong", "visidata"):
        if name in peers:
            tell(f"first frame of {name}", walls[name], "ms", peer=still)
        else:
            missing(name, PEERS)


def keys(root: Path, beats: Path) -> None:
    """Time keys in the list, steps and a filter; the memory before DuckDB is opened."""
    program = Watched(child("beat", str(root), str(beats)))
    program.wait_for(b"metric_22")
    program.drain()
    tell("memory, 28,000 runs, no DuckDB", program.rss(), "MB", 80)
    program.key(b"*")
    program.drain()
    cases = {
        "list move": (b"\x1b[B", 60, (6, 12)),
        "list page": (b"\x04", 60, (20, 30)),
        "step key to slider, text and sparklines": (b"\x1b[C", 60, (15, 30)),
        "ten steps back": (b"\x1b[5~", 9, (15, 30)),
    }
    for name, (key, count, bars) in cases.items():
        # In the list the run opens once the cursor rests: that is not the answer to the key.
        silence = 0.03 if name.startswith("list") else SILENCE
        before = program.cpu()
        answers = [program.key(key, silence) for _ in range(count)]
        used = (program.cpu() - before) / count
        program.drain(0.3)
        size = statistics.median(size for _, size in answers)
        note = f"CPU {used:.1f} ms, {size:.0f} bytes"
        tell(name, spread([ms for ms, _ in answers]), "ms", bars, note=note)
    program.key(b"/")
    before = program.cpu()
    answers = [program.key(bytes([letter])) for letter in b"image-01 2k-3"]
    used = (program.cpu() - before) / len(answers)
    times = spread([ms for ms, _ in answers])
    tell("filter of 28,000 as typed", times, "ms", (16, 30), note=f"CPU {used:.1f} ms")
    program.drain(0.3)
    gaps = json.loads(beats.read_text())
    tell("longest turn of the event loop", max(gaps[-3000:]) * 1000, "ms", 30)
    program.end()


def moves_of_peers(folder: Path) -> None:
    """Time the cursor moves of the peers that show a list."""
    for name, (words, word) in readers(folder).items():
        if name != "visidata":  # the others show no list with a cursor in their first screen
            continue
        program = Watched(words)
        program.wait_for(word)
        program.drain(1.0)
        answers = [program.key(b"\x1b[B", 0.03) for _ in range(60)]
        tell(f"list move in {name}", spread([ms for ms, _ in answers]), "ms")
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
        if job.poll() is not None:
            print("the job ended too soon: the step key beside it was partly alone")
        job.terminate()
        job.wait()


def keys_beside_a_job(root: Path, folder: Path) -> None:
    """Time the step key while another process scores."""
    program = Watched(child("beat", str(root), str(folder / "beats.json")))
    program.wait_for(b"metric_22")
    program.drain()
    with scoring(folder):
        program.key(b"\x1b[C")
        answers = [program.key(b"\x1b[C") for _ in range(90)]
    tell("step key while a job scores, p95", spread([ms for ms, _ in answers])[1], "ms", 35)
    program.end()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name in ("CACHE", "STATE", "CONFIG", "DATA"):
            os.environ[f"B100_{name}_DIR"] = str(Path(folder) / name.lower())
        os.environ["B100_PROBES"] = "off"
        root = Path(folder) / "runs"
        root.mkdir()
        snapshot(root)
        compile_once(root, Path(folder) / "compiled")
        first_frames(root, Path(folder))
        keys(root, Path(folder) / "beats.json")
        moves_of_peers(Path(folder))
        keys_beside_a_job(root, Path(folder))


if __name__ == "__main__":
    main()
