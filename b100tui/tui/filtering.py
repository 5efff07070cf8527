"""Tells a filter of plain words from one with conditions, while it is being typed. Pure."""

import re

_CONDITION = re.compile(
    r"(?:^|[\s(])-?[A-Za-z_][\w.-]*\s*(?::|[<>]=?|!?=)"  # field:value, field>number
    r'|["()]'
    r"|(?:^|\s)(?:OR|AND|NOT)(?:\s|$)"
    r"|(?:^|\s)-\S"
)


def has_conditions(text: str) -> bool:
    """Return whether `text` needs the filter language; plain words are matched at once."""
    return bool(_CONDITION.search(text))
