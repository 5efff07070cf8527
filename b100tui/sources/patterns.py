"""Regular expressions that came with the data: refused where matching could take for ever."""

import re
import warnings

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
MOST_FREE = 3  # names of 1,000 characters then cost seconds at worst, usual ones nothing
MOST_CHOICES = 20  # 2^20 ways at worst
_SAMPLES = [chr(code) for code in range(32, 127)] + ["\n", "é"]


def free_repeats(pattern: str) -> list[str]:
    """Return the repeats without a limit of which it is open where they end, such as `.*`.

    With n of them a name of length m can be split in m^n ways. `[^/]+` before a slash, or
    `\\d+` before a letter, ends in one place only and does not count.
    """
    tokens = list(_TOKEN.finditer(pattern))
    found = []
    for index, token in enumerate(tokens):
        text = token.group()
        if token.lastgroup != "repeat" or _EXACT.fullmatch(text) or _FEW.fullmatch(text):
            continue
        item, after = tokens[index - 1] if index else token, _next(tokens, index)
        if after is not None and _overlap(item, after):
            found.append(item.group() + text)
    return found


def choices(pattern: str) -> int:
    """Return how often `pattern` may take one of two ways: `|`, `?` and short repeats."""
    tokens = list(_TOKEN.finditer(pattern))
    kinds = [token.lastgroup for token in tokens]
    return sum(
        kind == "choice"
        or (kind == "repeat" and kinds[at - 1] != "repeat" and bool(_FEW.fullmatch(token.group())))
        for at, (kind, token) in enumerate(zip(kinds, tokens, strict=True))
    )


def _next(tokens: list["re.Match[str]"], index: int) -> "re.Match[str] | None":
    """Return the token that may follow the repeat at `index`; None at the end of the pattern."""
    for token in tokens[index + 1 :]:
        if token.lastgroup not in ("open", "close", "repeat"):
            return token
    return None


def _overlap(item: "re.Match[str]", after: "re.Match[str]") -> bool:
    """Say whether one character can be both; groups and choices may be anything."""
    kinds = ("class", "escape", "other")
    if item.lastgroup not in kinds or after.lastgroup not in kinds:
        return True
    try:
        with warnings.catch_warnings():  # "[[" warns; the pattern itself says so when it is used
            warnings.simplefilter("ignore", FutureWarning)
            one, other = re.compile(item.group()), re.compile(after.group())
    except re.error:
        return False  # the pattern itself cannot be read, which is told of elsewhere
    return any(one.fullmatch(char) and other.fullmatch(char) for char in _SAMPLES)


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
