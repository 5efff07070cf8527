"""File names as templates: which number in a name is the step, and which names are one run."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import Struct

# In order of rank: where two of them carry a number, the earlier one is the step.
STEP_WORDS = (
    *("step", "turn", "iteration", "iter", "round", "generation", "gen", "frame", "edit"),
    *("pass", "loop", "cycle"),
)
_WORD = re.compile(
    rf"(?<![A-Za-z])(?P<word>{'|'.join(STEP_WORDS)})s?[ _.\-=#]*(?P<number>\d{{1,9}})(?!\d)",
    re.IGNORECASE,
)
# ISO dates with or without a time, compact ones, and Unix seconds or milliseconds.
_DATE = re.compile(
    r"(?<!\d)(?:(?:19|20)\d\d-\d\d-\d\d(?:[T _-]?\d\d[-:._]?\d\d(?:[-:._]?\d\d)?(?:[.,]\d+)?)?"
    r"|(?:19|20)\d{6}[T_-]?\d{6}|1[4-9]\d{8}(?:\d{3})?)Z?(?!\d)"
)
_NUMBER = re.compile(r"\d+")
# Hashes and UUIDs: hexadecimal words with both digits and letters.
_HASH = re.compile(
    r"(?<![0-9A-Za-z])(?=[0-9a-f-]*\d)(?=[0-9a-f-]*[a-f])"
    r"(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{8,64})(?![0-9A-Za-z])"
)
_REDO = re.compile(
    r"(?:[ _.\-]v(?P<v>\d{1,2})|[_\-](?P<n>\d)|[ _]?\((?P<p>\d{1,2})\)"
    r"|[ _\-](?:copy|redo|retry)(?P<c>\d?))$",
    re.IGNORECASE,
)
# No file name holds a NUL, so marks cannot be mistaken for parts of a name; cleaned for
# display they are # and *.
STEP_MARK = "\0#"
FREE_MARK = "\0*"
_FEW = 3  # more variants than this of one base are steps, not redos
_LONG = 9  # digits; longer numbers are hashes or times


class Part(Struct, frozen=True):
    """A number or date inside a stem: its place and whether a step word stands before it."""

    start: int
    end: int
    text: str
    rank: int = 99  # index in STEP_WORDS
    date: bool = False


class Member(Struct, frozen=True):
    """One stem of a run: its step, and the number of its redo (0 for none)."""

    stem: str
    step: int
    redo: int = 0


class Group(Struct, frozen=True, kw_only=True):
    """Stems of one template. `how` is word, date or number; `template` has STEP_MARK for the step.

    `form` is the stem with every number as a mark: runs in different folders share it.
    """

    template: str
    form: str
    how: str
    members: tuple[Member, ...]

    @property
    def steps(self) -> list[int]:
        """The distinct steps in order."""
        return sorted({member.step for member in self.members})

    @property
    def before(self) -> str:
        """The text before the step number."""
        return self.template.partition(STEP_MARK)[0]

    @property
    def after(self) -> str:
        """The text after the step number."""
        return self.template.partition(STEP_MARK)[2]


def has_step_word(stem: str) -> bool:
    """Return whether a step word with a number stands in `stem`."""
    return _WORD.search(stem) is not None


def form_of(stem: str) -> str:
    """Return `stem` with every number as #."""
    return _NUMBER.sub("#", stem)


def group_stems(stems: Iterable[str]) -> tuple[list[Group], list[str]]:
    """Return the templates among the stems of one folder, and the stems without a step.

    Within names of one form the number after a step word is the step, else a date that tells
    all apart (its rank counts, from 0), else the number that varies most. Other numbers that
    differ in more than half of the names (seeds, times) are free; the rest tell runs apart.
    """
    plain: list[str] = []
    forms: dict[str, list[tuple[str, int, tuple[Part, ...]]]] = {}
    unique = list(dict.fromkeys(stems))
    redos = _redos(unique)
    for stem in unique:
        base, redo = redos.get(stem, (stem, 0))
        parts = _parts(base)
        if not parts:
            plain.append(stem)
            continue
        form = _filled(base, parts, [_mark(part) for part in parts])
        forms.setdefault(form, []).append((stem, redo, parts))
    groups: list[Group] = []
    for form, found in forms.items():
        column, how = _step_column([parts for _, _, parts in found])
        if how:
            groups.extend(_split(form, found, redos, column, how))
        else:
            plain.extend(stem for stem, _, _ in found)
    return groups, plain


def _mark(part: Part) -> str:
    """Return the mark of a part in a form: a hash after a step word is no step's number."""
    if part.date:
        return "\0@"
    return "\0#" if part.rank < len(STEP_WORDS) else "\0*"


def _split(
    form: str,
    found: Sequence[tuple[str, int, tuple[Part, ...]]],
    redos: dict[str, tuple[str, int]],
    column: int,
    how: str,
) -> list[Group]:
    width = len(found[0][2])
    free = {
        other
        for other in range(width)
        if other != column and _varies(found, other) > max(1, len(found) // 2)
    }
    runs: dict[str, list[tuple[str, int, str]]] = {}
    for stem, redo, parts in found:
        base = redos.get(stem, (stem, 0))[0]
        marks = [
            STEP_MARK if index == column else FREE_MARK if index in free else part.text
            for index, part in enumerate(parts)
        ]
        template = _filled(base, parts, marks)
        runs.setdefault(template, []).append((stem, redo, parts[column].text))
    return [
        Group(template=template, form=form, how=how, members=_members(rows, how))
        for template, rows in runs.items()
    ]


def _members(rows: list[tuple[str, int, str]], how: str) -> tuple[Member, ...]:
    if how != "date":
        return tuple(Member(stem, int(text), redo) for stem, redo, text in rows)
    ranks = {text: rank for rank, text in enumerate(sorted({text for _, _, text in rows}))}
    return tuple(Member(stem, ranks[text], redo) for stem, redo, text in rows)


def _step_column(rows: Sequence[tuple[Part, ...]]) -> tuple[int, str]:
    """Return the column of the step and how it is known; "" where only hashes stand."""
    width = range(len(rows[0]))
    worded = [index for index in width if rows[0][index].rank < len(STEP_WORDS)]
    if worded:
        return min(worded, key=lambda index: rows[0][index].rank), "word"
    counts = [len({row[index].text for row in rows}) for index in width]
    for index in width:
        if rows[0][index].date and counts[index] == len(rows) > 1:
            return index, "date"

    def weight(index: int) -> tuple[bool, int, int, int]:
        texts = [row[index].text for row in rows]
        usable = not rows[0][index].date and all(
            text.isdecimal() and len(text) <= _LONG for text in texts
        )
        span = max(map(int, texts)) - min(map(int, texts)) if usable else 0
        return usable, counts[index], -span, index

    best = max(width, key=weight)
    if rows[0][best].date:
        return best, "date"
    return best, "number" if weight(best)[0] else ""


def _varies(found: Sequence[tuple[str, int, tuple[Part, ...]]], column: int) -> int:
    return len({parts[column].text for _, _, parts in found})


def _parts(stem: str) -> tuple[Part, ...]:
    parts = {
        found.start(): Part(found.start(), found.end(), found[0], date=True)
        for found in _DATE.finditer(stem)
    }
    dates = [(part.start, part.end) for part in parts.values()]
    for found in _HASH.finditer(stem):
        if not any(found.start() < high and low < found.end() for low, high in dates):
            parts[found.start()] = Part(found.start(), found.end(), found[0])
    inside = [(part.start, part.end) for part in parts.values()]
    ranks = {
        found.start("number"): STEP_WORDS.index(found["word"].lower())
        for found in _WORD.finditer(stem)
    }
    for found in _NUMBER.finditer(stem):
        if not found[0].isascii() or any(low <= found.start() < high for low, high in inside):
            continue
        parts[found.start()] = Part(
            found.start(), found.end(), found[0], ranks.get(found.start(), 99)
        )
    return tuple(parts[start] for start in sorted(parts))


def _filled(stem: str, parts: Sequence[Part], marks: Sequence[str]) -> str:
    pieces: list[str] = []
    place = 0
    for part, mark in zip(parts, marks, strict=True):
        pieces += (stem[place : part.start], mark)
        place = part.end
    return "".join((*pieces, stem[place:]))


def _redos(stems: Sequence[str]) -> dict[str, tuple[str, int]]:
    """Return base and number of each stem that is a second try of another."""
    have = set(stems)
    numbered = {stem for stem in have if _NUMBER.search(stem)}
    found: dict[str, tuple[str, int]] = {}
    for stem in stems:
        tail = _REDO.search(stem)
        if not tail or not tail.start():
            continue
        base = stem[: tail.start()]
        if (base in numbered) or (has_step_word(base) and _ends_in_step(base)):
            number = tail["v"] or tail["n"] or tail["p"] or tail["c"] or "2"
            found[stem] = (base, int(number) or 1)
    counts = Counter(base for base, _ in found.values())
    return {stem: told for stem, told in found.items() if counts[told[0]] <= _FEW}


def _ends_in_step(base: str) -> bool:
    last = list(_WORD.finditer(base))[-1]
    return last.end() == len(base)
