"""The search: words typed, hits listed with snippets, Enter goes to the step."""

from typing import ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widgets import Input

from b100tui.index.rows import SearchHit, SearchResult
from b100tui.model.errors import B100Error
from b100tui.model.text import clean_line
from b100tui.tui.catalogue import Catalogue
from b100tui.tui.drawing import plural
from b100tui.tui.messages import Found
from b100tui.tui.screens.base import titled
from b100tui.tui.screens.overlay import Overlay
from b100tui.tui.widgets.lines import LinesView, Span

LIMIT = 200
LINES_A_HIT = 2


class HitList(LinesView, can_focus=False):
    """Hits in two lines each: where, and the words around."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"hits--where", "hits--dim", "hits--mark",
                                             "hits--cursor"}  # fmt: skip

    class Chosen(Message):
        """A hit was clicked."""

    def __init__(self) -> None:
        super().__init__(id="hits")
        self.hits: tuple[SearchHit, ...] = ()
        self.cursor = 0

    def show(self, hits: tuple[SearchHit, ...]) -> None:
        """List `hits`."""
        self.hits, self.cursor = hits, 0
        self.set_line_count(len(hits) * LINES_A_HIT)
        self.scroll_to(y=0, animate=False)
        self.refresh()

    def move(self, delta: int) -> None:
        """Move the cursor by `delta` hits."""
        self.cursor = max(0, min(len(self.hits) - 1, self.cursor + delta))
        place = Region(0, self.cursor * LINES_A_HIT, 1, LINES_A_HIT)
        self.scroll_to_region(place, animate=False)
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """A click chooses."""
        at = (event.y + self.scroll_offset.y) // LINES_A_HIT
        if at < len(self.hits):
            self.cursor = at
            self.post_message(self.Chosen())

    def render_line(self, y: int) -> Strip:
        """Draw one line."""
        at, second = divmod(y + self.scroll_offset.y, LINES_A_HIT)
        width = self.size.width
        if at >= len(self.hits):
            return self.blank(width)
        hit = self.hits[at]
        if second:
            return self.strip([("    ", ""), *_snippet(hit, width - 8)], width)
        here = at == self.cursor
        where = f" {'›' if here else ' '} {clean_line(hit.run)}@{hit.step} "
        style = "hits--cursor" if here else "hits--where"
        return self.strip([(where, style), ("  " + clean_line(hit.title), "hits--dim")], width)


def _snippet(hit: SearchHit, width: int) -> list[Span]:
    """Return the snippet on one line, its marked ranges in their own style and in view."""
    text = hit.snippet
    first_end = hit.marks[0][1] if hit.marks else 0
    at = max(0, first_end - width * 2 // 3) if first_end > width else 0
    spans: list[Span] = [("…", "hits--dim")] if at else []
    for start, end in (*hit.marks, (len(text), len(text))):
        spans.append((_one_line(text[at:start]), ""))
        spans.append((_one_line(text[start:end]), "hits--mark"))
        at = end
    return [span for span in spans if span[0]]


def _one_line(text: str) -> str:
    kept = clean_line(text)
    before = " " if text[:1].isspace() and kept else ""
    after = " " if text[-1:].isspace() and kept else ""
    return f"{before}{kept}{after}" or (" " if text else "")


class SearchScreen(Overlay[tuple[str, int, str]]):
    """Asks for words and gives back (run, step, query), or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "move(1)", "down", id="search.tab"),
    ]

    def __init__(self, catalogue: Catalogue, query: str = "") -> None:
        super().__init__()
        self._catalogue = catalogue
        self._query = query
        self._token = 0

    def compose(self) -> ComposeResult:
        """The words above, the hits below."""
        with Vertical(id="search"):
            yield Input(
                self._query,
                placeholder='words  "a phrase"  pre*  -not  field:value',
                compact=True,
                select_on_focus=False,
                id="query",
            )
            yield HitList()

    def on_mount(self) -> None:
        """Name the box."""
        titled(self.query_one("#search"), "Search prompts and reasoning", "Enter goes there")
        line = self.query_one("#query", Input)
        line.select_all()
        self.set_focus(line)

    @on(Input.Changed, "#query")
    def _typed(self, event: Input.Changed) -> None:
        self._query = event.value
        self._token += 1
        if event.value.strip():
            self._search(self._token, event.value)
        else:
            self.query_one(HitList).show(())

    @work(thread=True, exclusive=True, group="search", exit_on_error=False)
    def _search(self, token: int, query: str) -> None:
        try:
            result: SearchResult | None = self._catalogue.search(query, LIMIT)
            error = None
        except B100Error as fault:
            result, error = None, fault
        self.post_message(Found(token, result, error))

    @on(Found)
    def _found(self, event: Found) -> None:
        if event.token != self._token:
            return
        box = self.query_one("#search")
        if event.error is not None:
            titled(box, "Search prompts and reasoning", event.error.message)
            return
        if event.result is not None:
            self.query_one(HitList).show(event.result.hits)
            words = f"{plural(event.result.total, 'hit')} in {event.result.seconds * 1000:.0f} ms"
            titled(box, "Search prompts and reasoning", words)

    @on(Input.Submitted, "#query")
    @on(HitList.Chosen)
    def _chosen(self) -> None:
        hits = self.query_one(HitList)
        if hits.hits:
            hit = hits.hits[hits.cursor]
            self.dismiss((hit.run, hit.step, self._query))

    def action_move(self, delta: int) -> None:
        """Move among the hits."""
        self.query_one(HitList).move(delta)
