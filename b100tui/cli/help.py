"""`b100 help TOPIC`: the longer explanations, kept as text files in `topics/`."""

import argparse
import difflib
from importlib.resources import files
from importlib.resources.abc import Traversable

from b100tui.cli.output import add_json, emit_json
from b100tui.cli.registry import COMMANDS, find_command
from b100tui.model.errors import UsageError

EPILOG = """examples:
  b100 help
  b100 help layouts
  b100 help runs        the same as b100 runs --help"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `b100 help`."""
    parser.epilog = EPILOG
    parser.add_argument("topic", nargs="?", help="a topic, or the name of a command")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Run `b100 help`."""
    found = topics()
    if args.topic is None:
        listed = [{"topic": name, "about": _first_line(found[name])} for name in sorted(found)]
        if args.json:
            emit_json(listed)
            return 0
        width = max(map(len, found))
        for line in listed:
            print(f"  {line['topic']:<{width}}  {line['about']}")
        print("\nb100 help TOPIC reads one; b100 COMMAND --help explains a command.")
        return 0
    if args.topic in found:
        text = found[args.topic].read_text(encoding="utf-8")
        if args.json:
            emit_json({"topic": args.topic, "text": text})
        else:
            print(text, end="")
        return 0
    if args.topic in COMMANDS:
        find_command([args.topic])[0].parser.print_help()
        return 0
    near = difflib.get_close_matches(args.topic, [*found, *COMMANDS], 3)
    raise UsageError(
        f"no topic {args.topic!r}",
        f"did you mean {', '.join(near)}?" if near else f"topics: {', '.join(sorted(found))}",
    )


def topics() -> dict[str, Traversable]:
    """Return the texts by name."""
    folder = files("b100tui.cli").joinpath("topics")
    return {
        entry.name.removesuffix(".txt"): entry
        for entry in folder.iterdir()
        if entry.name.endswith(".txt")
    }


def _first_line(topic: Traversable) -> str:
    return topic.read_text(encoding="utf-8").split("\n", 1)[0]
