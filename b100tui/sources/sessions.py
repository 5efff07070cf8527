"""One session as a manifest tells it: turns with pictures and words, and what is wrong in them."""

from typing import Any

from b100tui.model.records import Run
from b100tui.model.scan import SourceRun
from b100tui.model.text import clean, clean_line
from b100tui.sources.assemble import Candidate, assemble, shown
from b100tui.sources.columns import whole
from b100tui.sources.listing import Listing
from b100tui.sources.manifests import Search, found_file
from b100tui.sources.paths import readable, split_path

MOST = 1_000_000  # no session has more steps; larger numbers are ids


class Session:
    """Collects the steps of one run out of `path`; `line` names the place in errors.

    A picture that is not there makes its step missing with the reason, so that its words stay.
    `problems` lists what was left out, each with its place and field.
    """

    def __init__(self, listing: Listing, path: str, line: str = "", search: Search = "end") -> None:
        self.listing = listing
        self.search: Search = search
        self.folder = split_path(path)[0]
        self.line = f"{line}: " if line else ""
        self.candidates: list[Candidate] = []
        self.problems: list[str] = []
        self._steps: dict[int, str] = {}
        self._pictures: dict[str, int] = {}

    @property
    def recorded(self) -> bool:
        """Whether records of scores lie beside the runs."""
        return (self.listing.root / ".b100" / "scores").is_dir()

    def wrong(self, field: str, words: str) -> None:
        """Note what is wrong in a field."""
        self.problems.append(f"{self.line}{field}: {words}")

    def number(self, field: str, value: Any) -> int | None:
        """Return a step number from 0 on, or None with the problem noted."""
        number = whole(value)
        if number is None or not 0 <= number <= MOST:
            self.wrong(field, f"{clean_line(str(value))[:40]!r} is no step number")
            return None
        return number

    def words(self, field: str, value: Any) -> str | None:
        """Return a text cleaned, None for none; another type is noted."""
        if value is None or value == "":
            return None
        if not isinstance(value, str):
            self.wrong(field, f"is no text but {type(value).__name__}")
            return None
        return clean(value)

    def picture(self, step: int, field: str, name: Any, **said: Any) -> None:
        """Take the picture a manifest names as `step`, or note why it is not taken."""
        path, why = found_file(self.listing, self.folder, name, self.search)
        if path:
            self.member(step, field, path, None, **said)
        else:
            self.absent(step, field, why, **said)

    def inside(self, step: int, field: str, name: Any, member: str, **said: Any) -> None:
        """Take a member of the container that a manifest names as `step`."""
        path, why = found_file(self.listing, self.folder, name, self.search)
        if path:
            self.member(step, field, path, member, **said)
        else:
            self.absent(step, field, why, **said)

    def absent(self, step: int, field: str, why: str, **said: Any) -> None:
        """Take a step whose picture is not here."""
        self._take(
            step, field, "", None, {**said, "absent": clean_line(f"{self.line}{field}: {why}")}
        )

    def refused(self, step: int, why: str, **said: Any) -> None:
        """Take a step at which the editor gave no picture."""
        if step not in self._steps:
            self._take(step, "step", "", None, {**said, "refused": clean_line(why)})

    def member(self, step: int, field: str, path: str, member: str | None, **said: Any) -> None:
        """Take a listed file, or a member of one, as `step`."""
        self._take(step, field, path, member, said)

    def has(self, step: int) -> bool:
        """Return whether `step` is told already."""
        return step in self._steps

    def _take(
        self, step: int, field: str, path: str, member: str | None, said: dict[str, Any]
    ) -> None:
        name = shown(path, member) if path else ""
        if step in self._steps:
            self.wrong(field, f"step {step} is told already by {self._steps[step]}")
            return
        if name and name in self._pictures:
            self.wrong(field, f"{name} is the picture of step {self._pictures[name]} already")
            return
        self._steps[step] = field
        if name:
            self._pictures[name] = step
        kept = {key: value for key, value in said.items() if value not in (None, (), {}, "")}
        self.candidates.append(Candidate(step=step, path=path, member=member, said=kept))

    def run(
        self, name: str, *, image: str = "", folder: str | None = None, **more: Any
    ) -> SourceRun | None:
        """Return the run, or None where not one picture of it is here."""
        if not self._pictures:
            return None
        run = Run(run=readable(name), image=readable(image or name), **more)
        place = self.folder if folder is None else folder
        return assemble(self.listing, run, place, self.candidates)
