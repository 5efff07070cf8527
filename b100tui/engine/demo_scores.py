"""Scores and verdicts of the demo: probes measured for real, four metrics invented and so named.

The invented values follow the planted damage; `LIAR` improves while the picture breaks, as
BRISQUE does in the paper. All of them carry `simulated` and the metric version "simulated".
"""

import hashlib
import math
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from b100tui.editors.schedule import Schedule, generator
from b100tui.model.records import ScoreRecord, VerdictRecord

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from b100tui.metrics.probes import View

Answer = Literal["yes", "no", "no_summary"]
LIAR = "brisque"
JUDGE = "simulated-judge"
# metric -> (value of an undamaged picture, spread of that over images, change at full damage,
# power by which damage shows, spread from step to step)
_INVENTED = {
    "brisque": (34.0, 6.0, -44.0, 0.8, 0.7),
    "clipiqa": (0.72, 0.06, -0.31, 1.6, 0.008),
    "musiq": (70.0, 4.0, -23.0, 1.2, 0.45),
    "niqe": (3.6, 0.5, 2.9, 1.0, 0.06),
}
# Against the reference step only what stays meaningful while the picture drifts, unaligned.
_AGAINST = ("colour_cast", "texture_ratio")
_PLAIN = msgspec.to_builtins(ScoreRecord(run="", step=0, metric="", metric_version=""))


def damage_at(schedule: Schedule, step: int) -> float:
    """Return planted damage from 0 (none, before the onset) towards 1, nearly full in 20 steps."""
    if schedule.onset is None or step < schedule.onset:
        return 0.0
    return 1.0 - math.exp(-schedule.strength * (step - schedule.onset + 1) / 7.0)


def invented_scores(schedule: Schedule, image: str, step: int, sha256: str) -> dict[str, float]:
    """Return the four simulated metric values of one step, by metric id.

    The spread from step to step hangs on the picture's bytes: equal bytes score alike.
    """
    damage = damage_at(schedule, step)
    values = {}
    for metric, (base, spread, change, power, wobble) in _INVENTED.items():
        of_image = float(generator("image score", image, metric).standard_normal())
        noise = float(generator("step score", sha256, metric).standard_normal())
        values[metric] = base + spread * of_image + change * damage**power + wobble * noise
    return values


def probe_scores(
    pixels: "NDArray[np.uint8]", reference: "View | None" = None
) -> "tuple[dict[str, float], View]":
    """Return the measured probes of one picture (uint8 RGB), and its view.

    `reference` is the view of the reference step; handing it back in spares measuring it again.
    """
    from b100tui.metrics import probes

    wanted = probes.ALONE if reference is None else (*probes.ALONE, *_AGAINST)
    return probes.measure(pixels, wanted, reference), probes.View(pixels)


@cache
def probe_version(metric: str) -> tuple[str, dict[str, str]]:
    """Return metric_version and its parts, equal to those of `b100 score`."""
    from b100tui.metrics.probes import Probes
    from b100tui.metrics.protocol import metric_version

    parts = Probes().version_parts(metric)
    return metric_version(parts), parts


def is_against(metric: str) -> bool:
    """Return whether a probe compares with the reference step."""
    return metric in _AGAINST


def lean(record: ScoreRecord) -> dict[str, Any]:
    """Return a score record without the keys that hold their default."""
    whole = msgspec.to_builtins(record)
    return {
        key: value
        for key, value in whole.items()
        if key in ("run", "step", "metric", "metric_version") or value != _PLAIN[key]
    }


def verdict(
    run: str, step: int, thoughts: tuple[str, ...], noticed: bool, time: str
) -> VerdictRecord:
    """Return the simulated judge's answer about one reasoning summary."""
    text = "".join(thoughts)
    spoken: Answer = "yes" if noticed else "no"
    answer: Answer = spoken if text else "no_summary"
    return VerdictRecord(
        run=run,
        step=step,
        verdict=answer,
        model=JUDGE,
        content_hash=hashlib.sha256(f"{JUDGE}\n{text}".encode()).hexdigest(),
        reply=None if answer == "no_summary" else answer,
        simulated=True,
        time=time,
    )
