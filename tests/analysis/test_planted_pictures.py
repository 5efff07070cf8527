"""From pictures to onset: damage that begins at a known step, one kind at a time."""

import cv2
import numpy as np
import pytest

from b100tui.analysis.consensus import SIGNALS, RunOnset, run_onset
from b100tui.analysis.contradictions import contradictions
from b100tui.analysis.onset import onset
from b100tui.imaging.align import align, prepare
from b100tui.imaging.aligned import measure as measure_aligned
from b100tui.metrics.probes import measure, measure_against
from b100tui.model.metric import Metric
from tests.imaging.pairs import Pixels, moved, noisy, scene

LAST = 26
Series = dict[str, dict[int, float | None]]


def damaged(picture: Pixels, kind: str, amount: int) -> Pixels:
    if amount <= 0 or kind == "none":
        return picture
    if kind == "noise":
        return noisy(picture, 1.5 * amount, amount)
    if kind == "tint":
        shift = np.array([-1.2, 0.9, -0.8]) * amount
        return np.clip(picture + shift, 0, 255).astype(np.uint8)
    if kind == "blur":
        return np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.35 * amount**0.5 + 0.25))
    if kind == "halo":
        soft = cv2.GaussianBlur(picture, (0, 0), 2.0).astype(float)
        return np.clip(picture + 0.25 * amount * (picture - soft), 0, 255).astype(np.uint8)
    return moved(picture, zoom=0.004 * amount)


def trajectory(kind: str, first: int, seed: int) -> dict[int, Pixels]:
    """Every step is redrawn with a little noise and tone of its own; damage grows from `first`."""
    rng = np.random.default_rng(seed)
    picture = scene(seed, (192, 256))
    tone = 0.0
    out = {}
    for step in range(1, LAST + 1):
        tone = 0.5 * tone + rng.normal(0, 0.25)
        clean = np.clip(damaged(picture, kind, step - first + 1) + tone, 0, 255).astype(np.uint8)
        out[step] = noisy(clean, 2.0 + rng.normal(0, 0.03), 1000 * seed + step)
    return out


def probed(steps: dict[int, Pixels], *, aligned: bool = False) -> Series:
    out: Series = {}
    prepared = prepare(steps[1]) if aligned else None
    for step, picture in steps.items():
        for name, value in measure(picture).items():
            out.setdefault(name, {})[step] = value
        if step > 1:
            for name, value in measure_against(picture, steps[1]).items():
                out.setdefault(name, {})[step] = value
            if prepared is not None:
                found = align(prepared, picture)
                left = measure_aligned(steps[1], picture, found)
                zoom = out.setdefault("zoom", {})
                zoom[step] = found.zoom_pct
                if left is not None:
                    out.setdefault("ssim", {})[step] = left.ssim
                    out.setdefault("psnr", {})[step] = left.psnr
    return out


def judged(series: Series) -> RunOnset:
    return run_onset(
        {
            name: (sorted(series[name]), [series[name][step] for step in sorted(series[name])])
            for name in SIGNALS
            if name in series
        }
    )


@pytest.mark.parametrize("kind", ["noise", "tint", "blur", "halo"])
@pytest.mark.parametrize("first", [6, 13])
def test_the_onset_of_damage_in_pictures_is_found(kind: str, first: int) -> None:
    series = probed(trajectory(kind, first, first))
    found = judged(series)
    assert found.step is not None and abs(found.step - first) <= 1, found.reason


@pytest.mark.parametrize("seed", range(4))
def test_clean_pictures_have_no_onset(seed: int) -> None:
    series = probed(trajectory("none", 99, seed + 20))
    found = judged(series)
    assert found.status == "none"


def test_zoom_alone_is_drift_and_not_damage() -> None:
    series = probed(trajectory("zoom", 10, 3), aligned=True)
    steps = sorted(series["zoom"])
    found = onset(steps, [series["zoom"][step] for step in steps])
    assert found.step is not None and abs(found.step - 10) <= 1
    metric = Metric(id="m", name="M", backend="x", direction="higher", low=0.0, high=100.0)
    scores = {
        "m": {step: 50.0 + max(0, step - 9) + 0.1 * (step % 2) for step in range(1, LAST + 1)}
    }
    (answer,) = contradictions([metric], scores, series, steps)
    assert answer.status == "consistent", answer.evidence


def test_noise_that_a_metric_likes_is_a_contradiction() -> None:
    series = probed(trajectory("noise", 8, 5), aligned=True)
    likes = Metric(id="l", name="L", backend="x", direction="higher", low=0.0, high=20000.0)
    scores = {"l": series["laplacian_variance"]}
    (answer,) = contradictions([likes], scores, series, sorted(series["ssim"]))
    assert answer.status == "contradicts" and (answer.noise_ratio or 0) > 2
