"""`b100 export`: filtered steps as JSON lines, as an imagefolder, or as files."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from b100tui.cli.indexed import add_refresh, opened
from b100tui.cli.output import add_json, emit_json, narrate
from b100tui.cli.step_bar import StepBar
from b100tui.model.text import clean_line

if TYPE_CHECKING:
    from b100tui.report.export import ExportReport

_SHOWN = 20
EPILOG = """examples:
  b100 export --format jsonl --out out
  b100 export --until onset --format hf --out before-damage
  b100 export --filter 'editor:pro -mark:tint step>0' --until 20 --format files --out picked

--until onset stops before the change can have begun (the lower end of its interval), --until
limit before the first bad step, --until 20 after step 20. Runs without enough scores to tell
stay back and are named. What goes out comes in again: b100 scan OUT."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `b100 export`."""
    parser.epilog = EPILOG
    parser.add_argument("--filter", metavar="EXPR", help="only steps for which this holds")
    parser.add_argument("--until", metavar="onset|limit|STEP", help="where each run ends")
    parser.add_argument(
        "--format",
        required=True,
        choices=("jsonl", "hf", "files"),
        help="steps.jsonl, a Hugging Face imagefolder, or b100's own files with steps.csv",
    )
    parser.add_argument("--out", required=True, metavar="DIR", help="a new or empty folder")
    add_refresh(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Export, and print what went out; 4 where something that was asked for stayed back."""
    from b100tui.report.export import export
    from b100tui.report.export_steps import parse_until

    until = parse_until(args.until)
    index = opened(args)
    bar = StepBar("")
    try:
        report = export(
            index,
            Path(args.out).expanduser().absolute(),
            args.format,
            filter=args.filter,
            until=until,
            progress=bar.show,
        )
    finally:
        bar.clear()
    if args.json:
        skipped = [{"run": s.run, "step": s.step, "reason": s.reason} for s in report.skipped]
        emit_json({"rows": report.rows, "files": report.files, "skipped": skipped})
    else:
        print(f"{report.rows:,} steps, {report.files:,} files in {clean_line(args.out)}")
    _narrate(report)
    return 4 if report.partly else 0


def _narrate(report: "ExportReport") -> None:
    """Name what stays back, one line for all steps of a run with one reason."""
    steps: dict[tuple[str, str], list[int]] = {}
    for one in report.skipped:
        found = steps.setdefault((one.run, one.reason), [])
        if one.step is not None:
            found.append(one.step)
    for (run, reason), numbers in list(steps.items())[:_SHOWN]:
        span = "" if not numbers else f"@{numbers[0]}"
        if len(numbers) > 1:
            span += f"-{numbers[-1]} ({len(numbers)} steps)"
        narrate(clean_line(f"stays back: {run}{span}: {reason}"))
    if len(steps) > _SHOWN:
        narrate(f"and {len(steps) - _SHOWN:,} more such lines, all in export.json")
