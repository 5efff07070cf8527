"""What happens when a worker of a screen breaks: its work is lost, the rest goes on."""

from typing import TYPE_CHECKING, cast

from textual.screen import Screen
from textual.worker import Worker, WorkerState

from b100tui.model.text import clean_line

if TYPE_CHECKING:
    from typing import Any

    from b100tui.tui.app import Explorer


def tell_broken(screen: "Screen[Any]", event: Worker.StateChanged) -> BaseException | None:
    """Tell of a worker that met what nobody expected, and keep its traceback in a log file.

    Returns what it met; None for a worker that did not break.
    """
    error = event.worker.error
    if event.state is not WorkerState.ERROR or error is None:
        return None
    from b100tui.workspace.crash import record_crash

    root = cast("Explorer", screen.app).root
    log = record_crash(error, ["explore", str(root)])
    words = f"{event.worker.name}: unexpected {type(error).__name__}: {error}"
    words += f"; the log is {log}" if log else ""
    screen.notify(clean_line(words), severity="warning", timeout=10, markup=False)
    return error
