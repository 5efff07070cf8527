"""The paper's Figures 5 and 6 on the screen, out of a real index."""

from pathlib import Path

import msgspec
import pytest

from b100tui.index.build import refresh
from b100tui.index.store import open_index
from b100tui.tui.analyst import GapsAsked
from b100tui.tui.groups import saved_lines
from b100tui.tui.index_analyst import IndexAnalyst
from b100tui.tui.screens.evidence import EvidenceScreen
from b100tui.tui.screens.evidence_lies import LiesScreen
from b100tui.tui.screens.heatmap import HeatmapScreen
from tests.report.paper import positives, printed, write_runs
from tests.tui.fake import explorer, opened, screen_text, until


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_runs(tmp_path)
    refresh(tmp_path)
    return tmp_path


def app_at(root):
    app = explorer(open_catalogue=open_index)
    app.root = root
    return app


async def heatmap(pilot, main) -> HeatmapScreen:
    await pilot.press("g")
    await until(pilot, lambda: isinstance(main.app.screen, HeatmapScreen))
    screen = main.app.screen
    await until(pilot, lambda: screen.gaps is not None)
    return screen


async def test_the_overlay_counts_are_those_of_figure_6(root):
    async with opened(app_at(root), (200, 50)) as (pilot, main):
        screen = await heatmap(pilot, main)
        await pilot.press("tab", "tab", "tab")
        grid = screen.grid.shown.grid
        shown = {
            name: tally.failing for name, tally in zip(grid.rows, grid.row_tallies, strict=True)
        }
        counts: dict[str, int] = {}
        for (_, name), count in positives().items():
            counts[name] = counts.get(name, 0) + count
        assert shown == counts and len(shown) == 21


async def test_every_cell_prints_the_gap_of_figure_5(root):
    async with opened(app_at(root), (200, 50)) as (pilot, main):
        screen = await heatmap(pilot, main)
        text = screen_text(main.app)
        row = next(line for line in text if line.lstrip().startswith("BRISQUE"))
        images = screen.grid.shown.grid.columns
        wanted = [printed()[image, "brisque", 5] for image in images]
        numbers = [float(word.strip("~✗°◂")) for word in row.split() if word[0] in "+-0"]
        assert numbers == wanted


async def test_the_evidence_of_a_cell_comes_from_the_index(root):
    async with opened(app_at(root)) as (pilot, main):
        screen = await heatmap(pilot, main)
        await pilot.press("/", *"brisque dongpo", "enter", "enter")
        await until(pilot, lambda: isinstance(main.app.screen, EvidenceScreen))
        found = main.app.screen
        await until(pilot, lambda: found.evidence is not None and found._held)
        assert screen.grid.here == ("dongpo", "brisque")
        plain = " ".join(found.words.plain.split())
        assert "BRISQUE fails: it scores step 5 better than step 1 by 5.2 points" in plain
        assert "not held against the probes" in plain


async def test_too_few_steps_are_not_judged_and_say_so(root):
    async with opened(app_at(root)) as (pilot, main):
        await pilot.press("L")
        await until(pilot, lambda: isinstance(main.app.screen, LiesScreen))
        screen = main.app.screen
        await until(pilot, lambda: "no metric contradicts" in screen.lines.plain)
        assert "not judged" in "\n".join(screen_text(main.app))


def test_a_table_is_made_once_a_state_of_the_index(root):
    index = open_index(root)
    analyst = IndexAnalyst(index, root)
    asked = GapsAsked()
    assert analyst.known_gaps(asked) is None
    first = analyst.gaps(asked)
    assert analyst.gaps(asked) is first and analyst.known_gaps(asked) is first
    index.close()


def test_two_images_are_compared_and_metrics_agree_or_not(root):
    index = open_index(root)
    analyst = IndexAnalyst(index, root)
    found = analyst.compare("image:dongpo", "image:fog", 1)
    difference = next(d for d in found.differences if (d.metric, d.step) == ("brisque", 5))
    gaps = printed()
    wanted = gaps["fog", "brisque", 5] - gaps["dongpo", "brisque", 5]
    assert difference.value == pytest.approx(wanted)
    assert len(analyst.agreement("").rows) == 21 * 20 // 2
    assert {one.metric for one in analyst.notices("", 1)} <= {one.id for one in _metrics(analyst)}
    index.close()


def test_yesterdays_table_is_compared_with_todays(root, tmp_path):
    index = open_index(root)
    analyst = IndexAnalyst(index, root)
    rows = msgspec.to_builtins(analyst.gaps(GapsAsked()).rows())
    place = next(n for n, row in enumerate(rows) if row["metric"] == "brisque" and row["failure"])
    rows[place] |= {"gap": -1.0, "failure": False}
    saved = tmp_path / "yesterday.json"
    saved.write_bytes(msgspec.json.encode(rows))
    found = analyst.compare_saved(f"@{saved}", "now")
    assert (len(found.changed), found.turned, found.cells) == (1, 1, 756)
    (line,) = saved_lines(found)[1]
    text = "".join(part for part, _ in line)
    assert text.split()[:3] == ["BRISQUE", f"Δ{rows[place]['step']}", "-1.0"] and "✗ ≠" in text
    index.close()


def _metrics(analyst):
    return analyst.gaps(GapsAsked()).metrics
