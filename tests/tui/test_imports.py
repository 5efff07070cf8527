"""The first paint waits for nothing heavy."""

import json
import subprocess
import sys

HEAVY = ("duckdb", "numpy", "PIL", "cv2", "textual_image", "google.genai", "torch", "pyvips")


def loaded_after(code: str) -> set[str]:
    told = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(json.loads(told.stdout.splitlines()[-1]))


def test_the_screen_with_run_names_needs_no_heavy_import(tmp_path):
    code = f"""
import asyncio
from pathlib import Path
from tests.tui.fake import explorer, first_paint, no_index, rows

async def paint():
    app = explorer(first=first_paint(rows()), open_catalogue=no_index)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        assert app.main.runs.lines

asyncio.run(paint())
import b100tui.tui.start, b100tui.index.snapshot, b100tui.terminal.pipeline, b100tui.tui.driver
assert b100tui.index.snapshot.read_first(Path({str(tmp_path)!r})) is None
"""
    assert loaded_after(code).isdisjoint(HEAVY)


def test_reading_the_command_line_needs_no_textual():
    code = "import b100tui.cli.explore, b100tui.tui.start"
    assert loaded_after(code).isdisjoint({*HEAVY, "textual"})
