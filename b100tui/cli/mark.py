"""`b100 mark`: a person's mark on a step, or its taking back."""

import argparse

from b100tui.cli.indexed import add_refresh, opened
from b100tui.cli.output import add_json, emit_json, writing_root
from b100tui.model.errors import UsageError

EPILOG = """examples:
  b100 mark dongpo/replicate-2k-sim-pro/run-1@12 noise --root runs
  b100 mark dongpo@12 counting --region 100,80,64,64 --note "seven apples" --by ann --root runs
  b100 mark --undo 4f1c --root runs
  b100 mark --list

Modes are those of the paper and some tags; own ones are written tag:word."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `b100 mark`."""
    parser.epilog = EPILOG
    parser.add_argument("step", nargs="?", metavar="RUN@STEP", help="run and step to mark")
    parser.add_argument("mode", nargs="?", metavar="MODE", help="failure mode or tag")
    parser.add_argument("--region", metavar="x,y,w,h", help="where, in source pixels")
    parser.add_argument("--note", default="", metavar="TEXT", help="words about it")
    parser.add_argument("--by", default="", metavar="NAME", help="annotator (default you)")
    parser.add_argument("--blind", action="store_true", help="set without knowing the step")
    parser.add_argument("--undo", metavar="ID", help="take the mark with this id back")
    parser.add_argument("--list", action="store_true", help="list the modes")
    add_refresh(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Set or take back a mark, or list the modes."""
    from b100tui.report.marks import mode_id, modes, new_mark, take_back, write_marks

    if args.list:
        return _list(args, modes())
    if args.undo is not None:
        if args.step:
            raise UsageError("--undo needs only the id", "b100 mark --undo ID")
        record = take_back(writing_root(args), args.undo, args.by)
    else:
        if not args.step or not args.mode:
            raise UsageError("a mark needs RUN@STEP and MODE", "b100 mark --list shows the modes")
        from b100tui.cli.show import parse_crop, parse_place

        name, step = parse_place(args.step)
        mode = mode_id(args.mode)
        region = parse_crop(args.region) if args.region else None
        root = writing_root(args)
        args.root = str(root)
        index = opened(args)
        try:
            row = index.find_run(name)
            steps = {one.step: one for one in index.steps(row.run)}
        finally:
            index.close()
        if step not in steps:
            raise UsageError(
                f"{row.run} has no step {step}", f"it has steps {row.first_step} to {row.last_step}"
            )
        one = steps[step]
        if region and one.width and one.height:
            x, y, width, height = region
            if x + width > one.width or y + height > one.height:
                raise UsageError(
                    f"--region {args.region} reaches outside",
                    f"the picture is {one.width}x{one.height}",
                )
        record = new_mark(
            row.run, step, mode, by=args.by, region=region, note=args.note, blind=args.blind
        )
        write_marks(root, record)
    if args.json:
        emit_json(record)
    else:
        done = "taken back" if record.undo else "marked"
        print(f"{done}: {record.run}@{record.step} {record.mode} by {record.by} (id {record.id})")
    return 0


def _list(args: argparse.Namespace, modes: tuple[object, ...]) -> int:
    import msgspec

    from b100tui.cli.tabular import print_table

    rows = msgspec.to_builtins(modes)
    if args.json:
        emit_json(rows)
    else:
        print_table(
            ("mode", "level", "name", "about"),
            [(row["id"], row["level"], row["name"], row["about"]) for row in rows],
        )
    return 0
