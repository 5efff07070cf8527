"""A row of the table of speed bars: a measure, its bar, and its floor or peer of the same run."""

import os
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

ROWS_FILE = "B100_BENCH_ROWS"  # where `python -m tests.bench` collects rows; unset: only printed


class Row(Struct, frozen=True):
    """One measure; `bars` is empty for a peer or a yardstick, which has no bar of its own.

    `values` and `bars` go in pairs (p50 and p95, or one of each) and are in `unit`. `beside`
    names the floor or peer, `ratio` is the first value over the peer's.
    """

    name: str
    values: tuple[float, ...] = ()
    unit: str = ""
    bars: tuple[float, ...] = ()
    at_least: bool = False
    beside: str = ""
    ratio: float | None = None
    note: str = ""

    @property
    def share(self) -> float | None:
        """How much of its bar is used up, 1 at the bar and more beyond; None without a bar."""
        pairs = list(zip(self.values, self.bars, strict=False))
        if not pairs:
            return None
        if self.at_least:
            pairs = [(bar, value) for value, bar in pairs]
        return max(over / under if under else float("inf" if over else 0) for over, under in pairs)

    @property
    def cells(self) -> tuple[str, str, str, str, str]:
        """What stands in the table: name, measure, bar, its use with the verdict, and peer."""
        share = self.share
        limit = f"{'≥' if self.at_least else '≤'} {_joined(self.bars)}" if self.bars else ""
        verdict = "" if share is None else f"{share:5.2f} {'met' if share <= 1 else 'NOT MET'}"
        ratio = f"{self.ratio:.2f} x {self.beside}" if self.ratio is not None else self.beside
        words = "; ".join(word for word in (ratio, self.note) if word)
        return self.name, f"{_joined(self.values)} {self.unit}".strip(), limit, verdict, words


def tell(
    name: str,
    values: float | Sequence[float],
    unit: str,
    bars: float | Sequence[float] = (),
    *,
    at_least: bool = False,
    peer: tuple[str, float] | None = None,
    note: str = "",
) -> None:
    """Print a row, and keep it where the table is collected; `peer` is a name and its value."""
    measured, limits = _tuple(values), _tuple(bars)
    beside, ratio = "", None
    if peer is not None:
        beside, ratio = f"{peer[0]} ({_number(peer[1])} {unit})", measured[0] / peer[1]
    _keep(Row(name, measured, unit, limits, at_least, beside, ratio, note))


def missing(name: str, fix: str) -> None:
    """Name a peer, or a part of the machine, that is not here; nothing fails by it."""
    _keep(Row(name, note=f"not here: {fix}"))


def printed(rows: Sequence[Row]) -> str:
    """Return rows as aligned lines, the last column as long as it is."""
    cells = [row.cells for row in rows]
    widths = [max((len(row[at]) for row in cells), default=0) for at in range(4)]
    lines = []
    for row in cells:
        padded = [cell.ljust(width) for cell, width in zip(row[:4], widths, strict=True)]
        lines.append("  ".join([*padded, row[4]]).rstrip())
    return "\n".join(lines)


def kept(path: Path) -> list[Row]:
    """Return the rows that a benchmark left."""
    if not path.exists():
        return []
    return [msgspec.json.decode(line, type=Row) for line in path.read_bytes().splitlines()]


def _keep(row: Row) -> None:
    print("  ".join(cell for cell in row.cells if cell), flush=True)
    if path := os.environ.get(ROWS_FILE):
        with Path(path).open("ab") as file:
            file.write(msgspec.json.encode(row) + b"\n")


def _tuple(values: float | Sequence[float]) -> tuple[float, ...]:
    return (float(values),) if isinstance(values, int | float) else tuple(map(float, values))


def _joined(values: Sequence[float]) -> str:
    return " / ".join(map(_number, values))


def _number(value: float) -> str:
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.3g}"
