"""Evidence that a picture got worse: probes that moved the wrong way beyond their own noise."""

import math
import tomllib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Literal

from msgspec import Struct, convert

from b100tui.analysis.absurd import is_absurd
from b100tui.analysis.onset import Onset, onset
from b100tui.analysis.signals import as_fitted, judged, texture_at_hand

LEAST_DROP = {"ssim": 0.03, "psnr": 1.0}  # below the first comparable step; SSIM, dB


class Family(Struct, frozen=True):
    """One kind of damage and how the probes show it (`contradictions.toml`)."""

    signals: tuple[str, ...]
    kind: Literal["ratio", "difference", "value"]
    direction: Literal["up", "down"]
    least: float
    source: str
    why: str


class Moved(Struct, frozen=True, kw_only=True):
    """A family that moved: `amount` at the step asked about (ratio or value), and since when."""

    family: str
    source: str
    signal: str
    amount: float
    since: int
    sentence: str


@lru_cache(maxsize=1)
def families() -> dict[str, Family]:
    """Return the shipped families of evidence by name."""
    text = files("b100tui.analysis").joinpath("contradictions.toml").read_text(encoding="utf-8")
    return convert(tomllib.loads(text), dict[str, Family])


class Probes:
    """The probe series of one run, each signal's change found once however often it is asked."""

    def __init__(
        self,
        signals: Mapping[str, Mapping[int, float | None]],
        comparable: Sequence[int],
        reference: int,
    ) -> None:
        self.signals = signals
        self.steps = sorted({step for step in comparable if step > reference})
        self.reference = reference
        self._onsets: dict[str, Onset] = {}

    def value(self, signal: str, step: int) -> float | None:
        """Return a value, None where it is missing or absurd."""
        value = self.signals.get(signal, {}).get(step)
        if value is None or math.isnan(value) or is_absurd(None, value):
            return None
        return value

    def moved(self, name: str, step: int) -> Moved | None:
        """Return how family `name` had moved by `step`, None when it had not."""
        family = families()[name]
        for signal in family.signals:
            if family.direction == "down" and self._resampled(signal):
                continue
            amount = self._amount(family, signal, step)
            if amount is None or not _enough(family, amount):
                continue
            change = self._change(signal, absolute=family.kind != "value")
            rises = (change.rise or 0.0) > 0.0
            if change.step is None or change.step > step or rises != (family.direction == "up"):
                continue
            sentence = _sentence(name, signal, family, amount)
            return Moved(
                family=name,
                source=family.source,
                signal=signal,
                amount=amount,
                since=change.step,
                sentence=sentence,
            )
        return None

    def fidelity(self, step: int) -> Moved | None:
        """Return how aligned fidelity had fallen by `step` below the first comparable step."""
        family = families()["fidelity"]
        for signal in family.signals:
            now = self.value(signal, step)
            first = next(
                (value for at in self.steps if (value := self.value(signal, at)) is not None), None
            )
            if now is None or first is None or first - now < LEAST_DROP[signal]:
                continue
            change = self._change(signal, absolute=False)
            if change.step is None or change.step > step or (change.rise or 0.0) >= 0.0:
                continue
            return Moved(
                family="fidelity",
                source=family.source,
                signal=signal,
                amount=first - now,
                since=change.step,
                sentence=f"aligned {signal.upper()} fell from {first:.3g} to {now:.3g}",
            )
        return None

    @property
    def has_fidelity(self) -> bool:
        """Whether any measure of aligned fidelity has values."""
        return any(
            self.value(signal, step) is not None
            for signal in families()["fidelity"].signals
            for step in self.steps
        )

    def _resampled(self, signal: str) -> bool:
        """Whether a fall may be resampling alone, and the aligned texture knows better."""
        one = judged().get(signal)
        return one is not None and one.softens and texture_at_hand(self.signals)

    def _amount(self, family: Family, signal: str, step: int) -> float | None:
        value = self.value(signal, step)
        if value is None or family.kind == "value":
            return value
        base = self.value(signal, self.reference)
        if base is None:
            return None
        if family.kind == "difference":
            return value - base
        return value / base if base > 0.0 else None

    def _change(self, signal: str, *, absolute: bool) -> Onset:
        if signal not in self._onsets:
            # Against itself the reference is perfect by definition: no point of such a series.
            steps = [self.reference, *self.steps] if absolute else self.steps
            values = [self.value(signal, step) for step in steps]
            fitted = as_fitted(signal, values)
            self._onsets[signal] = onset(steps, fitted, reference=self.reference)
        return self._onsets[signal]


def _enough(family: Family, amount: float) -> bool:
    return amount >= family.least if family.direction == "up" else amount <= family.least


def _sentence(name: str, signal: str, family: Family, amount: float) -> str:
    if name == "cast":
        return f"the mean colour moved by {amount:.1f} (CIELAB)"
    if name == "texture":
        return f"texture fell to {100 * amount:.0f} % of the reference"
    if family.kind == "difference":
        unit = " dB" if name == "grid" else ""
        return f"{signal.replace('_', ' ')} rose by {amount:.2g}{unit}"
    return f"{signal.replace('_', ' ')} is {amount:.2g} times the reference"
