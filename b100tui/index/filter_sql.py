"""A filter as parameterised SQL: columns come from the fixed list, every value is a parameter."""

from typing import Any

from b100tui.index.filter_fields import FIELDS, Condition
from b100tui.index.filters import And, Node, Not, Or

Clause = tuple[str, list[Any]]
_COMPARE = {":": "=", "=": "=", "!=": "<>", "<": "<", ">": ">", "<=": "<=", ">=": ">="}
_TRUE: Clause = ("true", [])


def run_clause(node: Node | None) -> Clause:
    """Return a condition over `run_summary r`.

    Conditions on steps that are ANDed must hold at one and the same step. A NOT of them joins
    in when a step is asked for beside it; alone it means that no step of the run does.
    """
    return _TRUE if node is None else _run(node)


def step_clause(node: Node | None) -> Clause:
    """Return a condition over `step s` joined with `run_summary r`: all at this step."""
    return _TRUE if node is None else _step(node)


def _run(node: Node) -> Clause:
    if not _of_step(node):
        return _step(node)
    if isinstance(node, Or):
        return _joined(" OR ", [_run(part) for part in node.parts])
    if isinstance(node, Not):
        return _negated(_run(node.part))
    parts = node.parts if isinstance(node, And) else (node,)
    at_step = [part for part in parts if _of_step(part)]
    clauses = [_step(part) for part in parts if not _of_step(part)]
    if all(isinstance(part, Not) for part in at_step):
        clauses += [_run(part) for part in at_step]
    else:
        text, values = _joined(" AND ", [_step(part) for part in at_step])
        clauses.append(
            (
                "r.run IN (SELECT s.run FROM step s JOIN run_summary r ON r.run = s.run"
                f" WHERE {text})",
                values,
            )
        )
    return _joined(" AND ", clauses)


def _step(node: Node) -> Clause:
    if isinstance(node, And):
        return _joined(" AND ", [_step(part) for part in node.parts])
    if isinstance(node, Or):
        return _joined(" OR ", [_step(part) for part in node.parts])
    if isinstance(node, Not):
        return _negated(_step(node.part))
    return _condition(node)


def _of_step(node: Node) -> bool:
    if isinstance(node, Not):
        return _of_step(node.part)
    if isinstance(node, And | Or):
        return any(_of_step(part) for part in node.parts)
    return node.of_step


def _joined(word: str, clauses: list[Clause]) -> Clause:
    if len(clauses) == 1:
        return clauses[0]
    text = word.join(text for text, _ in clauses)
    return f"({text})", [value for _, values in clauses for value in values]


def _negated(clause: Clause) -> Clause:
    # What is not known does not hold, so its negation does.
    return f"NOT coalesce({clause[0]}, false)", clause[1]


def _condition(asked: Condition) -> Clause:
    if asked.measure:
        return _metric(asked)
    if asked.field.startswith("label."):
        return _label(asked)
    field = FIELDS[asked.field]
    if asked.field in {"mark", "verdict"}:
        return _beside(asked)
    if asked.field == "status" and asked.value == "missing":
        return f"r.missing {'=' if asked.op == '!=' else '>'} 0", []
    if field.kind == "size":
        return _size(asked)
    return _plain(field.column, asked)


def _plain(column: str, asked: Condition) -> Clause:
    if asked.value is None:
        empty = f"({column} IS NULL OR {column}::VARCHAR = '')"
        return (f"NOT {empty}" if asked.op == "!=" else empty), []
    if isinstance(asked.value, tuple):
        return f"{column} BETWEEN ? AND ?", list(asked.value)
    if isinstance(asked.value, str):
        folded = column if column == "r.words" else f"lower({column})"
        if asked.op == ":":
            return f"contains({folded}, ?)", [asked.value]
        return f"{folded} {_COMPARE[asked.op]} ?", [asked.value]
    return f"{column} {_COMPARE[asked.op]} ?", [asked.value]


def _label(asked: Condition) -> Clause:
    name = asked.field.removeprefix("label.")
    path = '$."' + name.replace("\\", "").replace('"', "") + '"'
    text, values = _plain("(r.labels::JSON ->> ?)", asked)
    return text, [path] * text.count("->> ?") + values


def _size(asked: Condition) -> Clause:
    if isinstance(asked.value, tuple):
        text = "(s.width = ? AND s.height = ?)"
        return (f"NOT {text}" if asked.op == "!=" else text), list(asked.value)
    return f"greatest(s.width, s.height) {_COMPARE[asked.op]} ?", [asked.value]


def _beside(asked: Condition) -> Clause:
    """A condition on a table that holds any number of rows for a step."""
    table, column = asked.field, FIELDS[asked.field].column
    if asked.value is None or asked.value == "any":
        there = f"(s.run, s.step) IN (SELECT run, step FROM {table})"
        wants_none = (asked.value is None) is (asked.op != "!=")
        return (f"NOT {there}" if wants_none else there), []
    text, values = _plain(column, Condition(asked.field, "=", asked.value))
    if asked.field == "mark" and asked.op == ":":
        text, values = _plain(column, asked)
    there = f"(s.run, s.step) IN (SELECT run, step FROM {table} WHERE {text})"
    return (f"NOT {there}" if asked.op == "!=" else there), values


def _metric(asked: Condition) -> Clause:
    column = asked.measure
    if asked.measure == "gap":
        column = _gap_column(asked.field)
    if asked.value is None:
        there = (
            "(s.run, s.step) IN"
            " (SELECT run, step FROM score WHERE metric = ? AND value IS NOT NULL)"
        )
        return (there if asked.op == "!=" else f"NOT {there}"), [asked.field]
    text, values = _plain(column, asked)
    return (
        f"(s.run, s.step) IN (SELECT run, step FROM score WHERE metric = ? AND {text})",
        [asked.field, *values],
    )


def _gap_column(metric: str) -> str:
    """The normalised gap where the range is closed, else the raw one; plus is better."""
    from b100tui.metrics.registry import known

    found = known(metric)
    if found is None or found.direction == "unknown":
        return "raw_gap"
    if found.low is not None and found.high is not None:
        return "gap"
    return "raw_gap" if found.direction == "higher" else "(-raw_gap)"
