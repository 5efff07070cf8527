"""What the code may not do at all: run foreign data, open a shell, drop the checks of TLS."""

import ast
from collections.abc import Iterator

from tests.house.tree import named, sources

FORBIDDEN_IMPORTS = {"pickle", "cPickle", "dill", "joblib", "shelve", "marshal", "cloudpickle"}
FORBIDDEN_CALLS = {"eval", "exec", "system", "popen", "extractall", "unsafe_load", "mktemp"}


def nodes(kind: type[ast.AST]) -> Iterator[tuple[str, ast.AST]]:
    for path in sources("b100tui"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, kind):
                yield f"{named(path)}:{getattr(node, 'lineno', 0)}", node


def calls() -> Iterator[tuple[str, ast.Call, str]]:
    for where, node in nodes(ast.Call):
        assert isinstance(node, ast.Call)
        name = getattr(node.func, "attr", None) or getattr(node.func, "id", "")
        yield where, node, name


def keyword(call: ast.Call, name: str) -> object:
    for one in call.keywords:
        if one.arg == name and isinstance(one.value, ast.Constant):
            return one.value.value
    return None


def test_nothing_that_runs_code_out_of_data_is_imported() -> None:
    found = []
    for where, node in nodes(ast.Import | ast.ImportFrom):  # type: ignore[arg-type]
        names = [alias.name for alias in node.names]  # type: ignore[attr-defined]
        names.append(getattr(node, "module", None) or "")
        found += [where for name in names if name.split(".")[0] in FORBIDDEN_IMPORTS]
    assert found == []


def test_no_text_is_run_and_no_shell_is_opened() -> None:
    found = [
        where for where, call, name in calls() if name in FORBIDDEN_CALLS or keyword(call, "shell")
    ]
    assert found == []


def test_weights_are_loaded_as_weights_only_and_arrays_without_pickles() -> None:
    found = []
    for where, call, name in calls():
        owner = getattr(getattr(call.func, "value", None), "id", "")
        if name == "load" and owner == "torch" and keyword(call, "weights_only") is not True:
            found.append(where)
        if keyword(call, "allow_pickle") or keyword(call, "trust_remote_code"):
            found.append(where)
    assert found == []


def test_certificates_are_always_checked() -> None:
    assert [where for where, call, _ in calls() if keyword(call, "verify") is False] == []
