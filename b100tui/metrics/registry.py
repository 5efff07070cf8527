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

_EXTRA = "pip install 'b100[score]'"
# backend -> the modules it needs, each with the words when it is absent
_NEEDS: dict[str, dict[str, tuple[str, str]]] = {
    "probes": {},
    "pyiqa": {
        "torch": ("torch is not installed", _EXTRA),
        "pyiqa": ("pyiqa is not installed", _EXTRA),
        "pkg_resources": ("setuptools 81 or newer lacks pkg_resources", _EXTRA),
    },
}
_WAITING = {"changed_share": "needs drift alignment, which this release does not have"}


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
    if of.id in _WAITING:
        return Availability(False, _WAITING[of.id], "use the other probes")
    if of.backend not in _NEEDS or find_spec(f"b100tui.metrics.{of.backend}") is None:
        extra = " and the score extra" if of.backend == "pyiqa" else ""
        return Availability(
            False,
            f"needs the {of.backend} backend{extra}; this release has the probes only",
            "b100 scores import FILE takes values made elsewhere",
        )
    for module, (reason, fix) in _NEEDS[of.backend].items():
        if find_spec(module) is None:
            return Availability(False, reason, fix)
    return Availability(True)


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
