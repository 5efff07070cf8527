"""What stands on the screen while Textual is still being imported: status line and run names.

Importing takes two thirds of the start; the snapshot is read before. The frame is drawn where
the main screen will draw the same, so nothing moves when that takes over.
"""

import re
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import TextIO

from b100tui.index.rows import FirstPaint
from b100tui.model.text import clean_line
from b100tui.terminal.facts import TRUE_COLOUR, TerminalFacts
from b100tui.tui.tree import RunTree, title
from b100tui.tui.wrapping import fit
from b100tui.workspace.places import config_dir

ENTER, LEAVE = "\x1b[?1049h", "\x1b[?1049l"
ALL_OPEN_UP_TO = 60
NARROW_BELOW, WIDE_FROM, HIGH_FROM = 84, 160, 44
LIST_CELLS, WIDE_LIST_CELLS = 29, 42
BELOW_LIST, BELOW_HIGH_LIST = 11, 15  # lines of slider, metrics and keys
_HEX = re.compile(r"#([0-9a-fA-F]{2})([0-9a-fA-F]{2})([0-9a-fA-F]{2})")


def early_frame(
    first: FirstPaint,
    name: str,
    size: tuple[int, int],
    wanted: str = "",
    colours: Mapping[str, str] | None = None,
) -> str:
    """Return the escape sequences that draw `first` on `size` (columns, lines).

    `wanted` is the run that will be open; `colours` are a theme's background and foreground as
    #rrggbb, left away where the terminal has fewer colours.
    """
    columns, _ = size
    tree = RunTree(first.rows)
    run = wanted if wanted in tree.by_run else (first.rows[0].run if first.rows else "")
    counts = f"{first.total_runs:,} runs · {first.total_steps:,} steps".replace(",", " ")
    drawn = [_at(1, 1, fit(f" b100  {clean_line(name)}/  {counts}", columns))]
    if columns >= NARROW_BELOW:
        drawn += _list(tree, run, first.total_runs, size)
    elif run:
        words = title(tree.rows[tree.by_run[run]], columns - 2)
        drawn.append(_at(2, 1, f" {words}"))
    return ENTER + "\x1b[?25l" + _paint(colours or {}) + "\x1b[2J" + "".join(drawn)


def _list(tree: RunTree, run: str, total: int, size: tuple[int, int]) -> Iterator[str]:
    columns, lines = size
    width = WIDE_LIST_CELLS if columns >= WIDE_FROM else LIST_CELLS
    height = max(2, lines - 1 - (BELOW_HIGH_LIST if lines >= HIGH_FROM else BELOW_LIST))
    closed = tree.closed_but(run) if total > ALL_OPEN_UP_TO else set()
    names = [_name(tree, line, closed) for line in tree.lines(closed)[: height - 2]]
    yield _at(2, 1, "╭─ Runs " + "─" * (width - 9) + "╮")
    for row in range(height - 2):
        text = names[row] if row < len(names) else ""
        yield _at(3 + row, 1, f"│{fit(text, width - 2)}│")
    yield _at(1 + height, 1, "╰" + "─" * (width - 2) + "╯")


def _name(tree: RunTree, line: int, closed: set[tuple[str, ...]]) -> str:
    if line >= 0:
        return ("    " if tree.parents[line][1] >= 0 else "  ") + tree.label(line)
    group = tree.groups[-1 - line]
    indent = "  " * group.depth
    if group.key in closed:
        return f"{indent}▸ {group.label}  {group.stop - group.start}"
    return f"{indent}▾ {group.label}"


def _at(line: int, column: int, text: str) -> str:
    return f"\x1b[{line};{column}H{text}"


def _paint(colours: Mapping[str, str]) -> str:
    codes = []
    for place, name in ((48, "background"), (38, "foreground")):
        found = _HEX.fullmatch(colours.get(name, ""))
        if found:
            red, green, blue = (int(part, 16) for part in found.groups())
            codes.append(f"{place};2;{red};{green};{blue}")
    return f"\x1b[0;{';'.join(codes)}m" if codes else "\x1b[0m"


class Curtain:
    """The early frame on one terminal, until the app has taken it over."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self.up = False

    def draw(self, frame: str) -> None:
        """Put the frame on the screen."""
        self.up = True
        self._out.write(frame)
        self._out.flush()

    def lift(self) -> None:
        """The app draws and restores the terminal from now on."""
        self.up = False

    def fall(self) -> None:
        """Restore the terminal: the app never came."""
        if self.up:
            self.up = False
            self._out.write(f"\x1b[0m\x1b[?25h{LEAVE}")
            self._out.flush()


@contextmanager
def curtain(out: TextIO | None = None) -> Iterator[Curtain]:
    """Give what draws early; whatever ends the block before the app is up restores the screen."""
    raised = Curtain(out or sys.__stderr__ or sys.stderr)
    numbers = (signal.SIGTERM, signal.SIGHUP) if hasattr(signal, "SIGHUP") else ()
    before = {number: signal.signal(number, _leave) for number in numbers}
    try:
        yield raised
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        raised.fall()


def _leave(number: int, _: FrameType | None) -> None:
    raise SystemExit(128 + number)


def can_draw(facts: TerminalFacts, first: FirstPaint | None) -> bool:
    """Return whether there is something to draw and a terminal that takes it."""
    return first is not None and bool(first.rows) and facts.graphics != "text"


def theme_colours(name: str, facts: TerminalFacts) -> dict[str, str]:
    """Return the colours of theme `name` that the terminal can draw exactly; the app tells faults.

    The file is read as it is: what makes a theme of it needs Textual.
    """
    import tomllib

    from b100tui.resources import shipped_folder

    if facts.colours < TRUE_COLOUR:
        return {}
    for folder in (config_dir() / "themes", shipped_folder("themes")):
        try:
            table = tomllib.loads((folder / f"{name}.toml").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        return {key: value for key, value in table.items() if isinstance(value, str)}
    return {}
