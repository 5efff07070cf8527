"""`b100 completion`: scripts that let a shell complete commands, options and names."""

import argparse
import shlex
from importlib.resources import files

from b100tui.cli.candidates import candidates
from b100tui.model.errors import UsageError

SHELLS = ("bash", "zsh", "fish")
EPILOG = """examples:
  eval "$(b100 completion bash)"
  b100 completion fish > ~/.config/fish/completions/b100.fish

The script asks b100 at each press of the key, so it needs no renewal. Runs are those of --root,
of B100_ROOT, else of the folder used last, as their index stands."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `b100 completion`."""
    parser.epilog = EPILOG
    parser.add_argument(
        "shell", choices=(*SHELLS, "words"), metavar="bash|zsh|fish", help="whose script"
    )
    # What the scripts ask with: the words so far, the last one unfinished.
    parser.add_argument("--line", help=argparse.SUPPRESS)
    parser.add_argument("--piece", default="", help=argparse.SUPPRESS)
    parser.add_argument("words", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)


def run(args: argparse.Namespace) -> int:
    """Print the script, or what the word under the cursor may become with what it is."""
    if args.shell != "words":
        if args.words:
            raise UsageError(f"completion takes one shell: {', '.join(SHELLS)}")
        script = files("b100tui.cli").joinpath("shells", f"{args.shell}.txt")
        print(script.read_text(encoding="utf-8"), end="")
        return 0
    words = args.words if args.line is None else split(args.line)
    # bash puts its word back from the last of its own break characters on, such as = or a colon.
    before = words[-1].removesuffix(args.piece) if words and args.line is not None else ""
    for word, about in candidates(words[1:] or [""]):
        print(f"{word.removeprefix(before)}\t{about}")
    return 0


def split(line: str) -> list[str]:
    """Return the words of a line that may end inside quotes; the last is the unfinished one."""
    for closing in ("", '"', "'"):
        try:
            words = shlex.split(line + closing)
        except ValueError:
            continue
        return [*words, ""] if not closing and (not line or line[-1].isspace()) else words
    return line.split()
