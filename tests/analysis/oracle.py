"""What no detector can do better: a test that knows the curve, the noise and the null it faces."""

import numpy as np

from tests.analysis.planted import Floats


def covariance(kind: str, length: int) -> Floats:
    """The covariance of `planted.noise` of that kind."""
    place = np.arange(length)
    if kind == "walk" or kind.startswith("level"):
        own = float(kind[5:]) if kind != "walk" else 0.0
        return np.minimum(place[:, None], place) + 1.0 + own**2 * np.eye(length)
    phi = 0.0 if kind == "white" else float(kind[2:])
    return np.asarray(phi ** np.abs(place[:, None] - place))


def missed(
    curve: Floats,
    kind: str,
    nulls: tuple[str, ...],
    rng: np.random.Generator,
    *,
    level: float = 0.05,
    draws: int = 200,
) -> float:
    """Share of series "curve + noise" that the likelihood-ratio test calls one of the nulls.

    Neyman and Pearson: no test of size `level` against a null misses fewer. The constant is
    projected out; each null has the scale that comes nearest. The worst null counts.
    """
    length = len(curve)
    base, _ = np.linalg.qr(np.column_stack([np.ones(length), np.eye(length)[:, 1:]]))
    free = base[:, 1:].T
    mean, spread = free @ curve, free @ covariance(kind, length) @ free.T
    inside = np.linalg.inv(spread)
    seen = rng.standard_normal((draws, length - 1)) @ np.linalg.cholesky(spread).T + mean
    worst = 0.0
    for null in nulls:
        other = free @ covariance(null, length) @ free.T
        inverse = np.linalg.inv(other)
        scale = (np.trace(inverse @ spread) + mean @ inverse @ mean) / (length - 1)
        other, inverse = other * scale, inverse / scale
        clean = rng.standard_normal((draws, length - 1)) @ np.linalg.cholesky(other).T

        def ratio(rows: Floats, inverse: Floats = inverse) -> Floats:
            off = rows - mean
            return np.asarray(
                np.einsum("ij,jk,ik->i", rows, inverse, rows)
                - np.einsum("ij,jk,ik->i", off, inside, off)
            )

        bar = np.quantile(ratio(clean), 1.0 - level)
        worst = max(worst, float(np.mean(ratio(seen) < bar)))
    return worst


def missed_knowing_the_curve(
    curve: Floats,
    kind: str,
    nulls: tuple[str, ...],
    rng: np.random.Generator,
    *,
    level: float = 0.05,
    draws: int = 400,
) -> float:
    """The same where k and m are known, but neither the noise nor the size of the change.

    What is lost beyond this is the price of the search over every onset and every ramp.
    """
    from b100tui.analysis import ramp
    from tests.analysis.planted import noise

    length = len(curve)
    start, reach = np.array([0]), np.array([1.0])
    family = tuple(ramp.of_shapes(curve[np.newaxis, :], start, reach, one) for one in ramp.NOISES)
    bar = max(
        float(np.quantile(ramp.fit(family, noise(null, draws, length, rng)).statistic, 1 - level))
        for null in nulls
    )
    seen = ramp.fit(family, noise(kind, draws, length, rng) + curve).statistic
    return float(np.mean(seen < bar))
