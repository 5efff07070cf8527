"""Contradictions, first to notice and agreement: what their lines say, and the screen."""

import threading

import pytest

from b100tui.analysis.notice import Notice
from b100tui.model.errors import UsageError
from b100tui.report.lies import LieRow
from b100tui.report.tables import Table
from b100tui.tui.lies import agreement_lines, counted, held_sentence, lie_blocks, lie_line, ordered
from b100tui.tui.screens.evidence import EvidenceScreen
from b100tui.tui.screens.evidence_lies import LiesScreen
from b100tui.tui.widgets.bars import StatusLine
from b100tui.tui.widgets.lines import TextPanel
from tests.tui.analyst_fake import FakeAnalyst
from tests.tui.fake import explorer, opened, screen_text, until

PLAIN = {
    "fidelity_drop": None, "noise_ratio": None, "cast": None, "texture_ratio": None,
    "halo_ratio": None,
}  # fmt: skip


def row(run, metric="brisque", status="contradicts", word="lie", confidence=0.9, **more):
    return LieRow(
        run=run, step=10 if status == "contradicts" else None, metric=metric, gap=12.0,
        status=status, confidence=confidence, word=word if status == "contradicts" else "",
        evidence=("says +12 better at step 10", "aligned SSIM fell from 1 to 0.6",
                  "noise sigma is 3 times the reference"),
        **(PLAIN | more),
    )  # fmt: skip


LIE = row("fog/run-0")
PROBES = row("fog/run-1", "musiq", word="contradicts the probes", confidence=0.95)
FINE = row("fog/run-1", status="consistent", reason="did not improve beyond its repeat spread")
OPEN = row("rice/run-0", status="not_applicable", reason="no score at reference step 1")


def text(line):
    return "".join(part for part, _ in line)


def words(blocks):
    return " ".join(text(block) for block in blocks)


def test_lies_stand_before_what_only_contradicts_the_probes():
    assert ordered([PROBES, FINE, OPEN, LIE]) == [LIE, PROBES]


def test_a_line_uses_the_word_the_analysis_allows():
    assert text(lie_line(LIE)).split()[:2] == ["lie", "BRISQUE"]
    assert text(lie_line(PROBES)).strip().startswith("contradicts the probes")


def test_the_blocks_never_say_lie_where_the_word_is_not_allowed():
    assert "MUSIQ contradicts the probes" in words(lie_blocks(PROBES))
    assert "lies" not in words(lie_blocks(PROBES))
    assert "BRISQUE lies" in words(lie_blocks(LIE))


def test_a_long_run_keeps_its_image_and_repeat_on_a_narrow_screen():
    long = row("dongpo/replicate-2k-nano-banana-pro/run-1")
    assert text(lie_line(long, 80)).endswith("dongpo/…/run-1")
    assert text(lie_line(long, 160)).endswith(long.run)


def test_the_evidence_is_one_sentence():
    assert (
        "BRISQUE says +12 better at step 10, but aligned SSIM fell from 1 to 0.6; "
        "noise sigma is 3 times the reference"
    ) in words(lie_blocks(LIE))


def test_counts_tell_lies_from_contradictions_and_what_was_not_judged():
    assert counted([LIE, PROBES, FINE, OPEN]) == "2 contradict, 1 of them lies, of 4 · 1 not judged"


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (LIE, "lie (confidence 0.90), plainest at step 10: aligned SSIM fell"),
        (FINE, "nothing contradicts it in this run: did not improve"),
        (OPEN, "not held against the probes: no score at reference step 1"),
    ],
)
def test_a_verdict_is_a_sentence(found, said):
    assert held_sentence(found).startswith(said)


def test_agreement_is_a_lower_triangle():
    rows = [
        ("brisque", "musiq", -0.5, 9, 1.0),
        ("brisque", "niqe", None, 3, 0.2),
        ("musiq", "niqe", 0.91, 9, 1.0),
    ]
    head, lines = agreement_lines(rows)
    assert [text(line).split() for line in lines] == [
        ["1", "BRISQUE"], ["2", "MUSIQ", "-.50"], ["3", "NIQE", "–", "+.91"],
    ]  # fmt: skip
    assert text(head[0]).split() == ["1", "2"]


class Lying(FakeAnalyst):
    """Three runs; measuring fidelity turns the last one's verdict."""

    def __init__(self) -> None:
        super().__init__()
        self.may_measure = threading.Event()
        self.may_measure.set()
        self.filters: list[str] = []

    def runs(self, filter):
        self.filters.append(filter)
        if filter == "bad:":
            raise UsageError("no field 'bad'", "one of image, step")
        return [] if filter == "none" else ["fog/run-0", "fog/run-1", "rice/run-0"]

    def lies(self, run, reference, *, align, cancelled=None):
        if align:
            self.may_measure.wait(20)
        late = row("rice/run-0", "niqe") if align else OPEN
        return {"fog/run-0": [LIE], "fog/run-1": [PROBES, FINE], "rice/run-0": [late]}[run]

    def notices(self, filter, reference):
        return (
            Notice(metric="musiq", delay=-1.0, delays={"a": -1}, caught=3, broken=3,
                   false_alarms=0, clean=1, unusable=0, truth={"limit": 3}),
            Notice(metric="brisque", delay=None, delays={}, caught=0, broken=3,
                   false_alarms=1, clean=1, unusable=2, truth={"limit": 3}),
        )  # fmt: skip

    def agreement(self, filter):
        return Table(name="t", title="t", columns=(), rows=(("brisque", "musiq", -0.5, 9, 1.0),))


async def lies(pilot, main, analyst=None) -> LiesScreen:
    main.analyst = analyst or Lying()
    await pilot.press("L")
    await until(pilot, lambda: isinstance(main.app.screen, LiesScreen))
    return main.app.screen


def title(screen):
    return screen.query_one("#lies-status", StatusLine).plain


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_what_is_known_is_listed_and_measured_ones_join(size):
    async with opened(explorer(), size) as (pilot, main):
        screen = await lies(pilot, main)
        await until(pilot, lambda: "3 contradict, 2 of them lies, of 4" in title(screen))
        assert "measuring" not in title(screen)
        assert any("fog/run-0" in line for line in screen_text(main.app))


async def test_contradictions_are_seen_before_fidelity_is_measured():
    analyst = Lying()
    analyst.may_measure.clear()
    async with opened(explorer()) as (pilot, main):
        try:
            screen = await lies(pilot, main, analyst)
            await until(pilot, lambda: "2 contradict, 1 of them lies, of 4" in title(screen))
        finally:
            analyst.may_measure.set()
        await until(pilot, lambda: "3 contradict" in title(screen))


async def test_the_line_under_the_cursor_is_explained():
    async with opened(explorer()) as (pilot, main):
        screen = await lies(pilot, main)
        await until(pilot, lambda: "3 contradict" in title(screen))
        await pilot.press("down", "down")
        plain = screen.query_one("#lies-words", TextPanel).plain
        assert "MUSIQ contradicts the probes" in plain


async def test_enter_opens_the_pair_that_shows_it():
    async with opened(explorer()) as (pilot, main):
        screen = await lies(pilot, main)
        await until(pilot, lambda: "3 contradict" in title(screen))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(main.app.screen, EvidenceScreen))
        found = main.app.screen
        await until(pilot, lambda: found.evidence is not None and found._held)
        assert (found.run, found.step, found.metric.id) == ("fog/run-0", 10, "brisque")
        assert "lie (confidence 0.90)" in " ".join(found.words.plain.split())


async def test_going_there_closes_every_screen_above_the_main_one():
    async with opened(explorer()) as (pilot, main):
        jumps = []
        main.jump = lambda run, step: jumps.append((run, step))
        main.analyst = Lying()
        await pilot.press("g")
        await until(pilot, lambda: getattr(main.app.screen, "gaps", None) is not None)
        await pilot.press("L")
        await until(pilot, lambda: isinstance(main.app.screen, LiesScreen))
        screen = main.app.screen
        await until(pilot, lambda: "3 contradict" in title(screen))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(main.app.screen, EvidenceScreen))
        await until(pilot, lambda: main.app.screen.evidence is not None)
        await pilot.press("enter")
        await until(pilot, lambda: main.app.screen is main)
        assert jumps == [("fog/run-0", 10)]


async def test_tab_shows_who_noticed_first_and_who_agrees():
    async with opened(explorer()) as (pilot, main):
        screen = await lies(pilot, main)
        await pilot.press("tab")
        await until(pilot, lambda: "MUSIQ" in screen.lines.plain)
        assert "never" in screen.lines.plain and "-1.0" in screen.lines.plain
        await pilot.press("tab")
        await until(pilot, lambda: "-.50" in screen.lines.plain)


async def test_a_filter_asks_again():
    async with opened(explorer()) as (pilot, main):
        screen = await lies(pilot, main)
        await pilot.press("/", *"none", "enter")
        await until(pilot, lambda: "no metric contradicts" in screen.lines.plain)
        assert main.analyst.filters == ["", "none"]


async def test_a_filter_that_cannot_be_read_says_why():
    async with opened(explorer()) as (pilot, main):
        await lies(pilot, main)
        await pilot.press("/", *"bad:", "enter")
        await until(pilot, lambda: any("no field" in n.message for n in main.app._notifications))
