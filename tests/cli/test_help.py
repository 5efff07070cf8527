import argparse
import json
from collections.abc import Iterator

import pytest

from b100tui.cli.main import main
from b100tui.cli.registry import COMMANDS, EXAMPLES, find_command

TOPICS = {"terminal", "layouts", "metrics", "editing", "analysis", "jobs", "scripting"}


def test_the_topics_of_the_contract_are_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert {topic["topic"] for topic in listed} == TOPICS
    assert all(topic["about"] for topic in listed)


@pytest.mark.parametrize("topic", sorted(TOPICS))
def test_a_topic_fits_a_terminal_of_90_columns(
    topic: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["help", topic]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 90
    assert len(lines) > 10


def test_the_commands_in_topics_exist(capsys: pytest.CaptureFixture[str]) -> None:
    for topic in sorted(TOPICS):
        main(["help", topic])
        for line in capsys.readouterr().out.splitlines():
            if line.startswith("    b100 "):
                assert line.split()[1] in COMMANDS, line


def test_the_name_of_a_command_shows_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", "config"]) == 0
    assert "usage: b100 config" in capsys.readouterr().out


def test_an_unknown_topic_names_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", "layout"]) == 2
    assert "layouts" in capsys.readouterr().err


def test_every_command_has_an_example_that_names_it() -> None:
    assert set(EXAMPLES) == set(COMMANDS)
    assert all(line.startswith(f"b100 {name}") for name, line in EXAMPLES.items())


def arguments(parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.Action]]:
    for action in parser._actions:
        yield parser.prog, action
        if isinstance(action, argparse._SubParsersAction):
            for inside in action.choices.values():
                yield from arguments(inside)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_argument_says_what_it_is(name: str) -> None:
    parser = find_command([name])[0].parser
    silent = [
        f"{prog} {action.option_strings or action.dest}"
        for prog, action in arguments(parser)
        if not action.help and not isinstance(action, argparse._SubParsersAction)
    ]
    assert silent == []
