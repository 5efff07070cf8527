"""Contradictions out of real pictures and a real index, and the sentence that tells them."""

import json
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from b100tui.analysis.gaps import score_gap
from b100tui.cli.main import main
from b100tui.index.build import refresh
from b100tui.index.store import open_index
from b100tui.metrics.registry import metric
from b100tui.report.evidence import LieRow, gap_table, lies_table, runs_of, verdict_sentence
from b100tui.report.gate import gate, own_run
from tests.imaging.pairs import scene
from tests.index.folder import add_step, mark, record, score

RUN = "dongpo/replicate-2k/run-0"
LAST = 16


def write(root: Path, run: str, grain: Callable[[int], float], tint: float = 0.0) -> None:
    """Write a run of pictures, measure its probes, and score BRISQUE better, NIQE worse."""
    rng = np.random.default_rng(3)
    picture = scene(3, (192, 256)).astype(np.float64)
    for step in range(1, LAST + 1):
        damage = max(0, step - 5)
        noisy = (
            picture
            + rng.normal(0, grain(step), picture.shape)
            + tint * damage * np.array([1.0, -1.0, 1.0])
        )
        pixels = np.clip(noisy, 0, 255).astype(np.uint8)
        data = cv2.imencode(".png", pixels[..., ::-1])[1].tobytes()
        add_step(root, run, step, data=data, size=(256, 192))
    one = own_run(root, run)
    assert one is not None
    gate(root, one)
    rest = np.random.default_rng(4)
    record(
        root,
        "scores",
        *(score(run, n, "brisque", 40.0 - 1.5 * n + rest.normal(0, 0.3)) for n in range(1, 17)),
        *(score(run, n, "niqe", 4.0 + 0.2 * n + rest.normal(0, 0.05)) for n in range(1, 17)),
    )


def answers(root: Path, **more: object) -> dict[str, LieRow]:
    refresh(root)
    index = open_index(root)
    try:
        rows = lies_table(index, runs_of(index), metrics="brisque,niqe", **more)  # type: ignore[arg-type]
    finally:
        index.close()
    return {row.metric: row for row in rows}


def test_a_metric_that_improves_while_grain_and_tint_grow_lies(tmp_path: Path) -> None:
    write(tmp_path, RUN, lambda step: 3.0 + 2.0 * max(0, step - 5), tint=1.5)
    found = answers(tmp_path)
    lie = found["brisque"]
    assert (lie.status, lie.word) == ("contradicts", "lie")
    assert lie.fidelity_drop is not None and lie.fidelity_drop > 0.03
    assert lie.noise_ratio is not None and lie.noise_ratio > 1.25
    assert lie.cast is not None and lie.gap is not None and lie.gap > 0
    assert lie.confidence > 0.9 and lie.step is not None
    assert found["niqe"].status == "consistent"


def test_one_kind_of_evidence_is_no_lie_until_a_person_marks_it(tmp_path: Path) -> None:
    write(tmp_path, RUN, lambda step: 3.0 + 2.0 * max(0, step - 5))
    assert answers(tmp_path)["brisque"].word == "contradicts the probes"
    record(tmp_path, "marks", mark("a", RUN, 9, "noise"))
    lie = answers(tmp_path)["brisque"]
    assert lie.word == "lie" and "a person marked step 9" in lie.evidence


def test_an_improvement_without_damage_is_no_contradiction(tmp_path: Path) -> None:
    write(tmp_path, RUN, lambda step: 3.0)
    assert answers(tmp_path)["brisque"].status == "consistent"


def test_a_run_that_adds_objects_is_not_applicable(tmp_path: Path) -> None:
    write(tmp_path, "table/add-apples-2k/run-0", lambda step: 3.0 + step)
    found = answers(tmp_path)["brisque"]
    assert found.status == "not_applicable" and "adds something" in found.reason


def test_without_aligned_fidelity_nothing_is_accused(tmp_path: Path) -> None:
    write(tmp_path, RUN, lambda step: 3.0 + 2.0 * max(0, step - 5))
    found = answers(tmp_path, align=False)["brisque"]
    assert found.status == "not_applicable" and "fidelity" in found.reason


def test_the_verdict_in_a_sentence(tmp_path: Path) -> None:
    write(tmp_path, RUN, lambda step: 3.0 + 2.0 * max(0, step - 5), tint=1.5)
    found = answers(tmp_path)
    index = open_index(tmp_path)
    try:
        table = gap_table(index, steps=(10,))
    finally:
        index.close()
    cell = table.cell("dongpo", "brisque", 10)
    told = verdict_sentence(metric("brisque"), cell, found["brisque"])
    assert told.startswith("BRISQUE says +8.8") and "(better) at step 10" in told
    assert "SSIM fell" in told and told.endswith("lie (confidence 1.00)")
    nothing = score_gap(metric("brisque"), [], 10)
    assert "no verdict" in verdict_sentence(metric("brisque"), nothing)


def test_json_has_the_keys_of_the_contract(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, RUN, lambda step: 3.0 + 2.0 * max(0, step - 5), tint=1.5)
    assert main(["lies", RUN, "--root", str(tmp_path), "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert row.keys() >= {
        *("run", "step", "metric", "gap", "status", "fidelity_drop", "noise_ratio", "cast"),
        *("texture_ratio", "halo_ratio", "confidence", "evidence"),
    }
