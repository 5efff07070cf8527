"""`b100 scores`: takes scores made elsewhere in, and hands all scores out."""

import argparse
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from b100tui.cli.indexed import add_refresh, opened
from b100tui.cli.output import add_json, emit_json, narrate, writing_root
from b100tui.model.errors import UsageError

if TYPE_CHECKING:
    from b100tui.index.store import Index
    from b100tui.scoring.naming import Namer

FAILED, PARTLY = 1, 4
_SHOWN = 20


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `b100 scores`."""
    parser.add_argument("action", choices=("import", "export"), help="into ROOT, or out of it")
    parser.add_argument(
        "file",
        metavar="FILE",
        help="import: .csv, .tsv, .jsonl, .json, .parquet; export: .csv, .jsonl, .parquet",
    )
    parser.add_argument("--shape", choices=("long", "wide"), help="import (default by the columns)")
    add_json(parser)
    add_refresh(parser)


def run(args: argparse.Namespace) -> int:
    """Import or export."""
    return _import(args) if args.action == "import" else _export(args)


def _import(args: argparse.Namespace) -> int:
    from b100tui.scoring.importing import import_scores

    root = writing_root(args)
    args.root = str(root)
    index = opened(args)
    try:
        report = import_scores(root, Path(args.file), _namer(index, root), args.shape)
    finally:
        index.close()
    if args.json:
        emit_json(report)
    else:
        print(f"{report.scores:,} scores out of {report.accepted:,} of {report.rows:,} rows")
        for rejected in report.rejected[:_SHOWN]:
            narrate(f"  row {rejected.row}: {rejected.reason}")
        if len(report.rejected) > _SHOWN:
            narrate(f"  and {len(report.rejected) - _SHOWN:,} more; --json lists them all")
        if report.unknown_metrics:
            names = ", ".join(report.unknown_metrics)
            narrate(f"  direction unknown, drawn but never judged: {names}")
        if report.unused_columns:
            narrate(f"  columns that hold no scores: {', '.join(report.unused_columns)}")
    if not report.rejected:
        return 0
    return PARTLY if report.accepted else FAILED


def _export(args: argparse.Namespace) -> int:
    from b100tui.scoring.exporting import ExportedScore, export_scores

    if Path(args.file).exists():
        raise UsageError(f"{args.file} is there already", "choose a new name, or delete it first")
    sql = files("b100tui.cli").joinpath("scores_export.sql").read_text(encoding="utf-8")
    index = opened(args)
    try:
        rows = [ExportedScore(*row) for row in index.ask(sql)]
    finally:
        index.close()
    count = export_scores(rows, Path(args.file))
    if args.json:
        emit_json({"rows": count, "accepted": count, "rejected": [], "path": args.file})
    else:
        print(f"{count:,} scores written to {args.file}")
    return 0


def _namer(index: "Index", root: Path) -> "Namer":
    from b100tui.scoring.naming import NamedRun, Namer

    runs = (
        NamedRun(
            run=row.run,
            image=row.image,
            recipe=row.recipe,
            setting=row.setting,
            editor=row.editor,
            repeat=row.repeat,
            labels=row.labels,
        )
        for row in index.runs()
    )
    return Namer(runs, index.steps, str(root))
