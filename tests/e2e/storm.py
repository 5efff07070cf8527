"""A seeded monkey at several explorers of one folder, in which things happen meanwhile."""

import random
import select
import signal
import sys
import time
from collections import Counter
from pathlib import Path

from b100tui.tui.actions import ACTIONS
from tests.e2e.pty_terminal import Memory, Pty
from tests.e2e.storm_beside import Beside
from tests.e2e.storm_books import Books
from tests.e2e.storm_folder import Gremlin
from tests.e2e.storm_memory import SHORTEST, growth
from tests.e2e.storm_tmux import HAS_TMUX, TmuxExplorer
from tests.fakes.gemini import FakeGemini

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
SAMPLE_EVERY = 2.0
NOTE_EVERY = 10.0
PATIENCE = 600.0
SMALL = Path(__file__).with_name("explore_small.py")


def bytes_of(key: str) -> bytes:
    return _BYTES.get(key) or key.encode()


class Storm:
    """One storm over one root: explorers 0 and 1 stay to the end, further ones come and go.

    0 draws half blocks and 1 speaks Kitty, each in a pty; 2 is Kitty again, and left by q at any
    moment; 3 is inside tmux, where there is one, with a client that detaches and attaches.
    """

    def __init__(self, root: Path, seed: int, fake: FakeGemini) -> None:
        self.dice = random.Random(seed)
        self.root = root
        self.gremlin = Gremlin(root, self.dice)
        self.beside = Beside(root, self.dice, fake)
        self.books = Books(root)
        self.memory: dict[int, list[tuple[float, Memory]]] = {}
        self.ended: list[Pty | TmuxExplorer] = []
        self.starts: Counter[int] = Counter()
        self.turns = 0
        self.explorers = [self._open(number) for number in range(4 if HAS_TMUX else 3)]

    def _open(self, number: int) -> "Pty | TmuxExplorer":
        self.starts[number] += 1
        size = self.dice.choice([(120, 40), (80, 24), (200, 60)])
        if number == 3:
            folder = self.root.parent / f"tmux-{self.starts[3]}"
            folder.mkdir()
            return TmuxExplorer(folder, self.root, size)
        graphics = ["half", "kitty", "kitty"][number]
        words = [str(SMALL), "explore", str(self.root), "--graphics", graphics]
        return Pty(words, size, program=sys.executable, folder=self.root.parent)

    def rage(self, seconds: float) -> None:
        """Storm for `seconds`, then leave the explorers by q and let the work beside end."""
        if seconds >= SHORTEST:
            self._visit_everything()
        begin = time.monotonic()
        sampled = noted = -NOTE_EVERY
        while (passed := time.monotonic() - begin) < seconds:
            self._turn()
            if passed - sampled >= SAMPLE_EVERY:
                sampled = passed
                for number, explorer in enumerate(self.explorers[:2]):
                    self.memory.setdefault(number, []).append((passed, explorer.memory()))
            if passed - noted >= NOTE_EVERY:
                noted = passed
                self.books.note()
        for explorer in self.explorers:
            self.leave(explorer)
        self.books.note()

    def _visit_everything(self) -> None:
        """Press every key once where it can be heard, so that all that is loaded late is there."""
        for explorer in self.explorers[:2]:
            for key in KEYS:
                explorer.type(bytes_of(key))
                self._wait(explorer, 0.5)
                explorer.type(b"\x1b")
                self._wait(explorer, 0.3)

    def _turn(self) -> None:
        self.turns += 1
        for number, explorer in enumerate(self.explorers):
            if not explorer.running():
                self.leave(explorer)
                assert explorer.code == 0, f"code {explorer.code}\n{explorer.tail()}"
                self.explorers[number] = self._open(number)
                self.memory.pop(number, None)  # the palette may quit, too: it begins anew
            self._press(self.explorers[number], number)
        if self.dice.random() < 0.15:
            self.gremlin.act()
        if self.dice.random() < 0.1:
            self.beside.act()
        until = time.monotonic() + self.dice.choice([0.0, 0.0, 0.02, 0.1])
        while True:
            for explorer in self.explorers:
                for _ in range(20):
                    if not explorer.pump():
                        break
            left = until - time.monotonic()
            if left <= 0:
                return
            select.select(self._handles(), [], [], left)

    def _handles(self) -> list[int]:
        found = [one.client if isinstance(one, TmuxExplorer) else one for one in self.explorers]
        return [one.fd for one in found if one is not None and one.running()]

    def _press(self, explorer: "Pty | TmuxExplorer", number: int) -> None:
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
        elif chance < 0.992 and number > 1:
            explorer.type(b"q")
        if isinstance(explorer, TmuxExplorer) and self.dice.random() < 0.05:
            explorer.detach() if explorer.client is not None else explorer.attach()

    def leave(self, explorer: "Pty | TmuxExplorer") -> None:
        """Leave by q, from whatever screen the monkey is on."""
        end = time.monotonic() + PATIENCE
        while explorer.running() and time.monotonic() < end:
            if isinstance(explorer, TmuxExplorer):
                explorer.attach()
            explorer.type(b"\x1b")
            self._wait(explorer, 0.5)
            explorer.type(b"q")
            self._wait(explorer, 1.0)
        if isinstance(explorer, Pty):
            explorer.ended()
        assert not explorer.running(), f"it does not leave by q\n{explorer.tail()}"
        self.ended.append(explorer)

    def _wait(self, explorer: "Pty | TmuxExplorer", seconds: float) -> None:
        """Take in what all explorers write for `seconds`, or until this one has ended."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0 and explorer.running():
            select.select(self._handles(), [], [], min(left, 0.05))
            for one in self.explorers:
                one.pump()

    def growth(self) -> dict[int, float]:
        """Return by explorer how its memory grew after warm-up; empty for short storms."""
        judged = {number: growth(samples) for number, samples in self.memory.items()}
        return {number: grown for number, grown in judged.items() if grown is not None}

    def close(self) -> None:
        for explorer in {*self.explorers, *self.ended}:
            explorer.close()
        self.beside.close()
        self.gremlin.close()
