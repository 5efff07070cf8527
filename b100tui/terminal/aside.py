"""Keeps what C libraries print on descriptor 2 off the screen and out of a command's words.

libtiff, for one, tells of a damaged picture there, in its own words and over whatever the
explorer has drawn; b100 names the picture and the reason itself.
"""

import faulthandler
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def libraries_aside() -> Iterator[None]:
    """Let descriptor 2 lead nowhere; `sys.stderr` goes on writing where it did.

    Textual draws on `sys.__stderr__`, tracebacks and a program's fatal errors go there too.
    Children inherit descriptor 2: one that is to speak is given `stderr_for_child()`.
    Nothing is done where stderr is closed or somebody else's stand-in.
    """
    before = sys.__stderr__
    if before is None or before is not sys.stderr:
        yield
        return
    try:
        before.flush()
        screen = os.dup(before.fileno())
        nowhere = os.open(os.devnull, os.O_WRONLY)
    except (OSError, ValueError):
        yield
        return
    own = os.fdopen(screen, "w", buffering=1, encoding=before.encoding, errors=before.errors)
    os.dup2(nowhere, before.fileno())
    os.close(nowhere)
    sys.stderr = sys.__stderr__ = own  # type: ignore[misc]
    faults = faulthandler.is_enabled()
    if faults:
        faulthandler.enable(own)
    try:
        yield
    finally:
        sys.stderr = sys.__stderr__ = before  # type: ignore[misc]
        if faults:
            faulthandler.enable(before)
        os.dup2(screen, before.fileno())
        own.close()


def stderr_for_child() -> int | None:
    """Return the descriptor that a child needs as stderr to speak to the person."""
    try:
        return sys.stderr.fileno()
    except (AttributeError, OSError, ValueError):
        return None  # a stand-in without a descriptor: the child has whatever 2 is


def screen() -> int:
    """Return the descriptor that leads to where Textual draws: 2, unless libraries are aside."""
    return sys.__stderr__.fileno() if sys.__stderr__ is not None else 2
