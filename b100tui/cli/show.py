"""`b100 show RUN@STEP`: one step in full, its picture inline or as a file in exact pixels."""

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from b100tui.cli.explore import GRAPHICS
from b100tui.cli.indexed import add_refresh, opened
from b100tui.cli.output import add_json, emit_json, narrate, reading_root
from b100tui.model.errors import PictureError, UsageError
from b100tui.model.steps import parse_steps
from b100tui.model.text import charged, clean, clean_line

if TYPE_CHECKING:
    from PIL.Image import Image

    from b100tui.index.rows import StepView
    from b100tui.index.store import Index
    from b100tui.model.records import Step
    from b100tui.terminal.pictures import Pictures
    from b100tui.terminal.targets import ViewSpec

MAX_ZOOM = 64
CHANNELS = ("r", "g", "b", "luma", "saturation")
_FEWEST_ROWS = 8
_TILE = 320  # pixels, the longer side of a whole picture on a sheet


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `b100 show`."""
    parser.add_argument("step", metavar="RUN@STEP", help="run id or unique prefix, and the step")
    parser.add_argument("--crop", metavar="x,y,w,h", help="a part, in source pixels")
    parser.add_argument("--zoom", type=int, default=1, metavar="N", help="each pixel N x N")
    parser.add_argument("--compare", metavar="RUN@STEP", help="a second picture beside it")
    parser.add_argument("--diff", choices=("abs", "signed"), help="the difference to --compare")
    parser.add_argument(
        "--gain", type=float, default=1.0, metavar="X", help="strength of --diff, --residual"
    )
    parser.add_argument("--align", action="store_true", help="align --compare to the step first")
    parser.add_argument("--residual", action="store_true", help="what a denoiser takes away")
    parser.add_argument("--channel", choices=CHANNELS, help="one channel")
    parser.add_argument("--sheet", metavar="STEPS", help="a contact sheet, e.g. 0,1,10-50")
    parser.add_argument("--out", metavar="FILE.png", help="write exact pixels to FILE")
    parser.add_argument("--graphics", choices=GRAPHICS, default="auto", help="how it is drawn")
    add_refresh(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Print the step and its picture."""
    for name in ("diff", "align"):
        if getattr(args, name) and not args.compare:
            raise UsageError(f"--{name} needs a second step", "add --compare RUN@STEP")
    if args.sheet and args.compare:
        raise UsageError("--sheet and --compare do not go together", "leave one out")
    if not 1 <= args.zoom <= MAX_ZOOM:
        raise UsageError(f"--zoom {args.zoom} is out of bounds", f"1 to {MAX_ZOOM}")
    crop = parse_crop(args.crop) if args.crop else None
    index = opened(args)
    step, view = _find(index, args.step)
    other = _find(index, args.compare)[0] if args.compare else None
    sheet = _sheet_steps(index, step.run, args.sheet) if args.sheet else []
    if args.out:
        _write(_draw(args, step, other, crop, sheet), Path(args.out))
    if args.json:
        emit_json(view)
        return 0
    shown = bool(args.out)
    if not shown and sys.stdout.isatty():
        try:
            _print_picture(args, _draw(args, step, other, crop, sheet))
            shown = True
        except PictureError as error:
            narrate(f"no picture: {error.message}")
    print("\n".join(_facts(step, view)))
    return 0


def parse_crop(text: str) -> tuple[int, int, int, int]:
    """Return x, y, w, h in source pixels; UsageError when `text` is anything else."""
    try:
        x, y, width, height = (int(part) for part in text.split(","))
    except ValueError:
        raise UsageError(f"--crop {text!r} cannot be read", "write x,y,w,h in pixels") from None
    if x < 0 or y < 0 or width < 1 or height < 1:
        raise UsageError(f"--crop {text!r} is empty or outside", "x,y from 0; w,h from 1")
    return x, y, width, height


def parse_place(text: str) -> tuple[str, int]:
    """Return run and step of RUN@STEP; UsageError when `text` is anything else."""
    run, at, step = text.rpartition("@")
    if not at or not run or not step.isdecimal():
        raise UsageError(f"{clean_line(text)!r} names no step", "write RUN@STEP, e.g. dongpo@42")
    return run, int(step)


def _find(index: "Index", place: str) -> "tuple[Step, StepView]":
    name, number = parse_place(place)
    row = index.find_run(name)
    steps = {step.step: step for step in index.steps(row.run)}
    views = {view.step: view for view in index.step_views(row.run)}
    if number not in steps or number not in views:
        have = f"steps {row.first_step} to {row.last_step}" if steps else "no steps"
        raise UsageError(f"{row.run} has no step {number}", f"it has {have}")
    return steps[number], views[number]


def _sheet_steps(index: "Index", run: str, wanted: str) -> "list[Step]":
    steps = {step.step: step for step in index.steps(run)}
    chosen = parse_steps(wanted)(steps)
    if not chosen:
        raise UsageError(f"--sheet {wanted}: {run} has none of these steps", "see b100 steps RUN")
    return [steps[number] for number in chosen]


def _draw(
    args: argparse.Namespace,
    step: "Step",
    other: "Step | None",
    crop: tuple[int, int, int, int] | None,
    sheet: "list[Step]",
) -> "Image":
    """Return the picture as asked for, in source pixels times the zoom."""
    from b100tui.imaging.sheet import enlarged, side_by_side
    from b100tui.sources.pictures import open_picture
    from b100tui.terminal.compose import draw_view
    from b100tui.terminal.pictures import Pictures
    from b100tui.terminal.targets import Target, ViewSpec
    from b100tui.workspace.places import cache_dir

    root = reading_root(args)
    pictures = Pictures(root, cache_dir(root) / "previews", open_picture)
    view = ViewSpec(
        crop=crop,
        channel=args.channel or "",
        residual=args.residual,
        difference=args.diff or "",
        reference=other.picture if other else None,
        gain=args.gain,
        show="" if args.diff or other is None else "side",
        align=args.align,
    )
    if sheet:
        return _sheet(args, sheet, view, pictures)
    if crop:
        _check_crop(crop, step, pictures)
    if other is not None and other.picture is None:
        raise PictureError(other.reason or f"step {other.step} has no picture")
    target = Target(step.picture, reason=step.reason or "", view=view)
    image, beside, note = draw_view(target, pictures)
    if note:
        narrate(note)
    if beside is not None:
        image = side_by_side(image, beside)
    return enlarged(image, args.zoom)


def _sheet(
    args: argparse.Namespace, steps: "list[Step]", view: "ViewSpec", pictures: "Pictures"
) -> "Image":
    """Return a sheet of the steps: crops keep their pixels, whole pictures are reduced."""
    from b100tui.imaging.preview import fit
    from b100tui.imaging.sheet import contact_sheet, enlarged
    from b100tui.terminal.compose import draw_view, scaled
    from b100tui.terminal.targets import Target

    tiles: list[tuple[Image | None, str]] = []
    for step in steps:
        caption = f"step {step.step}"
        try:
            target = Target(step.picture, caption, step.reason or step.status, view)
            image, _, _ = draw_view(target, pictures)
        except PictureError as error:
            narrate(f"{caption}: {error.message}")
            tiles.append((None, f"{caption}: no picture"))
            continue
        if view.crop is None and args.zoom == 1:
            image = scaled(image, fit(image.size, (_TILE, _TILE)))
        tiles.append((enlarged(image, args.zoom), caption))
    return contact_sheet(tiles)


def _check_crop(crop: tuple[int, int, int, int], step: "Step", pictures: "Pictures") -> None:
    if step.picture is None:
        return
    x, y, width, height = crop
    high, wide = pictures.full(step.picture).shape[:2]
    if x + width > wide or y + height > high:
        raise UsageError(
            f"--crop {x},{y},{width},{height} reaches outside",
            f"the picture is {wide}x{high}",
        )


def _write(image: "Image", path: Path) -> None:
    """Write `image` as a PNG; never over a picture of the run by accident: a new name only."""
    import io

    from b100tui.workspace.atomic import write_atomic

    if path.suffix.lower() != ".png":
        raise UsageError(f"--out {path} is no PNG", "end the name with .png: it keeps every pixel")
    if path.exists():
        raise UsageError(f"{path} is there already", "choose a new name, or delete it first")
    data = io.BytesIO()
    image.save(data, "PNG")
    write_atomic(path, data.getvalue())
    narrate(f"wrote {path}: {image.width}x{image.height}")


def _print_picture(args: argparse.Namespace, image: "Image") -> None:
    from b100tui.terminal.inline import inline_picture
    from b100tui.terminal.probe import probe_terminal

    facts = probe_terminal(graphics=args.graphics, wait=1.0, output_fd=sys.stdout.fileno())
    size = os.get_terminal_size(sys.stdout.fileno())
    text = inline_picture(image, facts, size.columns, max(size.lines - 6, _FEWEST_ROWS))
    if not text:
        narrate(f"no picture here: {facts.reason}")
    sys.stdout.write(text)
    sys.stdout.flush()


def _facts(step: "Step", view: "StepView") -> list[str]:
    """Return the step as lines for people, foreign text cleaned."""
    size = f"{step.width}x{step.height} " if step.width else ""
    kind = step.format or ""
    lines = [f"{step.run}@{step.step}  {step.status}  {size}{kind}".rstrip()]
    simulated = "SIMULATED" in step.warnings
    named = {
        "reason": step.reason,
        "prompt": step.prompt,
        "editor": step.editor,
        "model": step.model,
        "seed": step.seed,
        "finish": step.finish_reason,
        "cost": None if step.cost_usd is None else charged(step.cost_usd, simulated),
        "verdict": view.verdict,
        "file": step.picture.path if step.picture else None,
    }
    lines += [f"  {key:<8} {clean_line(str(value))}" for key, value in named.items() if value]
    lines += [
        f"  {metric:<20} {'failed' if value is None else format(value, '.6g')}"
        for metric, value in sorted(view.scores.items())
    ]
    lines += [f"  warning  {clean_line(warning)}" for warning in step.warnings]
    for section in step.sections:
        lines += ["", clean_line(section.title), clean(section.text)]
    return lines
