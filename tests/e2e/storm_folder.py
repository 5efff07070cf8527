"""A folder in which runs grow, change, break and vanish, and that remembers what it wrote."""

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

from b100tui.model.records import MarkRecord
from b100tui.workspace.parts import PartWriter
from b100tui.workspace.places import workspace_dir
from tests.index.folder import add_run, add_step, png

KEPT = "fog/replicate-2k/run-0"
MOST_STEPS = 40
HOSTILE = "evil\x1b]52;c;cm0gLXJm\x07\x1b[31m[bold]\u202egnp"


class Gremlin:
    """Does one random thing to the folder at a time; the run KEPT is never harmed."""

    def __init__(self, root: Path, dice: random.Random) -> None:
        self.root, self.dice = root, dice
        self.marks: list[str] = []
        self._writer = PartWriter(workspace_dir(root) / "marks")
        self._steps = {KEPT: 12, "dongpo/replicate-2k/run-0": 9, "dongpo/replicate-2k/run-1": 4}
        for run, count in self._steps.items():
            add_run(root, run, count, size=(96, 64), sections=(("Final Check", "All is [b]well"),))
        for step in range(8):
            self._plain(step)
        self._deeds: tuple[Callable[[], None], ...] = (
            *(self._grow, self._grow, self._change, self._truncate, self._vanish, self._come),
            *(self._break_sidecar, self._table, self._mark, self._mark, self._away, self._hostile),
        )

    def act(self) -> str:
        """Do one thing; return its name."""
        deed = self.dice.choice(self._deeds)
        deed()
        return deed.__name__

    def close(self) -> None:
        self._writer.close()

    def _plain(self, step: int) -> Path:
        path = self.root / "others" / "chat" / f"step_{step}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(png(self.dice.randrange(2**24), 80, 60))
        return path

    def _grow(self) -> None:
        run = self.dice.choice(list(self._steps))
        if self._steps[run] >= MOST_STEPS:
            return  # memory is judged: the folder may not grow for ever
        self._steps[run] = max(self._steps[run], 1) + 1
        text = f"{HOSTILE} look at the plate"
        add_step(self.root, run, self._steps[run] - 1, size=(96, 64), sections=(("Look", text),))

    def _change(self) -> None:
        self._plain(self.dice.randrange(12))

    def _truncate(self) -> None:
        path = self._plain(self.dice.randrange(12))
        with path.open("r+b") as file:
            file.truncate(self.dice.randrange(path.stat().st_size))

    def _vanish(self) -> None:
        others = [run for run in self._steps if run != KEPT]
        if self.dice.random() < 0.3:
            run = self.dice.choice(others)
            shutil.rmtree(self.root / run, ignore_errors=True)
            self._steps[run] = 0
            return
        (self.root / "others" / "chat" / f"step_{self.dice.randrange(12)}.png").unlink(True)

    def _come(self) -> None:
        run = f"city/replicate-2k/run-{self.dice.randrange(4)}"
        self._steps[run] = self.dice.randrange(1, 6)
        add_run(self.root, run, self._steps[run], size=(64, 96))

    def _break_sidecar(self) -> None:
        run = self.dice.choice([run for run in self._steps if run != KEPT])
        for path in sorted((self.root / run).glob("step-*.json"))[-1:]:
            path.write_bytes(self.dice.randbytes(60))

    def _table(self) -> None:
        rows = "".join(f"{n},{self.dice.uniform(0, 100)}\n" for n in range(12))
        (self.root / "others" / "chat" / "scores.csv").write_text("step,brisque\n" + rows)

    def _mark(self) -> None:
        name = f"storm-{len(self.marks)}"
        mark = MarkRecord(
            id=name, run=KEPT, step=len(self.marks) % 12, mode="tint", by="storm",
            time="2026-01-01T00:00:00Z", note=HOSTILE,
        )  # fmt: skip
        self._writer.append(mark)
        self.marks.append(name)

    def _away(self) -> None:
        """The whole subtree is gone for a moment, as when a disk is mounted anew."""
        held = self.root.parent / "away"
        os.rename(self.root / "others", held)
        os.rename(held, self.root / "others")

    def _hostile(self) -> None:
        folder = self.root / "others" / HOSTILE.replace("/", "")
        folder.mkdir(exist_ok=True)
        (folder / f"step_{self.dice.randrange(4)}.png").write_bytes(png(7, 20, 20))
