"""What the heatmap says beside its cells: title, state, and the cell under the cursor. Pure."""

from collections import Counter
from typing import TYPE_CHECKING

from b100tui.model.text import clean_line
from b100tui.tui.analyst import GapsAsked
from b100tui.tui.drawing import grouped, plural
from b100tui.tui.facts import Block
from b100tui.tui.heatmap import (
    LEGEND,
    SORT_WORDS,
    Grid,
    View,
    is_overlay,
    lens_words,
    step_of,
)
from b100tui.tui.verdict import gap_sentences

if TYPE_CHECKING:
    from b100tui.report.gap_table import GapTable

Spans = list[tuple[str, str]]


def title_spans(table: "GapTable", asked: GapsAsked, view: View, grid: Grid) -> Spans:
    """Return the lens, how much is shown, and how much of it fails."""
    groups, metrics = grid.rows, grid.columns
    if grid.down == "metrics":
        groups, metrics = metrics, groups
    counts = f"{plural(len(groups), asked.by)} · {plural(len(metrics), 'metric')}"
    fails = f"{grouped(grid.total.failing)} of {grouped(grid.total.judged)} cells fail"
    return [
        (f" {lens_words(table, view)} ", "status--root"),
        (f" {counts} · {fails}", "status--dim"),
    ]


def state_spans(asked: GapsAsked, view: View, *, computing: bool) -> Spans:
    """Return what differs from the plain table: order, unit, filter, recipes, reference."""
    said = [] if view.sort == "listed" else [SORT_WORDS[view.sort]]
    if view.unit == "effect":
        said.append("gap / spread")
    if asked.filter or view.words:
        said.append("/ " + clean_line(asked.filter or view.words))
    if asked.all_recipes:
        said.append("every recipe")
    spans: Spans = [("  computing ...", "status--warn")] if computing else []
    spans.append(("  " + " · ".join(said) + " ", "status--dim"))
    spans.append((f" ref {asked.reference} ", "status--root"))
    return spans


def cell_blocks(table: "GapTable | None", view: View, here: tuple[str, str] | None) -> list[Block]:
    """Return the verdict on the cell at (group, metric), then what the table left out."""
    if table is None:
        return [(("reading the scores ...", "text--dim"),)]
    if here is None:
        return [((note, "text--dim"),) for note in table.notes] or [((LEGEND, "text--dim"),)]
    group, name = here
    metric = next(one for one in table.metrics if one.id == name)
    gap = table.cell(group, name, step_of(table, view))
    first, *rest = gap_sentences(metric, gap)
    count = table.failures(group, name)
    head = f"{clean_line(group)}: "
    if is_overlay(table, view) and count is not None:
        head += f"fails at {count} of {len(table.steps)}. "
    blocks: list[Block] = [((head, "text--title"), (first, "text--bad" if gap.failure else ""))]
    blocks += [((words, "text--dim"),) for words in rest]
    if table.left_out:
        reasons = Counter(one.reason for one in table.left_out).most_common()
        alone = len(reasons) == 1
        told = [f"as {why}" if alone else f"{count} as {why}" for why, count in reasons]
        left = plural(len(table.left_out), "run")
        blocks.append(((f"{left} left out, {', '.join(told)} (a: all)", "text--dim"),))
    return blocks + [((note, "text--dim"),) for note in table.notes]
