"""The paper's figures, drawn for any data; readable in print and in grey.

Blue marks failures as in the paper. As colour alone never tells: a failure is darker than
anything else, its number is bold and carries a triangle.
"""

import io
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from b100tui.model.metric import Metric
from b100tui.model.text import clean_line
from b100tui.report.curves import Curve
from b100tui.report.gap_table import GapTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIGN = "\u25b2"
_BETTER = ("#c6dbef", "#6baed6", "#2171b5", "#08306b")  # failures: dark in grey too
_WORSE = ("#fff7ec", "#fee8c8", "#fdd49e")  # light in grey
_COUNTS = ("#f4f1ea", "#c6dbef", "#4292c6", "#08306b")
_STYLE: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 8.0,
    "axes.titlesize": 9.0,
    "svg.hashsalt": "b100",
    "svg.fonttype": "path",
    "text.parse_math": False,
    "axes.unicode_minus": True,
    "path.simplify": False,
}
_DPI = 160
_MOST_PANELS = 36
_LONGEST_LABEL = 36


@contextmanager
def styled() -> Iterator[None]:
    """Draw and save in the report's style, whatever the user's own matplotlib settings are."""
    import matplotlib as mpl

    plain: Any = {key: value for key, value in mpl.rcParamsDefault.items() if key != "backend"}
    with mpl.rc_context({**plain, **_STYLE}):
        yield


def new_figure(width: float, height: float) -> "Figure":
    """Return an empty figure; sizes in inches. Draw within `styled()`."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def as_bytes(figure: "Figure", kind: str, provenance: Mapping[str, Any]) -> bytes:
    """Return a figure as "png" or "svg"; the same data gives the same bytes, no date inside."""
    told = json.dumps(provenance, sort_keys=True, ensure_ascii=False)
    metadata: dict[str, Any] = (
        {"Software": None, "Comment": told}
        if kind == "png"
        else {"Date": None, "Creator": None, "Description": told}
    )
    data = io.BytesIO()
    figure.savefig(data, format=kind, dpi=_DPI, metadata=metadata)
    return data.getvalue()


def gap_heatmaps(table: GapTable) -> "Figure":
    """Figure 5: one heatmap of gaps a step, groups down, metrics across."""
    panels = len(table.steps)
    columns, rows = len(table.metrics), len(table.groups)
    figure = new_figure(_margin(table) + 0.46 * columns, panels * (1.1 + 0.26 * rows))
    grid = figure.subplots(panels, 1, squeeze=False)[:, 0]
    top = _most(table)
    for axes, step in zip(grid, table.steps, strict=True):
        for y, group in enumerate(table.groups):
            for x, metric in enumerate(table.metrics):
                cell = table.cell(group, metric.id, step)
                value = cell.gap if cell.gap is not None else cell.corrected
                raw = "" if cell.gap is not None or value is None else "*"
                failed = bool(cell.failure)
                colour = _gap_colour(value, failed, top if not raw else 0.0)
                _cell(axes, x, y, colour, _number(value) + raw, failed, cell.within_noise)
        _frame(axes, table, f"Gap at step {step} against step {table.reference}")
    _legend(figure, table)
    return figure


def overlay_heatmap(table: GapTable, title: str = "") -> "Figure":
    """Figure 6: at how many of the steps the gap is positive, groups down, metrics across."""
    figure = new_figure(_margin(table) + 0.4 * len(table.metrics), 1.6 + 0.26 * len(table.groups))
    _overlay(figure.subplots(), table, title or _overlay_title(table))
    return figure


def overlays_by_editor(tables: Mapping[str, GapTable]) -> "Figure":
    """Figure 10: Figure 6 for each editor."""
    columns = max(len(table.metrics) for table in tables.values())
    heights = [max(1, len(table.groups)) for table in tables.values()]
    figure = new_figure(
        max(_margin(table) for table in tables.values()) + 0.4 * columns,
        0.26 * sum(heights) + 0.4 * len(tables) + 1.2,
    )
    grid = figure.subplots(len(tables), 1, squeeze=False, height_ratios=heights)[:, 0]
    for axes, (editor, table) in zip(grid, tables.items(), strict=True):
        _overlay(axes, table, _label(editor))
        if axes is not grid[-1]:  # the metrics are the same in every panel
            axes.set_xticklabels([])
    return figure


def gap_curves(curves: Sequence[Curve], metric: Metric, table: GapTable) -> "Figure":
    """Figure 4: the gap of one metric over the steps, a panel a group, the gaps marked."""
    from matplotlib.patheffects import withStroke

    halo = withStroke(linewidth=2.0, foreground="white")  # numbers stay readable on the line
    shown = [curve for curve in curves if curve.metric == metric.id][:_MOST_PANELS]
    figure, grid = _panels(len(shown), 2.6, 1.9)
    for axes, curve in zip(grid, shown, strict=False):
        pairs = [(s, g, d) for s, g, d in zip(curve.steps, curve.gap, curve.gap_sd, strict=True)]
        _line(axes, [(s, g, d) for s, g, d in pairs if g is not None])
        axes.axhline(0.0, color="black", linewidth=0.6)
        for step in table.steps:
            cell = table.cells.get((curve.group, metric.id, step))
            value = None if cell is None else (cell.gap if cell.gap is not None else cell.corrected)
            if cell is None or value is None:
                continue
            mark, colour = ("^", _BETTER[3]) if cell.failure else ("o", "white")
            axes.plot([step], [value], mark, color=colour, markeredgecolor="black", markersize=5)
            axes.annotate(f"{value:+.1f}", (step, value), (0, 5), textcoords="offset points",
                          ha="center", fontsize=6.5, path_effects=[halo])  # fmt: skip
        axes.set_title(_label(curve.group))
        axes.set_xlabel("step")
    unit = "gap" if shown and shown[0].normalised else "gap (raw, higher is better)"
    figure.suptitle(f"{metric.name}: {unit} against step {table.reference}; {SIGN} failure")
    figure.supylabel("gap: mean ± sd", fontsize=7.5)
    return figure


def score_curves(curves: Sequence[Curve], metrics: Sequence[Metric]) -> "Figure":
    """Figure 7: mean and sd over runs for each step, a panel a metric, a line a group."""
    shown = [one for one in metrics if any(curve.metric == one.id for curve in curves)]
    shown = shown[:_MOST_PANELS]
    figure, grid = _panels(len(shown), 2.8, 2.0)
    groups = list(dict.fromkeys(curve.group for curve in curves))
    styles = ("-", "--", "-.", ":")
    for axes, metric in zip(grid, shown, strict=False):
        many = [curve for curve in curves if curve.metric == metric.id]
        for curve in many:
            at = groups.index(curve.group)
            shade = str(0.15 + 0.55 * (at % 7) / 6)
            axes.plot(curve.steps, curve.mean, styles[at % 4], color=shade, linewidth=0.7)
            if all(value is not None for value in curve.sd) and len(groups) <= _BANDS:
                sd = [value or 0.0 for value in curve.sd]
                axes.fill_between(
                    curve.steps,
                    [m - d for m, d in zip(curve.mean, sd, strict=True)],
                    [m + d for m, d in zip(curve.mean, sd, strict=True)],
                    color=shade,
                    alpha=0.18,
                    linewidth=0,
                )
        n = max((max(curve.n) for curve in many), default=0)
        unit = "" if many and many[0].normalised else " (raw)"
        axes.set_title(f"{_label(metric.name)}{unit}, n up to {n}")
        axes.set_xlabel("step")
    figure.supylabel("normalised score: mean ± sd", fontsize=7.5)
    handles = [_proxy(styles[at % 4], str(0.15 + 0.55 * (at % 7) / 6)) for at in range(len(groups))]
    if groups:
        figure.legend(handles, [_label(name) for name in groups], loc="outside lower center",
                      ncols=min(6, len(groups)), fontsize=6.5)  # fmt: skip
    return figure


_BANDS = 16  # with more groups the bands hide each other


def _proxy(style: Any, colour: str) -> Any:
    from matplotlib.lines import Line2D

    return Line2D([], [], linestyle=style, color=colour)


def _panels(count: int, width: float, height: float) -> "tuple[Figure, list[Axes]]":
    across = max(1, min(4, count))
    down = max(1, math.ceil(count / across))
    figure = new_figure(across * width, down * height + 0.6)
    grid = list(figure.subplots(down, across, squeeze=False).flat)
    for spare in grid[count:]:
        spare.set_axis_off()
    return figure, grid


def _line(axes: "Axes", points: Sequence[tuple[int, float | None, float | None]]) -> None:
    steps = [step for step, _, _ in points]
    means = [mean or 0.0 for _, mean, _ in points]
    axes.plot(steps, means, color="black", linewidth=0.9)
    if points and all(sd is not None for _, _, sd in points):
        spread = [sd or 0.0 for _, _, sd in points]
        axes.fill_between(
            steps,
            [m - d for m, d in zip(means, spread, strict=True)],
            [m + d for m, d in zip(means, spread, strict=True)],
            color="0.75",
            linewidth=0,
        )


def _overlay(axes: "Axes", table: GapTable, title: str) -> None:
    most = max(1, len(table.steps))
    for y, group in enumerate(table.groups):
        for x, metric in enumerate(table.metrics):
            count = table.failures(group, metric.id)
            place = 0 if count is None else round(3 * count / most)
            colour = "#eeeeee" if count is None else _COUNTS[place]
            _cell(axes, x, y, colour, "" if count is None else str(count), bool(count), None)
    _frame(axes, table, title)


def _overlay_title(table: GapTable) -> str:
    steps = ", ".join(map(str, table.steps))
    return f"Failures among steps {steps} against step {table.reference}"


def _cell(
    axes: "Axes", x: int, y: int, colour: str, text: str, failed: bool, noise: bool | None
) -> None:
    from matplotlib.patches import Rectangle

    axes.add_patch(Rectangle((x, y), 1, 1, facecolor=colour, edgecolor="white", linewidth=0.8))
    if not text:
        return
    ink = "white" if _dark(colour) else "black"
    shown = (SIGN if failed else "") + text + ("~" if noise else "")
    size = 6.5 if len(shown) < 7 else 5.2
    weight = "bold" if failed else "normal"
    axes.text(x + 0.5, y + 0.5, shown, ha="center", va="center", color=ink, fontsize=size,
              fontweight=weight)  # fmt: skip


def _frame(axes: "Axes", table: GapTable, title: str) -> None:
    axes.set_xlim(0, max(1, len(table.metrics)))
    axes.set_ylim(max(1, len(table.groups)), 0)
    axes.set_xticks(
        [x + 0.5 for x in range(len(table.metrics))],
        [_label(metric.name) for metric in table.metrics],
        rotation=60,
        ha="right",
        rotation_mode="anchor",
    )
    axes.set_yticks(
        [y + 0.5 for y in range(len(table.groups))], [_label(name) for name in table.groups]
    )
    axes.tick_params(length=0)
    axes.set_title(title, loc="left")
    for side in axes.spines.values():
        side.set_visible(False)


def _legend(figure: "Figure", table: GapTable) -> None:
    words = f"{SIGN} blue: failure (scored better than step {table.reference}); ~ within its spread"
    if any(cell.gap is None and cell.corrected is not None for cell in table.cells.values()):
        words += "; * raw: open range"
    figure.supxlabel(words, fontsize=7)


def _most(table: GapTable) -> float:
    """The 95th percentile of the gaps' size: a few wild cells must not bleach the others."""
    sizes = sorted(abs(cell.gap) for cell in table.cells.values() if cell.gap is not None)
    return sizes[min(len(sizes) - 1, int(0.95 * len(sizes)))] if sizes else 1.0


def _gap_colour(value: float | None, failed: bool, top: float) -> str:
    if value is None:
        return "#eeeeee"
    share = min(1.0, abs(value) / top) if top > 0 else 0.5
    scale = _BETTER if failed else _WORSE
    return scale[min(len(scale) - 1, int(share * len(scale)))]


def _margin(table: GapTable) -> float:
    """Return room in inches for the group names, and for a title over few metrics."""
    longest = max((len(_label(name)) for name in table.groups), default=0)
    return max(2.4, 0.8 + 0.075 * longest)


def _label(text: str) -> str:
    """Return a foreign name as a label of bounded length."""
    plain = clean_line(text)
    return plain if len(plain) <= _LONGEST_LABEL else plain[: _LONGEST_LABEL - 3] + "..."


def _dark(colour: str) -> bool:
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return 0.299 * red + 0.587 * green + 0.114 * blue < 140


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:+.1f}" if abs(value) < 1000 else f"{value:+.0e}"
