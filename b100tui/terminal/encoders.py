"""The table of protocols: one line each."""

from b100tui.terminal.facts import TerminalFacts
from b100tui.terminal.frames import Encoder
from b100tui.terminal.halfblock import HalfBlocks
from b100tui.terminal.iterm import InlineJpeg
from b100tui.terminal.kitty import KittyPng
from b100tui.terminal.sixel import Sixels


def encoders(facts: TerminalFacts, *, thrifty: bool = False) -> dict[str, Encoder]:
    """Return every encoder by name; half blocks in the colours the terminal has.

    `thrifty` spends time on fewer bytes, for a picture that is printed once.
    """
    sixels = Sixels(thrifty=thrifty)
    known: tuple[Encoder, ...] = (HalfBlocks(facts.colours), KittyPng(), sixels, InlineJpeg())
    return {encoder.name: encoder for encoder in known}
