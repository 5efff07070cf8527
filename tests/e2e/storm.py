"""A seeded monkey at two explorers, with a builder, a scoring that is killed and edits beside."""

import os
import random
import select
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path

from b100tui.tui.actions import ACTIONS
from b100tui.workspace.places import state_dir
from tests.e2e.pty_terminal import Pty
from tests.e2e.storm_folder import Gremlin
from tests.index.folder import png

_BYTES = {
    "left": b"\x1b[D", "right": b"\x1b[C", "up": b"\x1b[A", "down": b"\x1b[B",
    "pageup": b"\x1b[5~", "pagedown": b"\x1b[6~", "home": b"\x1b[H", "end": b"\x1b[F",
    "space": b" ", "enter": b"\r", "escape": b"\x1b", "tab": b"\t", "shift+tab": b"\x1b[Z",
    "ctrl+p": b"\x10", "ctrl+u": b"\x15", "ctrl+d": b"\x04", "backspace": b"\x7f",
}  # fmt: skip
KEYS = [key for action in ACTIONS if action.id != "app.quit" for key in action.keys]
LETTERS = [chr(code) for code in range(33, 127) if chr(code) != "q"]
# Bytes that a hostile or a slow terminal sends unasked: cut answers, floods, wrong ones.
REPLIES = (
    b"\x1b[?62;4c", b"\x1b[6;20;10t", b"\x1bP>|evil\x1b\\", b"\x1b]11;rgb:0/0/0\x07",
    b"\x1b_Gi=1;OK\x1b\\", b"\x1b[?1;2", b"\x1bP1$r", b"\x1b[<0;9;9M\x1b[<0;9;9m", b"\xff\xfe\x80",
    b"\x1b[999999999;999999999R", b"\x1b[200~pasted\nlines\x1b[201~", b"\x1b[I\x1b[O",
)  # fmt: skip
WARM = 0.4


def bytes_of(key: str) -> bytes:
    return _BYTES.get(key) or key.encode()


class Storm:
    """One storm over one root."""

    def __init__(self, root: Path, seed: int) -> None:
        self.dice = random.Random(seed)
        self.root = root
        self.gremlin = Gremlin(root, self.dice)
        self.picture = root.parent / "given.png"
        self.picture.write_bytes(png(5, 120, 80))
        self.beside: dict[str, subprocess.Popen[bytes]] = {}
        self.edits = 0
        self.memory: dict[int, list[tuple[float, int]]] = {}
        self.ended: list[Pty] = []
        self.explorers = [self._open("half"), self._open("kitty")]
        self.graphics = {id(self.explorers[0]): "half", id(self.explorers[1]): "kitty"}

    def _open(self, graphics: str) -> Pty:
        words = ["explore", str(self.root), "--graphics", graphics]
        return Pty(words, self.dice.choice([(120, 40), (80, 24), (200, 60)]))

    def rage(self, seconds: float) -> None:
        """Storm for `seconds`, then leave the explorers by q and let the work beside end."""
        begin = time.monotonic()
        while (passed := time.monotonic() - begin) < seconds:
            self._turn(passed)
        for explorer in self.explorers:
            self.leave(explorer)
        self._let_end()

    def _turn(self, passed: float) -> None:
        for number, explorer in enumerate(self.explorers):
            if not explorer.running():
                self.leave(explorer)
                assert explorer.code == 0, f"code {explorer.code}\n{explorer.tail()}"
                graphics = self.graphics[id(explorer)]
                self.explorers[number] = fresh = self._open(graphics)
                self.graphics[id(fresh)] = graphics
            self._press(explorer)
            self.memory.setdefault(explorer.pid, []).append((passed, explorer.memory()))
        if self.dice.random() < 0.15:
            self.gremlin.act()
        if self.dice.random() < 0.1:
            self._work_beside()
        handles = [one.fd for one in self.explorers]
        select.select(handles, [], [], self.dice.choice([0.0, 0.0, 0.02, 0.1]))
        for explorer in self.explorers:
            for _ in range(20):
                if not explorer.pump():
                    break

    def _press(self, explorer: Pty) -> None:
        chance = self.dice.random()
        if chance < 0.70:
            for _ in range(self.dice.randrange(1, 6)):
                explorer.type(bytes_of(self.dice.choice(KEYS)))
        elif chance < 0.80:
            explorer.type("".join(self.dice.choices(LETTERS, k=4)).encode())
        elif chance < 0.88:
            explorer.type(b"\x1b" * self.dice.randrange(1, 4))
        elif chance < 0.93:
            explorer.resize(self.dice.randrange(1, 220), self.dice.randrange(1, 70))
        elif chance < 0.96:
            explorer.type(self.dice.choice(REPLIES))
        elif chance < 0.99:
            explorer.signal(signal.SIGSTOP)
            explorer.pump()
            explorer.signal(signal.SIGCONT)
        elif chance < 0.992:
            explorer.type(b"q")

    def _work_beside(self) -> None:
        score = self.beside.get("score")
        if score is not None and score.poll() is None and self.dice.random() < 0.5:
            score.send_signal(self.dice.choice([signal.SIGKILL, signal.SIGTERM]))
        name = self.dice.choice(["index", "score", "edit"])
        running = self.beside.get(name)
        if running is not None and running.poll() is None:
            return
        root = str(self.root)
        if name == "index":
            words = ["index", root]
        elif name == "score":
            words = ["score", "--root", root, "--metrics", "probes"]
        elif self.edits < 40:
            self.edits += 1
            words = ["edit", "new", str(self.picture), "--editor", "simulate", "--steps", "3"]
            words += ["--resolution", "1K", "--root", root, "--yes"]
        else:
            return
        self.beside[name] = subprocess.Popen(
            [sys.executable, "-m", "b100tui", *words],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def leave(self, explorer: Pty) -> None:
        """Leave by q, from whatever screen the monkey is on."""
        end = time.monotonic() + 45
        while explorer.running() and time.monotonic() < end:
            explorer.type(b"\x1b")
            pause = time.monotonic() + 0.5
            while time.monotonic() < pause:
                select.select([explorer.fd], [], [], 0.05)
                explorer.pump()
            explorer.type(b"q")
        explorer.ended()
        self.ended.append(explorer)

    def _let_end(self) -> None:
        for process in self.beside.values():
            try:
                process.wait(120)
            finally:
                process.kill()

    def growth(self) -> dict[int, float]:
        """Return, by explorer, the median memory of the last fifth over that after warm-up."""
        found = {}
        for pid, samples in self.memory.items():
            first, last = samples[0][0], samples[-1][0]
            span = last - first
            warm = [kb for at, kb in samples if first + WARM * span <= at < first + 0.6 * span]
            late = [kb for at, kb in samples if at >= first + 0.8 * span]
            if span > 120 and warm and late:
                found[pid] = statistics.median(late) / statistics.median(warm)
        return found


def left_processes() -> dict[int, str]:
    """Return processes of this test (by its state folder) that still run, with their words."""
    mark = os.fsencode(f"B100_STATE_DIR={state_dir()}")
    found = {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            held = (place / "environ").read_bytes().split(b"\0")
            words = (place / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            continue
        if mark in held and int(place.name) != os.getpid() and words:
            found[int(place.name)] = words
    return found
