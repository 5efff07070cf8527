"""The registry of metrics: what each is and what it needs. The rows are data.

Rows come from registry.toml, from entry points of installed packages, from the user's own
metrics.toml, and (found by name, not listed) from more.toml: all that pyiqa knows.
"""

import re
import warnings
from functools import cache, lru_cache
from importlib.metadata import entry_points
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from b100tui.model.errors import UNPARSABLE, UnknownMetricError, UsageError, parse_fault
from b100tui.model.metric import Metric
from b100tui.workspace.places import config_dir

if TYPE_CHECKING:
    from b100tui.metrics.preflight import Availability

GROUP = "b100.metrics"


class Weight(Struct, frozen=True):
    """A file a metric's backend loads: where it looks for it, and what is known of it.

    `place` is pyiqa, checkpoints or clip (folders below TORCH_HOME/hub) or hf (a repository on the
    Hugging Face hub). `sha256` may be the beginning of the hash only; `url` is empty where pyiqa's
    own repository has the file.
    """

    file: str
    place: str = "pyiqa"
    url: str = ""
    bytes: int | None = None
    sha256: str | None = None


class Row(Struct, frozen=True):
    """A metric with what its backend needs to know of it."""

    metric: Metric
    aliases: tuple[str, ...] = ()
    weights: tuple[Weight, ...] = ()
    options: dict[str, Any] = {}


def metrics() -> tuple[Metric, ...]:
    """Return every listed metric, the paper's first, in a fixed order, then the user's own.

    Other metrics that pyiqa knows are not listed, but `metric` finds them by name.
    """
    return tuple(row.metric for row in _listed().values())


def more() -> tuple[Metric, ...]:
    """Return the metrics that are not listed but found by name: all else that pyiqa knows."""
    return tuple(row.metric for row in _more().values())


def metric(name: str) -> Metric:
    """Return the metric with this id or display name (case and punctuation do not matter).

    Raises UnknownMetricError naming the nearest known ids.
    """
    found = known(name)
    if found is None:
        import difflib

        near = difflib.get_close_matches(name.lower(), [*_listed(), *_more()], 3)
        raise UnknownMetricError(
            f"no metric {name!r}",
            f"did you mean {', '.join(near)}?" if near else "b100 metrics lists them",
        )
    return found


def known(name: str) -> Metric | None:
    """Return the metric with this id or display name, or None."""
    row = _row(name)
    return row.metric if row else None


def unknown_metric(name: str) -> Metric:
    """Return a metric nobody registered (an imported score): direction and range unknown."""
    return Metric(id=identifier(name), name=name, backend="imported")


def identifier(name: str) -> str:
    """Return the registered id for `name`, else the name made into an identifier."""
    found = _row(name)
    if found:
        return found.metric.id
    return identifier_of(name)


def identifier_of(name: str) -> str:
    """Return `name` made into an identifier."""
    plain = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_") or "metric"
    return plain if not plain[0].isdigit() else f"m_{plain}"


def weights(name: str) -> tuple[Weight, ...]:
    """Return the weight files of the metric with id `name`; empty where it needs none."""
    return row(name).weights


def row(name: str) -> Row:
    """Return the whole row of a metric. Raises UnknownMetricError as `metric` does."""
    found = _row(name)
    return found if found is not None else Row(metric(name))


def own_file() -> Path:
    """Return where a user adds metrics or options of them: metrics.toml in the config folder."""
    return config_dir() / "metrics.toml"


def _row(name: str) -> Row | None:
    listed = _listed()
    found = _names(listed).get(_plain(name))
    if found:
        return listed[found]
    more = _more()
    found = _more_names().get(_plain(name))
    return more[found] if found else None


def _listed() -> dict[str, Row]:
    own = own_file()
    try:
        facts = own.stat()
    except OSError:
        return _shipped()
    return _with_own(own, facts.st_mtime_ns, facts.st_size)


@cache
def _shipped() -> dict[str, Row]:
    rows = _made(_table("registry.toml"))
    for found in _entry_points():
        rows.setdefault(found.metric.id, found)
    return rows


@cache
def _more() -> dict[str, Row]:
    return _made(_table("more.toml"))


@lru_cache(maxsize=2)
def _with_own(path: Path, mtime_ns: int, size: int) -> dict[str, Row]:
    """Return the shipped rows with those of the user's file added or amended."""
    shipped = _table("registry.toml")
    try:
        own: dict[str, Any] = msgspec.toml.decode(path.read_text(encoding="utf-8"))
        for name, fields in own.get("metric", {}).items():
            base = shipped["metric"].get(name, {"name": name, "backend": "command"})
            shipped["metric"][identifier_of(name)] = {**base, **fields}
        return {**_shipped(), **_made(shipped)}
    except (OSError, AttributeError, TypeError, *UNPARSABLE) as error:
        fault = parse_fault(error)
        raise UsageError(f"{path}: {fault}", "b100 help metrics shows its form") from error


def _table(name: str) -> dict[str, Any]:
    text = files("b100tui.metrics").joinpath(name).read_text(encoding="utf-8")
    table: dict[str, Any] = msgspec.toml.decode(text)
    return table


def _made(table: dict[str, Any]) -> dict[str, Row]:
    rows = {}
    known_fields = set(Metric.__struct_fields__)
    for name, given in table["metric"].items():
        fields = {**table["defaults"].get(given.get("defaults", ""), {}), **given, "id": name}
        fields.pop("defaults", None)
        aliases = tuple(fields.pop("aliases", ()))
        needed = msgspec.convert(fields.pop("weights", ()), tuple[Weight, ...])
        options = {key: fields.pop(key) for key in list(fields) if key not in known_fields}
        rows[name] = Row(msgspec.convert(fields, Metric), aliases, needed, options)
    return rows


def _entry_points() -> list[Row]:
    """Return the metrics of installed packages: entry points of the group b100.metrics.

    Each loads to a class with the Backend protocol and a class attribute `METRICS`, a tuple of
    Metric. One that cannot be loaded is left out here and named by `b100 doctor`.
    """
    rows = []
    for point in entry_points(group=GROUP):
        try:
            own = point.load().METRICS
        except Exception as error:  # the border to foreign code
            warnings.warn(
                f"entry point {point.name}: {type(error).__name__}: {error}", stacklevel=2
            )
            continue
        rows += [
            Row(msgspec.structs.replace(one, backend="entry"), options={"entry": point.name})
            for one in own
        ]
    return rows


@lru_cache(maxsize=2)
def _names_of(keys: tuple[tuple[str, tuple[str, ...]], ...]) -> dict[str, str]:
    return {_plain(spelling): name for name, spellings in keys for spelling in spellings}


def _names(rows: dict[str, Row]) -> dict[str, str]:
    return _names_of(
        tuple((name, (name, row.metric.name, *row.aliases)) for name, row in rows.items())
    )


@cache
def _more_names() -> dict[str, str]:
    return _names(_more())


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower().replace("+", "plus"))


def availability(of: Metric) -> "Availability":
    """Say whether `of` can run in this interpreter: see preflight.availability."""
    from b100tui.metrics import preflight

    return preflight.availability(of)
