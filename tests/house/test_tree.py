import ast
import re
import tomllib

from tests.house.tree import TOP, named, sources, tracked

TOP_LEVEL = {
    *("pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", ".ci", ".gitignore"),
    *("b100tui", "queries", "themes", "tests"),
}
FLOORS = {
    *("cli", "tui", "report", "jobs", "engine", "scoring", "index", "analysis", "editors"),
    *("metrics", "terminal", "sources", "imaging", "workspace", "model"),
}
LONGEST = 400
VAGUE = {"utils", "util", "helpers", "helper", "managers", "manager", "misc", "common"}
UNFINISHED = re.compile("|".join(("TO" + "DO", "FIX" + "ME", "X" + "XX", "HA" + "CK")))


def test_the_top_level_holds_what_the_plan_names_and_nothing_else() -> None:
    assert {path.relative_to(TOP).parts[0] for path in tracked()} <= TOP_LEVEL


def test_the_rooms_are_those_of_the_plan() -> None:
    rooms = {p.parent.name for p in (TOP / "b100tui").glob("*/__init__.py")}
    assert rooms == FLOORS


def test_every_room_says_in_its_first_sentence_what_lives_there() -> None:
    rooms = [p for p in sources("b100tui") if p.name == "__init__.py"]
    assert [named(p) for p in rooms if not ast.get_docstring(ast.parse(p.read_text()))] == []


def test_no_file_is_too_long_to_be_read_at_once() -> None:
    long = {
        named(path): lines
        for path in sources("b100tui", "tests")
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > LONGEST
    }
    assert long == {}


def test_no_module_has_a_name_that_says_nothing() -> None:
    assert [named(p) for p in sources("b100tui", "tests") if p.stem in VAGUE] == []


def test_nothing_is_left_to_be_done_in_a_comment() -> None:
    text = {".py", ".sql", ".tcss", ".toml", ".md", ".txt"}
    found = [
        f"{named(path)}:{number}"
        for path in tracked()
        if path.suffix in text
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if UNFINISHED.search(line)
    ]
    assert found == []


def test_no_failure_is_swallowed() -> None:
    found = []
    for path in sources("b100tui"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ExceptHandler):
                silent = all(isinstance(part, ast.Pass) for part in node.body)
                if node.type is None or silent:
                    found.append(f"{named(path)}:{node.lineno}")
    assert found == []


def test_an_ignored_type_or_lint_error_is_named() -> None:
    bare = re.compile(r"# type: ignore(?!\[)|# noqa(?!: [A-Z]+[0-9]+)")
    found = [
        f"{named(path)}:{number}"
        for path in sources("b100tui")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if bare.search(line)
    ]
    assert found == []


def test_every_room_has_its_tests() -> None:
    assert {p.name for p in (TOP / "tests").iterdir() if p.is_dir()} >= FLOORS


def test_the_project_declares_its_extras_and_one_entry_point() -> None:
    project = tomllib.loads((TOP / "pyproject.toml").read_text())["project"]
    assert project["requires-python"] == ">=3.11"
    assert set(project["optional-dependencies"]) >= {"score", "local", "ray", "dev"}
    assert list(project["scripts"]) == ["b100"]


def test_the_licence_is_apache_2() -> None:
    assert "Apache License" in (TOP / "LICENSE").read_text()[:200]
