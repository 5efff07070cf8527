"""`b100 index`: builds or refreshes the index of a folder."""

import argparse
import sys
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING

from b100tui.cli.indexed import refreshed
from b100tui.cli.output import add_json, emit_json, narrate, reading_root
from b100tui.cli.tabular import counted
from b100tui.workspace.places import remember_root

if TYPE_CHECKING:
    from b100tui.index.rows import IndexReport
    from b100tui.index.verify import Verified

WATCH_SECONDS = 2.0
_LISTED = 20


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `b100 index`."""
    parser.add_argument("dir", nargs="?", metavar="ROOT", help="folder of runs")
    parser.add_argument("--previews", action="store_true", help="make the preview pictures too")
    parser.add_argument("--watch", action="store_true", help="report each change until ctrl-c")
    parser.add_argument("--rebuild", action="store_true", help="read everything anew")
    parser.add_argument(
        "--verify", action="store_true", help="hash the pictures and compare with their sidecars"
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Refresh, then do what else is asked for."""
    from b100tui.index.text import build_text

    root = reading_root(args, args.dir)
    report = refreshed(root, rebuild=args.rebuild)
    if not report.runs:
        narrate(f"no run was found in {root}: b100 scan {root} says why")
    remember_root(root)
    build_text(root)
    found = _verified(root) if args.verify else None
    if args.previews:
        _previews(root, args.config)
    _print(args, report, found)
    while args.watch:
        sys.stdout.flush()  # whoever reads a pipe waits for each report
        sleep(WATCH_SECONDS)
        newer = refreshed(root)
        if newer.generation != report.generation:
            report = newer
            build_text(root)
            _print(args, report, None)
    return 0


def _print(args: argparse.Namespace, report: "IndexReport", found: "Verified | None") -> None:
    if args.json:
        import msgspec

        document = msgspec.to_builtins(report)
        if found is not None:
            document["verified"] = found.checked
            document["mismatched"] = msgspec.to_builtins(found.differing)
        emit_json(document)
        return
    amounts = ", ".join(
        counted(getattr(report, f"{noun}s"), noun)
        for noun in ("run", "step", "section", "score", "verdict", "mark")
    )
    print(f"generation {report.generation}: {amounts}")
    print(
        f"{report.added} added, {report.changed} changed, {report.removed} removed,"
        f" {report.unreadable} unreadable in {report.seconds:.1f} s"
    )
    for left in (*report.unreadable_files, *report.bad_records)[:_LISTED]:
        narrate(f"{left.path}: {left.reason}")
    if found is not None:
        differing = len(found.differing)
        print(f"{counted(found.checked, 'picture')} with a recorded hash, {differing} differ")
        if found.without:
            print(f"{counted(found.without, 'picture')} without one: nothing to compare with")
        for item in found.differing[:_LISTED]:
            narrate(f"{item.path}: {item.reason}")


def _verified(root: Path) -> "Verified":
    from b100tui.index.store import open_index
    from b100tui.index.verify import verify

    return verify(open_index(root))


def _previews(root: Path, config: str | None) -> None:
    from b100tui.index.previews import make_previews
    from b100tui.workspace import settings

    limit = settings.load(config).preview_cache_mb * 1_000_000
    made, failed = make_previews(root, limit)
    narrate(f"previews: {made} pictures ready, {failed} cannot be decoded")
