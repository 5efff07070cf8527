"""Two groups of runs in lines: when they broke, and their gaps side by side. Pure."""

from typing import TYPE_CHECKING

from b100tui.model.text import clean_line
from b100tui.tui.drawing import plural
from b100tui.tui.lies import Line, metric_name
from b100tui.tui.wrapping import fit

if TYPE_CHECKING:
    from b100tui.analysis.groups import Broken, Difference
    from b100tui.report.comparison import Changed, GroupComparison, GroupSide, TableComparison

NAME = 11
STEP = 4
CELL = 20
HEAD_WORDS = "gaps: mean ± sd (n)"
Cell = tuple[float | None, float | None, int]


def group_lines(found: "GroupComparison") -> tuple[list[Line], list[Line]]:
    """Return the fixed head, and the lines: runs, onset, limit, cost, then a line a gap."""
    indent = NAME + STEP
    head: list[Line] = [
        [
            (" " * indent, ""),
            (fit(" first: " + clean_line(found.first.group), CELL), "choice--head"),
            (fit(" second: " + clean_line(found.second.group), CELL), "choice--head"),
            (" second - first, 95 %", "choice--head"),
        ]
    ]
    sides = (found.first, found.second)
    lines = [
        _facts("runs", [str(side.runs) for side in sides]),
        _facts("onset", [_broken(side.onset) for side in sides]),
        _facts("limit", [_broken(side.limit) for side in sides]),
        _facts("cost", [_cost(side) for side in sides]),
        [(fit(f" {HEAD_WORDS}", indent + 2 * CELL), "choice--head")],
    ]
    differences = {(one.metric, one.step): one for one in found.differences}
    for metric in found.first.metrics:
        raw = "δ" if metric in found.open_ranges else "Δ"
        for at, step in enumerate(found.steps):
            name = metric_name(metric) if at == 0 else ""
            line: Line = [
                (fit(f" {name}", NAME), "choice--name"),
                (fit(f"{raw}{step}", STEP), "choice--dim"),
            ]
            for side in sides:
                line.append(_cell(side.metrics[metric][at]))
            line.append(_difference(differences.get((metric, step))))
            lines.append(line)
    return head, lines


def _facts(name: str, words: list[str]) -> Line:
    return [
        (fit(f" {name}", NAME + STEP), "choice--name"),
        *((fit(" " + word, CELL), "") for word in words),
    ]


def _broken(found: "Broken") -> str:
    if found.n == 0:
        return "–"
    if found.unknown == found.n:
        return "not known"
    if found.median is None:
        return f"never in {found.never}/{found.n}"
    span = f" ({found.low}-{found.high})" if found.low != found.high else ""
    never = f" {found.never} never" if found.never else ""
    return f"{found.median:g}{span}{never}"


def _cost(side: "GroupSide") -> str:
    if side.usd is None:
        return "not known"
    part = f" ({side.usd_known} of {side.runs})" if side.usd_known < side.runs else ""
    return f"${side.usd:.2f}{part}"


def _cell(cell: Cell) -> tuple[str, str]:
    mean, sd, count = cell
    if mean is None:
        return (fit(" –", CELL), "choice--dim")
    sign = "✗" if mean > 0 else " "
    spread = f" ±{sd:.1f}" if sd is not None else ""
    text = fit(f" {mean:+.1f}{spread} ({count}) {sign}", CELL)
    return (text, "choice--fail" if mean > 0 else "")


def _difference(found: "Difference | None") -> tuple[str, str]:
    if found is None or found.value is None:
        return (" –", "choice--dim")
    if found.low is None or found.high is None:
        return (f" {found.value:+.1f}  no interval (n < 2)", "choice--dim")
    clear = "≠" if found.clear else "≈"
    text = f" {found.value:+.1f} {clear} [{found.low:+.1f}, {found.high:+.1f}]"
    return (text, "choice--good" if found.clear else "choice--dim")


def saved_words(found: "TableComparison") -> str:
    """Return how much changed between two gap tables."""
    words = f"{plural(found.cells, 'cell')} in both · {len(found.changed)} changed"
    words += f" · {found.turned} turned"
    return words + (f" · {found.new} new, {found.gone} gone" if found.new or found.gone else "")


def saved_lines(found: "TableComparison") -> tuple[list[Line], list[Line]]:
    """Return head and lines of the cells that changed; those whose failure turned stand first."""
    head: Line = [(f" {'metric':<{NAME}}{'':<{STEP}}{'before':>9} {'after':>9}   group",
                   "choice--head")]  # fmt: skip
    if not found.changed:
        return [head], [[(" no cell has changed", "choice--dim")]]
    return [head], [_changed(one) for one in found.changed]


def _changed(one: "Changed") -> Line:
    turned = one.failure_before is not one.failure_after
    values = [
        f"{'–' if value is None else format(value, '+.1f')}{'✗' if failure else ' '}"
        for value, failure in ((one.before, one.failure_before), (one.after, one.failure_after))
    ]
    return [
        (" " + fit(metric_name(one.metric), NAME), "choice--name"),
        (fit(f"Δ{one.step}", STEP), "choice--dim"),
        (f"{values[0]:>9} {values[1]:>9} ", "choice--fail" if turned else ""),
        (f"{'≠' if turned else ' '} {clean_line(one.group)}", "choice--fail" if turned else ""),
    ]
