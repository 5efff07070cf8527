"""Finds words in prompts and reasoning summaries: ranked by tantivy, or by a scan without it."""

import re
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from b100tui.index.filters import Filter, parse
from b100tui.index.rows import SearchHit, SearchResult
from b100tui.index.scan import scan
from b100tui.index.snippet import snippet
from b100tui.index.tables import statement
from b100tui.index.text import PROMPT, newest_text, place_of, read_content, schema
from b100tui.index.text_query import Term, parse_query
from b100tui.model.errors import StoreError

if TYPE_CHECKING:
    from b100tui.index.store import Index

_BODY = ("title", "text", "prompt")
_TITLE_BOOST = 2.0


class TextIndex:
    """The newest text index, opened, and the runs whose texts have changed since."""

    def __init__(self, index: "Index", generation: int, folder: Any) -> None:
        import tantivy

        self.schema = schema()
        self.generation = generation
        self.searcher = tantivy.Index(self.schema, path=str(folder), reuse=True).searcher()
        self.content = read_content(folder)
        self._stale: tuple[object, list[str]] | None = None

    def stale(self, index: "Index") -> list[str]:
        """Return the runs that the text index does not hold as they are now."""
        state = index.state
        if self._stale is None or self._stale[0] != state:
            if state == (self.generation, 0):
                found: list[str] = []
            else:
                now = dict(index.ask(statement("text_digests")))
                names = {*self.content, *now}
                found = [run for run in names if self.content.get(run) != now.get(run)]
            self._stale = (state, found)
        return self._stale[1]


def search(index: "Index", query: str, limit: int, filter: Filter | str | None) -> SearchResult:
    """Return the best hits of `query` among the steps that `filter` allows."""
    started = time.perf_counter()
    terms = parse_query(query)
    chosen = parse(filter, index.metrics()) if isinstance(filter, str) else filter
    if chosen is not None and chosen.node is None:
        chosen = None
    text = _open(index)
    if text is None:
        hits, total = scan(index, terms, limit, chosen, None)
    else:
        stale = text.stale(index)
        hits, total = _ranked(index, text, terms, limit, chosen, stale)
        if stale:
            fresh, more = scan(index, terms, limit, chosen, stale)
            hits, total = [*hits, *fresh][:limit], total + more
    return SearchResult(
        query=query,
        total=total,
        seconds=time.perf_counter() - started,
        hits=tuple(hits),
        ranked=text is not None,
    )


def _open(index: "Index") -> TextIndex | None:
    """Return the newest text index; it stays open until there is a newer one."""
    newest = newest_text(index.cache)
    if newest is None:
        return index.text
    if index.text is None or index.text.generation != newest[0]:
        try:
            index.text = TextIndex(index, *newest)
        except (ValueError, StoreError):  # swept or damaged: the scan answers meanwhile
            index.text = None
    return index.text


def _ranked(
    index: "Index",
    text: TextIndex,
    terms: Sequence[Term],
    limit: int,
    chosen: Filter | None,
    stale: list[str],
) -> tuple[list[SearchHit], int]:
    import tantivy

    must, never = tantivy.Occur.Must, tantivy.Occur.MustNot
    clauses = [(never if term.negated else must, _clause(text.schema, term)) for term in terms]
    if all(term.negated for term in terms):
        clauses.append((must, tantivy.Query.all_query()))
    if stale:
        clauses.append((never, tantivy.Query.term_set_query(text.schema, "id", stale)))
    if chosen is not None:
        clause, values = chosen.step_clause()
        places = index.ask(
            "SELECT s.run, s.step FROM step s JOIN run_summary r ON r.run = s.run WHERE " + clause,
            values,
        )
        allowed = [place_of(run, step) for run, step in places]
        if not allowed:
            return [], 0
        clauses.append((must, tantivy.Query.term_set_query(text.schema, "place", allowed)))
    found: Any = text.searcher.search(
        tantivy.Query.boolean_query(clauses), max(1, limit), count=True
    )
    hits = []
    for score, address in found.hits[:limit]:
        document: Any = text.searcher.doc(address)
        section = document.get_first("section")
        body = document.get_first("prompt" if section == PROMPT else "text") or ""
        title = document.get_first("title") or ""
        shown, marks = snippet(body, terms)
        hits.append(
            SearchHit(
                run=document.get_first("id"),
                step=document.get_first("step"),
                section=None if section == PROMPT else section,
                title="prompt" if section == PROMPT else title,
                snippet=shown,
                score=float(score),
                marks=marks,
            )
        )
    return hits, found.count


def _clause(names: Any, term: Term) -> Any:
    import tantivy

    if term.kind == "span":
        return tantivy.Query.range_query(
            names, term.field, tantivy.FieldType.Integer, term.low, term.high, True, True
        )
    fields = (term.field,) if term.field else _BODY
    parts = [_in_field(names, field, term) for field in fields]
    if len(parts) == 1:
        return parts[0]
    return tantivy.Query.boolean_query([(tantivy.Occur.Should, part) for part in parts])


def _in_field(names: Any, field: str, term: Term) -> Any:
    import tantivy

    ask: Any = tantivy.Query
    words = list(term.words)
    if term.kind == "prefix":
        begun = ask.regex_query(names, field, re.escape(words[-1]) + ".*")
        if len(words) == 1:
            return begun
        clauses = [(tantivy.Occur.Must, ask.term_query(names, field, word)) for word in words[:-1]]
        return ask.boolean_query([*clauses, (tantivy.Occur.Must, begun)])
    if len(words) == 1:
        made = ask.term_query(names, field, words[0])
    else:
        made = ask.phrase_query(names, field, words)
    return ask.boost_query(made, _TITLE_BOOST) if field == "title" else made
