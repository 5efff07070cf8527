"""The registry of metrics: what each is, and whether it can run here. The rows are data."""

import re
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from typing import Any

import msgspec
from msgspec import Struct

from b100tui.model.errors import MetricError
from b100tui.model.metric import Metric

_PINS = "pip install 'b100[score]'"


class Availability(Struct, frozen=True):
    """Whether a metric can run here; if not, why, and what to do."""

    ready: bool
    reason: str = ""
    fix: str = ""


class Weight(Struct, frozen=True):
    """A file a metric's backend loads; size and hash where they are known."""

    file: str
    bytes: int | None = None
    sha256: str | None = None


class _Row(Struct, frozen=True):
    metric: Metric
    aliases: tuple[str, ...]
    weights: tuple[Weight, ...]


def metrics() -> tuple[Metric, ...]:
    """Return every known metric, the paper's first, in a fixed order."""
    return tuple(row.metric for row in _rows().values())


def metric(name: str) -> Metric:
    """Return the metric with this id or display name (case and punctuation do not matter).

    Raises MetricError naming the nearest known ids.
    """
    found = known(name)
    if found is None:
        import difflib

        near = difflib.get_close_matches(name.lower(), list(_rows()), 3)
        raise MetricError(
            f"no metric {name!r}",
            f"did you mean {', '.join(near)}?" if near else "b100 metrics lists them",
        )
    return found


def known(name: str) -> Metric | None:
    """Return the metric with this id or display name, or None."""
    row = _rows().get(_names().get(_plain(name), ""))
    return row.metric if row else None


def unknown_metric(name: str) -> Metric:
    """Return a metric nobody registered (an imported score): direction and range unknown."""
    return Metric(id=identifier(name), name=name, backend="imported")


def identifier(name: str) -> str:
    """Return the registered id for `name`, else the name made into an identifier."""
    found = _names().get(_plain(name))
    if found:
        return found
    plain = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_") or "metric"
    return plain if not plain[0].isdigit() else f"m_{plain}"


def weights(name: str) -> tuple[Weight, ...]:
    """Return the weight files of the metric with id `name`; empty where it needs none."""
    return _rows()[metric(name).id].weights


def availability(of: Metric) -> Availability:
    """Say whether `of` can run here, without importing its backend."""
    if of.backend == "probes":
        if of.id == "changed_share":
            return Availability(
                False, "needs alignment, which is not there yet", "use the other probes"
            )
        return Availability(True)
    if of.backend == "pyiqa":
        return _pyiqa_availability()
    if of.backend == "endpoint":
        return Availability(
            False, "the endpoint backend is not there yet", "import its scores: b100 scores import"
        )
    if of.backend == "command":
        return Availability(
            False, "the command backend is not there yet", "import its scores: b100 scores import"
        )
    return Availability(False, "imported scores only", "b100 scores import FILE")


def _pyiqa_availability() -> Availability:
    for module in ("torch", "pyiqa"):
        if find_spec(module) is None:
            return Availability(False, f"{module} is not installed", _PINS)
    if find_spec("pkg_resources") is None:
        return Availability(
            False, "setuptools 81 or newer lacks pkg_resources", "pip install 'setuptools<81'"
        )
    return Availability(
        False, "the pyiqa backend is not there yet", "import its scores: b100 scores import"
    )


@cache
def _rows() -> dict[str, _Row]:
    text = files("b100tui.metrics").joinpath("registry.toml").read_text(encoding="utf-8")
    table: dict[str, Any] = msgspec.toml.decode(text)
    rows = {}
    for name, row in table["metric"].items():
        fields = {**table["defaults"].get(row.get("defaults", ""), {}), **row, "id": name}
        fields.pop("defaults", None)
        aliases = tuple(fields.pop("aliases", ()))
        files_needed = msgspec.convert(fields.pop("weights", ()), tuple[Weight, ...])
        rows[name] = _Row(msgspec.convert(fields, Metric), aliases, files_needed)
    return rows


@cache
def _names() -> dict[str, str]:
    names = {}
    for name, row in _rows().items():
        for spelling in (name, row.metric.name, *row.aliases):
            names[_plain(spelling)] = name
    return names


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
