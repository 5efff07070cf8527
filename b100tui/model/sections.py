"""Reasoning summaries cut into titled sections; the raw text stays with the sidecar."""

import re
from collections.abc import Iterable
from typing import Any

from b100tui.model.records import Section
from b100tui.model.text import clean, clean_line

_BOLD = re.compile(r"\s*(?:\*\*|__)(?P<title>[^*_\n][^\n]*?)(?:\*\*|__)\s*:?\s*")
_HEADING = re.compile(r" {0,3}#{1,6}\s+(?P<title>.+?)\s*#*\s*")
_FENCE = re.compile(r" {0,3}(?:```|~~~)")


def split_sections(text: str) -> tuple[Section, ...]:
    """Cut `text` at bold-only lines and markdown headings; words before the first are untitled.

    Text without any title is one untitled section, text without words is none. Headings
    inside code fences stay text. Control characters are removed.
    """
    sections: list[Section] = []
    title = ""
    body: list[str] = []
    fenced = False

    def close() -> None:
        words = "\n".join(body).strip()
        if title or words:
            sections.append(Section(title, words))

    for line in clean(text).replace("\r", "\n").split("\n"):
        if _FENCE.match(line):
            fenced = not fenced
        found = None if fenced else (_BOLD.fullmatch(line) or _HEADING.fullmatch(line))
        if found:
            close()
            title, body = clean_line(found["title"].strip("*_ ")), []
        else:
            body.append(line)
    close()
    return tuple(sections)


def sections_of(thoughts: Iterable[Any]) -> tuple[Section, ...]:
    """Cut the raw thought parts of an answer: plain texts, or objects with a `text`.

    Parts without text (interim images) are left out.
    """
    return tuple(
        section
        for part in thoughts
        if isinstance(words := part.get("text") if isinstance(part, dict) else part, str)
        for section in split_sections(words)
    )
