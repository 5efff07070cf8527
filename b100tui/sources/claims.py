"""What one layout took of a folder."""

from collections.abc import Iterable, Sequence

from msgspec import Struct, field

from b100tui.model.scan import LeftOut, Reading, SourceRun
from b100tui.model.text import clean_line

SHOWN = 20  # problems of one manifest that are named one by one


class Claimed(Struct):
    """Runs, the files they account for, and what was left out."""

    runs: list[SourceRun] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    unused: list[LeftOut] = field(default_factory=list)
    unreadable: list[LeftOut] = field(default_factory=list)
    readings: list[Reading] = field(default_factory=list)
    templates: dict[str, str] = field(default_factory=dict)  # last picture -> guessed template

    def take(self, path: str, why: str, runs: Sequence[SourceRun]) -> None:
        """Take runs out of the manifest or folder `path`, with their pictures, and say why."""
        self.runs += runs
        self.used.add(path)
        self.used.update(
            step.picture.path for source in runs for step in source.steps if step.picture.path
        )
        self.readings.append(
            Reading("", path, why, len(runs), sum(len(source.steps) for source in runs))
        )

    def unread(self, path: str, reason: str) -> None:
        """List a file that cannot be read; it is accounted for."""
        self.used.add(path)
        self.unreadable.append(LeftOut(path, clean_line(reason)))

    def note(self, path: str, problems: Iterable[str]) -> None:
        """List what is wrong inside the manifest `path`; beyond SHOWN only the number."""
        listed = [clean_line(problem) for problem in problems]
        self.unused += [LeftOut(path, problem) for problem in listed[:SHOWN]]
        if len(listed) > SHOWN:
            self.unused.append(LeftOut(path, f"and {len(listed) - SHOWN} more such problems"))
