"""From a request to frozen run plans, before anything is written or paid."""

import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from b100tui import __version__
from b100tui.editors.registry import open_editor, other_endpoint
from b100tui.editors.table import Row, Table, proper_name, table
from b100tui.engine.chain import last_step
from b100tui.engine.ledger import now
from b100tui.engine.making import RESUMABLE, stopped_for
from b100tui.engine.plans import read_experiment
from b100tui.engine.recipes import Recipe, recipe
from b100tui.engine.request import Ask, Continue, Fork, FromPlan, New, Request, Resume
from b100tui.engine.runfolder import PLAN, plan_hash, read_plan
from b100tui.engine.runplan import PlannedRun
from b100tui.imaging.header import header
from b100tui.model.errors import StoreError, UnknownRunError, UsageError
from b100tui.model.records import RunPlan
from b100tui.model.text import clean_line
from b100tui.sources.paths import natural

_UNFIT = re.compile(r"[^a-z0-9]+")
_SEED = re.compile(r"(none)|(fixed|per-step)(?::(-?\d+))?")
_INT32 = 2**31
_RUN = re.compile(r"run-(\d{1,9})")
_PICTURES = (".png", ".jpg", ".jpeg", ".webp")
_TAKEN = {"png": "image/png", "jpeg": "image/jpeg", "webp": "image/webp"}
_MOST_STEPS = 100_000


def plan(root: Path, request: Request) -> tuple[PlannedRun, ...]:
    """Return the runs that `request` means in `root`; nothing is written.

    Raises UsageError for what the editor does not take, UnknownRunError, PictureError for an
    initial image that does not open.
    """
    if isinstance(request, New):
        return tuple(_new(root, request))
    if isinstance(request, Fork):
        return (_fork(root, request),)
    if isinstance(request, Continue):
        return (_continue(root, request),)
    if isinstance(request, Resume):
        return tuple(_resume(root, request))
    return tuple(_from_plan(root, request))


def _new(root: Path, request: New) -> Iterator[PlannedRun]:
    names: dict[str, Path] = {}
    for path in request.images:
        name = slug(path.stem)
        if name in names:
            raise UsageError(
                f"{path} and {names[name]} would both be image {name!r}", "rename one of them"
            )
        names[name] = path
    known = table()
    for name, path in names.items():
        if not path.is_file():
            raise UsageError(f"{path} is no file", "name a PNG, JPEG or WebP image")
        check_initial(path)
        first = _free_repeat(root / name / setting_of(request.ask, known))
        for repeat in range(first, first + request.ask.repeats):
            yield planned_run(root, request.ask, known, name, repeat, path)


def _fork(root: Path, request: Fork) -> PlannedRun:
    known = table()
    check_initial(request.picture)
    image = slug(request.image)
    repeat = _free_repeat(root / image / setting_of(request.ask, known))
    parent = f"{request.parent}@{request.step}"
    return planned_run(root, request.ask, known, image, repeat, request.picture, parent)


def _continue(root: Path, request: Continue) -> PlannedRun:
    if not 1 <= request.steps <= _MOST_STEPS:
        raise UsageError(f"{request.steps} steps", f"between 1 and {_MOST_STEPS:,}")
    folder = find_run(root, request.run)
    known = read_plan(folder)
    _check_prompts(known)
    _check_hash(folder, known)
    done = last_step(folder)
    last = max(0, done) + request.steps
    if known.inputs == "initial" and last > len(known.prompts) > 1:
        raise UsageError(
            f"{known.run} merges instructions up to step {len(known.prompts)}",
            "make a new run with more steps",
        )
    return PlannedRun(plan=known, folder=folder, last=last, done=done)


def _resume(root: Path, request: Resume) -> Iterator[PlannedRun]:
    folders = [find_run(root, name) for name in request.runs] or run_folders(root)
    for folder in dict.fromkeys(folders):
        known = read_plan(folder)
        if not known.prompts and not request.runs:
            continue  # the demo's runs are whole as they are
        _check_prompts(known)
        _check_hash(folder, known)
        done = last_step(folder)
        if done >= known.steps_planned and not request.runs:
            continue
        stopped = stopped_for(folder)
        if stopped and stopped[0] not in RESUMABLE and not request.retry_failed:
            continue
        yield PlannedRun(plan=known, folder=folder, last=known.steps_planned, done=done)


def _from_plan(root: Path, request: FromPlan) -> Iterator[PlannedRun]:
    experiment = read_experiment(request.plan)
    known = table()
    for name, ask in experiment.settings():
        for repeat in range(ask.repeats):
            folder = root / name / setting_of(ask, known) / f"run-{repeat}"
            if (folder / PLAN).exists():
                there = read_plan(folder)
                _check_hash(folder, there)
                done = last_step(folder)
                yield PlannedRun(plan=there, folder=folder, last=ask.steps, done=done)
                continue
            initial = experiment.image(name, request.images)
            yield planned_run(root, ask, known, name, repeat, initial)


def planned_run(
    root: Path,
    ask: Ask,
    known: Table,
    image: str,
    repeat: int,
    initial: Path | bytes,
    parent: str | None = None,
) -> PlannedRun:
    """Return the plan of one new run; UsageError for what the editor does not take."""
    row = known.editor(ask.editor)
    _check(ask, row)
    asked = _recipe(ask)
    editor = proper_name(ask.editor)
    policy, base = seed_of_ask(ask, asked)
    setting = setting_of(ask, known)
    parameters: dict[str, Any] = {"editor_kind": row.kind}
    for name, value in (
        ("resolution", resolution_of_ask(ask, row)),
        ("temperature", ask.temperature),
        ("aspect_ratio", ask.aspect_ratio),
        ("thinking", ask.thinking),
    ):
        if value is not None:
            parameters[name] = value
    if policy != "none":
        parameters["seed_base"] = base
    if ask.extra:
        parameters["extra"] = dict(ask.extra)
    if endpoint := other_endpoint(row):
        parameters["endpoint"] = endpoint
    run = f"{image}/{setting}/run-{repeat}"
    made = RunPlan(
        run=run,
        image=image,
        recipe=asked.name,
        setting=setting,
        editor=editor,
        repeat=repeat,
        model=row.model,
        parameters=parameters,
        seed_policy=policy,
        session=ask.session,
        steps_planned=ask.steps,
        parent=parent,
        remedy=next((asked.name for tag in asked.tags if tag in {"remedy", "restore"}), None),
        simulated=is_simulated(row),
        created=now(),
        versions={"b100": __version__, "prices": known.date},
        prompts=asked.asked(ask.steps),
        inputs=asked.inputs,
    )
    made = msgspec.structs.replace(made, plan_hash=plan_hash(made, made.prompts))
    if row.kind in {"command", "comfyui"}:  # a wrong table is told before anything is written
        open_editor(editor, row, made)
    return PlannedRun(plan=made, folder=root / run, last=ask.steps, initial=initial)


def setting_of(ask: Ask, known: Table) -> str:
    """Return recipe, parameters and editor as one folder name."""
    row = known.editor(ask.editor)
    asked = _recipe(ask)
    policy, base = seed_of_ask(ask, asked)
    words = [asked.name]
    if resolution := resolution_of_ask(ask, row):
        words.append(resolution.lower())
    if ask.aspect_ratio:
        words.append(ask.aspect_ratio.replace(":", "x"))
    if policy not in ("none", asked.seed_policy):
        words.append(f"seed-{policy}")
    if policy != "none" and base:
        words.append(f"s{base}".replace("-", "m"))
    if ask.temperature is not None:
        words.append(f"t{ask.temperature:g}".replace(".", "-"))
    if ask.thinking:
        words.append(f"thinking-{slug(ask.thinking)}")
    if ask.session != "multi":
        words.append(ask.session)
    if ask.extra:
        told = msgspec.json.encode(dict(ask.extra), order="deterministic")
        words.append("x" + hashlib.sha256(told).hexdigest()[:6])
    words.append(slug(proper_name(ask.editor)))
    if row.kind == "gemini" and is_simulated(row):
        words.append("fake")
    return "-".join(words)


def is_simulated(row: Row) -> bool:
    """Say whether the pictures come from no real model: the degrader, or a fake service here."""
    fake = row.kind == "gemini" and other_endpoint(row) == "loopback"
    return row.kind == "simulate" or fake


def seed_of_ask(ask: Ask, asked: Recipe) -> tuple[Any, int]:
    """Return (seed policy, base); UsageError for a seed that is no signed 32-bit number."""
    if ask.seed is None:
        return asked.seed_policy or "none", 0
    found = _SEED.fullmatch(ask.seed)
    if not found:
        raise UsageError(f"seed {clean_line(ask.seed)!r}", "none, fixed:S or per-step:S")
    base = int(found[3] or 0)
    if not -_INT32 <= base < _INT32:
        raise UsageError(f"seed {base} is no signed 32-bit number", "between -2^31 and 2^31 - 1")
    return found[1] or found[2], base


def resolution_of_ask(ask: Ask, row: Row) -> str | None:
    """Return the resolution to send: as asked, else 2K where the editor has it (the paper's)."""
    if ask.resolution is not None:
        given = ask.resolution
        return given.lower() if given.lower() == "interleaved" else given.upper()
    if row.kind == "simulate" or "2K" in row.resolutions:
        return "2K"
    return row.resolutions[0] if row.resolutions else None


def find_run(root: Path, name: str) -> Path:
    """Return the folder of run `name` (id or unique prefix) that b100 made in `root`."""
    exact = root / name
    inside = bool(name) and ".." not in Path(name).parts and not os.path.isabs(name)
    if inside and os.path.isfile(exact / PLAN):
        return exact
    foreign = inside and _holds_pictures(exact)
    near = [folder for folder in run_folders(root) if _id(root, folder).startswith(name)]
    if len(near) == 1 and not foreign:
        return near[0]
    if near and not foreign:
        shown = ", ".join(_id(root, folder) for folder in near[:5])
        raise UnknownRunError(f"{clean_line(name)!r} means {len(near)} runs: {shown}", "say more")
    raise UnknownRunError(
        f"no run {clean_line(name)!r} that b100 made in {root}",
        "b100 runs lists them; others are forked: b100 edit fork RUN@STEP",
    )


def _holds_pictures(folder: Path) -> bool:
    try:
        return any(name.endswith(_PICTURES) for name in os.listdir(folder))
    except OSError:
        return False  # no folder, or none that can be looked into: no run of anybody


def run_folders(root: Path) -> list[Path]:
    """Return the folders of all runs that b100 made, in natural order."""
    found = [path.parent for path in root.glob(f"*/*/*/{PLAN}") if path.parts[-4] != ".b100"]
    return sorted(found, key=lambda folder: natural(folder.as_posix()))


def check_initial(picture: Path | bytes) -> None:
    """Raise UsageError for a picture that editors do not take, PictureError for a broken one."""
    kind = header(picture).format
    if kind not in _TAKEN:
        where = picture if isinstance(picture, Path) else "the picture"
        raise UsageError(f"{where} is {kind}: editors take PNG, JPEG and WebP", "convert a copy")


def slug(text: str) -> str:
    """Return `text` as one part of a run id: a-z, 0-9 and -."""
    return _UNFIT.sub("-", text.lower()).strip("-")[:64] or "image"


def _recipe(ask: Ask) -> Recipe:
    if ask.prompt is None:
        return recipe(ask.recipe)
    if not ask.prompt.strip():
        raise UsageError("the prompt is empty", "say what to edit")
    name = "own-" + hashlib.sha256(ask.prompt.encode()).hexdigest()[:8]
    return Recipe(name=name, about="own prompt", kind="reconstruct", prompts=(ask.prompt,))


def _check(ask: Ask, row: Row) -> None:
    who = row.title or ask.editor
    if not 1 <= ask.steps <= _MOST_STEPS or not 1 <= ask.repeats <= _MOST_STEPS:
        raise UsageError(
            f"{ask.steps} steps, {ask.repeats} repeats", f"each between 1 and {_MOST_STEPS:,}"
        )
    if row.kind == "simulate":
        _check_member("resolution", ask.resolution, ("1K", "2K", "4K", "INTERLEAVED"), who)
        return
    policy, _ = seed_of_ask(ask, _recipe(ask))
    for name, wanted, able in (
        ("seed", policy != "none", row.seed),
        ("temperature", ask.temperature is not None, row.temperature),
        ("growing dialog (single)", ask.session == "single", row.dialog),
    ):
        if wanted and not able:
            raise UsageError(f"{who} takes no {name}", "leave it away, or use another editor")
    if ask.temperature is not None and not 0 <= ask.temperature <= 2:
        raise UsageError(f"temperature {ask.temperature:g}", "between 0 and 2")
    sizes = row.resolutions
    if {"1K", "2K", "4K"} <= set(sizes):
        sizes = (*sizes, "INTERLEAVED")
    _check_member("resolution", ask.resolution, sizes, who)
    _check_member("aspect ratio", ask.aspect_ratio, row.aspect_ratios, who)
    _check_member("thinking level", ask.thinking, row.thinking_levels, who)


def _check_member(what: str, given: str | None, able: tuple[str, ...], who: str) -> None:
    if given is not None and given.upper() not in {one.upper() for one in able}:
        fix = f"one of {', '.join(able).lower()}" if able else "leave it away"
        raise UsageError(f"{who} takes no {what} {clean_line(given)!r}", fix)


def _check_hash(folder: Path, known: RunPlan) -> None:
    if known.prompts and plan_hash(known, known.prompts) != known.plan_hash:
        raise StoreError(
            f"{folder / PLAN} was changed since the run began", "fork the run to change its plan"
        )


def _check_prompts(known: RunPlan) -> None:
    if not known.prompts:
        raise UsageError(
            f"{known.run} was made by b100 demo, with its end planted",
            f"fork it: b100 edit fork {known.run}@STEP",
        )


def _free_repeat(folder: Path) -> int:
    taken = [int(found[1]) for path in folder.glob("run-*") if (found := _RUN.fullmatch(path.name))]
    return max(taken, default=-1) + 1


def _id(root: Path, folder: Path) -> str:
    return folder.relative_to(root).as_posix()
