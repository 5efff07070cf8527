"""The STEPS notation of the command line: `1,5,10-20,50-` or `every:10`."""

import re
from collections.abc import Callable, Iterable

from b100tui.model.errors import UsageError

# Nine digits hold any step there will be, and are far from what int() refuses as too long.
_PART = re.compile(r"([0-9]{1,9})?(-)?([0-9]{1,9})?")
_EVERY = re.compile(r"every:([0-9]{1,9})")


def parse_steps(text: str) -> Callable[[Iterable[int]], list[int]]:
    """Return a selector: given the steps a run has, the wanted ones in ascending order.

    Raises UsageError naming the part that cannot be read.
    """
    every = _EVERY.fullmatch(text.strip())
    if every:
        stride = int(every[1])
        if stride < 1:
            raise UsageError(f"steps {text!r}: a stride is at least 1", "e.g. every:10")
        return lambda have: sorted(step for step in set(have) if step % stride == 0)
    spans = [_span(part.strip(), text) for part in text.split(",")]

    def select(have: Iterable[int]) -> list[int]:
        return sorted(
            step
            for step in set(have)
            if any(low <= step and (high is None or step <= high) for low, high in spans)
        )

    return select


def _span(part: str, whole: str) -> tuple[int, int | None]:
    found = _PART.fullmatch(part)
    if not part or not found or part == "-":
        raise UsageError(
            f"steps {whole!r}: {part!r} cannot be read", "write 1,5,10-20,50- or every:10"
        )
    low, dash, high = found.groups()
    if not dash:
        return int(low), int(low)
    first = int(low) if low else 0
    last = int(high) if high else None
    if last is not None and last < first:
        raise UsageError(f"steps {whole!r}: {part!r} runs backwards", "write the smaller one first")
    return first, last
