"""The run list as a tree: image, setting, run. Pure: lines out of rows, no widget.

A line is one int, so that 28,000 of them cost nothing: a row's index, or for a group
-1 - its index in `groups`.
"""

from bisect import bisect_left
from collections.abc import Collection, Sequence

from msgspec import Struct
from rich.cells import cell_len

from b100tui.index.rows import RunRow
from b100tui.model.text import clean_line
from b100tui.tui.wrapping import fit, fit_middle

SHORTEST_SETTING = 6


class Group(Struct, frozen=True):
    """An image (depth 0) or a setting (depth 1) and its rows `start` to `stop` (exclusive)."""

    depth: int
    key: tuple[str, ...]
    label: str
    start: int
    stop: int


class RunTree:
    """The rows in natural order with their groups and the text that filters look in."""

    def __init__(self, rows: Sequence[RunRow]) -> None:
        self.rows = tuple(rows)
        self.by_run = {row.run: index for index, row in enumerate(self.rows)}
        self.groups: list[Group] = []
        self.parents: list[tuple[int, int]] = []  # row -> its image and setting group, -1: none
        self._parts: dict[int, list[tuple[int, int, int]]] = {}
        self._haystacks = [_haystack(row) for row in self.rows]
        self._group_rows()

    def _group_rows(self) -> None:
        start = 0
        rows = self.rows
        while start < len(rows):
            stop = start
            image = rows[start].image
            while stop < len(rows) and rows[stop].image == image:
                stop += 1
            top = len(self.groups)
            label = clean_line(image) or "(no image name)"
            self.groups.append(Group(0, (image,), label, start, stop))
            self._group_settings(top, start, stop)
            start = stop

    def _group_settings(self, top: int, start: int, stop: int) -> None:
        image = self.groups[top].key[0]
        parts: list[tuple[int, int, int]] = []
        at = start
        while at < stop:
            name = _setting(self.rows[at])
            end = at
            while end < stop and _setting(self.rows[end]) == name:
                end += 1
            inner = -1
            if name and end - at > 1:
                inner = len(self.groups)
                label = clean_line(name) or "(no setting)"
                self.groups.append(Group(1, (image, name), label, at, end))
            self.parents += [(top, inner)] * (end - at)
            parts.append((inner, at, end))
            at = end
        self._parts[top] = parts

    def lines(
        self, closed: Collection[tuple[str, ...]], wanted: Sequence[int] | None = None
    ) -> list[int]:
        """Return the visible lines; of the rows `wanted` (ascending) only, when it is given.

        The groups around wanted rows are open.
        """
        if wanted is not None:
            return self._wanted_lines(wanted)
        found: list[int] = []
        for top, parts in self._parts.items():
            found.append(-1 - top)
            if self.groups[top].key in closed:
                continue
            for inner, start, stop in parts:
                if inner >= 0:
                    found.append(-1 - inner)
                    if self.groups[inner].key in closed:
                        continue
                found.extend(range(start, stop))
        return found

    def label(self, row: int) -> str:
        """Return a run's name below its group; a setting's only run bears the setting's name."""
        run = self.rows[row]
        setting = _setting(run)
        alone = self.parents[row][1] < 0 and setting
        return clean_line(setting) if alone else run_name(run)

    def _wanted_lines(self, wanted: Sequence[int]) -> list[int]:
        found: list[int] = []
        for top, parts in self._parts.items():
            group = self.groups[top]
            if bisect_left(wanted, group.start) == bisect_left(wanted, group.stop):
                continue
            found.append(-1 - top)
            for inner, start, stop in parts:
                low, high = bisect_left(wanted, start), bisect_left(wanted, stop)
                if low < high:
                    if inner >= 0:
                        found.append(-1 - inner)
                    found += wanted[low:high]
        return found

    def matching(self, words: str, among: Sequence[int] | None = None) -> list[int]:
        """Return the rows (those `among` only, where given) whose names hold every word of `words`.

        Case does not matter. Words that only grew need to be looked for among the rows that held
        the shorter ones.
        """
        texts = self._haystacks
        found = list(range(len(texts)) if among is None else among)
        for part in words.lower().split():
            found = [index for index in found if part in texts[index]]
        return found

    def rows_of(self, runs: Collection[str]) -> list[int]:
        """Return the rows of the runs with these ids; unknown ids are left out."""
        return sorted(self.by_run[run] for run in runs if run in self.by_run)

    def closed_but(self, run: str | None) -> set[tuple[str, ...]]:
        """Return the keys of all groups except those around `run`."""
        keep: set[tuple[str, ...]] = set()
        row = self.by_run.get(run) if run else None
        if row is not None:
            keep = {self.groups[group].key for group in self.parents[row] if group >= 0}
        return {group.key for group in self.groups} - keep


def run_name(row: RunRow) -> str:
    """Return the short name of a run below its setting."""
    tail = row.run.rsplit("/", 1)[-1]
    return clean_line(tail.removeprefix("run-") or row.run)


def title(row: RunRow, room: int | None = None) -> str:
    """Return the run's full name: image, setting, editor (where not yet said), run.

    In less than `room` cells the editor goes first, then the middle of the setting, so that
    neighbours can be told apart to the last.
    """
    setting = clean_line(_setting(row))
    editor = clean_line(row.editor) if row.editor.lower() not in setting.lower() else ""
    name = run_name(row)
    last = f"run {name}" if name.isdigit() else name

    def joined(*parts: str) -> str:
        return " · ".join(part for part in parts if part)

    image = clean_line(row.image)
    text = joined(image, setting, editor, last)
    if room is None or cell_len(text) <= room:
        return text
    left = room - cell_len(joined(image, " ", last)) + 1
    if left >= SHORTEST_SETTING:
        return joined(image, fit_middle(setting, left), last)
    return fit(joined(image, last), room).rstrip()


def _setting(row: RunRow) -> str:
    return row.setting or row.recipe


def _haystack(row: RunRow) -> str:
    parts = (row.run, row.image, row.recipe, row.setting, row.editor, *row.labels.values())
    text = " ".join(dict.fromkeys(part for part in parts if part))
    if row.badges:
        text += " " + " ".join(row.badges)
    return text.lower()
