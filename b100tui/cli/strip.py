"""`b100 strip RUN...`: steps side by side, same crop, exact pixels, captions, as one PNG."""

import argparse
from pathlib import Path

from b100tui.cli.gaps import listed_steps
from b100tui.cli.indexed import add_refresh, opened
from b100tui.cli.output import add_json, emit_json, narrate
from b100tui.cli.show import parse_crop
from b100tui.model.errors import UsageError

EPILOG = """examples:
  b100 strip dongpo/replicate-2k-sim-pro/run-1 --out strip.png
  b100 strip dongpo/replicate-2k-sim-pro/run-1 --crop 9,4,64,64 --caption niqe --out s.png"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `b100 strip`."""
    parser.epilog = EPILOG
    parser.add_argument("run", nargs="+", metavar="RUN", help="run ids or unique prefixes")
    parser.add_argument("--steps", default="1,5,10,20,50,100", metavar="N,N", help="which steps")
    parser.add_argument("--crop", metavar="x,y,w,h", help="the same part of each, source pixels")
    parser.add_argument("--caption", default="", metavar="METRIC,...", help="scores under each")
    parser.add_argument("--out", required=True, metavar="FILE.png", help="a new file")
    add_refresh(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Write the strip."""
    steps = listed_steps(args.steps)
    crop = parse_crop(args.crop) if args.crop else None
    path = Path(args.out)
    if path.suffix.lower() != ".png":
        raise UsageError(f"--out {path} is no PNG", "end the name with .png: it keeps every pixel")
    if path.exists():
        raise UsageError(f"{path} is there already", "choose a new name, or delete it first")
    from b100tui.metrics.registry import identifier
    from b100tui.report.strip import StripRow, draw_strip, png_bytes
    from b100tui.workspace.atomic import write_atomic

    captions = tuple(identifier(name) for name in args.caption.split(",") if name.strip())
    index = opened(args)
    try:
        rows = []
        for name in args.run:
            found = index.find_run(name)
            scores = {view.step: view.scores for view in index.step_views(found.run)}
            rows.append(
                StripRow(title=found.run, steps=tuple(index.steps(found.run)), scores=scores)
            )
        unknown = [name for name in captions if name not in index.metrics()]
    finally:
        index.close()
    if unknown:
        narrate(f"no scores of {', '.join(unknown)}")
    image = draw_strip(index.root, rows, steps, crop=crop, captions=captions)
    write_atomic(path, png_bytes(image))
    if args.json:
        emit_json({"path": str(path), "width": image.width, "height": image.height})
    else:
        print(f"{path}: {image.width}x{image.height}")
    return 0
