"""The picture's way to the screen loads no decoder before the first paint."""

import subprocess
import sys

import pytest

HEAVY = {"PIL", "numpy", "textual_image", "cv2", "pyvips", "duckdb"}


@pytest.mark.parametrize(
    "module",
    [
        "b100tui.terminal.probe",
        "b100tui.terminal.pipeline",
        "b100tui.tui.driver",
        "b100tui.tui.widgets.picture",
    ],
)
def test_nothing_heavy_is_imported(module: str) -> None:
    code = f"import sys, {module}; print(*sorted(m.split('.')[0] for m in sys.modules))"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert HEAVY.isdisjoint(said.stdout.split())


def test_the_probe_needs_no_textual() -> None:
    code = "import sys, b100tui.terminal.probe; print(*sys.modules)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "textual" not in said.stdout.split()
