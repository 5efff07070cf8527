"""The filter language: `image:dongpo brisque.gap>0 (onset<8 OR mark:tint) -verdict:yes "words"`.

AND by default (the word may be written), OR, a leading `-` or NOT, parentheses, quotes. What a
field means and how a filter becomes SQL stand in filter_fields and filter_sql.
"""

import re
from collections.abc import Collection
from typing import Any, NamedTuple

from msgspec import Struct

from b100tui.index.filter_fields import Condition, condition, part_of_word
from b100tui.model.errors import UsageError
from b100tui.model.text import clean_line

LONGEST = 4000
DEEPEST = 50
_TOKEN = re.compile(
    r"""\s*(?:
        (?P<open>\() | (?P<close>\)) | (?P<not>-(?=[^\s\d]|\d*[A-Za-z])|NOT(?=[\s(]|$)) |
        (?P<or>OR(?=[\s()]|$)) | (?P<and>AND(?=[\s()]|$)) |
        (?P<field>[A-Za-z_][\w.-]*?)(?P<op>!=|>=|<=|[:=<>])(?P<value>"[^"]*"|[^\s()"]*) |
        (?P<quote>"[^"]*") | (?P<broken>") | (?P<word>[^\s()"]+)
    )""",
    re.VERBOSE,
)


class FilterError(UsageError):
    """A filter that cannot be read; `place` is the character (from 0) where it goes wrong."""

    def __init__(self, message: str, hint: str = "", *, place: int = 0) -> None:
        super().__init__(message, hint)
        self.place = place


class And(Struct, frozen=True):
    """All of them hold."""

    parts: tuple["Node", ...]


class Or(Struct, frozen=True):
    """At least one of them holds."""

    parts: tuple["Node", ...]


class Not(Struct, frozen=True):
    """It does not hold."""

    part: "Node"


Node = And | Or | Not | Condition


class Filter(Struct, frozen=True):
    """A filter that was read; an empty one matches everything."""

    text: str
    node: Node | None

    def run_clause(self) -> tuple[str, list[Any]]:
        """Return an SQL condition over `run_summary r` and its parameters."""
        from b100tui.index.filter_sql import run_clause

        return run_clause(self.node)

    def step_clause(self) -> tuple[str, list[Any]]:
        """Return an SQL condition over `step s` joined with `run_summary r`, and parameters."""
        from b100tui.index.filter_sql import step_clause

        return step_clause(self.node)


class _Token(NamedTuple):
    kind: str
    place: int
    text: str
    op: str = ""
    value: str = ""
    value_place: int = 0


def parse(expr: str, metrics: Collection[str] = ()) -> Filter:
    """Read a filter expression; `metrics` are metric ids known beyond the registry.

    Raises FilterError (a UsageError) that points at the place and names near fields.
    """
    if len(expr) > LONGEST:
        raise FilterError(f"filter: longer than {LONGEST} characters", "ask for less at once")
    reader = _Reader(expr, _tokens(expr), frozenset(metrics))
    if not reader.tokens:
        return Filter(expr, None)
    node = reader.either(0)
    if reader.at < len(reader.tokens):
        raise reader.error("a closing parenthesis without an opening one", reader.place())
    return Filter(expr, node)


def pointed(what: str, kind: str, text: str, place: int) -> str:
    """Return an error text with the line and a mark under the character at `place`."""
    shown = "".join(char if char.isprintable() else " " for char in text)
    start = max(0, place - 50)
    line = shown[start : place + 30]
    return (
        f"{kind}, character {place + 1}: {clean_line(what)}\n  {line}\n  {' ' * (place - start)}^"
    )


def _tokens(expr: str) -> list[_Token]:
    tokens: list[_Token] = []
    end = len(expr.rstrip())
    at = 0
    while at < end:
        hit = _TOKEN.match(expr, at)
        if hit is None:
            raise FilterError(pointed("cannot be read", "filter", expr, at), place=at)
        kind = hit.lastgroup or ""
        if kind == "value":
            value = hit["value"]
            if not value and expr[hit.end() : hit.end() + 1] == '"':
                raise _unclosed(expr, hit.end())
            tokens.append(
                _Token(
                    "field", hit.start("field"), hit["field"], hit["op"], value, hit.start("value")
                )
            )
        elif kind == "broken":
            raise _unclosed(expr, hit.start("broken"))
        else:
            tokens.append(_Token(kind, hit.start(kind), hit[kind]))
        at = hit.end()
    return tokens


def _unclosed(expr: str, place: int) -> FilterError:
    return FilterError(
        pointed("a quotation mark that is not closed", "filter", expr, place),
        'close it: "two words"',
        place=place,
    )


class _Reader:
    """Reads tokens by recursive descent."""

    def __init__(self, expr: str, tokens: list[_Token], metrics: frozenset[str]) -> None:
        self.expr = expr
        self.tokens = tokens
        self.metrics = metrics
        self.at = 0

    def error(self, what: str, place: int, hint: str = "") -> FilterError:
        return FilterError(pointed(what, "filter", self.expr, place), hint, place=place)

    def place(self) -> int:
        if self.at < len(self.tokens):
            return self.tokens[self.at].place
        return len(self.expr.rstrip())

    def kind(self) -> str:
        return self.tokens[self.at].kind if self.at < len(self.tokens) else ""

    def either(self, depth: int) -> Node:
        if depth > DEEPEST:
            raise self.error(f"more than {DEEPEST} parentheses deep", self.place())
        parts = [self.every(depth)]
        while self.kind() == "or":
            self.at += 1
            parts.append(self.every(depth))
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def every(self, depth: int) -> Node:
        parts: list[Node] = []
        while self.kind() not in {"", "or", "close"}:
            if parts and self.kind() == "and":
                self.at += 1
            parts.append(self.one(depth))
        if not parts:
            raise self.error(
                "something to look for is missing", self.place(), "write a word or field:value"
            )
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def one(self, depth: int) -> Node:
        if self.kind() in {"", "or", "and", "close"}:
            raise self.error(
                "something to look for is missing", self.place(), "write a word or field:value"
            )
        token = self.tokens[self.at]
        self.at += 1
        if token.kind == "not":
            if self.kind() in {"", "or", "and", "close", "not"}:
                raise self.error(
                    f"nothing follows the {token.text}", token.place, "e.g. -verdict:yes"
                )
            return Not(self.one(depth))
        if token.text == "-":
            raise self.error("nothing follows the -", token.place, "e.g. -verdict:yes")
        if token.kind == "open":
            node = self.either(depth + 1)
            if self.kind() != "close":
                raise self.error("a parenthesis that is not closed", token.place)
            self.at += 1
            return node
        if token.kind == "field":
            found = condition(token.text, token.op, token.value.strip('"'), self.metrics)
            if isinstance(found, Condition):
                return found
            place = token.place if found.about == "field" else token.value_place
            raise self.error(found.what, place, found.hint)
        if token.kind == "word":
            return Condition("words", ":", part_of_word(token.text.casefold()))
        return Condition("words", ":", token.text.strip('"').casefold())
