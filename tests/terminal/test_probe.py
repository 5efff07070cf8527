"""The probe against a fake terminal at the other end of a pty."""

import fcntl
import os
import pty
import select
import struct
import termios
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from b100tui.model.errors import UsageError
from b100tui.terminal.facts import TerminalFacts
from b100tui.terminal.probe import judge_late, probe_terminal, tell_textual

XTERM = {"TERM": "xterm-256color"}


@contextmanager
def terminal(
    answer: bytes, size: tuple[int, int, int, int] = (40, 120, 1200, 800)
) -> Iterator[int]:
    """A tty that answers once DA1 was asked; `size` is rows, columns, pixels across, down."""
    outer, inner = pty.openpty()
    fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", *size))
    stop, wake = os.pipe()

    def reply() -> None:
        asked = b""
        while True:
            ready = select.select([outer, stop], [], [])[0]
            if stop in ready:
                return
            asked += os.read(outer, 4096)
            if b"\x1b[c" in asked:
                asked = b""
                os.write(outer, answer)

    thread = threading.Thread(target=reply)
    thread.start()
    try:
        yield inner
    finally:
        os.write(wake, b"x")
        thread.join()
        for fd in (outer, inner, stop, wake):
            os.close(fd)


def probe(fd: int, **options: object) -> TerminalFacts:
    return probe_terminal(
        input_fd=fd,
        output_fd=fd,
        environment=XTERM,
        wait=5.0,
        **options,  # type: ignore[arg-type]
    )


def test_a_terminal_with_sixel_is_found_with_its_cell_size() -> None:
    with terminal(b"\x1bP>|XTerm(379)\x1b\\\x1b[?62;4c", (40, 120, 1080, 720)) as tty:
        facts = probe(tty)
    assert (facts.graphics, facts.cell_width, facts.cell_height) == ("sixel", 9, 18)
    assert facts.name == "XTerm(379)"


def test_the_cell_size_is_asked_for_where_the_tty_does_not_tell() -> None:
    with terminal(b"\x1b[6;22;11t\x1b[?62c", (40, 120, 0, 0)) as tty:
        facts = probe(tty)
    assert (facts.cell_width, facts.cell_height) == (11, 22)


def test_nothing_stays_in_the_input_and_the_tty_is_as_before() -> None:
    with terminal(b"\x1b_Gi=31;OK\x1b\\\x1b[6;20;10t\x1b[?62c") as tty:
        before = termios.tcgetattr(tty)
        probe(tty)
        assert termios.tcgetattr(tty) == before
        assert not select.select([tty], [], [], 0)[0]


def test_a_silent_terminal_gives_half_blocks_and_stays_open_for_late_answers() -> None:
    with terminal(b"") as tty:
        facts = probe_terminal(input_fd=tty, output_fd=tty, environment=XTERM, wait=0.01)
    assert (facts.graphics, facts.pending) == ("half", True)
    assert "did not answer" in facts.reason


def test_a_late_answer_improves_the_facts() -> None:
    waiting = TerminalFacts(graphics="half", pending=True)
    data = b"\x1b_Gi=31;OK\x1b\\\x1bP>|kitty(0.41.1)\x1b\\\x1b[?62c"
    facts = judge_late(data, waiting, XTERM)
    assert (facts.graphics, facts.pending) == ("kitty", False)
    assert judge_late(data[:20], waiting, XTERM) is waiting


def test_no_tty_means_text_with_the_reason() -> None:
    reading, writing = os.pipe()
    facts = probe_terminal(input_fd=reading, output_fd=writing, environment=XTERM)
    os.close(reading)
    os.close(writing)
    assert (facts.graphics, facts.reason) == ("text", "the input is not a terminal")


def test_a_tty_without_a_size_means_text() -> None:
    with terminal(b"", (0, 0, 0, 0)) as tty:
        facts = probe(tty)
    assert (facts.graphics, facts.reason) == ("text", "the terminal has no size")


def test_a_dumb_terminal_is_not_asked() -> None:
    with terminal(b"\x1b[?62;4c") as tty:
        facts = probe_terminal(input_fd=tty, output_fd=tty, environment={"TERM": "dumb"})
    assert facts.graphics == "text"
    assert "dumb" in facts.reason


def test_an_override_beats_the_answer() -> None:
    with terminal(b"\x1b[?62;4c") as tty:
        facts = probe(tty, graphics="half", colours="16")
    assert (facts.graphics, facts.colours) == ("half", 16)
    assert "--graphics half" in facts.reason


def test_an_unknown_override_names_the_known_ones() -> None:
    with pytest.raises(UsageError, match="ascii") as raised:
        probe_terminal(graphics="ascii")
    assert "kitty" in raised.value.hint


def test_textual_is_told_of_24_bit_colours_only_where_they_work() -> None:
    told: dict[str, str] = {}
    tell_textual(TerminalFacts(colours=256), told)
    assert told == {}
    tell_textual(TerminalFacts(colours=256, graphics="kitty"), told)
    assert told == {"COLORTERM": "truecolor"}
