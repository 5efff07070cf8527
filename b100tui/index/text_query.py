"""The search words: ANDed words, "a phrase", pre*, -not, field:value; errors point at the place."""

import difflib
import re
from typing import Literal

from msgspec import Struct

from b100tui.index.filters import pointed
from b100tui.model.errors import UsageError

FIELDS = (
    *("run", "image", "setting", "recipe", "editor", "model"),
    *("step", "section", "title", "prompt", "text"),
)
LONGEST = 1000
_WORDS = re.compile(r"[^\W_]+")
_TOKEN = re.compile(
    r"""\s*(?P<not>-(?=\S))?(?:(?P<field>[A-Za-z_]\w*):)?"""
    r"""(?:"(?P<phrase>[^"]*)"|(?P<broken>")|(?P<word>[^\s"]+))?""",
)
_SPAN = re.compile(r"(\d{1,15})(?:-(\d{1,15}))?")


class QueryError(UsageError):
    """Search words that cannot be read; `place` is the character (from 0) where it goes wrong."""

    def __init__(self, message: str, hint: str = "", *, place: int = 0) -> None:
        super().__init__(message, hint)
        self.place = place


class Term(Struct, frozen=True):
    """One thing asked for: `words` in this order, the last one only begun when kind is prefix.

    For kind span `low` and `high` bound a number. `field` is "" for title, text and prompt.
    """

    kind: Literal["words", "prefix", "span"]
    field: str = ""
    words: tuple[str, ...] = ()
    low: int = 0
    high: int = 0
    negated: bool = False


def split_words(text: str) -> list[str]:
    """Return the words as the text index has them: letters and digits, lower case."""
    return [word.lower() for word in _WORDS.findall(text)]


def parse_query(query: str) -> tuple[Term, ...]:
    """Read search words. Raises QueryError (a UsageError) that points at the place."""
    if len(query) > LONGEST:
        raise QueryError(f"search: longer than {LONGEST} characters", "ask for less at once")
    terms: list[Term] = []
    at, end = 0, len(query.rstrip())
    while at < end:
        hit = _TOKEN.match(query, at)
        if hit is None or hit.end() == at:
            raise _error(query, at, "cannot be read")
        terms.append(_term(query, hit))
        at = hit.end()
    if not terms:
        raise QueryError("search: no words", 'e.g. plate "final check" exam* -noise image:fog')
    return tuple(terms)


def _error(query: str, place: int, what: str, hint: str = "") -> QueryError:
    return QueryError(pointed(what, "search", query, place), hint, place=place)


def _term(query: str, hit: re.Match[str]) -> Term:
    start = hit.start() + len(hit[0]) - len(hit[0].lstrip())
    field = (hit["field"] or "").lower()
    negated = bool(hit["not"])
    if hit["broken"]:
        raise _error(
            query, hit.start("broken"), "a quotation mark that is not closed", 'e.g. "two words"'
        )
    if field and field not in FIELDS:
        near = difflib.get_close_matches(field, FIELDS, 3, 0.5)
        raise _error(
            query,
            hit.start("field"),
            f"no field {field!r}",
            f"did you mean {', '.join(near)}?" if near else "fields: " + ", ".join(FIELDS),
        )
    given = hit["phrase"] if hit["phrase"] is not None else hit["word"]
    if not given:
        if not field:
            raise _error(query, start, "a quotation without words", 'e.g. "two words"')
        raise _error(query, hit.end(), f"a value for {field} is missing", f"e.g. {field}:word")
    span = _SPAN.fullmatch(given)
    if field == "step" or (field == "section" and span):
        if not span:
            raise _error(query, start, f"{field} is a number", f"e.g. {field}:5 or {field}:5-20")
        low, high = int(span[1]), int(span[2] or span[1])
        return Term("span", field, low=low, high=high, negated=negated)
    words = tuple(split_words(given))
    if not words:
        raise _error(query, start, f"{given!r} has no letter or digit to look for")
    prefix = hit["phrase"] is None and given.endswith("*")
    name = "title" if field == "section" else field
    return Term("prefix" if prefix else "words", name, words, negated=negated)
