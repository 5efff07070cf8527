"""Pictures over a pty: time to the last byte, bytes, lag of text, backlog, memory; and peers.

    python -m tests.bench.bench_pictures [STEPS] [peers scrub wide pan held link memory ...]

The pty drains at once and answers; the terminal's own drawing is not in the figures. All
areas are 80x21 cells of 10x20 pixels (800x420 px), previews are on disk beforehand. The
peers show the same pictures in the same area; asked for first, they stand beside the figures.
"""

import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from b100tui.imaging.previews import Cache
from b100tui.model.records import PictureRef
from tests.bench.bars import missing, tell
from tests.bench.pictures import make_steps
from tests.terminal.fake_terminal import FakeTerminal

SIZE = (80, 22)
STEPS = 200
QUIET = 0.015
PATIENCE = 30.0
# Half blocks, Kitty's placeholders, and how sixels and inline pictures end
PICTURE_ENDS = ("▀".encode(), "\U0010eeee".encode(), b"\x1b\\", b"\x07")
RIGHT, LEFT = "\x1b[C", "\x1b[D"
APP = "tests.terminal.picture_app"
TEN_MBIT = 10e6 / 8
# (new p50, p95), (again p50, p95) in ms
BARS = {
    "kitty": ((40, 60), (15, 25)),
    "iterm": ((25, 50), (25, 50)),
    "sixel": ((60, 200), (60, 120)),
    "half": ((30, 50), (30, 50)),
}
ROUGH_BAR, SHARP_BAR, PLACEHOLDER_BAR = 70_000, 256_000, 20_000
Figures = list[tuple[float, int]]
# What the peers took for the same pictures in this run: by protocol, (name, ms) and (name, kB)
PEER_MS: dict[str, tuple[str, float]] = {}
PEER_KB: dict[str, tuple[str, float]] = {}


def main(parts: list[str]) -> None:
    """Print the asked parts."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        make_steps(root, STEPS)
        cache = Cache(root / "previews")
        for path in sorted(root.glob("*.png")):
            cache.make(root, PictureRef(path.name))
        for part in parts:
            {
                "scrub": scrub,
                "wide": wide,
                "pan": pan,
                "held": held,
                "link": link,
                "memory": memory,
                "peers": peers,
            }[part](root)


def start(
    kind: str, root: Path, *, rate: float | None = None, size: tuple[int, int] = SIZE
) -> FakeTerminal:
    """Start the small app in a terminal of `kind` and wait for its first picture."""
    terminal = FakeTerminal(kind, APP, str(root), size=size, environment={"BENCH": "1"}, rate=rate)
    as_urgent(terminal.process.pid)
    terminal.wait_for("SHOWN 0")
    terminal.settle()
    return terminal


def as_urgent(pid: int) -> None:
    """Give the session of `pid` this one's share of the processors.

    Linux groups processes by session: `nice` does not reach into another one.
    """
    own = Path("/proc/self/autogroup")
    if own.exists() and (share := own.read_text("ascii").split()[-1]) != "0":
        Path(f"/proc/{pid}/autogroup").write_text(share, "ascii")


def end(terminal: FakeTerminal) -> None:
    """Leave the app."""
    terminal.press("q")
    terminal.finish()
    terminal.__exit__(None, None, None)


def scrub(root: Path) -> None:
    """All steps once forward without a pause, then 30 back and forth, then with rests."""
    for kind, (new, again) in BARS.items():
        terminal = start(kind, root)
        rough = walk(terminal, RIGHT, STEPS - 1)
        times(f"{kind}: new while scrubbing", rough, *new, peer=PEER_MS.get(kind))
        # The first key after a rest gets the sharp frame that was made ahead.
        most = SHARP_BAR if kind == "half" else ROUGH_BAR
        sizes(f"{kind}: rough frame", rough[2:], most, peer=PEER_KB.get(kind))
        terminal.settle()
        few = min(20, (STEPS - 1) // 3)
        walk(terminal, LEFT, few)
        back = walk(terminal, RIGHT, few)
        times(f"{kind}: seen before", back, *again, peer=PEER_MS.get(kind))
        if kind == "kitty":
            sizes(f"{kind}: seen before", back, PLACEHOLDER_BAR)
        rested = []
        for _ in range(few):
            place = len(terminal.written)
            one(terminal, LEFT)
            rest(terminal, 0.4)
            rested.append((0.0, len(terminal.written) - place))
        sizes(f"{kind}: rough and sharp together", rested, ROUGH_BAR + SHARP_BAR)
        ready = []
        for _ in range(few):
            ready.append(one(terminal, LEFT))
            rest(terminal, 0.6)
        bars = new if kind == "kitty" else again
        times(f"{kind}: made ahead, not sent", ready, *bars, peer=PEER_MS.get(kind))
        end(terminal)


def wide(root: Path) -> None:
    """Half blocks over 140x40 cells, each picture shown before."""
    terminal = start("half", root, size=(140, 41))
    few = min(20, STEPS - 1)
    walk(terminal, RIGHT, few)
    terminal.settle()
    back = walk(terminal, LEFT, few)
    times("half: 140x40 cells, cached", back, 30, 50)
    end(terminal)


def pan(root: Path) -> None:
    """A window at 4:1, moved by 40 pixels a key."""
    for kind in BARS:
        terminal = start(kind, root)
        one(terminal, "z")
        terminal.settle()
        moved = walk(terminal, "l", 15)
        times(f"{kind}: pan at 4:1", moved, 40, 60)
        sizes(f"{kind}: pan at 4:1", moved, SHARP_BAR)
        end(terminal)


def held(root: Path) -> None:
    """Thirty keys a second for ten seconds: how late the last picture is, the longest turn."""
    for kind in BARS:
        terminal = start(kind, root)
        terminal.press("g")
        terminal.wait_for("GAP")
        begin = time.perf_counter()
        at = 0
        for n in range(300):
            while (left := begin + n / 30 - time.perf_counter()) > 0:
                terminal.read(left)
            forward = n // (STEPS - 1) % 2 == 0
            at = min(at + 1, STEPS - 1) if forward else max(at - 1, 0)
            place = terminal.press(RIGHT if forward else LEFT)
        last = time.perf_counter()
        terminal.wait_for(f"SHOWN {at} ", place)
        late = (time.perf_counter() - last) * 1000
        place = terminal.press("g")
        behind = terminal.wait_for("GAP", place)
        said = terminal.text(behind - 3)[:12]
        gap = float(said.split()[1])
        tell(f"{kind}: last picture after 30 keys/s", late, "ms", 100)
        tell(f"{kind}: longest turn of the loop", gap, "ms", 30)
        end(terminal)


def link(root: Path) -> None:
    """Text behind a sharp picture on a link of 10 Mbit/s."""
    for kind in ("kitty", "iterm", "sixel"):
        terminal = start(kind, root, rate=TEN_MBIT)
        lags = []
        for n in range(min(25, STEPS - 1)):
            begin = time.perf_counter()
            place = terminal.press(RIGHT)
            terminal.wait_for(rf"AT {n + 1}\.", place)
            lags.append(((time.perf_counter() - begin) * 1000, 0))
            rest(terminal, 0.17 + 0.006 * n)  # somewhere inside the sharp picture
        times(f"{kind}: text at 10 Mbit/s", lags, 30, 30)
        end(terminal)


def memory(root: Path) -> None:
    """The app's memory after 200 and after 2,000 steps."""
    for kind in ("kitty", "sixel", "iterm"):
        terminal = start(kind, root)
        found = []
        for count in (STEPS, 2000 - STEPS):
            for n in range(count):
                terminal.press(RIGHT if n // (STEPS - 1) % 2 == 0 else LEFT)
                terminal.read(0.02)
            terminal.settle()
            place = terminal.press("g")
            terminal.wait_for(r"GAP \d+ ms \d+ MB", place)
            said = terminal.text(place)
            found.append(float(said[said.rindex("GAP") :].split()[3]))
        note = f"after {STEPS} steps {found[0]:.0f} MB"
        tell(f"{kind}: memory after 2,000 steps", found[1], "MB", 1.2 * found[0], note=note)
        held_now = len(set(terminal.uploads())) - len(set(terminal.deletes()))
        if kind == "kitty":
            tell("kitty: pictures left in the terminal", held_now, "", 32)
        end(terminal)


def peers(root: Path) -> None:
    """chafa and timg, one process a frame; textual-image's own widget, a key a frame."""
    names = sorted(str(path) for path in root.glob("*.png"))[:8]
    for words in (
        ["chafa", "-f", "sixel", "-s", "80x21"],
        ["chafa", "-f", "symbols", "-s", "80x21"],
        ["chafa", "-f", "kitty", "-s", "80x21"],
        ["timg", "-p", "i", "-g", "80x21"],
        ["timg", "-p", "k", "-g", "80x21"],
    ):
        if shutil.which(words[0]) is None:
            missing(words[0], "install the system's package")
            continue
        figures = []
        for name in names:
            begin = time.perf_counter()
            done = subprocess.run([*words, name], capture_output=True, check=True)
            figures.append(((time.perf_counter() - begin) * 1000, len(done.stdout)))
        times(" ".join(words[:3]), figures)
        sizes(" ".join(words[:3]), figures)
        kind = {"symbols": "half", "i": "iterm", "k": "kitty"}.get(words[2], words[2])
        beside(kind, " ".join(words[:3]), figures)
    for kind in ("half", "kitty", "sixel"):
        terminal = FakeTerminal(
            kind,
            "tests.bench.picture_peer",
            str(root),
            kind,
            size=SIZE,
            environment={"COLORTERM": "truecolor"},
        )
        terminal.wait_for("SHOWN 0")
        terminal.settle()
        figures = [drained(terminal, RIGHT) for _ in range(8)]
        times(f"textual-image widget, {kind}", figures)
        sizes(f"textual-image widget, {kind}", figures)
        beside(kind, "textual-image widget", figures)
        end(terminal)


def beside(kind: str, name: str, figures: Figures) -> None:
    """Remember a peer where it is the quickest, or the shortest, by its protocol so far."""
    ms = statistics.median(ms for ms, _ in figures)
    kilobytes = statistics.median(size for _, size in figures) / 1000
    for best, value in ((PEER_MS, ms), (PEER_KB, kilobytes)):
        if kind not in best or value < best[kind][1]:
            best[kind] = name, value


def one(terminal: FakeTerminal, key: str, shown: str = "SHOWN") -> tuple[float, int]:
    """Press `key`; return ms until the picture's last byte, and all bytes of the answer.

    The app names a picture in its status line once it is on its way, so what follows closely
    still belongs to it. That line is text: it is no part of the time.
    """
    begin = time.perf_counter()
    place = terminal.press(key)
    came: list[tuple[int, float]] = []
    while terminal.written.find(shown.encode(), place) < 0:
        if time.perf_counter() - begin > PATIENCE:
            raise TimeoutError(f"no {shown} {PATIENCE} s after {key!r}: {terminal.tail(place)!r}")
        terminal.read()
        came.append((len(terminal.written), time.perf_counter()))
    while terminal.read(QUIET):
        came.append((len(terminal.written), time.perf_counter()))
    size = max(terminal.written.rfind(end, place) + len(end) for end in PICTURE_ENDS)
    last = next((at for reached, at in came if place < size <= reached), came[-1][1])
    return (last - begin) * 1000, len(terminal.written) - place


def drained(terminal: FakeTerminal, key: str) -> tuple[float, int]:
    """Press `key`; return ms until the last byte before a long silence, and bytes."""
    begin = time.perf_counter()
    place = terminal.press(key)
    last, limit = begin, 2.0
    while terminal.read(limit):
        last, limit = time.perf_counter(), 0.3
    return (last - begin) * 1000, len(terminal.written) - place


def walk(terminal: FakeTerminal, key: str, count: int) -> Figures:
    """Press `key` for each of `count` steps."""
    return [one(terminal, key) for _ in range(count)]


def rest(terminal: FakeTerminal, seconds: float) -> None:
    """Drain for `seconds`."""
    stop = time.perf_counter() + seconds
    while (left := stop - time.perf_counter()) > 0:
        terminal.read(left)


def times(
    name: str,
    figures: Figures,
    most50: float = 0,
    most95: float = 0,
    peer: tuple[str, float] | None = None,
) -> None:
    """Tell p50 and p95 with their bars."""
    values = sorted(ms for ms, _ in figures)
    p50, p95 = statistics.median(values), values[min(int(len(values) * 0.95), len(values) - 1)]
    tell(name, (p50, p95), "ms", (most50, most95) if most50 else (), peer=peer)


def sizes(
    name: str, figures: Figures, most: float = 0, peer: tuple[str, float] | None = None
) -> None:
    """Tell the largest of the bytes, and their median."""
    values = [size for _, size in figures]
    note = f"median {statistics.median(values) / 1000:,.1f}"
    bars = (most / 1000,) if most else ()
    tell(f"{name}, bytes", max(values) / 1000, "kB", bars, peer=peer, note=note)


if __name__ == "__main__":
    words = sys.argv[1:]
    if words and words[0].isdecimal():
        STEPS = int(words.pop(0))
    main(words or ["peers", "scrub", "wide", "pan", "held", "link", "memory"])
