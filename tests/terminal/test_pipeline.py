"""Newest wins, nothing queues, failures cost only themselves, memory is bounded."""

import queue
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from b100tui.imaging.align import Alignment
from b100tui.model.records import PictureRef
from b100tui.terminal.facts import TerminalFacts
from b100tui.terminal.frames import Area
from b100tui.terminal.pictures import Bounded, Pictures
from b100tui.terminal.pipeline import Delivery, Pipeline
from b100tui.terminal.scene import between_previews
from b100tui.terminal.targets import Request, Target, ViewSpec
from tests.terminal.pictures import gradient

AREA = Area(20, 10, 10, 20)
WAIT = 240


class Gate:
    """An opener that counts, and can be held."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.open.set()
        self.started: queue.Queue[str] = queue.Queue()

    def __call__(self, root: Path, ref: PictureRef) -> Path:
        self.started.put(ref.path)
        self.open.wait(WAIT)
        return root / ref.path


@pytest.fixture
def gate() -> Gate:
    return Gate()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for n in range(10):
        gradient(64, 48).save(tmp_path / f"{n}.png")
    (tmp_path / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\nnothing")
    return tmp_path


@pytest.fixture
def pipeline(root: Path, tmp_path: Path, gate: Gate) -> Iterator[Pipeline]:
    made = Pipeline(
        root,
        TerminalFacts(graphics="kitty"),
        preview_folder=tmp_path / "previews",
        opener=gate,
        rest=0.0,
    )
    yield made
    gate.open.set()
    made.close()


def target(name: str, view: ViewSpec | None = None) -> Target:
    return Target(PictureRef(name), f"step {name}", view=view or ViewSpec())


def request(name: str, protocol: str = "half", view: ViewSpec | None = None) -> Request:
    return Request(target(name, view), AREA, protocol)


def test_a_wanted_picture_is_delivered_and_then_there_at_once(pipeline: Pipeline) -> None:
    got: queue.Queue[Delivery] = queue.Queue()
    viewer = pipeline.viewer(got.put)
    assert viewer.want(request("0.png")) is None
    frame = got.get(timeout=WAIT).frame
    assert frame is not None
    assert (frame.columns, frame.rows) == (20, 8)
    assert viewer.want(request("0.png")) == frame


def test_a_rough_frame_comes_before_the_sharp_one(pipeline: Pipeline) -> None:
    got: queue.Queue[Delivery] = queue.Queue()
    pipeline.viewer(got.put).want(request("0.png", "kitty"))
    frames = [got.get(timeout=WAIT).frame for _ in range(2)]
    assert sorted(frame.quality for frame in frames if frame) == ["rough", "sharp"]


def test_only_the_newest_of_many_requests_is_made(pipeline: Pipeline, gate: Gate) -> None:
    got: queue.Queue[Delivery] = queue.Queue()
    viewer = pipeline.viewer(got.put)
    gate.open.clear()
    viewer.want(request("0.png"))
    assert gate.started.get(timeout=WAIT) == "0.png"
    viewer.want(request("1.png"))
    assert gate.started.get(timeout=WAIT) == "1.png"
    for n in range(2, 9):
        viewer.want(request(f"{n}.png"))
    gate.open.set()
    delivery = got.get(timeout=WAIT)
    assert delivery.request == request("8.png")
    assert gate.started.get(timeout=WAIT) == "8.png"
    assert got.empty()


def test_neighbours_are_made_ahead(pipeline: Pipeline, gate: Gate) -> None:
    line = [target(f"{n}.png") for n in range(10)]
    viewer = pipeline.viewer(lambda _: None)
    viewer.want(request("4.png"), line, 4)
    opened = {gate.started.get(timeout=WAIT) for _ in range(5)}
    assert opened == {"2.png", "3.png", "4.png", "5.png", "6.png"}


def test_a_wanted_picture_never_waits_for_what_is_made_ahead(
    pipeline: Pipeline, gate: Gate
) -> None:
    got: queue.Queue[Delivery] = queue.Queue()
    viewer = pipeline.viewer(got.put)
    line = [target(f"{n}.png") for n in range(10)]
    viewer.want(request("4.png"))
    got.get(timeout=WAIT)
    assert gate.started.get(timeout=WAIT) == "4.png"
    gate.open.clear()
    viewer.want(request("4.png"), line, 4)
    assert {gate.started.get(timeout=WAIT) for _ in range(2)} == {"3.png", "5.png"}
    viewer.want(request("9.png"))
    assert gate.started.get(timeout=WAIT) == "9.png"


@pytest.mark.parametrize("name", ["broken.png", "absent.png"])
def test_a_bad_picture_says_why_and_the_next_one_works(pipeline: Pipeline, name: str) -> None:
    got: queue.Queue[Delivery] = queue.Queue()
    viewer = pipeline.viewer(got.put)
    viewer.want(request(name))
    delivery = got.get(timeout=WAIT)
    assert delivery.frame is None
    assert name in delivery.reason
    assert viewer.failed(request(name)) == delivery.reason
    viewer.want(request("0.png"))
    assert got.get(timeout=WAIT).frame is not None


def test_a_closed_viewer_gets_nothing(pipeline: Pipeline, gate: Gate) -> None:
    got: queue.Queue[Delivery] = queue.Queue()
    first, second = pipeline.viewer(got.put), pipeline.viewer(got.put)
    gate.open.clear()
    first.want(request("0.png"))
    gate.started.get(timeout=WAIT)
    first.close()
    second.want(request("1.png"))
    gate.open.set()
    assert got.get(timeout=WAIT).request == request("1.png")
    assert got.empty()


def test_a_zoom_shows_source_pixels_as_squares(pipeline: Pipeline) -> None:
    got: queue.Queue[Delivery] = queue.Queue()
    view = ViewSpec(zoom=2, centre=(0, 0))
    pipeline.viewer(got.put).want(request("0.png", "half", view))
    frame = got.get(timeout=WAIT).frame
    assert frame is not None
    rows = frame.rows_of_cells
    pixels = gradient(64, 48)
    assert (frame.columns, frame.rows) == (20, 10)
    for y, row in enumerate(rows):
        for x in range(20):
            upper = tuple(row.ink[x * 6 : x * 6 + 3])
            assert upper == pixels.getpixel((x // 2, y))


def test_the_same_picture_in_both_shows_a_difference_of_zero(pipeline: Pipeline) -> None:
    got: queue.Queue[Delivery] = queue.Queue()
    view = ViewSpec(difference="abs", reference=PictureRef("1.png"), gain=8)
    pipeline.viewer(got.put).want(request("0.png", "half", view))
    frame = got.get(timeout=WAIT).frame
    assert frame is not None
    assert {value for row in frame.rows_of_cells for value in row.ink} == {0}


def test_a_difference_of_two_sizes_says_so(pipeline: Pipeline, root: Path) -> None:
    Image.new("RGB", (10, 10)).save(root / "small.png")
    got: queue.Queue[Delivery] = queue.Queue()
    view = ViewSpec(difference="abs", reference=PictureRef("small.png"))
    pipeline.viewer(got.put).want(request("0.png", "half", view))
    assert got.get(timeout=WAIT).reason == "sizes differ: 64x48 and 10x10"


def test_no_thread_starts_before_the_first_request(root: Path, tmp_path: Path) -> None:
    before = threading.active_count()
    Pipeline(root, TerminalFacts(), preview_folder=tmp_path).viewer(lambda _: None)
    assert threading.active_count() == before


def test_the_least_recently_used_go_first_and_the_bytes_stay_bounded() -> None:
    kept: Bounded[str, int] = Bounded(100)
    for name in ("a", "b"):
        kept.put(name, 1, 50)
    assert kept.get("a") == 1
    kept.put("c", 1, 50)
    assert ("a" in kept, "b" in kept, "c" in kept) == (True, False, True)
    assert kept.held == 100


@pytest.fixture
def drifting(tmp_path: Path) -> Path:
    """Steps of one scene; each is moved a little to the right of the one before."""
    made = np.random.default_rng(3)
    coarse = made.integers(0, 256, (60, 90, 3), np.uint8)
    wide = Image.fromarray(coarse).resize((720, 480), Image.Resampling.BICUBIC)
    for n in range(4):
        wide.crop((40 - 4 * n, 40, 680 - 4 * n, 440)).save(tmp_path / f"{n}.png")
    return tmp_path


ALIGNED = ViewSpec(difference="abs", reference=PictureRef("0.png"), align=True)


@pytest.mark.parametrize("protocol", ["kitty", "half"])
def test_a_difference_is_there_unaligned_at_once_and_aligned_when_that_is_found(
    drifting: Path, protocol: str
) -> None:
    pipeline = Pipeline(drifting, TerminalFacts(), preview_folder=drifting / "previews", rest=0.0)
    got: queue.Queue[Delivery] = queue.Queue()
    viewer = pipeline.viewer(got.put)
    wanted = request("2.png", protocol, ALIGNED)
    assert viewer.want(wanted) is None
    first, second = (got.get(timeout=WAIT).frame for _ in range(2))
    assert first is not None
    assert second is not None
    assert (first.quality, first.provisional, first.note) == (
        "rough",
        True,
        "not aligned yet: aligning ...",
    )
    assert (second.quality, second.provisional) == ("sharp", False)
    assert "moved +8.0" in second.note
    assert pipeline.best(wanted) == second
    assert pipeline.frame(wanted, "rough") is None
    pipeline.close()


def test_while_one_alignment_is_sought_the_next_step_is_shown(
    drifting: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sought, found = queue.Queue[str](), threading.Event()
    known = Pictures.alignment

    def held(self: Pictures, step: PictureRef, reference: PictureRef) -> Alignment:
        sought.put(step.path)
        found.wait(WAIT)
        return known(self, step, reference)

    monkeypatch.setattr(Pictures, "alignment", held)
    pipeline = Pipeline(drifting, TerminalFacts(), preview_folder=drifting / "previews", rest=0.0)
    got: queue.Queue[Delivery] = queue.Queue()
    viewer = pipeline.viewer(got.put)
    line = [target(f"{n}.png", ALIGNED) for n in range(4)]
    for at in (1, 2, 3):
        wanted = Request(line[at], AREA, "kitty")
        # There at once where it was made ahead.
        frame = viewer.want(wanted, line, at)
        if frame is None:
            delivery = got.get(timeout=WAIT)
            assert delivery.request == wanted
            frame = delivery.frame
        assert frame is not None
        assert frame.provisional
    assert sought.qsize() <= 1
    found.set()
    pipeline.close()


def test_an_alignment_between_previews_leads_to_the_same_places() -> None:
    matrix = np.array([[1.02, 0.01, 6.0], [-0.01, 0.98, -3.0]])
    step, reference = np.zeros((100, 200, 3), np.uint8), np.zeros((120, 240, 3), np.uint8)
    small = between_previews(matrix, (step, reference), ((800, 400), (480, 240)))
    for x, y in ((0.0, 0.0), (399.5, 10.0), (799.0, 399.0)):
        there = matrix @ (x, y, 1.0)
        shown = small @ ((x + 0.5) / 4 - 0.5, (y + 0.5) / 4 - 0.5, 1.0)
        assert (shown + 0.5) * 2 - 0.5 == pytest.approx(there)


def test_of_very_many_failures_the_newest_are_remembered(
    pipeline: Pipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("b100tui.terminal.pipeline.MOST_FAILED", 2)
    got: queue.Queue[Delivery] = queue.Queue()
    viewer = pipeline.viewer(got.put)
    names = ["absent-0.png", "absent-1.png", "absent-2.png"]
    for name in names:
        viewer.want(request(name))
        got.get(timeout=WAIT)
    assert [bool(viewer.failed(request(name))) for name in names] == [False, True, True]
