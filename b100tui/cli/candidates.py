"""What the unfinished last word of a command line may become, read from the commands' own options.

Names of runs, jobs, metrics and the like are offered where they can be had at once; where there
are none the shell offers its files.
"""

import argparse
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from b100tui.cli.registry import COMMANDS, add_global_options, find_command
from b100tui.model.errors import B100Error
from b100tui.model.text import clean_line

Candidate = tuple[str, str]
KINDS = ("image", "setting", "recipe", "editor", "run")


def candidates(words: Sequence[str]) -> list[Candidate]:
    """Return the words that `words[-1]` may become, each with what it is; none where unknown.

    `words` are those after `b100`. A folder or file that cannot be read offers nothing: a press
    of the tabulator key never shows an error.
    """
    try:
        return _candidates(list(words))
    except (B100Error, OSError):
        return []


def _candidates(words: list[str]) -> list[Candidate]:
    last = words.pop()
    outside = argparse.ArgumentParser(add_help=False)
    add_global_options(outside)
    place = 0
    while place < len(words) and words[place].startswith("-"):
        place += 2 if words[place] in {"--root", "--config"} else 1
    if place > len(words):
        return []  # the value of --root or --config
    if place == len(words):
        options = [*_options(outside), ("--help", "what there is"), ("--version", "the release")]
        return _fitting(options if last.startswith("-") else _commands(), last)
    parser, root = find_command([words[place]])[0].parser, _root(words)
    return _after(parser, words[place + 1 :], last, words[place], root)


def _after(
    parser: argparse.ArgumentParser, words: list[str], last: str, command: str, root: Path | None
) -> list[Candidate]:
    """Follow `words` through the options and places of `parser` to the one `last` stands at."""
    named = {text: action for action in parser._actions for text in action.option_strings}
    places = [action for action in parser._actions if not action.option_strings]
    wanting: argparse.Action | None = None
    at, plain = 0, False
    for word in words:
        if wanting is not None:
            wanting = None
        elif word == "--":
            plain = True
        elif word in named and not plain:
            wanting = named[word] if named[word].nargs != 0 else None
        elif not word.startswith("-") or plain:
            place = places[min(at, len(places) - 1)] if places else None
            if isinstance(place, argparse._SubParsersAction):
                if word not in place.choices:
                    return []
                inside = words[words.index(word) + 1 :]
                return _after(place.choices[word], inside, last, command, root)
            at += 1
    if wanting is not None:
        return _values(wanting, last, command, root)
    option, equals, value = last.partition("=")
    if equals and option in named:
        found = _values(named[option], value, command, root)
        return [(f"{option}={word}", about) for word, about in found]
    if last.startswith("-") and not plain:
        return _fitting(_options(parser), last)
    if not places or (at >= len(places) and places[-1].nargs not in ("*", "+")):
        return []
    return _values(places[min(at, len(places) - 1)], last, command, root)


def _values(action: argparse.Action, last: str, command: str, root: Path | None) -> list[Candidate]:
    if isinstance(action, argparse._SubParsersAction):
        return _fitting([(one.dest, one.help or "") for one in action._choices_actions], last)
    if action.choices is not None:
        return _fitting([(str(choice), "") for choice in action.choices if choice != "words"], last)
    metavar = action.metavar if isinstance(action.metavar, str) else ""
    names = _NAMES.get(f"{command} {action.dest}") or _NAMES.get(metavar)
    if names is None:
        return []
    before, comma, piece = last.rpartition(",") if metavar in _LISTS else ("", "", last)
    return [(before + comma + word, about) for word, about in _fitting(names(root), piece)]


def _fitting(found: Iterable[Candidate], last: str) -> list[Candidate]:
    return [(word, clean_line(about)) for word, about in found if word.startswith(last)]


def _options(parser: argparse.ArgumentParser) -> list[Candidate]:
    return [
        (action.option_strings[-1] if action.dest == "verbose" else action.option_strings[0], about)
        for action in parser._actions
        if action.option_strings and (about := action.help or "") != argparse.SUPPRESS
    ]


def _commands() -> list[Candidate]:
    return [(name, about) for name, (_, about) in COMMANDS.items()]


def _root(words: Sequence[str]) -> Path | None:
    """Return the folder of runs that the line is about, without asking whether it is there."""
    from b100tui.workspace.places import last_root

    for at, word in enumerate(words[:-1]):
        if word == "--root":
            return Path(words[at + 1]).expanduser()
    given = os.environ.get("B100_ROOT")
    return Path(given) if given else last_root()


def _runs(root: Path | None) -> list[Candidate]:
    from b100tui.index.snapshot import read_first

    first = read_first(root) if root is not None and root.is_dir() else None
    if root is None or first is None:
        return []
    if first.total_runs == len(first.rows):
        return [(row.run, f"{row.steps} steps") for row in first.rows]
    from b100tui.index.store import open_index

    index = open_index(root)
    try:
        return [(run, "") for run in index.run_ids()]
    finally:
        index.close()


def _jobs(root: Path | None) -> list[Candidate]:
    from b100tui.jobs import list_jobs

    return [] if root is None else [(job.id, f"{job.kind}, {job.state}") for job in list_jobs(root)]


def _metrics(root: Path | None) -> list[Candidate]:
    from b100tui.metrics.registry import metrics

    return [("all", ""), ("paper", ""), ("probes", ""), *((one.id, one.name) for one in metrics())]


def _editors(root: Path | None) -> list[Candidate]:
    from b100tui.editors.table import table

    return [(name, row.model) for name, row in table().editors.items()]


def _recipes(root: Path | None) -> list[Candidate]:
    from b100tui.engine.recipes import recipes

    return [(name, one.about) for name, one in recipes().items()]


def _topics(root: Path | None) -> list[Candidate]:
    from b100tui.cli.help import topics

    return [*((name, "") for name in sorted(topics())), *_commands()]


def _queries(root: Path | None) -> list[Candidate]:
    from b100tui.index.queries import list_queries

    return [(one.name, one.about) for one in list_queries()]


def _themes(root: Path | None) -> list[Candidate]:
    from b100tui.resources import shipped_folder
    from b100tui.workspace.places import config_dir

    folders = (shipped_folder("themes"), config_dir() / "themes")
    return [(file.stem, "") for folder in folders for file in sorted(folder.glob("*.toml"))]


def _plans(root: Path | None) -> list[Candidate]:
    from b100tui.engine.plans import plan_names

    return [(name, "shipped plan") for name in plan_names()]


def _judges(root: Path | None) -> list[Candidate]:
    from b100tui.editors.table import table

    return [(name, row.model) for name, row in table().judges.items()]


def _modes(root: Path | None) -> list[Candidate]:
    from b100tui.report.marks import modes

    return [(mode.id, mode.name) for mode in modes()]


def _kinds(root: Path | None) -> list[Candidate]:
    return [(kind, "") for kind in KINDS]


# by command and destination, else by the metavar that `--help` shows
_NAMES: dict[str, Callable[[Path | None], list[Candidate]]] = {
    "RUN": _runs,
    "RUN@STEP": _runs,
    "ID": _jobs,
    "E": _editors,
    "R": _recipes,
    "PLAN": _plans,
    "edit plan": _plans,
    "M": _judges,
    "MODE": _modes,
    "T": _themes,
    "KIND": _kinds,
    "NAMES": _metrics,
    "METRIC,...": _metrics,
    "all|probes|paper|NAME,...": _metrics,
    "metrics names": _metrics,
    "report metric": _metrics,
    "query name": _queries,
    "help topic": _topics,
}
_LISTS = {"NAMES", "METRIC,...", "all|probes|paper|NAME,..."}
