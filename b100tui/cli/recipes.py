"""`b100 recipes`: the prompts of a run and how they cycle; and the plans made of them."""

import argparse

from b100tui.cli.output import add_json, emit_json
from b100tui.model.text import clean_line


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `b100 recipes`."""
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """List recipes, then plans."""
    from b100tui.engine.plans import plan_names, read_experiment
    from b100tui.engine.recipes import recipes

    found = recipes()
    if args.json:
        emit_json(
            [
                {
                    "id": name,
                    "name": one.about,
                    "ready": True,
                    "reason": "",
                    "fix": "",
                    "kind": one.kind,
                    "cycle": one.cycle,
                    "tags": list(one.tags),
                    "inputs": one.inputs,
                    "prompts": list(one.prompts),
                }
                for name, one in found.items()
            ]
        )
        return 0
    width = max(map(len, found))
    for name, one in found.items():
        tags = f"  [{', '.join(one.tags)}]" if one.tags else ""
        print(f"{name:<{width}}  {one.cycle:>3} prompts  {clean_line(one.about)}{tags}")
    for name in plan_names():
        print(f"plan {name}: {clean_line(read_experiment(name).about)}")
    return 0
