import json
from pathlib import Path

import pytest

from b100tui.cli.main import main
from tests.imaging.pairs import moved, scene
from tests.report.test_drift import RUN, write

KEYS = {
    *("step", "status", "zoom_pct", "dx_px", "dy_px", "aspect_pct", "crop_pct", "rotation_deg"),
    *("mirrored", "confidence", "reason"),
}


def test_json_has_the_keys_of_the_contract(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = scene(1)
    write(tmp_path, 1, picture)
    write(tmp_path, 2, moved(picture, zoom=0.02))
    assert main(["drift", RUN, "--root", str(tmp_path), "--json"]) == 0
    first, second = json.loads(capsys.readouterr().out)
    assert first.keys() >= KEYS
    assert (first["status"], second["status"]) == ("identical", "aligned")
    assert second["zoom_pct"] == pytest.approx(2.0, abs=0.1)


def test_only_the_named_steps(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for step in (1, 2, 3):
        write(tmp_path, step, scene(1))
    assert main(["drift", RUN, "--root", str(tmp_path), "--steps", "3", "--jsonl"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert json.loads(line)["step"] == 3
