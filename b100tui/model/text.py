"""Words for people: foreign text cleaned before it is shown or written, times and dollars told."""

import re

# Whole escape sequences go first, so that their parameters do not stay behind as words:
# CSI, then OSC/DCS/SOS/PM/APC strings up to BEL or ST, then two-byte escapes. A string that is
# never closed takes nothing of the next line along, and a lone C1 byte (a curly quote of
# Windows read as Latin-1) takes nothing at all: what is left are words without effect.
_SEQUENCES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|\x1b[\]PX^_][^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?"
    r"|[\x9d\x90\x98\x9e\x9f][^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*[0-~]?"
)
# C0 except \n and \t, DEL, C1, bidi embeddings, overrides, isolates and marks, line and
# paragraph separators, byte order mark, lone surrogates from file names.
_CONTROLS = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
_FORMULA = ("=", "+", "-", "@", "\t")


def clean(text: str) -> str:
    """Return `text` without escape sequences, control and bidi characters; keeps \\n and \\t."""
    if text.isascii() and text.isprintable():
        return text
    text = text.replace("\r\n", "\n")
    return _CONTROLS.sub("", _SEQUENCES.sub("", text))


def clean_line(text: str) -> str:
    """Return `text` cleaned and on one line: newlines and tabs become spaces."""
    return " ".join(clean(text).split())


def duration(seconds: float) -> str:
    """Return seconds in words for a person: 40 s, 12 min, 3 h 20 min, 2 d 4 h."""
    whole = round(seconds)
    if whole < 90:
        return f"{whole} s"
    minutes = round(whole / 60)
    if minutes < 90:
        return f"{minutes} min"
    hours, rest = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h {rest} min"
    return f"{hours // 24} d {hours % 24} h"


def charged(usd: float, simulated: bool) -> str:
    """Return what a step cost in words; a simulated editor's price is no charge."""
    return f"nothing (simulated price ${usd:.4f})" if simulated else f"${usd:.4f}"


def csv_cell(text: str) -> str:
    """Return `text` cleaned for a CSV cell; a leading formula sign is made inert with a quote.

    Plain numbers such as -3.5 stay as they are.
    """
    cleaned = clean(text)
    if cleaned.startswith(_FORMULA) and not _is_number(cleaned):
        return "'" + cleaned
    return cleaned


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
