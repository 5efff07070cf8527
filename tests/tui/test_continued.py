"""Continued at the worst moment, the program still leaves the line as it found it."""

import sys

from tests.e2e.pty_terminal import Pty


def test_a_continue_amid_the_start_leaves_the_line_restorable() -> None:
    terminal = Pty(["-m", "tests.tui.continued_app"], program=sys.executable)
    try:
        assert terminal.ended() == 0
        assert terminal.line_changed() == []
        assert terminal.state.left() == []
    finally:
        terminal.close()
