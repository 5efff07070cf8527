"""Cutting a finished row of cells at any column, without knowing how it was made."""

import re

from b100tui.terminal.frames import CellRow

# A Kitty placeholder is followed by its marks of row and column.
_TOKEN = re.compile("\x1b\\[([\\d;]*)m|(\U0010eeee..|.)", re.DOTALL)
HALF_INK = 6


def cut_row(row: CellRow, start: int, end: int) -> CellRow:
    """Return columns `start` to `end` (not included) of `row`, with the colours they had."""
    if start <= 0 and end >= row.columns:
        return row
    start, end = max(start, 0), min(end, row.columns)
    fore = back = ""
    column = 0
    text: list[str] = []
    for codes, cell in _TOKEN.findall(row.text):
        if not cell:
            fore, back = _colours(codes, fore, back)
            if text:
                text.append(f"\x1b[{codes}m")
            continue
        if column >= end:
            break
        if column >= start:
            if not text:
                text.append("".join(f"\x1b[{code}m" for code in (fore, back) if code))
            text.append(cell)
        column += 1
    if row.text.startswith("\x1b") or fore or back:
        text.append("\x1b[0m")
    ink = row.ink
    if len(ink) == row.columns * HALF_INK:
        ink = ink[start * HALF_INK : end * HALF_INK]
    return CellRow(max(end - start, 0), ink, "".join(text))


def _colours(codes: str, fore: str, back: str) -> tuple[str, str]:
    """Return the foreground and background codes after an SGR with `codes`."""
    parts = codes.split(";")
    at = 0
    while at < len(parts):
        code = parts[at]
        if code in {"38", "48"}:
            length = 5 if parts[at + 1] == "2" else 3
            whole = ";".join(parts[at : at + length])
            fore, back = (whole, back) if code == "38" else (fore, whole)
            at += length
            continue
        number = int(code or 0)
        if number == 0:
            fore = back = ""
        elif number == 39:
            fore = ""
        elif 30 <= number <= 37 or 90 <= number <= 97:
            fore = code
        elif 40 <= number <= 47 or 100 <= number <= 107:
            back = code
        at += 1
    return fore, back
