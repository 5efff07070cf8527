"""The report: the paper's figures and tables for indexed data, each with where it comes from.

Nothing that passes (dates, temporary names) goes into a file, so that the command beside each
makes the same bytes again on the same machine and versions.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from b100tui.model.errors import StoreError, UsageError
from b100tui.report import figures as draw
from b100tui.report import tables as made
from b100tui.report.chosen import Excluded, runs_of
from b100tui.report.curves import Curve, curves
from b100tui.report.examples import aligned_crop, contact_sheet, example_runs, strip_of
from b100tui.report.gap_table import GapTable, gap_table
from b100tui.report.lies import accusable, verdict_sentence
from b100tui.report.onsets import onset_table
from b100tui.report.origin import FIGURES, FORMATS, MORE_TABLES, TABLES, TITLES, Origin, Wanted
from b100tui.report.page import Part, page_bytes
from b100tui.report.strip import png_bytes
from b100tui.report.tables import Table
from b100tui.report.writing import csv_bytes, tex_bytes, write_parquet
from b100tui.workspace.atomic import write_atomic

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from b100tui.index.store import Index
    from b100tui.model.metric import Metric

EXAMPLES = 3
Progress = Callable[[str], None]


class ReportFile(Struct, frozen=True, kw_only=True):
    """One file of the report: `kind` names what it shows, `command` makes it again."""

    path: str
    kind: str
    command: str
    sha256: str


class Report(Struct, frozen=True, kw_only=True):
    """The files, and what could not be made and why."""

    files: tuple[ReportFile, ...]
    skipped: tuple[Excluded, ...] = ()


def make_report(
    index: "Index", out: Path, wanted: Wanted, progress: Progress | None = None
) -> Report:
    """Write the report into `out` and return its files.

    Raises UsageError for unknown names and for a folder inside the root (its pictures would
    become steps), StoreError where nothing can be written.
    """
    _check(wanted)
    root = index.root.resolve()
    target = out.resolve()
    if target.is_relative_to(root) and not target.is_relative_to(root / ".b100"):
        raise UsageError(f"--out {out} lies inside the folder of runs", "choose one beside it")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"cannot make {out}: {error.strerror}", "choose another --out") from error
    return _Maker(index, out, wanted, progress or (lambda _: None)).make()


def _check(wanted: Wanted) -> None:
    for name, given, known in (
        ("--figures", wanted.figures, FIGURES),
        ("--tables", wanted.tables, (*TABLES, *MORE_TABLES)),
        ("--formats", wanted.formats, FORMATS),
    ):
        for one in given:
            if one not in known:
                raise UsageError(f"{name} {one!r} is not known", f"one of {', '.join(known)}")


class _Maker:
    """Makes the parts once and writes each in every format asked for."""

    def __init__(self, index: "Index", out: Path, wanted: Wanted, progress: Progress) -> None:
        self.index = index
        self.out = out
        self.wanted = wanted
        self.progress = progress
        self.files: list[ReportFile] = []
        self.skipped: list[Excluded] = []
        self.parts: list[Part] = []
        self.table = self._gaps(wanted.filter)
        self.runs = runs_of(index, wanted.filter)
        self._curves: list[Curve] | None = None
        self.origin = Origin(index, wanted, self.runs, self.table)

    def make(self) -> Report:
        """Make everything; what has no data is skipped and says why."""
        with draw.styled():
            for name in self.wanted.figures:
                self.progress(TITLES[name])
                self._strips() if name == "strips" else self._figure(name)
        for name in self.wanted.tables:
            self.progress(f"table {name}")
            self._table(name)
        if "html" in self.wanted.formats:
            self.progress("page")
            self._page()
        manifest = {"provenance": self.origin.base, "files": self.files, "skipped": self.skipped}
        self._write("provenance.json", "provenance", msgspec.json.encode(manifest), "")
        return Report(files=tuple(self.files), skipped=tuple(self.skipped))

    def _gaps(self, filter: str | tuple[str, ...] | None) -> GapTable:
        """Return the gaps of the metrics that judge a picture by themselves."""
        wanted = self.wanted
        names = ",".join(metric.id for metric in accusable(self.index, wanted.metrics))
        return gap_table(
            self.index,
            filter,
            steps=wanted.steps,
            reference=wanted.reference,
            by=wanted.by,
            metrics=names or wanted.metrics,
            bounds=wanted.bounds,
            all_recipes=wanted.all_recipes,
        )

    def _figure(self, name: str) -> None:
        if not self.table.groups or not self.table.metrics:
            why = "no scores of replicating runs" if self.runs else "no runs"
            self.skipped.append(Excluded(f"figure {name}", why))
            return
        figure, data, words = self._drawn(name)
        if figure is None:
            self.skipped.append(Excluded(f"figure {name}", words))
            return
        file = f"figure-{name}"
        pictures: dict[str, bytes] = {}
        for kind in ("png", "svg"):
            if kind in self.wanted.formats or (kind == "svg" and "html" in self.wanted.formats):
                told = self.origin.told(figures=(name,), formats=(kind,))
                pictures[kind] = draw.as_bytes(figure, kind, msgspec.to_builtins(told))
                if kind in self.wanted.formats:
                    self._write(f"{file}.{kind}", TITLES[name], pictures[kind], told.command)
        self._data(file, TITLES[name], data, figures=(name,))
        if "tex" in self.wanted.formats:
            command = self.origin.command(figures=(name,), formats=("png", "tex"))
            self._write(f"{file}.tex", TITLES[name], _figure_tex(file, words), command)
        if "html" in self.wanted.formats:
            self.parts.append(
                Part(
                    heading=TITLES[name],
                    words=words,
                    pictures=(("svg", pictures["svg"], TITLES[name]),),
                    command=self.origin.command(figures=(name,)),
                )
            )

    def _drawn(self, name: str) -> "tuple[Figure | None, Table, str]":
        """Return figure, its data, and a sentence under it."""
        table, cells = self.table, made.gap_rows(self.table)
        against = f"against step {table.reference}"
        if name == "5":
            return (
                draw.gap_heatmaps(table),
                cells,
                f"Normalised score gaps {against}, never clipped.",
            )
        if name == "6":
            steps = ", ".join(map(str, table.steps))
            return (
                draw.overlay_heatmap(table),
                cells,
                f"How many of the gaps at {steps} are failures.",
            )
        if name == "10":
            tables = self._by_editor()
            words = f"Failures {against}, by editor."
            return draw.overlays_by_editor(tables), made.joined_gaps(tables), words
        if self._curves is None:
            self._curves = curves(self.index, table)
        if name == "4":
            metric = self._plainest()
            chosen = [curve for curve in self._curves if curve.metric == metric.id]
            if not chosen:
                return None, cells, f"no scores of {metric.name}"
            words = f"Gap of {metric.name} over steps {against}: mean and sd over runs."
            return draw.gap_curves(chosen, metric, table), made.curve_rows(chosen), words
        words = "Mean over runs with its sd, where there are several."
        figure = draw.score_curves(self._curves, table.metrics)
        return figure, made.curve_rows(self._curves), words

    def _by_editor(self) -> dict[str, GapTable]:
        editors = sorted({run.editor for run in self.runs})
        found: dict[str, GapTable] = {}
        for editor in editors:
            only = [run.run for run in self.runs if run.editor == editor]
            part = self._gaps(tuple(only))
            if part.groups:
                found[editor or "editor not known"] = part
        return found or {"all": self.table}

    def _plainest(self) -> "Metric":
        """Return the metric of Figure 4: the one named, else BRISQUE as in the paper, else ..."""
        by_id = {metric.id: metric for metric in self.table.metrics}
        for name in (self.wanted.metric, "brisque"):
            if name in by_id:
                return by_id[name]
        return max(
            self.table.metrics,
            key=lambda one: sum(self.table.failures(g, one.id) or 0 for g in self.table.groups),
        )

    def _strips(self) -> None:
        if not ({"png", "html"} & set(self.wanted.formats)):
            return
        rows = example_runs(self.index, self.table, EXAMPLES)
        if not rows:
            self.skipped.append(Excluded("strips", "no runs to show"))
            return
        told = self.origin.told(figures=("strips",), formats=("png",))
        pictures = []
        for number, row in enumerate(rows, 1):
            captions = [row.worst_metric] if row.worst_metric else []
            captions += [name for name in ("noise_sigma",) if name in self.index.metrics()]
            try:
                image = strip_of(self.index, row, captions)
            except UsageError as error:
                self.skipped.append(Excluded(row.run, error.message))
                continue
            text = {"Comment": msgspec.json.encode(told).decode()}
            data = png_bytes(image, text)
            pictures.append(("png", data, row.run))
            if "png" in self.wanted.formats:
                self._write(f"figure-strips-{number}.png", "Strip", data, told.command)
        if "html" in self.wanted.formats and pictures:
            self.parts.append(
                Part(
                    heading=TITLES["strips"],
                    words="The same part of each step, pixel for pixel.",
                    pictures=tuple(pictures),
                    command=told.command,
                )
            )

    # tables

    def _table(self, name: str) -> None:
        found = self._tabled(name)
        if not found.rows:
            self.skipped.append(Excluded(f"table {name}", "nothing to list"))
            return
        self._data(found.name, found.title, found, tables=(name,))
        if "tex" in self.wanted.formats:
            told = self.origin.told(tables=(name,), formats=("tex",))
            self._write(f"{found.name}.tex", found.title, tex_bytes(found, told), told.command)
        if "html" in self.wanted.formats:
            command = self.origin.command(tables=(name,))
            self.parts.append(Part(heading=found.title, table=found, command=command))

    def _tabled(self, name: str) -> Table:
        index, runs = self.index, self.runs
        if name == "1":
            return made.initial_images(index, runs)
        if name == "2":
            return made.metric_table(index, made.shown_metrics(index), runs)
        if name == "first-yes":
            return made.first_yes_table(index, runs)
        if name == "gaps":
            return made.gap_rows(self.table)
        if name == "agreement":
            return made.agreement_table(index, runs)
        onsets = onset_table(index, runs, reference=self.wanted.reference)
        if name == "onset":
            return made.onset_rows(onsets)
        return made.notice_table(made.notices(index, runs, onsets, self.wanted.reference))

    def _data(
        self,
        file: str,
        kind: str,
        table: Table,
        *,
        figures: tuple[str, ...] = (),
        tables: tuple[str, ...] = (),
    ) -> None:
        if "csv" in self.wanted.formats:
            command = self.origin.command(figures=figures, tables=tables, formats=("csv",))
            self._write(f"{file}.csv", kind, csv_bytes(table), command)
        if "parquet" in self.wanted.formats:
            told = self.origin.told(figures=figures, tables=tables, formats=("parquet",))
            path = self.out / f"{file}.parquet"
            write_parquet(table, told, path)
            self._note(path, kind, path.read_bytes(), told.command)

    # page

    def _page(self) -> None:
        rows = example_runs(self.index, self.table, EXAMPLES)
        sheets, crops = [], []
        for row in rows:
            try:
                sheets.append(("jpeg", contact_sheet(self.index, row), row.run))
            except UsageError as error:
                self.skipped.append(Excluded(row.run, error.message))
            step = max((s for s in self.wanted.steps if s <= (row.last_step or 0)), default=None)
            crop = None
            if step is not None:
                crop = aligned_crop(self.index, row.run, step, self.wanted.reference)
            if crop is not None:
                said = f"{row.run}: step {self.wanted.reference}, step {step}, difference x4"
                crops.append(("jpeg", crop.picture, f"{said}; {crop.note}"))
        if sheets:
            self.parts.append(Part(heading="Contact sheets", pictures=tuple(sheets)))
        if crops:
            self.parts.append(Part(heading="Aligned crops", pictures=tuple(crops)))
        sentences = self._sentences()
        if sentences:
            self.parts.insert(0, Part(heading="In short", words=sentences))
        told = self.origin.told(
            figures=self.wanted.figures, tables=self.wanted.tables, formats=("html",)
        )
        data = page_bytes(f"b100 report: {self.index.root.name}", self.parts, told)
        self._write("report.html", "Report", data, told.command)

    def _sentences(self) -> str:
        table = self.table
        failing = [
            (table.cell(group, metric.id, step), metric, group)
            for group in table.groups
            for metric in table.metrics
            for step in table.steps
        ]
        judged = [one for one in failing if one[0].failure is not None]
        failed = [one for one in judged if one[0].failure]
        if not judged:
            return "No gap could be judged."
        words = [f"{len(failed)} of {len(judged)} gaps are failures."]
        if failed:
            cell, metric, group = max(failed, key=lambda one: one[0].gap or 0.0)
            words.append(f"Plainest, {group}: {verdict_sentence(metric, cell)}.")
        return " ".join(words)

    # writing

    def _write(self, name: str, kind: str, data: bytes, command: str) -> None:
        path = self.out / name
        write_atomic(path, data)
        self._note(path, kind, data, command)

    def _note(self, path: Path, kind: str, data: bytes, command: str) -> None:
        digest = hashlib.sha256(data).hexdigest()
        self.files.append(ReportFile(path=path.name, kind=kind, command=command, sha256=digest))


def _figure_tex(file: str, words: str) -> bytes:
    from b100tui.report.writing import tex_text

    return (
        "\\begin{figure}\n\\centering\n"
        f"\\includegraphics[width=\\linewidth]{{{file}.png}}\n"
        f"\\caption{{{tex_text(words)}}}\n\\end{{figure}}\n"
    ).encode()
