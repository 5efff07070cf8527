"""Every command line that b100 shows a person can be read by b100."""

import re
import shlex

import pytest

from b100tui.cli.registry import COMMANDS, EXAMPLES, find_command
from tests.house.tree import TOP

TOPICS = sorted((TOP / "b100tui" / "cli" / "topics").glob("*.txt"))
COMMAND = r"((?:B100_\w+=\S+ |nohup )?b100 [a-z].*)$"
TOPIC_LINE = re.compile("^    " + COMMAND, re.MULTILINE)
BLOCK = re.compile(r"```sh\n(.*?)```", re.DOTALL)
README_LINE = re.compile("^" + COMMAND, re.MULTILINE)


def words_of(line: str) -> list[str]:
    words = shlex.split(re.split(r" {3,}", line)[0], comments=True)
    words = words[words.index("b100") + 1 :]
    ends = [n for n, word in enumerate(words) if word in {"|", ">", "&", "2>&1"}]
    return words[: ends[0]] if ends else words


def epilog_lines(name: str) -> list[str]:
    epilog = find_command([name])[0].parser.epilog or ""
    return [line.strip() for line in epilog.splitlines() if line.strip().startswith("b100 ")]


SHOWN_LINES = [
    *(line for path in TOPICS for line in TOPIC_LINE.findall(path.read_text(encoding="utf-8"))),
    *(
        line
        for block in BLOCK.findall((TOP / "README.md").read_text(encoding="utf-8"))
        for line in README_LINE.findall(block)
    ),
    *EXAMPLES.values(),
]


@pytest.mark.parametrize("line", SHOWN_LINES)
def test_a_shown_command_line_can_be_read(line: str) -> None:
    words = words_of(line)
    command, arguments = find_command(words)
    assert command.parse(arguments)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_ends_with_an_example_that_can_be_read(name: str) -> None:
    lines = epilog_lines(name)
    assert lines
    for line in lines:
        command, arguments = find_command(words_of(line))
        assert command.parse(arguments)
