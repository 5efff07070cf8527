"""`b100 marks`: the marks people set, their merging, and how far annotators agree."""

import argparse
from pathlib import Path

from b100tui.cli.output import add_json, emit_json, emit_jsonl, narrate, reading_root, writing_root
from b100tui.cli.tabular import counted, print_table
from b100tui.model.errors import UsageError

EPILOG = """examples:
  b100 marks
  b100 marks --jsonl > marks.jsonl
  b100 marks --merge marks-of-bob.jsonl --root runs
  b100 marks --kappa

--kappa gives Cohen's kappa of every two annotators over the runs both worked on: by mode (did
they see it in the run), over all modes, and over steps that both marked."""
_BAD_SHOWN = 5


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `b100 marks`."""
    parser.epilog = EPILOG
    parser.add_argument("run", nargs="*", metavar="RUN", help="only runs whose id begins so")
    parser.add_argument("--by", metavar="NAME", help="only this annotator's")
    parser.add_argument("--mode", metavar="MODE", help="only this mode")
    parser.add_argument("--kappa", action="store_true", help="agreement between annotators")
    parser.add_argument("--merge", metavar="FILE", help="take over marks from a .jsonl file")
    add_json(parser, lines=True)


def run(args: argparse.Namespace) -> int:
    """List marks, merge them, or print the agreement."""
    if args.kappa and args.by:
        raise UsageError("--kappa needs two annotators", "leave --by out")
    from b100tui.report.marks import agreements, all_marks, merge, mode_id

    if args.merge:
        root = writing_root(args)
        count, bad = merge(root, Path(args.merge))
        for line in bad[:_BAD_SHOWN]:
            narrate(f"not a mark: {line.reason}")
        narrate(f"{counted(count, 'new mark')} taken over, {counted(len(bad), 'line')} left out")
    else:
        root = reading_root(args)
    wanted = mode_id(args.mode) if args.mode else None
    found = [
        one
        for one in all_marks(root)
        if (not args.run or any(one.run.startswith(name) for name in args.run))
        and (not args.by or one.by == args.by)
        and (wanted is None or one.mode == wanted)
    ]
    agreed = agreements(found) if args.kappa else []
    rows = agreed if args.kappa else found
    if args.json:
        emit_json(rows)
    elif args.jsonl:
        emit_jsonl(rows)
    elif args.kappa:
        print_table(
            ("annotators", "unit", "mode", "n", "agreed", "by chance", "kappa", "note"),
            (
                (
                    f"{one.one}, {one.other}",
                    one.unit,
                    one.mode or "all",
                    one.n,
                    one.observed,
                    one.expected,
                    one.kappa,
                    one.reason,
                )
                for one in agreed
            ),
        )
    else:
        print_table(
            ("id", "run", "step", "mode", "by", "time", "region", "note"),
            (
                (
                    one.id,
                    one.run,
                    one.step,
                    one.mode + (" (blind)" if one.blind else ""),
                    one.by,
                    one.time[:19],
                    ",".join(map(str, one.region)) if one.region else None,
                    one.note,
                )
                for one in found
            ),
        )
        print(counted(len(found), "mark"))
    return 0
