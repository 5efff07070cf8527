"""What an edit costs: before it (low, likely, worst) and after it (by the tokens used)."""

from typing import Any

from msgspec import Struct

from b100tui.editors.table import Price, Row

_MILLION = 1_000_000.0
_PROMPT_TOKENS = 200
_LIKELY_TEXT_TOKENS = 430
_WORST_TEXT_TOKENS = 3_000
_DIGITS = 9


class Cost(Struct, frozen=True):
    """US dollars of one edit."""

    low: float
    likely: float
    worst: float


FREE = Cost(0.0, 0.0, 0.0)


def edit_cost(row: Row, resolution: str | None, *, turns: int = 0) -> Cost:
    """Return what one edit at `resolution` may cost.

    `worst` stands for the largest picture the model makes plus 3,000 thought tokens: it is what
    a budget reserves. `turns` counts earlier pictures that a growing dialog sends along.
    """
    if row.usd_per_image is not None:
        return Cost(row.usd_per_image, row.usd_per_image, row.usd_per_image)
    price = row.price
    if price is None:
        return FREE
    tokens = price.image_tokens
    asked = tokens.get(resolution or "1K") or max(tokens.values(), default=0)
    largest = max(tokens.values(), default=0)
    sent = (price.input_image_tokens + _PROMPT_TOKENS) * (turns + 1)
    sent += asked * turns
    given = sent * price.input

    def total(image: int, text: int) -> float:
        return round((given + image * price.image + text * price.text) / _MILLION, _DIGITS)

    return Cost(
        total(asked, 0), total(asked, _LIKELY_TEXT_TOKENS), total(largest, _WORST_TEXT_TOKENS)
    )


def usage_cost(price: Price, usage: dict[str, Any]) -> float | None:
    """Return the dollars of a reply by its token counts, None where it names none.

    Pictures are those that the details list as IMAGE; the rest of the candidates is text, and
    thoughts are billed as text. Without details every candidate token counts as picture: the
    dearer reading, so that a ledger is never below the bill.
    """
    if not isinstance(usage.get("candidatesTokenCount"), int) and not isinstance(
        usage.get("promptTokenCount"), int
    ):
        return None
    candidates = _count(usage.get("candidatesTokenCount"))
    details = usage.get("candidatesTokensDetails")
    if isinstance(details, list) and details:
        image = sum(
            _count(part.get("tokenCount"))
            for part in details
            if isinstance(part, dict) and part.get("modality") == "IMAGE"
        )
        image = min(image, candidates) if candidates else image
    else:
        image = candidates
    text = max(0, candidates - image) + _count(usage.get("thoughtsTokenCount"))
    total = (
        image * price.image
        + text * price.text
        + _count(usage.get("promptTokenCount")) * price.input
    )
    return round(total / _MILLION, _DIGITS)


def text_cost(usage: dict[str, Any], input_price: float, text_price: float) -> float:
    """Return the dollars of a text-only reply (a judge's)."""
    text = _count(usage.get("candidatesTokenCount")) + _count(usage.get("thoughtsTokenCount"))
    total = _count(usage.get("promptTokenCount")) * input_price + text * text_price
    return round(total / _MILLION, _DIGITS)


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
