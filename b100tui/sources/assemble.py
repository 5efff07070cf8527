"""Candidates for steps made into a run: one file a step, the others listed as duplicates."""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from msgspec import Struct, field

from b100tui.model.records import PictureRef, Run
from b100tui.model.scan import Duplicate, SourceRun, SourceStep
from b100tui.sources.listing import Listing
from b100tui.sources.paths import natural, split_name, split_path

PICTURES = frozenset({"png", "jpg", "jpeg", "webp", "gif", "bmp", "tif", "tiff"})
PREFER = ("png", "webp", "tiff", "tif", "bmp", "jpg", "jpeg", "gif")


class Candidate(Struct, kw_only=True):
    """One file that may be step `step`; `said` holds fields of SourceStep told elsewhere.

    `path` is "" where the picture is not here; `said` then tells `absent` or `refused`.
    """

    step: int
    path: str
    member: str | None = None
    redo: int = 0  # 0 for the plain name, 2 for `_v2`
    said: dict[str, Any] = field(default_factory=dict)


def is_picture(name: str) -> bool:
    """Return whether the extension is that of a picture."""
    return split_name(name)[1] in PICTURES


def picture_ref(listing: Listing, path: str, member: str | None = None) -> PictureRef:
    """Return the reference of a listed file with its stamp."""
    size, mtime = listing.stamps.get(path, (0, 0))
    return PictureRef(path=path, member=member, bytes=size, mtime_ns=mtime)


def assemble(
    listing: Listing,
    run: Run,
    folder: str,
    candidates: Iterable[Candidate],
    prefer: Sequence[str] = PREFER,
) -> SourceRun:
    """Return the run with one picture a step.

    Of several files for one step the extension first in `prefer` wins, then the plain name
    before a redo, then natural order; the others are listed.
    """
    by_step: dict[int, list[Candidate]] = {}
    for candidate in candidates:
        by_step.setdefault(candidate.step, []).append(candidate)
    order = {extension: rank for rank, extension in enumerate(prefer)}

    def rank(candidate: Candidate) -> tuple[Any, ...]:
        extension = split_name(split_path(candidate.path)[1])[1]
        return (
            not candidate.path,
            candidate.redo > 0,
            order.get(extension, len(order)),
            candidate.redo,
            natural(candidate.path),
            natural(candidate.member or ""),
        )

    steps: list[SourceStep] = []
    duplicates: list[Duplicate] = []
    for number in sorted(by_step):
        ranked = sorted(by_step[number], key=rank) if len(by_step[number]) > 1 else by_step[number]
        chosen = ranked[0]
        steps.append(
            SourceStep(
                step=number,
                picture=picture_ref(listing, chosen.path, chosen.member),
                **chosen.said,
            )
        )
        if len(ranked) > 1:
            others = tuple(shown(other.path, other.member) for other in ranked[1:] if other.path)
            if others:
                duplicates.append(Duplicate(number, shown(chosen.path, chosen.member), others))
    return SourceRun(run=run, folder=folder, steps=tuple(steps), duplicates=tuple(duplicates))


def shown(path: str, member: str | None) -> str:
    """Return path, or path#member inside a container."""
    return path if member is None else f"{path}#{member}"


def uniquely_named(runs: Iterable[SourceRun]) -> list[SourceRun]:
    """Return the runs with a number added to any id that is taken, in natural order of id."""
    taken: set[str] = set()
    named: list[SourceRun] = []
    for source in runs:
        name, number = source.run.run, 1
        while name in taken:
            number += 1
            name = f"{source.run.run}~{number}"
        taken.add(name)
        if name != source.run.run:
            renamed = msgspec.structs.replace(source.run, run=name)
            source = msgspec.structs.replace(source, run=renamed)  # noqa: PLW2901
        named.append(source)
    return sorted(named, key=lambda source: natural(source.run.run))
