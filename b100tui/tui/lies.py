"""Contradictions, first to notice, and agreement in lines and paragraphs. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from b100tui.metrics.registry import known
from b100tui.model.text import clean_line
from b100tui.tui.facts import Block
from b100tui.tui.wrapping import fit

if TYPE_CHECKING:
    from b100tui.analysis.notice import Notice
    from b100tui.report.lies import LieRow

Line = list[tuple[str, str]]
WORD = 24
NAME = 12
LIE_HEAD: tuple[Line, ...] = (
    [(f"  {'verdict':<{WORD}}{'metric':<{NAME}}{'gap':>7} {'step':>5} {'sure':>5}  run",
      "choice--head")],
)  # fmt: skip


def metric_name(id: str) -> str:
    """Return the field name of a metric."""
    found = known(id)
    return clean_line(found.name if found is not None else id)


def ordered(rows: Iterable["LieRow"]) -> list["LieRow"]:
    """Return the contradictions: lies first, then the surest, then by run and metric."""
    found = [row for row in rows if row.status == "contradicts"]
    return sorted(found, key=lambda r: (r.word != "lie", -r.confidence, r.run, r.metric))


def lie_line(row: "LieRow", width: int = 120) -> Line:
    """Return one contradiction in a line; the word is the one the analysis allows."""
    room = width - WORD - NAME - 24
    gap = "–" if row.gap is None else f"{row.gap:+.1f}"
    style = "choice--bad" if row.word == "lie" else "choice--fail"
    return [
        (f"  {row.word:<{WORD}}", style),
        (fit(metric_name(row.metric), NAME - 1) + " ", "choice--name"),
        (f"{gap:>7} {row.step if row.step is not None else '–':>5} ", ""),
        (f"{row.confidence:>5.2f}  ", "choice--dim"),
        (short_run(row.run, room), ""),
    ]


def short_run(run: str, room: int) -> str:
    """Return a run's name in about `room` cells: its image and its repeat stay."""
    name = clean_line(run)
    if len(name) <= room or name.count("/") < 2:
        return name
    return f"{name.split('/', 1)[0]}/…/{name.rsplit('/', 1)[1]}"


def lie_blocks(row: "LieRow") -> list[Block]:
    """Return what a contradiction rests on."""
    name = metric_name(row.metric)
    head = f"{name} {'lies' if row.word == 'lie' else row.word}: {clean_line(row.run)}"
    blocks: list[Block] = [((head, "text--title"),)]
    if row.evidence:
        blocks.append(((f"{name} {row.evidence[0]}, but {'; '.join(row.evidence[1:])}", ""),))
    blocks.append(((f"confidence {row.confidence:.2f}" + _q(row) + _why(row), "text--dim"),))
    return blocks


def _q(row: "LieRow") -> str:
    return "" if row.q is None else f", chance of this by luck q = {row.q:.2g}"


def _why(row: "LieRow") -> str:
    if row.word == "lie":
        return "; called a lie because marks or two independent kinds of evidence agree"
    return "; called a lie only once marks or a second kind of evidence agree"


def held_sentence(row: "LieRow | None") -> str:
    """Return in a sentence what the probes say about a metric in one run."""
    if row is None:
        return ""
    if row.status == "contradicts":
        return (
            f"{row.word} (confidence {row.confidence:.2f}), plainest at step {row.step}: "
            + "; ".join(row.evidence[1:])
        )
    if row.status == "consistent":
        return f"nothing contradicts it in this run: {row.reason}"
    return f"not held against the probes: {row.reason}"


def counted(rows: Iterable["LieRow"]) -> str:
    """Return how many contradictions there are, and what could not be judged."""
    many = list(rows)
    bad = [row for row in many if row.status == "contradicts"]
    lies = sum(row.word == "lie" for row in bad)
    open_ = sum(row.status == "not_applicable" for row in many)
    words = f"{len(bad)} contradict, {lies} of them lies, of {len(many)}"
    return words + (f" · {open_} not judged" if open_ else "")


def notice_lines(found: Sequence["Notice"]) -> tuple[list[Line], list[Line]]:
    """Return head and lines of the ranking, first to notice first."""
    head: Line = [
        (f"  {'metric':<{NAME + 2}}{'delay':>7}  {'caught':>9} {'false alarms':>13}  truth",
         "choice--head"),
    ]  # fmt: skip
    lines: list[Line] = []
    for one in found:
        delay = "never" if one.delay is None else f"{one.delay:+.1f}"
        caught, false = f"{one.caught}/{one.broken}", f"{one.false_alarms}/{one.clean}"
        truth = ", ".join(f"{by} {count}" for by, count in sorted(one.truth.items()))
        unusable = f" · {one.unusable} too short" if one.unusable else ""
        lines.append(
            [
                (f"  {fit(metric_name(one.metric), NAME + 1)} ", "choice--name"),
                (f"{delay:>7}  {caught:>9} {false:>13}  ", ""),
                (truth + unusable, "choice--dim"),
            ]
        )
    return [head], lines


def agreement_lines(rows: Sequence[tuple[Any, ...]]) -> tuple[list[Line], list[Line]]:
    """Return head and lines of the lower triangle; `rows` are (one, other, r, n, coverage)."""
    names = list(dict.fromkeys([*(row[0] for row in rows), *(row[1] for row in rows)]))
    values: Mapping[tuple[str, str], float | None] = {(r[0], r[1]): r[2] for r in rows}
    indent = NAME + 6
    head: Line = [
        (" " * indent + "".join(f"{at:>5}" for at in range(1, len(names))), "choice--head")
    ]
    lines: list[Line] = []
    for at, name in enumerate(names, 1):
        line: Line = [(f"{at:>3} {fit(metric_name(name), indent - 4)}", "choice--name")]
        for other in names[: at - 1]:
            value = values.get((other, name))
            line.append((f"{_short(value):>5}", _style(value)))
        lines.append(line)
    return [head], lines


def _short(value: float | None) -> str:
    return "–" if value is None else f"{value:+.2f}".replace("0.", ".", 1)


def _style(value: float | None) -> str:
    if value is None:
        return "choice--dim"
    return "choice--fail" if value < 0 else "choice--good" if value >= 0.7 else ""
