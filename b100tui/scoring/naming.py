"""Finds the run and step a row of a foreign score table means, by path, run id or labels."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from msgspec import Struct, field

from b100tui.model.records import Step
from b100tui.model.text import clean_line
from b100tui.sources import columns


class NamedRun(Struct, frozen=True, kw_only=True):
    """What a run can be called by: its id, its places in the setting, its labels."""

    run: str
    image: str = ""
    recipe: str = ""
    setting: str = ""
    editor: str = ""
    repeat: int = 0
    labels: dict[str, str] = field(default_factory=dict)

    def answers(self, name: str, value: str) -> bool:
        """Say whether the run's label called `name` is `value`; a task may be its recipe."""
        if name == "setting":
            return value in {self.setting, self.recipe} or self.labels.get("task") == value
        if name == "repeat":
            whole = columns.whole(value)
            return whole == self.repeat
        if name in {"image", "editor"}:
            return value == (self.image if name == "image" else self.editor)
        return self.labels.get(name) == value


class UnnamedError(Exception):
    """A row names no step, or several; the message says which part and why."""


class Namer:
    """Knows every run, and by `steps_of` the steps of one (asked for only when needed)."""

    def __init__(
        self, runs: Iterable[NamedRun], steps_of: Callable[[str], Sequence[Step]], root: str = ""
    ) -> None:
        self._runs = {run.run: run for run in runs}
        self._labels = {name for run in self._runs.values() for name in run.labels}
        self._steps_of = steps_of
        self._root = root
        self._numbers: dict[str, frozenset[int]] = {}
        self._found: dict[tuple[tuple[str, str], ...], str] = {}
        self._paths: dict[str, tuple[str, int]] | None = None
        self._names: dict[str, list[str]] = {}

    def is_label(self, column: str) -> bool:
        """Say whether a column of this name tells runs apart and is no metric."""
        return column.strip() in self._labels

    def find(self, row: Mapping[str, Any]) -> tuple[str, int]:
        """Return (run, step) of the row. Raises UnnamedError with the reason."""
        meant = columns.columns_of(row)
        if meant.file is not None and filled(row[meant.file]):
            return self._by_path(str(row[meant.file]))
        column = meant.step
        step = columns.whole(row[column]) if column is not None else None
        if column is None:
            raise UnnamedError("no column names the step: step, or path")
        if step is None:
            raise UnnamedError(f"step {clean_line(str(row[column]))!r} is no whole number")
        run = self._by_labels(row)
        if run not in self._numbers:
            self._numbers[run] = frozenset(
                s.step for s in self._steps_of(run) if s.status != "missing"
            )
        if step not in self._numbers[run]:
            raise UnnamedError(f"run {run} has no step {step}")
        return run, step

    def _by_labels(self, row: Mapping[str, Any]) -> str:
        wanted = {
            role: str(row[column]).strip()
            for role, column in columns.columns_of(row).who
            if filled(row[column])
        }
        wanted |= {
            column.strip(): str(value).strip()
            for column, value in row.items()
            if self.is_label(column) and filled(value)
        }
        key = tuple(sorted(wanted.items()))
        if key not in self._found:
            self._found[key] = self._one(wanted)
        return self._found[key]

    def _one(self, wanted: dict[str, str]) -> str:
        told = clean_line(", ".join(f"{name} {value}" for name, value in wanted.items()))
        if not wanted:
            raise UnnamedError("no column names the run: run, or image and setting, or path")
        given = wanted.pop("run", None)
        if given in self._runs:
            return given
        if given is not None:  # a number within the setting, or the id's last part
            bare = columns.whole(given)
            last = given.rpartition("-")[2]
            if bare is None and last.isdecimal():
                bare = columns.whole(last)
            if bare is None:
                raise UnnamedError(f"no run {clean_line(given)!r}")
            wanted["repeat"] = str(bare)
        found = [
            run.run
            for run in self._runs.values()
            if all(run.answers(name, value) for name, value in wanted.items())
        ]
        if len(found) != 1:
            count = "no run answers to" if not found else f"{len(found)} runs answer to"
            raise UnnamedError(f"{count} {told}")
        return found[0]

    def _by_path(self, path: str) -> tuple[str, int]:
        if self._paths is None:
            self._paths = {}
            for run in self._runs:
                for step in self._steps_of(run):
                    if step.picture is not None and step.picture.member is None:
                        self._paths[step.picture.path] = (run, step.step)
            for known in self._paths:
                self._names.setdefault(PurePosixPath(known).name, []).append(known)
        plain = path.replace("\\", "/").removeprefix(self._root.rstrip("/") + "/")
        plain = plain.removeprefix("./")
        if plain in self._paths:
            return self._paths[plain]
        same = [
            known
            for known in self._names.get(PurePosixPath(plain).name, [])
            if f"/{plain}".endswith(f"/{known}") or f"/{known}".endswith(f"/{plain}")
        ]
        if len(same) != 1:
            count = "no step has" if not same else f"{len(same)} steps have"
            raise UnnamedError(f"{count} the picture {clean_line(path)}")
        return self._paths[same[0]]


def filled(value: Any) -> bool:
    """Say whether a cell holds anything."""
    return value is not None and value != ""
