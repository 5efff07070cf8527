import json
import sqlite3
from pathlib import Path

from b100tui.sources import scan_folder, walk
from tests.sources.layouts.written import notes, paths, the_run
from tests.sources.made import numbers, put

MEDIA = "wandb/run-20260102_030405-ab12cd/files/media/images"
HASH = "0123456789abcdef0{:03}"
UUID = "12345678-1234-1234-1234-1234567890{:02}"


def test_wandb_media_are_runs_by_key_and_steps_by_logged_step(tmp_path: Path) -> None:
    put(tmp_path, *(f"{MEDIA}/out_{n}_{HASH.format(n)}.png" for n in (0, 1, 10, 2)))
    put(tmp_path, *(f"{MEDIA}/val/grid_2_{n}_{HASH.format(n)}.png" for n in (5, 7)))
    scan = scan_folder(tmp_path)
    assert [(source.run.run.split("/", 1)[1], numbers(source)) for source in scan.runs] == [
        ("out", [0, 1, 2, 10]),
        ("val/grid_2", [5, 7]),
    ]
    assert scan.layout == "wandb"


def test_wandb_pictures_of_one_step_are_listed_as_duplicates(tmp_path: Path) -> None:
    put(tmp_path, *(f"{MEDIA}/out_{n}_{HASH.format(n)}.png" for n in (0, 1)))
    put(tmp_path, f"{MEDIA}/out_1_{HASH.format(9)}.png", f"{MEDIA}/once_3_{HASH.format(3)}.png")
    scan = scan_folder(tmp_path)
    assert [same.step for same in scan.runs[0].duplicates] == [1]
    assert notes(scan) == ["logged at one step only: not a run"]


def trackio(root: Path, *rows: object) -> Path:
    put(root, *(f"media/proj/quiet-fox/{n}/{UUID.format(n)}.png" for n in (0, 1, 12)))
    with sqlite3.connect(root / "proj.db") as database:
        database.execute("CREATE TABLE metrics (id INTEGER, run_name TEXT, step INT, metrics TEXT)")
        database.executemany(
            "INSERT INTO metrics VALUES (1, 'quiet-fox', 0, ?)",
            [(json.dumps(row),) for row in rows],
        )
    database.close()
    return root


def test_trackio_media_are_steps_by_folder_with_captions_of_the_database(tmp_path: Path) -> None:
    path = f"proj/quiet-fox/12/{UUID.format(12)}.png"
    picture = {"_type": "trackio.image", "file_path": path, "caption": "the plate"}
    source = the_run(trackio(tmp_path, {"picture": picture, "loss": 0.5, "note": "x"}, {"a": 1}))
    assert [step for step, _ in paths(source)] == [0, 1, 12]
    assert source.run.run == "proj/quiet-fox"
    assert source.steps[2].prompt == "the plate"
    assert source.steps[2].scores == {"loss": 0.5}


def test_reading_a_trackio_database_leaves_nothing_beside_it(tmp_path: Path) -> None:
    before = walk(trackio(tmp_path, {}))
    scan_folder(tmp_path)
    assert walk(tmp_path) == before


def test_a_file_that_is_no_database_costs_the_captions_only(tmp_path: Path) -> None:
    put(tmp_path, *(f"media/proj/fox/{n}/{UUID.format(n)}.png" for n in (0, 1)))
    put(tmp_path, "proj.db", data=b"not sqlite")
    scan = scan_folder(tmp_path)
    assert numbers(scan.runs[0]) == [0, 1]
    assert scan.unreadable[0].reason.startswith("no Trackio database")
