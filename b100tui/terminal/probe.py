"""Asks the terminal what it can show, before Textual starts: one write, one short wait.

Nothing heavy is imported. An answer that comes later than the wait is not lost: the driver
takes it out of the input and calls `judge` again.
"""

import fcntl
import os
import select
import struct
import sys
import termios
import time
import tty
from collections.abc import Mapping, MutableMapping
from typing import cast

import msgspec

from b100tui.model.errors import UsageError
from b100tui.model.text import clean_line
from b100tui.terminal.aside import screen
from b100tui.terminal.attached import ask_tmux
from b100tui.terminal.facts import (
    GRAPHICS,
    TRUE_COLOUR,
    Graphics,
    Replies,
    TerminalFacts,
    Tmux,
    choose_graphics,
    colour_depth,
    plausible_cell,
    read_replies,
)

FIRST_PAINT_WAIT = 0.15
PASSTHROUGH_WAIT = 0.3
_KITTY_QUERY = "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\"
_QUERY = "\x1b[>q" + "\x1b[16t" + "\x1b[c"
_COLOUR_CHOICES = {"truecolor": TRUE_COLOUR, "24bit": TRUE_COLOUR, "256": 256, "16": 16, "2": 2}

__all__ = [
    "FIRST_PAINT_WAIT",
    "TerminalFacts",
    "cell_size",
    "judge",
    "probe_terminal",
    "tell_textual",
]


def probe_terminal(
    *,
    graphics: str = "auto",
    colours: str = "auto",
    wait: float = FIRST_PAINT_WAIT,
    input_fd: int | None = None,
    output_fd: int | None = None,
    environment: Mapping[str, str] | None = None,
) -> TerminalFacts:
    """Return what this terminal can show; takes at most `wait` seconds (0.3 more in tmux).

    `graphics` and `colours` other than "auto" override the answer. `output_fd` is where the
    pictures will go: stderr for Textual (the default), stdout for commands. Never raises for
    a terminal's sake: the reason stands in the facts. UsageError for an unknown override.
    """
    env = os.environ if environment is None else environment
    source = sys.__stdin__.fileno() if input_fd is None and sys.__stdin__ else (input_fd or 0)
    sink = screen() if output_fd is None else output_fd
    wanted, depth = _read_overrides(graphics, colours)
    blocked = _unusable(source, sink, env)
    if blocked:
        return TerminalFacts(
            graphics=wanted or "text",
            reason=f"asked for with --graphics {wanted}" if wanted else blocked,
            colours=depth or colour_depth(env),
        )
    tmux = ask_tmux() if env.get("TMUX") else None
    replies = read_replies(_ask(source, sink, wait, tmux))
    return judge(
        replies, tmux, env, sink=sink, wanted=wanted, depth=depth, late=not replies.complete
    )


def judge(
    replies: Replies,
    tmux: Tmux | None,
    environment: Mapping[str, str],
    *,
    sink: int,
    wanted: Graphics | None = None,
    depth: int | None = None,
    late: bool = False,
) -> TerminalFacts:
    """Return the facts that follow from the answers; `late`: there was none in time."""
    if wanted:
        chosen, reason = wanted, f"asked for with --graphics {wanted}"
    elif late:
        chosen, reason = "half", "the terminal did not answer in time"
    else:
        chosen, reason = choose_graphics(replies, tmux)
    name = (tmux.name or tmux.term) if tmux else replies.name
    width, height = cell_size(sink) or replies.cell or (tmux.cell if tmux else None) or (0, 0)
    width, height = plausible_cell(width, height)
    return TerminalFacts(
        graphics=chosen,
        reason=clean_line(reason),
        cell_width=width,
        cell_height=height,
        colours=depth or colour_depth(environment, replies.name, tmux),
        tmux=tmux is not None,
        name=clean_line(name),
        pending=late and wanted is None,
        asked=wanted is not None,
        client=tmux.client if tmux else "",
        sixel=replies.sixel,
    )


def tell_textual(facts: TerminalFacts, environment: MutableMapping[str, str]) -> None:
    """Set COLORTERM where 24-bit colours are known to work; call before importing Textual.

    Else Textual draws in the few colours that TERM promises, over SSH above all.
    """
    if facts.colours == TRUE_COLOUR or facts.graphics == "kitty":
        environment.setdefault("COLORTERM", "truecolor")


def cell_size(fd: int) -> tuple[int, int] | None:
    """Return a cell's width and height in pixels as the tty says, None where it does not."""
    try:
        rows, columns, width, height = struct.unpack(
            "HHHH", fcntl.ioctl(fd, termios.TIOCGWINSZ, b"\0" * 8)
        )
    except OSError:
        return None
    if not (rows and columns and width and height):
        return None
    return width // columns, height // rows


def with_cell_now(facts: TerminalFacts, fd: int | None = None) -> TerminalFacts:
    """Return `facts` with the cell size that the tty has by now (another font or terminal)."""
    cell = cell_size(screen() if fd is None else fd)
    if cell is None or cell == (facts.cell_width, facts.cell_height):
        return facts
    return facts.with_cell(*cell)


def with_client_now(facts: TerminalFacts, environment: Mapping[str, str]) -> TerminalFacts:
    """Return what can be shown where tmux's session was attached anew; `facts` where it was not.

    Asks tmux, which takes some milliseconds. The terminal behind it is not asked again: what
    tmux knows of it decides.
    """
    tmux = ask_tmux()
    if not tmux.client or tmux.client == facts.client:
        return facts
    replies = Replies(complete=True, kitty=tmux.passes, sixel=facts.sixel)
    wanted = facts.graphics if facts.asked else None
    return judge(replies, tmux, environment, sink=screen(), wanted=wanted)


def judge_late(data: bytes, facts: TerminalFacts, environment: Mapping[str, str]) -> TerminalFacts:
    """Return better facts from answers that came after the wait; `facts` when they say nothing.

    Only outside tmux: there the answers are tmux's own and come at once.
    """
    replies = read_replies(data)
    if facts.tmux or not replies.complete:
        return facts
    found = judge(replies, None, environment, sink=screen())
    return msgspec.structs.replace(found, reason=found.reason + ", told late")


def _read_overrides(graphics: str, colours: str) -> tuple[Graphics | None, int | None]:
    if graphics not in GRAPHICS:
        raise UsageError(f"--graphics {graphics!r} is not known", f"one of {', '.join(GRAPHICS)}")
    if colours != "auto" and colours not in _COLOUR_CHOICES:
        raise UsageError(
            f"colours {colours!r} are not known", f"one of auto, {', '.join(_COLOUR_CHOICES)}"
        )
    return (
        None if graphics == "auto" else cast("Graphics", graphics),
        _COLOUR_CHOICES.get(colours),
    )


def _unusable(source: int, sink: int, environment: Mapping[str, str]) -> str:
    if not os.isatty(source):
        return "the input is not a terminal"
    if not os.isatty(sink):
        return "the output is not a terminal"
    if environment.get("TERM", "dumb") == "dumb":
        return "TERM=dumb has no way to place anything"
    try:
        size = os.get_terminal_size(sink)
    except OSError as error:
        return f"the terminal tells no size: {error.strerror}"
    if not (size.columns and size.lines):
        return "the terminal has no size"
    return ""


def _ask(source: int, sink: int, wait: float, tmux: Tmux | None) -> bytes:
    """Write the queries once and return what came back within `wait`."""
    passes = tmux is not None and tmux.speaks_kitty
    query = _QUERY
    if tmux is None:
        query = _KITTY_QUERY + query
    elif passes:
        query = "\x1bPtmux;" + _KITTY_QUERY.replace("\x1b", "\x1b\x1b") + "\x1b\\" + query
    # Sent bare, tmux would take the Kitty query for a new title of the pane.
    before = termios.tcgetattr(source)
    answer = b""
    try:
        tty.setcbreak(source, termios.TCSANOW)
        os.write(sink, query.encode())
        deadline = time.monotonic() + wait
        while (left := deadline - time.monotonic()) > 0:
            if not select.select([source], [], [], left)[0]:
                break
            answer += os.read(source, 4096)
            replies = read_replies(answer)
            if not replies.complete:
                continue
            if not passes or replies.kitty:
                break
            # tmux answers for itself at once; the outer terminal's answer comes after it.
            deadline = min(deadline, time.monotonic()) + PASSTHROUGH_WAIT
            passes = False
    finally:
        termios.tcsetattr(source, termios.TCSANOW, before)
    return answer
