"""The tree of named failures; each carries the words a person is told and the fix."""

from typing import Any

from b100tui.model.text import clean_line

# What parsers of JSON and TOML raise for foreign bytes: msgspec's and tomllib's own errors, bad
# UTF-8 and numbers of too many digits are ValueErrors; nesting without end is the other one.
UNPARSABLE = (ValueError, RecursionError)


class B100Error(Exception):
    """A failure with a name: `message` says what and where, `hint` says what to do.

    `exit_code` is what the command line leaves with (8-cli contract: 1 failed, 2 wrong use).
    """

    exit_code = 1

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __reduce__(self) -> tuple[Any, ...]:
        """Keep `hint` when the error crosses a process border."""
        return (type(self), (self.message, self.hint))


class UsageError(B100Error):
    """The words of a command, a filter or a query cannot be read."""

    exit_code = 2


class RootError(B100Error):
    """The folder of runs is missing, unreadable or not a folder."""


class LayoutError(B100Error):
    """A mapping file or manifest cannot be used; the message names file and line."""


class PictureError(B100Error):
    """A picture cannot be decoded; costs that picture only."""


class StoreError(B100Error):
    """Something could not be written or a cache could not be read."""


class LockHeldError(B100Error):
    """Another process holds the lock; the message names its pid and host."""


class UnknownRunError(B100Error):
    """No run, or more than one, answers to the given name."""


class MetricError(B100Error):
    """A metric cannot run here."""


class UnknownMetricError(MetricError):
    """A metric that is in no registry was asked for: a wrong word of a command."""

    exit_code = 2


class CancelledError(B100Error):
    """The person stopped the work; nothing is wrong."""


class BudgetError(B100Error):
    """The next paid call could cross a cap; nothing was sent."""


def parse_fault(error: Exception) -> str:
    """Return in words, cleaned, why a parser raised one of UNPARSABLE."""
    if isinstance(error, RecursionError):
        return "nested too deeply to be read"
    return clean_line(str(error))
