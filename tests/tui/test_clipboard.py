"""OSC 52, plain and through tmux."""

import base64

from b100tui.tui.clipboard import osc52


def test_the_text_travels_in_base64():
    sequence = osc52("dongpo/run-1@42", tmux=False)
    assert sequence == f"\x1b]52;c;{base64.b64encode(b'dongpo/run-1@42').decode()}\x07"


def test_tmux_passes_it_on_with_its_escapes_doubled():
    sequence = osc52("x", tmux=True)
    assert sequence is not None and "\x1bPtmux;\x1b\x1b]52;c;eA==\x07\x1b\\" in sequence


def test_what_no_terminal_takes_is_not_sent():
    assert osc52("x" * 100_000, tmux=False) is None
