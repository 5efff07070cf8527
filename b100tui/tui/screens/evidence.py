"""The evidence for one cell: the series over its runs, the two pictures, the verdict."""

from typing import TYPE_CHECKING, ClassVar

from msgspec.structs import replace
from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message

from b100tui.model.errors import B100Error, CancelledError
from b100tui.model.records import PictureRef, Step
from b100tui.model.text import clean_line
from b100tui.terminal.targets import Target
from b100tui.tui.analysis_keys import EVIDENCE
from b100tui.tui.analyst import Analyst, CellEvidence
from b100tui.tui.drawing import number
from b100tui.tui.facts import Block
from b100tui.tui.heatmap import metric_label
from b100tui.tui.lies import held_sentence
from b100tui.tui.look import Look
from b100tui.tui.messages import Failed
from b100tui.tui.screens.analysis import AnalysisScreen, bindings_of
from b100tui.tui.screens.look_actions import target_of
from b100tui.tui.widgets.bars import KeyLine, StatusLine
from b100tui.tui.widgets.lines import TextPanel
from b100tui.tui.widgets.picture import PictureView
from b100tui.tui.widgets.series_chart import SeriesChart

if TYPE_CHECKING:
    from b100tui.report.gap_table import GapTable
    from b100tui.report.lies import LieRow

ALIGN_AFTER = 0.2
READ_AFTER = 0.12  # a held key passes many steps: their sentences are not read


class EvidenceRead(Message):
    """What a cell rests on was read; `token` is that of the request."""

    def __init__(self, token: int, evidence: CellEvidence) -> None:
        super().__init__()
        self.token = token
        self.evidence = evidence


class Held(Message):
    """What the probes say about the metric in the shown run."""

    def __init__(self, run: str, row: "LieRow | None") -> None:
        super().__init__()
        self.run = run
        self.row = row


class AlignmentSaid(Message):
    """How a step lies against the reference, in words."""

    def __init__(self, pair: tuple[PictureRef, PictureRef], words: str) -> None:
        super().__init__()
        self.pair = pair
        self.words = words


class EvidenceScreen(AnalysisScreen):
    """Gives back the place (run, step) to go to, or None."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of(EVIDENCE)
    table = EVIDENCE
    about = "evidence"

    def __init__(
        self,
        analyst: Analyst,
        gaps: "GapTable",
        group: str,
        metric: str,
        step: int,
        *,
        run: str = "",
    ) -> None:
        """`run` is the one whose pictures are shown; without it, the plainest of the group."""
        super().__init__(analyst)
        self.gaps = gaps
        self.group = group
        self.metric = next(one for one in gaps.metrics if one.id == metric)
        self.step = step
        self.run = run
        self.evidence: CellEvidence | None = None
        self.look = Look(compare="side", align=True)
        self._held: dict[str, LieRow | None] = {}
        self._closed = False
        self._alignment: tuple[tuple[PictureRef, PictureRef], str] | None = None
        self._pair: tuple[PictureRef, PictureRef] | None = None

    def compose(self) -> ComposeResult:
        """Pictures above; the chart and the verdict below."""
        yield StatusLine(id="evidence-status")
        with Vertical(id="evidence-picture"):
            yield PictureView(id="evidence-pair")
        yield StatusLine(id="evidence-caption")
        with Horizontal(id="evidence-below"):
            yield SeriesChart(id="evidence-chart")
            yield TextPanel("Verdict", id="evidence-words")
        yield KeyLine(self.keys, id="evidence-keys")

    def on_mount(self) -> None:
        """Ask for the evidence; name the cell at once."""
        self.picture.attach(self.explorer.pipeline)
        self.words.focus()
        self.show_title()
        self.call_after_refresh(self._ask)

    @property
    def picture(self) -> PictureView:
        """The pair of pictures."""
        return self.query_one("#evidence-pair", PictureView)

    @property
    def words(self) -> TextPanel:
        """The verdict."""
        return self.query_one("#evidence-words", TextPanel)

    # Reading

    def _ask(self) -> None:
        self.token += 1
        self._read(self.token, self.step, self.run)

    @work(thread=True, exclusive=True, group="evidence", exit_on_error=False)
    def _read(self, token: int, step: int, run: str) -> None:
        if token != self.token:
            return
        try:
            found = self.analyst.evidence(self.gaps, self.group, self.metric.id, step, run)
        except B100Error as error:
            self.post_message(Failed("evidence", error))
        else:
            self.post_message(EvidenceRead(token, found))

    @on(EvidenceRead)
    def _evidence_read(self, event: EvidenceRead) -> None:
        if event.token != self.token:
            return
        self.evidence = found = event.evidence
        if found.lines:
            self.run = found.lines[found.shown].run
            if self.run not in self._held:
                self._hold(self.run)
        self.show()

    def failed(self, reason: str) -> None:
        """Say in the verdict's place why there is none."""
        self.words.show([((reason, "text--bad"),)])

    # Showing

    def show(self) -> None:
        """Draw everything that depends on the step and run."""
        self.show_title()
        found = self.evidence
        if found is None:
            return
        line = found.lines[found.shown] if found.lines else None
        chart = self.query_one("#evidence-chart", SeriesChart)
        chart.show(found.band, line, found.reference, self.step)
        self.words.show(self._blocks(found))
        self._show_pictures(found)
        self.show_caption()

    def show_title(self) -> None:
        """Name the cell."""
        table = self.gaps
        left = [
            (" b100 ", "status--brand"),
            (f" {metric_label(self.metric)} ", "status--root"),
            (f" {clean_line(self.group)} · step {self.step} against {table.reference}", ""),
        ]
        members = table.members.get(self.group, ())
        run = clean_line(self.run.rsplit("/", 1)[-1]) if self.run else ""
        at = f" ({members.index(self.run) + 1} of {len(members)}) " if self.run in members else " "
        self.query_one("#evidence-status", StatusLine).show(
            left=left, right=[(f"  {run}{at}", "status--dim")]
        )

    def _blocks(self, found: CellEvidence) -> list[Block]:
        blocks: list[Block] = []
        sentences = found.sentences
        if found.step == self.step and sentences:
            blocks.append(((sentences[0], "text--bad" if found.failure else ""),))
            blocks.append(self._held_block())
            blocks += [((words, "text--dim"),) for words in sentences[1:]]
        else:
            blocks.append(self._held_block())
        band = found.band
        for step, name in ((found.reference, "reference"), (self.step, f"step {self.step}")):
            if step in band.steps:
                at = band.steps.index(step)
                sd = band.sds[at]
                spread = f" ± {number(sd)} (sd)" if sd is not None else ""
                words = f"{number(band.means[at])}{spread}, n = {band.counts[at]}"
                blocks.append(((f"{name:<10}", "text--key"), (words, "")))
        return blocks

    def _held_block(self) -> Block:
        if self.run not in self._held:
            return (("holding it against the probes ...", "text--dim"),)
        row = self._held[self.run]
        style = "text--bad" if row is not None and row.status == "contradicts" else ""
        return ((held_sentence(row) or "not held against the probes", style),)

    @work(thread=True, exclusive=True, group="held", exit_on_error=False)
    def _hold(self, run: str) -> None:
        """Hold the metric against the probes: fidelity may have to be measured, in seconds."""
        try:
            rows = self.analyst.lies(
                run, self.gaps.reference, align=True, cancelled=lambda: self._closed
            )
        except CancelledError:
            return
        except B100Error as error:
            self.post_message(Failed("holding it against the probes", error))
            return
        row = next((one for one in rows if one.metric == self.metric.id), None)
        self.post_message(Held(run, row))

    @on(Held)
    def _held_read(self, event: Held) -> None:
        event.stop()
        self._held[event.run] = event.row
        if self.evidence is not None:
            self.words.show(self._blocks(self.evidence))

    def on_unmount(self) -> None:
        """Stop measuring."""
        self._closed = True

    def _show_pictures(self, found: CellEvidence) -> None:
        self._pair = None
        at = {step.step: step for step in found.steps}
        before, after = at.get(found.reference), at.get(self.step)
        if after is None:
            self.picture.show(Target(None, f"step {self.step}", "this run has no such step"))
            return
        other = before.picture if before is not None else None
        view = self.look.view(other)
        line = tuple(replace(target_of(step), view=view) for step in found.steps)
        place = found.steps.index(after)
        self.picture.show(line[place], line, place)
        self._want_alignment(before, after)

    def _want_alignment(self, before: Step | None, after: Step) -> None:
        if before is None or before.picture is None or after.picture is None:
            return
        self._pair = (after.picture, before.picture)
        if self.look.align and (self._alignment is None or self._alignment[0] != self._pair):
            self.set_timer(ALIGN_AFTER, self._align)

    def _align(self) -> None:
        if self._pair is not None:
            self._read_alignment(self._pair)

    @work(thread=True, exclusive=True, group="align", exit_on_error=False)
    def _read_alignment(self, pair: tuple[PictureRef, PictureRef]) -> None:
        pipeline = self.explorer.pipeline
        if pipeline is None or pair != self._pair:
            return
        try:
            words = pipeline.alignment_in_words(*pair)
        except (B100Error, OSError) as error:
            words = clean_line(str(error))
        self.post_message(AlignmentSaid(pair, words))

    @on(AlignmentSaid)
    def _alignment_said(self, event: AlignmentSaid) -> None:
        event.stop()
        self._alignment = (event.pair, event.words)
        self.show_caption()

    def show_caption(self) -> None:
        """Say what the pictures are."""
        found = self.evidence
        if found is None:
            return
        lone = self._pair is None  # nothing to lay beside it
        if lone:
            pictured = {step.step for step in found.steps if step.picture is not None}
            gone = self.step if found.reference in pictured else found.reference
            left = f" step {self.step}: step {gone} has no picture "
        elif self.look.difference:
            left = f" step {self.step} minus step {found.reference} "
        elif self.look.compare:
            left = f" step {found.reference} (left) and step {self.step} (right) "
        else:
            left = f" step {self.step} "
        words = [word for word in self.look.words if word != "side by side"]
        if self.look.align and not lone and (self.look.compare or self.look.difference):
            known = self._alignment
            same = known is not None and known[0] == self._pair
            words.append(known[1] if same and known is not None else "aligning ...")
        self.query_one("#evidence-caption", StatusLine).show(
            left=[(left, "status--root")], right=[(" · ".join(words) + " ", "status--dim")]
        )

    # Keys

    def _go(self, step: int) -> None:
        found = self.evidence
        if found is None or not found.steps:
            return
        step = max(found.steps[0].step, min(found.steps[-1].step, step))
        if step != self.step:
            self.step = step
            self.show()
            self.token += 1
            self.set_timer(READ_AFTER, lambda wanted=self.token: self._read_rested(wanted))

    def _read_rested(self, token: int) -> None:
        if token == self.token:
            self._read(token, self.step, self.run)

    @on(SeriesChart.Moved)
    def _chart_clicked(self, event: SeriesChart.Moved) -> None:
        self._go(event.step)

    def do_left(self) -> None:
        """One step back."""
        self._go(self.step - 1)

    def do_right(self) -> None:
        """One step on."""
        self._go(self.step + 1)

    def do_lens(self) -> None:
        """The next of the table's steps."""
        later = [step for step in self.gaps.steps if step > self.step]
        self._go(later[0] if later else self.gaps.steps[0])

    def do_run_back(self) -> None:
        """The previous run of the group."""
        self._walk(-1)

    def do_run_on(self) -> None:
        """The next run of the group."""
        self._walk(1)

    def _walk(self, by: int) -> None:
        found = self.evidence
        if found is not None and len(found.lines) > 1:
            names = [line.run for line in found.lines]
            self.run = names[(names.index(self.run) + by) % len(names)]
            self._ask()

    def do_up(self) -> None:
        """Words up."""
        self.words.move(-1)

    def do_down(self) -> None:
        """Words down."""
        self.words.move(1)

    def _change(self, look: Look) -> None:
        self.look = look
        self.show()

    def do_zoom_in(self) -> None:
        """Nearer."""
        self._change(self.look.zoomed(1))

    def do_zoom_out(self) -> None:
        """Farther."""
        self._change(self.look.zoomed(-1))

    def do_compare(self) -> None:
        """Side by side, difference, the step alone."""
        if self.look.compare:
            self._change(replace(self.look, compare="", difference="abs"))
        elif self.look.difference:
            self._change(replace(self.look, difference=""))
        else:
            self._change(replace(self.look, compare="side"))

    def do_align(self) -> None:
        """Take the drift out of the reference, or show it as it is."""
        self._change(replace(self.look, align=not self.look.align))

    def do_go(self) -> None:
        """Go to this run and step."""
        if self.run:
            self.dismiss((self.run, self.step))

    def on_screen_suspend(self) -> None:
        """Something lies over the pictures now."""
        self.picture.cover_changed()

    def on_screen_resume(self) -> None:
        """The pictures may be bare again."""
        self.picture.cover_changed()
