"""`b100 editors`: the image editors, with what is ready and why not."""

import argparse

from b100tui.cli.output import add_json, emit_json


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `b100 editors`."""
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """List."""
    from b100tui.editors.registry import availability
    from b100tui.editors.table import table

    found = availability(table())
    if args.json:
        emit_json(found)
        return 0
    width = max(len(one.id) for one in found)
    for one in found:
        state = "ready" if one.ready else one.reason
        print(f"{one.id:<{width}}  {one.kind:<9}  {state:<28}  {one.name}")
        for text in filter(None, (one.note, "" if one.ready else f"fix: {one.fix}")):
            print(f"{'':<{width}}    {text}")
    return 0
