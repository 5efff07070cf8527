"""Drift of real pictures in a real folder: planted moves, the cache, honest refusals."""

from pathlib import Path

import cv2
import pytest

from b100tui.index.build import refresh
from b100tui.index.store import open_index
from b100tui.model.errors import CancelledError
from b100tui.model.records import Step
from b100tui.report.drift import drift_series, kept_series, kept_signals
from tests.imaging.pairs import Pixels, gradient, moved, noisy, scene
from tests.index.folder import add_step

RUN = "dongpo/replicate-2k/run-0"


def write(root: Path, step: int, pixels: Pixels) -> None:
    data = cv2.imencode(".png", pixels[..., ::-1])[1].tobytes()
    add_step(root, RUN, step, data=data, size=(pixels.shape[1], pixels.shape[0]))


def steps_of(root: Path) -> list[Step]:
    refresh(root)
    index = open_index(root)
    try:
        return index.steps(RUN)
    finally:
        index.close()


def test_planted_zoom_and_shift_come_back_in_source_pixels(tmp_path: Path) -> None:
    picture = scene(1, (1504, 2816))
    write(tmp_path, 1, picture)
    write(tmp_path, 2, noisy(moved(picture, zoom=0.02, dx=14.0, dy=-6.0), 5, 1))
    series = drift_series(tmp_path, steps_of(tmp_path))
    first, second = series.rows
    assert (first.status, first.zoom_pct) == ("identical", 0.0)
    assert second.status == "aligned" and second.zoom_pct is not None
    assert second.zoom_pct == pytest.approx(2.0, abs=0.05)
    assert second.dx_px == pytest.approx(14.0, abs=0.5)
    assert second.dy_px == pytest.approx(-6.0, abs=0.5)
    assert second.ssim is not None and second.ssim > 0.8
    # The matrix leads from the step's centre to the reference's, moved back.
    assert second.matrix is not None
    a, b, tx, c, d, ty = second.matrix
    x, y = 1407.5 + 14.0, 751.5 - 6.0
    assert a * x + b * y + tx == pytest.approx(1407.5, abs=0.5)
    assert c * x + d * y + ty == pytest.approx(751.5, abs=0.5)


def test_a_second_asking_reads_no_picture(tmp_path: Path) -> None:
    picture = scene(2)
    for step in (1, 2, 3):
        write(tmp_path, step, noisy(picture, 3, step))
    steps = steps_of(tmp_path)
    told: list[tuple[int, int]] = []
    first = drift_series(tmp_path, steps, progress=lambda *at: told.append(at))
    assert told == [(1, 3), (2, 3), (3, 3)]
    for path in (tmp_path / RUN).glob("*.png"):
        path.unlink()
    assert drift_series(tmp_path, steps) == first


def test_a_run_that_grew_costs_its_new_steps_only(tmp_path: Path) -> None:
    picture = scene(3)
    for step in (1, 2):
        write(tmp_path, step, noisy(picture, 3, step))
    drift_series(tmp_path, steps_of(tmp_path))
    write(tmp_path, 3, noisy(picture, 3, 3))
    told: list[tuple[int, int]] = []
    series = drift_series(tmp_path, steps_of(tmp_path), progress=lambda *at: told.append(at))
    assert told == [(1, 1)] and len(series.rows) == 3


def test_a_changed_picture_is_measured_anew(tmp_path: Path) -> None:
    picture = scene(4)
    for step in (1, 2):
        write(tmp_path, step, picture)
    before = drift_series(tmp_path, steps_of(tmp_path))
    write(tmp_path, 2, moved(picture, zoom=0.03))
    after = drift_series(tmp_path, steps_of(tmp_path))
    assert before.rows[1].status == "identical"
    assert after.rows[1].zoom_pct == pytest.approx(3.0, abs=0.1)


def test_flat_pictures_are_unreliable_with_a_reason(tmp_path: Path) -> None:
    write(tmp_path, 1, gradient(0.3))
    write(tmp_path, 2, gradient(0.31))
    row = drift_series(tmp_path, steps_of(tmp_path)).rows[1]
    assert row.status == "unreliable" and row.reason and row.zoom_pct is None
    assert row.note == "misaligned" and row.changed_share is None


def test_a_damaged_picture_costs_itself_only(tmp_path: Path) -> None:
    picture = scene(5)
    for step in (1, 2, 3):
        write(tmp_path, step, noisy(picture, 3, step))
    (tmp_path / RUN / "step-002.png").write_bytes(b"nothing")
    rows = drift_series(tmp_path, steps_of(tmp_path)).rows
    assert [row.status for row in rows] == ["identical", "unreliable", "aligned"]
    assert rows[1].reason


def test_without_a_reference_step_nobody_can_tell(tmp_path: Path) -> None:
    write(tmp_path, 2, scene(6))
    (row,) = drift_series(tmp_path, steps_of(tmp_path)).rows
    assert row.status == "unreliable" and "reference step 1" in row.reason


def test_stopping_keeps_what_was_measured(tmp_path: Path) -> None:
    picture = scene(7)
    for step in range(1, 25):
        write(tmp_path, step, noisy(picture, 3, step))
    steps = steps_of(tmp_path)
    seen: list[int] = []
    with pytest.raises(CancelledError):
        drift_series(
            tmp_path,
            steps,
            progress=lambda done, _: seen.append(done),
            cancelled=lambda: len(seen) >= 16,
        )
    kept = kept_series(tmp_path, steps)
    assert kept is not None and len(kept.rows) == 16


def test_aligned_fidelity_of_measured_runs_serves_as_signals(tmp_path: Path) -> None:
    picture = scene(8)
    for step in (1, 2, 3):
        write(tmp_path, step, noisy(moved(picture, zoom=0.01 * (step - 1)), 4, step))
    steps = steps_of(tmp_path)
    index = open_index(tmp_path)
    try:
        assert kept_signals(index, [RUN]) == {}
        drift_series(tmp_path, steps)
        signals = kept_signals(index, [RUN])[RUN]
    finally:
        index.close()
    assert set(signals["ssim"]) == {2, 3}  # against itself the reference is perfect by definition
