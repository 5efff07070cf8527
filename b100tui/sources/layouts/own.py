"""b100's own layout: run.json, step-NNN images, their sidecars, attempts, stopped.json."""

import re
from typing import Any

import msgspec
from msgspec import field

from b100tui.model.errors import UNPARSABLE, parse_fault
from b100tui.model.records import PictureRef, Run, RunPlan, Sidecar
from b100tui.model.scan import Duplicate, LeftOut, SourceRun, SourceStep
from b100tui.model.text import clean_line
from b100tui.sources.assemble import is_picture, picture_ref
from b100tui.sources.claims import Claimed
from b100tui.sources.columns import whole
from b100tui.sources.layouts.protocol import Layout
from b100tui.sources.listing import Listing
from b100tui.sources.paths import join, on_disk

_STEP = re.compile(r"step-(\d{3,})\.([A-Za-z]+)")
_SIDECAR = msgspec.json.Decoder(Sidecar)
_LIMIT = 64 * 1024 * 1024


class Plan(RunPlan, frozen=True, kw_only=True):
    """run.json with what an export adds: the labels of a run that came from elsewhere."""

    labels: dict[str, str] = field(default_factory=dict)


_PLAN = msgspec.json.Decoder(Plan)
# outcome of an attempt that left no picture -> how its reason begins, beside the status `refused`
_OUTCOMES = {
    "refused": "",
    "no_image": "no picture came",
    "failed": "the call failed",
    "error": "the call failed",
}


def claim_own(listing: Listing, taken: set[str] | None = None) -> Claimed:
    """Take every folder that holds a `run.json` of b100."""
    claimed = Claimed()
    for folder in listing.in_order():
        if "run.json" in listing.folders[folder]:
            listing.breathe()
            _claim(listing, folder, claimed)
    return claimed


def _claim(listing: Listing, folder: str, claimed: Claimed) -> None:
    path = join(folder, "run.json")
    try:
        plan = _PLAN.decode(_read(listing, path))
    except (OSError, *UNPARSABLE) as error:
        claimed.unreadable.append(LeftOut(path, f"no plan of a run: {_words(error)}"))
        return
    names = listing.folders[folder]
    have = set(names)
    pictures: dict[int, list[str]] = {}
    sidecars: dict[int, str] = {}
    for name in names:
        full = join(folder, name)
        found = _STEP.fullmatch(name)
        if found and found[2] == "json":
            sidecars[int(found[1])] = name
        elif found and is_picture(name):
            pictures.setdefault(int(found[1]), []).append(name)
        elif is_picture(name):
            claimed.unused.append(LeftOut(full, "not a step of the run it lies in"))
        claimed.used.add(full)
    steps: list[SourceStep] = []
    duplicates: list[Duplicate] = []
    for number in sorted(pictures.keys() | sidecars.keys()):
        images = sorted(pictures.get(number, ()))
        sidecar = sidecars.get(number)
        if sidecar is None:
            claimed.unused.extend(
                LeftOut(join(folder, image), "no sidecar: the step was never committed")
                for image in images
            )
            continue
        where = join(folder, sidecar)
        if not images:
            claimed.unused.append(LeftOut(where, "the image it names is gone"))
            continue
        if len(images) > 1:
            images = _named_first(listing, where, images)
            others = tuple(join(folder, image) for image in images[1:])
            duplicates.append(Duplicate(number, join(folder, images[0]), others))
        size, mtime = listing.stamps[where]
        steps.append(
            SourceStep(
                step=number,
                picture=picture_ref(listing, join(folder, images[0])),
                sidecar=where,
                sidecar_bytes=size,
                sidecar_mtime_ns=mtime,
            )
        )
    stopped = _stopped(listing, folder, claimed) if "stopped.json" in have else None
    if "attempts.jsonl" in have:
        steps.extend(_refused(listing, folder, {step.step for step in steps}, claimed))
        steps.sort(key=lambda step: step.step)
    for kind, reason in (
        ("drafts", "a thought image, not a step"),
        ("orphans", "set aside after a crash: no sidecar"),
    ):
        below = join(folder, kind)
        for name in listing.folders.get(below, ()):
            claimed.used.add(join(below, name))
            claimed.unused.append(LeftOut(join(below, name), reason))
    claimed.runs.append(
        SourceRun(
            run=_run(plan, stopped),
            folder=folder,
            steps=tuple(steps),
            duplicates=tuple(duplicates),
        )
    )


def _run(plan: Plan, stopped: str | None) -> Run:
    kind = plan.parameters.get("editor_kind")
    return Run(
        run=clean_line(plan.run),
        image=clean_line(plan.image),
        recipe=clean_line(plan.recipe),
        setting=clean_line(plan.setting),
        editor=clean_line(plan.editor),
        editor_kind=kind if isinstance(kind, str) else ("simulate" if plan.simulated else ""),
        repeat=plan.repeat if 0 <= plan.repeat < 2**31 else 0,
        labels={clean_line(name): clean_line(word) for name, word in plan.labels.items()},
        model=clean_line(plan.model or ""),
        parameters=plan.parameters,
        seed_policy=clean_line(plan.seed_policy),
        session=clean_line(plan.session),
        steps_planned=plan.steps_planned or None,
        parent=clean_line(plan.parent) if plan.parent else None,
        remedy=clean_line(plan.remedy) if plan.remedy else None,
        simulated=plan.simulated,
        stopped=stopped,
    )


def _named_first(listing: Listing, sidecar: str, images: list[str]) -> list[str]:
    """Put the image that the sidecar names first; without one the order stays."""
    try:
        named = _SIDECAR.decode(_read(listing, sidecar)).output.file
    except (OSError, *UNPARSABLE):
        return images
    return sorted(images, key=lambda image: image != named)


def _stopped(listing: Listing, folder: str, claimed: Claimed) -> str:
    path = join(folder, "stopped.json")
    try:
        told = msgspec.json.decode(_read(listing, path))
    except (OSError, *UNPARSABLE) as error:
        claimed.unreadable.append(LeftOut(path, _words(error)))
        return "stopped; the reason cannot be read"
    reason = told.get("reason") if isinstance(told, dict) else None
    return clean_line(reason) if isinstance(reason, str) else "stopped"


def _refused(listing: Listing, folder: str, have: set[int], claimed: Claimed) -> list[SourceStep]:
    """Return the steps whose last told outcome is a refusal or failure without a picture."""
    last: dict[int, dict[str, Any]] = {}
    path = join(folder, "attempts.jsonl")
    try:
        lines = _read(listing, path).split(b"\n")
    except OSError as error:
        claimed.unreadable.append(LeftOut(path, _words(error)))
        return []
    for line in lines:
        try:
            told = msgspec.json.decode(line) if line else None
        except UNPARSABLE:
            continue  # a torn line is no outcome
        if isinstance(told, dict) and (step := whole(told.get("step"))) is not None:
            last[step] = told
    steps = []
    for number, told in sorted(last.items()):
        outcome = told.get("outcome") or told.get("status")
        if number in have or not isinstance(outcome, str) or outcome not in _OUTCOMES:
            continue
        words = [
            _OUTCOMES[outcome],
            told.get("finish_reason"),
            told.get("reason") or told.get("message"),
        ]
        reason = ": ".join(clean_line(str(word)) for word in words if word)
        prompt = told.get("prompt")
        steps.append(
            SourceStep(
                step=number,
                picture=PictureRef(path=""),
                prompt=prompt if isinstance(prompt, str) else None,
                refused=reason or "no reason was given",
            )
        )
    return steps


def _read(listing: Listing, path: str) -> bytes:
    if listing.stamps[path][0] > _LIMIT:
        raise OSError("larger than 64 MB")
    with open(on_disk(listing.root, path), "rb") as file:
        return file.read()


def _words(error: Exception) -> str:
    return clean_line(getattr(error, "strerror", None) or parse_fault(error))


LAYOUT = Layout(
    name="b100",
    sign="run.json with step-NNN pictures and their sidecars",
    claim=claim_own,
)
