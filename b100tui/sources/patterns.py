"""Regular expressions that came with the data: refused where matching could take for ever."""

import re

_TOKEN = re.compile(
    r"(?P<class>\[\^?\]?(?:\\.|[^\]\\])*\])|(?P<escape>\\.)"
    r"|(?P<open>\((?:\?(?:P<\w+>|P=\w+|<?[=!]|>|[a-zA-Z\-]*:))?)|(?P<close>\))"
    r"|(?P<choice>\|)|(?P<repeat>[*+?]|\{\d*,?\d*\})|(?P<other>.)",
    re.S,
)
# A name and the character that ends it, any number of times: there is one way to read that.
_SEPARATED = re.compile(r"\[\^(?P<end>\\?[^\]\\])\][*+](?P=end)")
_EXACT = re.compile(r"\{\d+\}")
_FEW = re.compile(r"\?|\{\d?(?:,\d)?\}")


def endless_repeat(pattern: str) -> str | None:
    """Return the first repeated group of `pattern` that repeats or chooses inside, else None.

    Such a group, (a+)+ or (a|aa)*, can be matched in exponentially many ways. (?:[^/]+/)* may
    stay, as every turn ends at a character that the rest of it cannot be.
    """
    tokens = list(_TOKEN.finditer(pattern))
    open_groups: list[tuple[re.Match[str], bool]] = []
    for index, token in enumerate(tokens):
        kind = token.lastgroup
        if kind == "open":
            open_groups.append((token, False))
        elif kind in ("repeat", "choice") and open_groups:
            if not _EXACT.fullmatch(token.group()):
                open_groups[-1] = (open_groups[-1][0], True)
        elif kind == "close" and open_groups:
            opened, risky = open_groups.pop()
            after = tokens[index + 1] if index + 1 < len(tokens) else None
            repeated = (
                after is not None
                and after.lastgroup == "repeat"
                and not _FEW.fullmatch(after.group())
            )
            body = pattern[opened.end() : token.start()]
            if risky and repeated and not _SEPARATED.fullmatch(body):
                return pattern[opened.start() : token.end()]
            if risky and open_groups:
                open_groups[-1] = (open_groups[-1][0], True)
    return None
