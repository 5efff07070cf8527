"""What a report is made of and where each of its files comes from."""

import hashlib
import platform
import shlex
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from b100tui import __version__
from b100tui.analysis.gaps import STEPS
from b100tui.model.records import Run
from b100tui.report.gap_table import Bounds, GapTable
from b100tui.report.writing import Provenance

if TYPE_CHECKING:
    from b100tui.index.store import Index

FIGURES = ("4", "5", "6", "7", "10", "strips")
TABLES = ("1", "2", "first-yes")
MORE_TABLES = ("gaps", "onset", "notice", "agreement")  # made when asked for by name
FORMATS = ("png", "svg", "csv", "parquet", "tex", "html")
TITLES = {
    "4": "Figure 4: gap over steps",
    "5": "Figure 5: score gaps",
    "6": "Figure 6: failures",
    "7": "Figure 7: scores over steps",
    "10": "Figure 10: failures by editor",
    "strips": "Strips",
}
SEED = 0  # of the onset's bootstrap
_PACKAGES = ("numpy", "scipy", "matplotlib", "duckdb", "pillow", "opencv-python-headless")


class Wanted(Struct, frozen=True, kw_only=True):
    """What to make and of what; `metric` is the one of Figure 4, "" for the plainest failure."""

    figures: tuple[str, ...] = FIGURES
    tables: tuple[str, ...] = TABLES
    formats: tuple[str, ...] = FORMATS
    filter: str | None = None
    steps: tuple[int, ...] = STEPS
    reference: int = 1
    by: str = "image"
    metrics: str | None = None
    metric: str = ""
    bounds: Bounds = {}
    bound_words: tuple[str, ...] = ()
    all_recipes: bool = False


class Origin:
    """Knows the data behind a report, and the command that makes a part of it again."""

    def __init__(
        self, index: "Index", wanted: Wanted, runs: Sequence[Run], table: GapTable
    ) -> None:
        self.index = index
        self.wanted = wanted
        self.runs = runs
        self.table = table
        self.base = self._provenance()

    def told(
        self,
        *,
        figures: tuple[str, ...] = (),
        tables: tuple[str, ...] = (),
        formats: tuple[str, ...] = (),
    ) -> Provenance:
        """Return where a file comes from that holds these parts in these formats."""
        command = self.command(figures=figures, tables=tables, formats=formats)
        return msgspec.structs.replace(self.base, command=command)

    def command(
        self,
        *,
        figures: tuple[str, ...] = (),
        tables: tuple[str, ...] = (),
        formats: tuple[str, ...] = (),
    ) -> str:
        """Return the command that makes these parts again; --out names a folder of no meaning."""
        wanted = self.wanted
        words = ["b100", "report", "--root", str(self.index.root), "--out", "report"]
        words += ["--figures", ",".join(figures)] if figures else []
        words += ["--tables", ",".join(tables)] if tables else []
        words += ["--formats", ",".join(formats)] if formats else []
        words += ["--filter", wanted.filter] if wanted.filter else []
        words += ["--steps", ",".join(map(str, wanted.steps))] if wanted.steps != STEPS else []
        words += ["--reference", str(wanted.reference)] if wanted.reference != 1 else []
        words += ["--by", wanted.by] if wanted.by != "image" else []
        words += ["--metrics", wanted.metrics] if wanted.metrics else []
        words += ["--metric", wanted.metric] if wanted.metric else []
        for bound in wanted.bound_words:
            words += ["--bound", bound]
        words += ["--all-recipes"] if wanted.all_recipes else []
        return shlex.join(words)

    def _provenance(self) -> Provenance:
        reasons: dict[str, int] = {}
        for one in self.table.left_out:
            reasons[one.reason] = reasons.get(one.reason, 0) + 1
        ids = [run.run for run in self.runs]
        ((steps, scores),) = self.index.ask(
            "SELECT (SELECT count(*) FROM step WHERE status = 'ok' AND run IN (SELECT unnest(?))),"
            " (SELECT count(value) FROM score WHERE run IN (SELECT unnest(?)))",
            [ids, ids],
        )
        return Provenance(
            tool=f"b100 {__version__}",
            command=self.command(),
            data=_data_hash(self.index, ids),
            reference=self.wanted.reference,
            steps=self.wanted.steps,
            by=self.wanted.by,
            filter=self.wanted.filter or "",
            bounds=dict(self.wanted.bounds),
            seeds={"bootstrap": SEED},
            n={
                "runs": len(ids),
                "runs_in_gaps": sum(len(many) for many in self.table.members.values()),
                "steps": steps,
                "scores": scores,
            },
            left_out=reasons,
            versions=_versions(),
        )


def _data_hash(index: "Index", runs: Sequence[str]) -> str:
    """Return one hash over every score, verdict and mark of the runs, in a fixed order."""
    total = hashlib.sha256()
    for sql in (
        "SELECT md5(concat_ws('|', run, step, metric, metric_version, value::VARCHAR))"
        " FROM score WHERE value IS NOT NULL AND run IN (SELECT unnest(?))"
        " ORDER BY run, step, metric",
        "SELECT md5(concat_ws('|', run, step, model, verdict)) FROM verdict"
        " WHERE run IN (SELECT unnest(?)) ORDER BY run, step, model",
        "SELECT md5(concat_ws('|', id, run, step, mode)) FROM mark"
        " WHERE run IN (SELECT unnest(?)) ORDER BY id",
        "SELECT md5(concat_ws('|', run, step, status, width, height, sha256)) FROM step"
        " WHERE run IN (SELECT unnest(?)) ORDER BY run, step",
    ):
        for (one,) in index.ask(sql, [list(runs)]):
            total.update(one.encode())
    return total.hexdigest()


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version(), "machine": platform.machine()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "unknown"
    return found
