"""Agreement between two annotators beyond chance."""

from collections.abc import Hashable, Mapping

from msgspec import Struct


class Kappa(Struct, frozen=True, kw_only=True):
    """Cohen's kappa over the `n` items both judged; None when chance alone explains all.

    `observed` and `expected` are shares of agreement.
    """

    n: int
    observed: float | None
    expected: float | None
    kappa: float | None
    reason: str = ""


def cohens_kappa(one: Mapping[Hashable, Hashable], other: Mapping[Hashable, Hashable]) -> Kappa:
    """Return Cohen's kappa (1960) of two annotators, each {item: category}.

    Only items that both judged count. When both used one and the same category throughout,
    kappa is not defined.
    """
    both = [item for item in one if item in other]
    if not both:
        return Kappa(n=0, observed=None, expected=None, kappa=None, reason="no item in common")
    count = len(both)
    observed = sum(one[item] == other[item] for item in both) / count
    categories = {one[item] for item in both} | {other[item] for item in both}
    expected = sum(
        sum(one[item] == name for item in both) * sum(other[item] == name for item in both)
        for name in categories
    ) / (count * count)
    if expected >= 1.0:
        reason = "both used one category only"
        return Kappa(n=count, observed=observed, expected=expected, kappa=None, reason=reason)
    value = (observed - expected) / (1.0 - expected)
    return Kappa(n=count, observed=observed, expected=expected, kappa=value)
