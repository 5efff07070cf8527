import re
import shlex

from b100tui.cli.registry import COMMANDS
from tests.house.tree import TOP

README = (TOP / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
LINES = [line for block in BLOCKS for line in block.splitlines()]


def test_one_line_installs_and_opens_the_demo() -> None:
    lines = [line for line in LINES if line.endswith(".venv/bin/b100 explore --demo")]
    assert len(lines) == 1
    assert lines[0].startswith("python3 -m venv .venv && ")


def test_one_line_installs_what_tests_need_and_passes_them() -> None:
    lines = [line for line in LINES if re.match(r"python3 -m venv .*pytest$", line)]
    assert len(lines) == 1
    assert ".[dev]" in lines[0]


def test_every_b100_command_in_it_works_in_this_release() -> None:
    named = {shlex.split(line, comments=True)[1] for line in LINES if line.startswith("b100 ")}
    assert named
    assert named <= set(COMMANDS)


def test_every_file_it_points_to_is_there() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", README)
    assert [link for link in links if "://" not in link and not (TOP / link).exists()] == []


def test_it_names_the_licence_of_pyiqa() -> None:
    assert "non-commercial" in README
