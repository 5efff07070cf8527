"""What one layout took of a folder."""

from msgspec import Struct, field

from b100tui.model.scan import LeftOut, SourceRun


class Claimed(Struct):
    """Runs, the files they account for, and what was left out."""

    runs: list[SourceRun] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    unused: list[LeftOut] = field(default_factory=list)
    unreadable: list[LeftOut] = field(default_factory=list)
    templates: dict[str, str] = field(default_factory=dict)  # last picture -> guessed template
