"""The two real runs: both decay from the first pass on."""

import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from b100tui.analysis.consensus import run_onset
from b100tui.analysis.limit import limit
from b100tui.analysis.signals import SIGNALS
from b100tui.imaging.align import align, prepare
from b100tui.imaging.aligned import measure as measure_aligned
from b100tui.metrics.probes import AGAINST, measure
from tests.shared_data import shared


def _pictures(folder: Path) -> dict[int, np.ndarray[tuple[int, ...], np.dtype[np.uint8]]]:
    out = {}
    for path in folder.glob("*.png"):
        found = re.search(r"step_(\d+)", path.name)
        if found:
            with Image.open(path) as picture:
                out[int(found[1])] = np.asarray(picture.convert("RGB"))
    return dict(sorted(out.items()))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "step", "by"), [("eiffel_reed", 6, "texture_ratio"), ("eiffel_vanilla", 12, "cast")]
)
def test_real_runs_break_from_the_start_and_pass_their_limit(name: str, step: int, by: str) -> None:
    pictures = _pictures(shared(f"real/reed-vae-steps/{name}"))
    reference = prepare(pictures[1])
    series: dict[str, dict[int, float | None]] = {}
    for at, picture in pictures.items():
        measured = dict(measure(picture))
        if at > 1:
            measured.update(measure(picture, AGAINST, pictures[1]))
            left = measure_aligned(pictures[1], picture, align(reference, picture))
            assert left is not None
            measured["ssim"] = left.ssim
        for key, value in measured.items():
            series.setdefault(key, {})[at] = value
    found = run_onset(
        {key: (list(series[key]), list(series[key].values())) for key in SIGNALS if key in series}
    )
    assert found.status == "from_start" and found.low == 2
    bad = limit(series, [at for at in pictures if at > 1])
    assert (bad.step, bad.name) == (step, by)
