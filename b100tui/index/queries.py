"""Named queries: one question a .sql file, with a comment header.

    -- name: runs-by-onset
    -- about: runs that broke first
    -- param: most = 50

Parameters stand in the text as $most; a default that is a number makes a number of the value.
"""

import difflib
import re
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from b100tui.index.sql import Table, run_sql
from b100tui.model.errors import UsageError
from b100tui.model.text import clean_line

_HEADER = re.compile(r"--\s*(name|about|param)\s*:\s*(.*)")
_PARAM = re.compile(r"([A-Za-z_]\w*)\s*(?:=\s*(.*))?")
_NAME = re.compile(r"[\w.-]+")
TIMEOUT = 30.0


class Parameter(Struct, frozen=True):
    """A parameter of a query; without a default it must be given."""

    name: str
    default: str | None = None


class Query(Struct, frozen=True, kw_only=True):
    """One named query and the file it stands in."""

    name: str
    about: str
    params: tuple[Parameter, ...]
    path: str
    sql: str


def parse_sql(text: str, path: Path) -> Query:
    """Return the query in a file. Raises UsageError naming the line that cannot be read."""
    found: dict[str, str] = {}
    params: list[Parameter] = []
    for number, line in enumerate(text.splitlines(), 1):
        hit = _HEADER.match(line.strip())
        if not hit:
            continue
        key, value = hit[1], clean_line(hit[2])
        if key == "param":
            param = _PARAM.fullmatch(value)
            if not param:
                raise UsageError(
                    f"{path}, line {number}: not a parameter: {value!r}",
                    "write -- param: name = default",
                )
            params.append(Parameter(param[1], param[2]))
        else:
            found[key] = value
    name = found.get("name") or path.stem
    if not _NAME.fullmatch(name):
        raise UsageError(f"{path}: {name!r} is no name for a query", "use letters, digits, - and _")
    return Query(
        name=name, about=found.get("about", ""), params=tuple(params), path=str(path), sql=text
    )


def list_queries(folder: Path | None = None) -> list[Query]:
    """Return the shipped queries and those in the user's `folder`, by name; the user's win."""
    from b100tui.resources import shipped_folder

    found: dict[str, Query] = {}
    for place in (shipped_folder("queries"), folder):
        if place is None or not place.is_dir():
            continue
        for path in sorted(place.glob("*.sql")):
            try:
                text = path.read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError) as error:
                raise UsageError(f"{path} cannot be read: {error}", "mend or remove it") from error
            query = parse_sql(text, path)
            found[query.name] = query
    return [found[name] for name in sorted(found)]


def run_query(
    root: Path,
    name: str,
    given: Mapping[str, str],
    folder: Path | None = None,
    *,
    timeout: float = TIMEOUT,
) -> Table:
    """Return the rows of the query `name`, with `given` parameters over the defaults.

    Runs as any foreign SQL does (see run_sql). Raises UsageError for an unknown query or
    parameter, a missing or an unreadable value.
    """
    queries = {query.name: query for query in list_queries(folder)}
    query = queries.get(name)
    if query is None:
        near = difflib.get_close_matches(name, queries, 3, 0.4)
        raise UsageError(
            f"no query {name!r}",
            f"did you mean {', '.join(near)}?" if near else "b100 query --list names them",
        )
    unknown = sorted(set(given) - {param.name for param in query.params})
    if unknown:
        names = ", ".join(param.name for param in query.params) or "none"
        raise UsageError(f"query {name} has no parameter {unknown[0]!r}", f"it takes: {names}")
    values = {param.name: _value(query, param, given.get(param.name)) for param in query.params}
    return run_sql(root, query.sql, timeout, values)


def _value(query: Query, param: Parameter, given: str | None) -> str | int | float | None:
    text = param.default if given is None else given
    if text is None:
        raise UsageError(f"query {query.name} needs {param.name}", f"add -p {param.name}=VALUE")
    example = _number(param.default) if param.default is not None else None
    if example is None:
        return text
    number = _number(text)
    if number is None:
        raise UsageError(
            f"query {query.name}: {param.name} is a number, {text!r} is none",
            f"e.g. -p {param.name}={param.default}",
        )
    return number


def _number(text: str) -> int | float | None:
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return None
