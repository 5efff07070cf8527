"""The table of commands: name, module, one line; nothing heavy is imported to print it."""

import argparse
import importlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, NoReturn, TextIO

from b100tui.model.errors import UsageError

# name -> (module in b100tui.cli, one line). A module offers
#   configure(parser: argparse.ArgumentParser) -> None   and   run(args: Namespace) -> int
COMMANDS: dict[str, tuple[str, str]] = {
    "explore": ("explore", "scrub through runs in the terminal (--demo needs no data)"),
    "demo": ("demo", "write a simulated data set with planted truth"),
    "scan": ("scan", "show how a folder would be read; changes nothing"),
    "index": ("index", "build or refresh the index of a folder"),
    "runs": ("runs", "list runs"),
    "steps": ("steps", "list the steps of a run"),
    "show": ("show", "one step in full, its picture inline"),
    "search": ("search", "find words in prompts and reasoning summaries"),
    "query": ("query", "a named query from queries/ or your own folder"),
    "sql": ("sql", "one read-only SELECT over the index"),
    "editors": ("editors", "the image editors, with what is ready and why not"),
    "recipes": ("recipes", "the recipes and plans that runs are made by"),
    "estimate": ("estimate", "what a plan costs: dollars, hours, disk, provider limits"),
    "edit": ("edit", "make runs with an image editor; continue, resume, fork"),
    "metrics": ("metrics", "the metric registry, with what is ready and why not"),
    "score": ("score", "score runs, resumably"),
    "scores": ("scores", "import and export scores"),
    "judge": ("judge", "ask a model whether reasoning summaries mention noise"),
    "gaps": ("gaps", "score gaps against the reference step, and the failures"),
    "onset": ("onset", "when each run began to change, and when it became bad"),
    "mark": ("mark", "mark a failure on a step, or take a mark back"),
    "marks": ("marks", "list and merge marks; agreement between annotators"),
    "gate": ("gate", "has a run broken by step N? exit code 3 for loops"),
    "drift": ("drift", "how each step lies against the reference: zoom, shift, crop"),
    "lies": ("lies", "metrics that said better while the evidence said worse"),
    "compare": ("compare", "two groups of runs, or two dates of one table, side by side"),
    "export": ("export", "filtered steps out: JSON lines, imagefolder or files"),
    "strip": ("strip", "steps side by side in one PNG, exact pixels, captions"),
    "report": ("report", "the paper's figures and tables for this data, with provenance"),
    "jobs": ("jobs", "list, follow, pause, resume, retry and cancel detached jobs"),
    "doctor": ("doctor", "check terminal, cache, metrics and keys, with fixes"),
    "config": ("config", "path, show or edit the settings"),
    "completion": ("completion", "a script that lets bash, zsh or fish complete b100's words"),
    "help": ("help", "help TOPIC: terminal, layouts, metrics, editing, analysis, jobs, scripting"),
}
# One line a person can type at once; where the module sets no epilog, `--help` ends with it.
EXAMPLES: dict[str, str] = {
    "explore": "b100 explore --demo",
    "demo": "b100 demo demo-runs",
    "scan": "b100 scan runs --write-mapping",
    "index": "b100 index runs --previews",
    "runs": "b100 runs --filter 'image:dongpo brisque.gap>0' --json",
    "steps": "b100 steps dongpo/replicate-2k-sim-pro/run-1 --steps 1,5,10-20",
    "show": "b100 show dongpo/replicate-2k-sim-pro/run-1@20 --out step-20.png",
    "search": "b100 search '\"final check\" plate -apples' --limit 20",
    "query": "b100 query runs-by-onset",
    "sql": "b100 sql 'SELECT run, count(*) FROM step GROUP BY run'",
    "editors": "b100 editors --json",
    "recipes": "b100 recipes",
    "estimate": "b100 estimate banana100",
    "edit": "b100 edit new cat.png --editor simulate --steps 5 --root runs",
    "metrics": "b100 metrics --json",
    "score": "b100 score --root runs --metrics probes",
    "scores": "b100 scores import scores.csv --root runs",
    "judge": "b100 judge --model gemini-3-flash --budget 1 --yes --root runs",
    "gaps": "b100 gaps --by editor",
    "onset": "b100 onset --filter 'editor:pro'",
    "mark": "b100 mark dongpo/replicate-2k-sim-pro/run-1@12 noise --root runs",
    "marks": "b100 marks --kappa",
    "gate": "b100 gate dongpo/replicate-2k-sim-pro/run-1 --root runs",
    "drift": "b100 drift dongpo/replicate-2k-sim-pro/run-1 --steps every:10",
    "lies": "b100 lies dongpo/replicate-2k-sim-pro/run-1",
    "compare": "b100 compare editor:pro editor:fast",
    "export": "b100 export --until onset --format hf --out before-damage",
    "strip": "b100 strip dongpo/replicate-2k-sim-pro/run-1 --out strip.png",
    "report": "b100 report --out report",
    "jobs": "b100 jobs log score-20261201 --follow",
    "doctor": "b100 doctor --json",
    "config": "b100 config show",
    "completion": "b100 completion bash",
    "help": "b100 help layouts",
}


class Parser(argparse.ArgumentParser):
    """Tells wrong words as every other failure is told: what, and the fix."""

    def error(self, message: str) -> NoReturn:
        """Raise UsageError instead of printing the usage."""
        raise UsageError(f"{self.prog.removeprefix('b100 ')}: {message}", f"{self.prog} --help")


class Command(NamedTuple):
    """A command whose module is loaded."""

    name: str
    parser: argparse.ArgumentParser
    run: Callable[[argparse.Namespace], int]

    def parse(self, arguments: Sequence[str]) -> argparse.Namespace:
        """Return the parsed arguments; wrong words raise UsageError."""
        args, unknown = self.parser.parse_known_args(_expressions_joined(arguments))
        words: list[str] | None = getattr(args, getattr(args, "dashed", ""), None)
        if words is not None and all(_is_dashed_word(word) for word in unknown):
            words += unknown
        elif unknown:
            self.parser.error(f"unrecognized arguments: {' '.join(unknown)}")
        return args


def find_command(words: Sequence[str]) -> tuple[Command, list[str]]:
    """Return the command named first in `words` and its arguments.

    Global options may stand before the name: `b100 --root R runs`. Raises UsageError with the
    nearest names for an unknown command.
    """
    rest = list(words)
    leading: list[str] = []
    while rest and rest[0].startswith("-"):
        option = rest.pop(0)
        leading.append(option)
        if option in {"--root", "--config"} and rest:
            leading.append(rest.pop(0))
    if not rest:
        raise UsageError("no command given", "b100 --help lists them")
    name = rest.pop(0)
    if name not in COMMANDS:
        import difflib

        near = difflib.get_close_matches(name, COMMANDS, 3)
        raise UsageError(
            f"no command {name!r}", f"did you mean {', '.join(near)}?" if near else "b100 --help"
        )
    module = importlib.import_module(f"b100tui.cli.{COMMANDS[name][0]}")
    parser = Parser(
        prog=f"b100 {name}",
        description=COMMANDS[name][1],
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,  # scripts stand on the full names: a new option breaks none of them
    )
    module.configure(parser)
    add_global_options(parser.add_argument_group("options of every command"))
    parser.epilog = parser.epilog or f"example:\n  {EXAMPLES[name]}"
    return Command(name, parser, module.run), [*leading, *rest]


def _is_dashed_word(word: str) -> bool:
    """Tell whether `word` may be the -word of a query: a command names it by `dashed`."""
    return len(word) > 1 and word[0] == "-" and word[1] != "-"


def _expressions_joined(arguments: Sequence[str]) -> list[str]:
    """Return `arguments` with `--filter -word` as one: a leading - means NOT in an expression."""
    joined: list[str] = []
    for word in arguments:
        if joined and joined[-1] == "--filter" and word.startswith("-") and word != "--":
            joined[-1] = f"--filter={word}"
        else:
            joined.append(word)
    return joined


def add_global_options(to: "argparse._ActionsContainer", *, again: bool = False) -> None:
    """Add the options every command takes; `again`: behind an action, over those before it."""
    absent: dict[str, Any] = {"default": argparse.SUPPRESS} if again else {}
    none: dict[str, Any] = absent or {"default": 0}
    to.add_argument("--root", metavar="ROOT", help="folder of runs (also B100_ROOT)", **absent)
    to.add_argument("--config", metavar="FILE", help="settings file of your own", **absent)
    to.add_argument("--no-color", action="store_true", help="no colours (also NO_COLOR)", **absent)
    to.add_argument("-v", "--verbose", action="count", help="say more on stderr", **none)


def print_overview(file: TextIO) -> None:
    """Print the list of working commands."""
    width = max(map(len, COMMANDS))
    lines = ["b100: explore iterative image-edit trajectories", "", "usage: b100 COMMAND ...", ""]
    lines += [f"  {name:<{width}}  {line}" for name, (_, line) in COMMANDS.items()]
    lines += ["", "b100 COMMAND --help says more; b100 explore --demo is the quickest look."]
    print("\n".join(lines), file=file)
