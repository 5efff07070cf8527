"""Breaking cleaned text into lines of a terminal's cells. Pure."""

import textwrap

from rich.cells import cell_len, chop_cells


def wrap(text: str, width: int) -> list[str]:
    """Return `text` in lines of at most `width` cells; its own newlines stay."""
    width = max(1, width)
    lines: list[str] = []
    for paragraph in text.expandtabs(4).split("\n"):
        if cell_len(paragraph) <= width:
            lines.append(paragraph.rstrip())
        elif paragraph.isascii():
            lines.extend(textwrap.wrap(paragraph, width) or [""])
        else:
            lines.extend(_wrap_cells(paragraph, width))
    return lines


def _wrap_cells(paragraph: str, width: int) -> list[str]:
    lines: list[str] = []
    line, used = "", 0
    for word in paragraph.split():
        cells = cell_len(word)
        if used and used + 1 + cells <= width:
            line, used = f"{line} {word}", used + 1 + cells
            continue
        if used:
            lines.append(line)
        pieces = [piece for piece in chop_cells(word, width) if piece] or [word]
        lines.extend(pieces[:-1])
        line, used = pieces[-1], cell_len(pieces[-1])
    if used:
        lines.append(line)
    return lines


def fit(text: str, width: int) -> str:
    """Return `text` in exactly `width` cells: padded, or cut with an ellipsis."""
    cells = cell_len(text)
    if cells <= width:
        return text + " " * (width - cells)
    if width <= 1:
        return "…"[:width]
    kept = ""
    used = 0
    for character in text:
        cells = cell_len(character)
        if used + cells > width - 1:
            break
        kept += character
        used += cells
    return kept + "…" + " " * (width - 1 - used)


def fit_middle(text: str, width: int) -> str:
    """Return `text` in at most `width` cells, cut in its middle with an ellipsis."""
    if cell_len(text) <= width:
        return text
    if not text.isascii() or width < 3:
        return fit(text, width).rstrip()
    head = (width - 1) // 2
    return f"{text[:head]}…{text[head + 1 - width :]}"


def find_words(text: str, words: tuple[str, ...]) -> list[tuple[int, int]]:
    """Return the (start, end) ranges of `words` in `text`, any case, merged and in order."""
    low = text.lower()
    if len(low) != len(text):
        return []
    spans: list[tuple[int, int]] = []
    for word in words:
        at = low.find(word)
        while word and at >= 0:
            spans.append((at, at + len(word)))
            at = low.find(word, at + len(word))
    spans.sort()
    merged: list[tuple[int, int]] = []
    for start, end in spans:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
