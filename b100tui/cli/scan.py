"""`b100 scan`: how a folder would be read, and what would be left out and why."""

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import structs

from b100tui.cli.output import add_json, emit_json, narrate, reading_root
from b100tui.model.errors import StoreError, UsageError
from b100tui.model.text import clean_line

if TYPE_CHECKING:
    from b100tui.model.scan import LeftOut
    from b100tui.sources.difference import Difference
    from b100tui.sources.preview import Preview, RunPreview

_RUNS = 40  # runs and names printed without -v
_NAMES = 8
_REASONS = 30  # reasons printed without -v; those of a manifest name its lines


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `b100 scan`."""
    parser.add_argument(
        "dir", nargs="?", metavar="DIR", help="any folder (default the one used last)"
    )
    parser.add_argument(
        "--mapping", metavar="FILE", help="read by this mapping.toml, and say what that changes"
    )
    parser.add_argument(
        "--write-mapping",
        action="store_true",
        help="write a commented mapping.toml that reads the folder as guessed",
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Scan, print, and write the mapping when that is asked for."""
    from b100tui.sources import find_mapping, scan_folder
    from b100tui.sources.preview import preview
    from b100tui.workspace.places import workspace_dirs

    root = reading_root(args, args.dir)
    if args.write_mapping and args.mapping:
        raise UsageError("--mapping and --write-mapping exclude each other", "leave one out")
    if args.write_mapping:
        narrate(f"wrote {_write(root)}")
    mapping = Path(args.mapping) if args.mapping else find_mapping(workspace_dirs(root))
    if mapping is not None:
        narrate(f"mapping: {mapping}")
    bar = _Bar()
    scan = scan_folder(root, mapping, progress=lambda seen: bar.show(f"{seen:,} entries listed"))
    found = preview(
        root, scan, progress=lambda done, total: bar.show(f"{done:,} of {total:,} headers read")
    )
    if args.mapping:
        from b100tui.sources.difference import difference

        before = scan_folder(root, find_mapping(workspace_dirs(root)))
        found = structs.replace(found, difference=difference(before, scan))
    bar.end()
    if args.json:
        emit_json(found)
    else:
        print("\n".join(_lines(root, found, wordy=args.verbose > 0)))
    return 0


def _write(root: Path) -> Path:
    """Write the mapping into the workspace, never over another one."""
    from b100tui.sources import find_mapping, write_mapping
    from b100tui.workspace.atomic import write_atomic
    from b100tui.workspace.places import make_private, workspace_dir, workspace_dirs

    have = find_mapping(workspace_dirs(root))
    if have is not None:
        raise StoreError(f"{have} is there already", "edit it, or move it away first")
    text = write_mapping(root)
    path = make_private(workspace_dir(root)) / "mapping.toml"
    write_atomic(path, text.encode())
    return path


class _Bar:
    """A line of progress on stderr, only where that is a terminal."""

    def __init__(self) -> None:
        self.shown = False

    def show(self, words: str) -> None:
        if sys.stderr.isatty():
            self.shown = True
            print(f"\r\x1b[K{words}", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        if self.shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _lines(root: Path, found: "Preview", *, wordy: bool) -> list[str]:
    steps = sum(one.steps for one in found.runs)
    lines = [
        clean_line(str(root)),
        f"read as {found.layout}: {_count(len(found.runs), 'run')}, {_count(steps, 'step')},"
        f" {len(found.unused):,} not used, {len(found.unreadable):,} unreadable",
    ]
    readings = found.readings if wordy else found.readings[:_NAMES]
    lines += [
        f"  {one.layout}: {_count(one.runs, 'run')}, {_count(one.steps, 'step')}"
        f"{' in ' + clean_line(one.path) if one.path else ''}: {clean_line(one.why)}"
        for one in readings
    ]
    if len(readings) < len(found.readings):
        lines.append(f"  and {len(found.readings) - len(readings):,} more (-v shows all)")
    if found.headers_unread:
        pictures = _count(found.headers_unread, "picture")
        lines.append(f"  {pictures} in large Parquet files: b100 index reads their sizes")
    if found.difference is not None:
        lines += ["", *_difference_lines(found.difference, wordy)]
    shown = found.runs if wordy else found.runs[:_RUNS]
    for one in shown:
        lines += ["", *_run_lines(one)]
    if len(shown) < len(found.runs):
        lines += ["", f"and {_count(len(found.runs) - len(shown), 'more run')} (-v shows all)"]
    if not found.runs:
        lines += ["", "No run was found. A mapping.toml can say what is one: b100 help layouts"]
    for title, left_out in (("Unreadable", found.unreadable), ("Not used", found.unused)):
        if left_out:
            lines += ["", title, *_reasons(left_out, wordy)]
    return lines


def _run_lines(one: "RunPreview") -> list[str]:
    facts = [f"image {one.image}"]
    if one.setting:
        facts.append(f"setting {one.setting}")
    if one.editor:
        facts.append(f"editor {one.editor}")
    if one.repeat:
        facts.append(f"repeat {one.repeat}")
    sizes = ", ".join(
        f"{width}x{height}" + (f" ({count})" if len(one.sizes) > 1 else "")
        for width, height, count in one.sizes[:6]
    )
    span = f"{one.first_step}-{one.last_step}" if one.steps else "none"
    lines = [
        clean_line(one.run),
        f"  {clean_line(' · '.join(facts))}",
        f"  steps {span} ({one.steps}) · {sizes or 'no size known'}"
        + (f" and {len(one.sizes) - 6} more sizes" if len(one.sizes) > 6 else ""),
    ]
    told = [
        _count(number, word)
        for number, word in (
            (one.prompts, "prompt"),
            (one.reasoning, "reasoning text"),
            (one.scores, "score"),
        )
        if number
    ]
    if told:
        names = ", ".join(one.metrics[:12]) + (", ..." if len(one.metrics) > 12 else "")
        lines.append(f"  with {', '.join(told)}" + (f": {names}" if names else ""))
    if "template" in one.labels:
        lines.append(f"  guessed from {clean_line(one.labels['template'])} (# is the step)")
    if one.missing:
        lines.append(f"  missing steps {_spans(one.missing)}")
    for same in one.duplicates[:_NAMES]:
        others = clean_line(", ".join(same.others))
        lines.append(f"  step {same.step} found twice: {clean_line(same.chosen)}, not {others}")
    if len(one.duplicates) > _NAMES:
        lines.append(f"  and {len(one.duplicates) - _NAMES} more steps found twice")
    for change in one.aspect_changes[:_NAMES]:
        before, after = change.before, change.after
        lines.append(
            f"  aspect changes at step {change.step}: {before[0]}x{before[1]}"
            f" ({before[0] / before[1]:.3f}) to {after[0]}x{after[1]} ({after[0] / after[1]:.3f})"
        )
    if len(one.aspect_changes) > _NAMES:
        lines.append(f"  and {len(one.aspect_changes) - _NAMES} more changes of aspect")
    if one.stopped:
        lines.append(f"  stopped: {clean_line(one.stopped)}")
    return lines


def _difference_lines(change: "Difference", wordy: bool) -> list[str]:
    """Return what the mapping changes, one run a line."""
    head = f"Against the reading without it ({change.before})"
    if change.nothing:
        return [f"{head}: nothing changes"]
    lines = [f"{head}:"]
    entries = [f"  + {clean_line(name)}" for name in change.added]
    entries += [f"  - {clean_line(name)}" for name in change.removed]
    entries += [
        f"  ~ {clean_line(one.run)}: {clean_line('; '.join(one.changes))}" for one in change.changed
    ]
    lines += entries if wordy else entries[:_RUNS]
    if not wordy and len(entries) > _RUNS:
        lines.append(f"  and {len(entries) - _RUNS:,} more runs (-v shows all)")
    for paths, words in (
        (change.newly_used, "used now"),
        (change.no_longer_used, "no longer used"),
    ):
        if paths:
            names = clean_line(", ".join(paths[:_NAMES]))
            more = f" and {len(paths) - _NAMES:,} more" if len(paths) > _NAMES else ""
            lines.append(f"  {_count(len(paths), 'picture')} {words}: {names}{more}")
    return lines


def _reasons(left_out: "Iterable[LeftOut]", wordy: bool) -> list[str]:
    """Return the files grouped by reason, with their number."""
    groups: dict[str, list[str]] = {}
    for left in left_out:
        groups.setdefault(clean_line(left.reason), []).append(clean_line(left.path))
    lines: list[str] = []
    for reason, paths in groups.items() if wordy else list(groups.items())[:_REASONS]:
        lines.append(f"  {reason}:" if len(paths) == 1 else f"  {reason} ({len(paths):,}):")
        shown = paths if wordy else paths[:_NAMES]
        lines += [f"    {path}" for path in shown]
        if len(shown) < len(paths):
            lines.append(f"    and {len(paths) - len(shown):,} more (-v shows all)")
    if not wordy and len(groups) > _REASONS:
        lines.append(f"  and {len(groups) - _REASONS:,} more reasons (-v shows all)")
    return lines


def _spans(numbers: list[int]) -> str:
    """Return 3, 5-9, 12 for a sorted list."""
    spans: list[list[int]] = []
    for number in numbers:
        if spans and spans[-1][1] == number - 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    words = [str(low) if low == high else f"{low}-{high}" for low, high in spans]
    return ", ".join(words[:20]) + (f" and {len(words) - 20} more gaps" if len(words) > 20 else "")


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}" + ("" if number == 1 else "s")
