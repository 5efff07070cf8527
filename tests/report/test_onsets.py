"""Onset and limit out of a real index: planted truth, and honest answers without one."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from b100tui.index.build import refresh
from b100tui.index.store import open_index
from b100tui.report.evidence import (
    OnsetRow,
    drift_series,
    kept_signals,
    onset_table,
    runs_of,
    tolerances_of,
)
from tests.imaging.pairs import noisy, scene
from tests.index.folder import add_step, mark, record, score

RUN = "dongpo/replicate-2k/run-0"


def planted(first: int, seed: int, count: int = 30) -> dict[int, float]:
    """Noise sigma 2 with a ramp of 0.5 a step from `first` on."""
    rng = np.random.default_rng(seed)
    return {
        step: 2.0 + 0.5 * max(0, step - first + 1) + float(rng.normal(0, 0.05))
        for step in range(1, count + 1)
    }


def answers(root: Path, **more: object) -> list[OnsetRow]:
    refresh(root)
    index = open_index(root)
    try:
        return onset_table(index, runs_of(index), **more)  # type: ignore[arg-type]
    finally:
        index.close()


def write(root: Path, run: str, signals: dict[str, dict[int, float]]) -> None:
    for step in sorted({step for values in signals.values() for step in values}):
        add_step(root, run, step)
    record(
        root,
        "scores",
        *(
            score(run, step, name, value)
            for name, values in signals.items()
            for step, value in values.items()
        ),
    )


def test_two_signals_that_agree_give_the_planted_onset_and_the_limit(tmp_path: Path) -> None:
    write(tmp_path, RUN, {"noise_sigma": planted(9, 1), "lab_b": planted(9, 2)})
    (row,) = answers(tmp_path)
    assert row.status == "onset" and row.step is not None and abs(row.step - 9) <= 1
    assert row.low is not None and row.high is not None and row.low <= 9 <= row.high
    assert set(row.consensus) == {"noise_sigma", "lab_b"}
    assert (row.limit, row.limit_by) == (13, "noise_ratio")  # 2 + 0.5 * 5 is over twice 2


def test_a_clean_run_says_none(tmp_path: Path) -> None:
    write(tmp_path, RUN, {"noise_sigma": planted(99, 1), "lab_b": planted(99, 2)})
    (row,) = answers(tmp_path)
    assert (row.status, row.step, row.limit) == ("none", None, None)


def test_few_steps_are_too_short(tmp_path: Path) -> None:
    write(tmp_path, RUN, {"noise_sigma": planted(2, 1, count=4)})
    (row,) = answers(tmp_path)
    assert row.status == "too_short" and "4 usable values" in row.reason


def test_a_run_that_adds_objects_says_that_nothing_can_be_compared(tmp_path: Path) -> None:
    write(tmp_path, "table/add-apples-2k/run-0", {"noise_sigma": planted(5, 1)})
    (row,) = answers(tmp_path)
    assert row.status == "too_short" and "no step can be compared" in row.reason
    assert sum(row.not_compared.values()) == 29


def test_a_run_that_adds_objects_is_judged_outside_what_changed(tmp_path: Path) -> None:
    """Every step adds a disc; from step 9 on grain spoils what was there before."""
    run = "table/add-apples-2k/run-0"
    base = scene(4, (240, 320))
    for step in range(1, 19):
        picture = noisy(base, 2.0 + 3.0 * max(0, step - 8), step)
        for number in range(1, step):
            cv2.circle(picture, (30 + 15 * number, 40), 10, (200, 30, 40), -1)
        data = cv2.imencode(".png", picture[..., ::-1])[1].tobytes()
        add_step(tmp_path, run, step, data=data, size=(320, 240))
    (before,) = answers(tmp_path)
    assert before.step is None and "b100 drift" in before.reason
    index = open_index(tmp_path)
    try:
        drift_series(tmp_path, index.steps(run))
        kept = kept_signals(index, [run])
    finally:
        index.close()
    (row,) = answers(tmp_path, aligned=kept)
    assert row.step is not None and abs(row.step - 9) <= 1
    assert set(row.consensus) <= {"ssim", "texture_aligned"}
    assert row.limit is not None and row.limit > 9


def test_a_mirror_run_is_judged_within_its_phase(tmp_path: Path) -> None:
    values = planted(11, 1, count=61)
    values |= {step: 50.0 + step % 4 for step in values if step % 2 == 0}
    write(tmp_path, "dongpo/mirror-2k/run-0", {"noise_sigma": values})
    (row,) = answers(tmp_path)
    assert row.step is not None and abs(row.step - 11) <= 2
    assert row.not_compared == {"another phase of the recipe (cycle of 2)": 30}


def test_a_missing_reference_step_is_said(tmp_path: Path) -> None:
    values = {step: value for step, value in planted(9, 1).items() if step != 1}
    write(tmp_path, RUN, {"noise_sigma": values})
    (row,) = answers(tmp_path)
    assert row.limit is None and "no step can be compared with step 1" in row.reason


def test_signals_measured_against_step_1_do_not_serve_another_reference(tmp_path: Path) -> None:
    write(tmp_path, RUN, {"noise_sigma": planted(9, 1), "colour_cast": planted(9, 2)})
    (row,) = answers(tmp_path, reference=2)
    assert set(row.signals) == {"noise_sigma"} and "cast" in row.limit_unchecked


def test_runs_without_probes_are_judged_by_their_metrics_and_it_is_said(tmp_path: Path) -> None:
    write(tmp_path, RUN, {"brisque": planted(9, 1), "niqe": planted(9, 2)})
    (row,) = answers(tmp_path)
    assert set(row.consensus) == {"brisque", "niqe"} and "no probes" in row.reason


def test_human_marks_are_a_third_answer(tmp_path: Path) -> None:
    write(tmp_path, RUN, {"noise_sigma": planted(9, 1)})
    record(tmp_path, "marks", mark("a", RUN, 12, "noise"), mark("b", RUN, 15, "tint"))
    (row,) = answers(tmp_path)
    assert row.marked == 12


def test_tolerances_come_from_the_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tmp_path / "config.toml"
    config.write_text("[limit]\nnoise_ratio = 1.4\n", encoding="utf-8")
    root = tmp_path / "runs"
    write(root, RUN, {"noise_sigma": planted(9, 1), "lab_b": planted(9, 2)})
    (row,) = answers(root, using=tolerances_of(str(config)))
    assert row.limit == 10  # 2 + 0.5 * 2 is over 1.4 times 2
