"""Finds words by reading the texts: for what the text index does not hold yet."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from b100tui.index.filters import Filter
from b100tui.index.rows import SearchHit
from b100tui.index.snippet import snippet
from b100tui.index.tables import statement
from b100tui.index.text_query import Term, split_words

if TYPE_CHECKING:
    from b100tui.index.store import Index

_NAMES = ("image", "setting", "recipe", "editor", "model")


def scan(
    index: "Index",
    terms: Sequence[Term],
    limit: int,
    chosen: Filter | None,
    runs: Sequence[str] | None,
) -> tuple[list[SearchHit], int]:
    """Return hits in natural order (unranked, score 0) and their total, within `runs` if given."""
    conditions: list[str] = []
    values: list[Any] = []
    if runs is not None:
        conditions.append("list_contains(?::VARCHAR[], t.run)")
        values.append(list(runs))
    for term in terms:
        if term.kind != "span" and not term.negated and not term.field:
            for word in term.words:
                conditions.append("contains(lower(t.title || ' ' || t.text), ?)")
                values.append(word)
    if chosen is not None:
        clause, more = chosen.step_clause()
        conditions.append(
            "(t.run, t.step) IN (SELECT s.run, s.step FROM step s"
            f" JOIN run_summary r ON r.run = s.run WHERE {clause})"
        )
        values.extend(more)
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    rows = index.ask(
        f"{statement('text_scan')}{where} ORDER BY r.sort_key, t.step, t.section", values
    )
    hits: list[SearchHit] = []
    total = 0
    for run, step, section, title, text, *names in rows:
        prompt = section < 0
        fields = {
            "run": run,
            **dict(zip(_NAMES, names, strict=True)),
            "title": title,
            "prompt": text if prompt else "",
            "text": "" if prompt else text,
        }
        if not all(_holds(term, step, section, fields) for term in terms):
            continue
        total += 1
        if len(hits) < limit:
            shown, marks = snippet(text, terms)
            hits.append(
                SearchHit(
                    run=run,
                    step=step,
                    section=None if prompt else section,
                    title="prompt" if prompt else title,
                    snippet=shown,
                    score=0.0,
                    marks=marks,
                )
            )
    return hits, total


def _holds(term: Term, step: int, section: int, fields: dict[str, str]) -> bool:
    if term.kind == "span":
        held = term.low <= (step if term.field == "step" else section) <= term.high
    else:
        names = (term.field,) if term.field else ("title", "text", "prompt")
        held = any(_stands(term, split_words(fields[name] or "")) for name in names)
    return held is not term.negated


def _stands(term: Term, words: list[str]) -> bool:
    wanted = list(term.words)
    if term.kind == "prefix":
        return all(word in words for word in wanted[:-1]) and any(
            word.startswith(wanted[-1]) for word in words
        )
    size = len(wanted)
    return any(words[at : at + size] == wanted for at in range(len(words) - size + 1))
