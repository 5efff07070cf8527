"""Cuts the stretch of a text where the words stand."""

import re
from collections.abc import Sequence

from b100tui.index.text_query import Term
from b100tui.model.text import clean_line

LENGTH = 160
_WORD = re.compile(r"[^\W_]+")


def snippet(
    text: str, terms: Sequence[Term], length: int = LENGTH
) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Return at most about `length` characters on one line, and the hits' ranges in them."""
    line = clean_line(text)
    hits = _hits(line, terms)
    if not hits:
        return _cut(line, 0, length), ()
    best = max(range(len(hits)), key=lambda first: _within(hits, first, length))
    start = max(0, min(hits[best][0] - length // 4, len(line) - length))
    if start:
        space = line.find(" ", start, hits[best][0])
        start = space + 1 if space >= 0 else start
    lead = "…" if start else ""
    shown = lead + _cut(line, start, length)
    shift = len(lead) - start
    marks = tuple(
        (low + shift, high + shift)
        for low, high in hits
        if low >= start and high + shift <= len(shown)
    )
    return shown, marks


def _hits(line: str, terms: Sequence[Term]) -> list[tuple[int, int]]:
    whole: set[str] = set()
    begun: set[str] = set()
    for term in terms:
        if term.negated or term.kind == "span":
            continue
        if term.kind == "prefix":
            begun.add(term.words[-1])
            whole.update(term.words[:-1])
        else:
            whole.update(term.words)
    starts = tuple(begun)
    return [
        hit.span()
        for hit in _WORD.finditer(line)
        if (word := hit[0].lower()) in whole or (starts and word.startswith(starts))
    ]


def _within(hits: list[tuple[int, int]], first: int, length: int) -> int:
    return sum(1 for low, _ in hits[first:] if low < hits[first][0] + length * 3 // 4)


def _cut(line: str, start: int, length: int) -> str:
    part = line[start : start + length]
    return part + "…" if start + length < len(line) else part
