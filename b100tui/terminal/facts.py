"""What is known of a terminal, and the pure rules that turn its answers into a choice."""

import re
from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

Graphics = Literal["kitty", "sixel", "iterm", "half", "text"]
GRAPHICS: tuple[str, ...] = ("auto", "kitty", "sixel", "iterm", "half", "text")
TRUE_COLOUR = 1 << 24
DEFAULT_CELL = (10, 20)

# Names that XTVERSION or TERM give to terminals known to draw 24-bit colours.
_TRUE_COLOUR_NAMES = re.compile(
    r"kitty|ghostty|wezterm|foot|iterm2|konsole|alacritty|contour|-direct|rio\b", re.IGNORECASE
)
_KITTY_VERSION = re.compile(r"kitty[( ]+(\d{1,6})\.(\d{1,6})", re.IGNORECASE)
_XTERM_VERSION = re.compile(r"XTerm\((\d{1,6})\)")
_XTERM_DIRECT_SINCE = 331
_PLACEHOLDERS_SINCE = (0, 28)


class TerminalFacts(Struct, frozen=True, kw_only=True):
    """One terminal as probed: how pictures go out, and why not better.

    `cell_width` and `cell_height` are pixels; `colours` is 2 (NO_COLOR), 16, 256 or 2**24;
    `tmux` means that graphics bytes need its passthrough; `pending` means that the terminal
    had not answered in time and may still do so; `asked` that the person chose `graphics`.
    `client` is the process that shows tmux's session, `sixel` whether the first answer had it.
    """

    graphics: Graphics = "half"
    reason: str = "not probed"
    cell_width: int = DEFAULT_CELL[0]
    cell_height: int = DEFAULT_CELL[1]
    colours: int = TRUE_COLOUR
    tmux: bool = False
    name: str = ""
    pending: bool = False
    asked: bool = False
    client: str = ""
    sixel: bool = False

    def with_cell(self, width: int, height: int) -> "TerminalFacts":
        """Return the same facts with another cell size in pixels, clamped."""
        import msgspec

        width, height = plausible_cell(width, height)
        return msgspec.structs.replace(self, cell_width=width, cell_height=height)


class Replies(Struct, frozen=True, kw_only=True):
    """A terminal's answers to the probe, taken apart. `sixel` is DA1 parameter 4."""

    complete: bool = False
    kitty: bool = False
    sixel: bool = False
    name: str = ""
    cell: tuple[int, int] | None = None


class Tmux(Struct, frozen=True, kw_only=True):
    """What tmux says of the terminal it is shown in; all empty when it could not be asked.

    `client` is the process that is attached, `passes` whether graphics may pass through.
    """

    name: str = ""
    term: str = ""
    features: str = ""
    cell: tuple[int, int] | None = None
    client: str = ""
    passes: bool = False

    @property
    def speaks_kitty(self) -> bool:
        """Whether the outer terminal is one that draws Kitty placeholders."""
        return bool(re.search(r"kitty|ghostty", self.name or self.term, re.IGNORECASE))


def read_replies(data: bytes) -> Replies:
    """Return the answers in `data`; `complete` once the DA1 answer, asked last, is there."""
    text = data.decode("latin-1")
    attributes = re.search(r"\x1b\[\?([\d;]+)c", text)
    cell = re.search(r"\x1b\[6;(\d{1,5});(\d{1,5})t", text)
    name = re.search(r"\x1bP>\|([^\x1b]*)\x1b\\", text)
    return Replies(
        complete=attributes is not None,
        kitty=re.search(r"\x1b_Gi=31[^\x1b;]*;OK", text) is not None,
        sixel=attributes is not None and "4" in attributes[1].split(";")[1:],
        name=name[1].strip() if name else "",
        cell=(int(cell[2]), int(cell[1])) if cell else None,
    )


def choose_graphics(replies: Replies, tmux: Tmux | None) -> tuple[Graphics, str]:
    """Return how to draw, and the reason in words."""
    if tmux is not None:
        return _choose_in_tmux(replies, tmux)
    name = replies.name
    if replies.kitty and _draws_placeholders(name):
        return "kitty", f"{name or 'the terminal'} draws Kitty placeholders"
    if re.match(r"iterm2|wezterm", name, re.IGNORECASE):
        return "iterm", f"{name} takes inline JPEG"
    if replies.sixel:
        return "sixel", f"{name or 'the terminal'} takes sixel"
    if replies.kitty:
        return "half", f"{name or 'the terminal'} has Kitty graphics without placeholders"
    return "half", f"{name or 'the terminal'} has no picture protocol"


def _choose_in_tmux(replies: Replies, tmux: Tmux) -> tuple[Graphics, str]:
    outer = tmux.name or tmux.term or "the outer terminal"
    if replies.kitty and tmux.speaks_kitty and _draws_placeholders(tmux.name or "kitty"):
        return "kitty", f"tmux passes Kitty graphics through to {outer}"
    if tmux.speaks_kitty:
        return "half", f"tmux does not pass graphics on to {outer}: set -g allow-passthrough on"
    if replies.sixel and "sixel" in tmux.features:
        return "sixel", f"tmux and {outer} take sixel"
    if replies.sixel:
        return "half", f"tmux knows sixel, {outer} was not declared to: terminal-features :sixel"
    return "half", f"tmux in {outer} has no picture protocol"


def _draws_placeholders(name: str) -> bool:
    if re.search("ghostty", name, re.IGNORECASE):
        return True
    version = _KITTY_VERSION.search(name)
    if version:
        return (int(version[1]), int(version[2])) >= _PLACEHOLDERS_SINCE
    return name.lower() == "kitty"


def colour_depth(environment: Mapping[str, str], name: str = "", tmux: Tmux | None = None) -> int:
    """Return 2, 16, 256 or 2**24 from the environment, XTVERSION `name` and tmux features."""
    term = environment.get("TERM", "")
    if environment.get("NO_COLOR"):
        return 2
    if environment.get("COLORTERM", "").lower() in {"truecolor", "24bit"}:
        return TRUE_COLOUR
    if tmux is not None:
        return TRUE_COLOUR if "RGB" in tmux.features else 256
    if _TRUE_COLOUR_NAMES.search(name) or _TRUE_COLOUR_NAMES.search(term):
        return TRUE_COLOUR
    xterm = _XTERM_VERSION.match(name)
    if xterm and int(xterm[1]) >= _XTERM_DIRECT_SINCE and term.startswith("xterm"):
        return TRUE_COLOUR
    return 256 if "256" in term else 16


def plausible_cell(width: int, height: int) -> tuple[int, int]:
    """Return a cell size in pixels; anything no font could have becomes the default 10x20."""
    if 4 <= width <= 64 and 6 <= height <= 128 and 1 <= height / width <= 4:
        return width, height
    return DEFAULT_CELL
