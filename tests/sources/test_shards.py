import io
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import duckdb
import pytest
from PIL import Image

from b100tui.model.errors import PictureError
from b100tui.model.records import PictureRef
from b100tui.sources import open_picture, read_step, scan_folder, shards
from tests.sources.made import PNG, named, numbers, picture, put, reasons

Row = dict[str, Any]


def image(name: str | None, shade: int = 0) -> dict[str, Any]:
    return {"bytes": picture("png", (8 + shade, 6), shade), "path": name}


def shard(place: Path, columns: dict[str, str], rows: list[Row]) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    kinds = ", ".join(f'"{name}" {kind}' for name, kind in columns.items())
    marks = ", ".join(f"?::{kind}" for kind in columns.values())
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE t ({kinds})")
        for row in rows:
            connection.execute(f"INSERT INTO t VALUES ({marks})", [row[name] for name in columns])
        connection.execute(f"COPY t TO '{place}' (FORMAT parquet, ROW_GROUP_SIZE 2048)")


IMAGE = "STRUCT(bytes BLOB, path VARCHAR)"


def test_step_and_run_columns_make_runs_over_shards(tmp_path: Path) -> None:
    columns = {"image": IMAGE, "run": "VARCHAR", "step": "INTEGER", "prompt": "VARCHAR"}
    for part, steps in enumerate((range(3), range(3, 5))):
        rows = [
            {"image": image(None, n), "run": run, "step": n, "prompt": f"p{n}"}
            for run in ("a", "b")
            for n in steps
        ]
        shard(tmp_path / f"data/train-0000{part}-of-00002.parquet", columns, rows)
    scan = scan_folder(tmp_path)
    assert scan.layout == "parquet"
    assert [source.run.run for source in scan.runs] == ["a", "b"]
    assert all(numbers(source) == [0, 1, 2, 3, 4] for source in scan.runs)
    source = named(scan, "b")
    step = read_step(tmp_path, source.run, source.steps[4])
    assert (step.status, step.width, step.format, step.prompt) == ("ok", 12, "png", "p4")
    assert open_picture(tmp_path, source.steps[4].picture) == picture("png", (12, 6), 4)


def test_name_of_the_picture_tells_the_step(tmp_path: Path) -> None:
    rows = [{"image": image(f"cat_step_{n}.png")} for n in (2, 0, 1)]
    shard(tmp_path / "train.parquet", {"image": IMAGE}, rows)
    (source,) = scan_folder(tmp_path).runs
    assert [(s.step, s.picture.member) for s in source.steps] == [
        (0, "1:image"),
        (1, "2:image"),
        (2, "0:image"),
    ]


def test_repeated_numbers_begin_the_next_run(tmp_path: Path) -> None:
    rows = [{"image": image(f"{n}.png")} for _ in range(2) for n in (0, 1, 2)]
    shard(tmp_path / "train.parquet", {"image": IMAGE}, rows)
    assert [numbers(source) for source in scan_folder(tmp_path).runs] == [[0, 1, 2]] * 2


def test_label_column_tells_runs_apart(tmp_path: Path) -> None:
    columns = {"image": IMAGE, "task": "VARCHAR"}
    rows = [{"image": image(f"{n}.png"), "task": task} for n in range(3) for task in ("fog", "sun")]
    shard(tmp_path / "train.parquet", columns, rows)
    runs = scan_folder(tmp_path).runs
    assert [(s.run.setting, numbers(s)) for s in runs] == [("fog", [0, 1, 2]), ("sun", [0, 1, 2])]


def test_source_and_target_columns_are_one_trajectory(tmp_path: Path) -> None:
    columns = {
        "img_id": "VARCHAR",
        "turn_index": "INTEGER",
        "source_img": IMAGE,
        "mask_img": IMAGE,
        "target_img": IMAGE,
        "instruction": "VARCHAR",
    }
    rows = [
        {
            "img_id": "7",
            "turn_index": n,
            "source_img": image("s.png"),
            "mask_img": image("m.png"),
            "target_img": image("t.png"),
            "instruction": f"do {n}",
        }
        for n in (1, 2)
    ]
    shard(tmp_path / "dev.parquet", columns, rows)
    (source,) = scan_folder(tmp_path).runs
    assert [(s.step, s.picture.member, s.prompt) for s in source.steps] == [
        (0, "0:source_img", None),
        (1, "0:target_img", "do 1"),
        (2, "1:target_img", "do 2"),
    ]


def test_turn_columns_make_a_run_of_each_row(tmp_path: Path) -> None:
    columns = {"image": IMAGE, "turn_1_image": IMAGE, "turn_2_image": IMAGE, "index": "INTEGER"}
    rows = [
        {"image": image("x"), "turn_1_image": image("y"), "turn_2_image": image("z"), "index": n}
        for n in range(2)
    ]
    shard(tmp_path / "test.parquet", columns, rows)
    assert [numbers(source) for source in scan_folder(tmp_path).runs] == [[0, 1, 2]] * 2


def test_picture_that_tells_no_step_is_listed(tmp_path: Path) -> None:
    shard(tmp_path / "x.parquet", {"image": IMAGE}, [{"image": image("cat.png")}])
    scan = scan_folder(tmp_path)
    assert not scan.runs
    assert "tells a step" in reasons(scan)["x.parquet#0:image"]


def test_row_without_a_picture_and_broken_bytes_cost_themselves(tmp_path: Path) -> None:
    columns = {"image": IMAGE, "step": "INTEGER"}
    broken = {"bytes": b"no picture", "path": None}
    rows = [
        {"image": image(None), "step": 0},
        {"image": broken, "step": 1},
        {"image": None, "step": 2},
    ]
    shard(tmp_path / "x.parquet", columns, rows)
    (source,) = scan_folder(tmp_path).runs
    steps = [read_step(tmp_path, source.run, step) for step in source.steps]
    assert [step.status for step in steps] == ["ok", "unreadable"]
    with pytest.raises(PictureError, match="no picture"):
        open_picture(tmp_path, PictureRef(path="x.parquet", member="2:image"))


def test_broken_shard_is_listed(tmp_path: Path) -> None:
    put(tmp_path, "x.parquet", data=b"PAR1 and nothing more")
    assert "Parquet" in reasons(scan_folder(tmp_path))["x.parquet"]


def test_large_picture_header_is_read_from_its_ends(tmp_path: Path) -> None:
    big = {"bytes": picture("bmp", (400, 300)), "path": None}
    shard(tmp_path / "x.parquet", {"image": IMAGE, "step": "INTEGER"}, [{"image": big, "step": 0}])
    (source,) = scan_folder(tmp_path).runs
    step = read_step(tmp_path, source.run, source.steps[0])
    assert (step.format, step.width, step.height) == ("bmp", 400, 300)


def test_size_behind_a_long_profile_is_found(tmp_path: Path) -> None:
    out = io.BytesIO()
    Image.new("RGB", (40, 30)).save(out, "jpeg", icc_profile=b"x" * 200_000)
    data = {"bytes": out.getvalue(), "path": None}
    shard(tmp_path / "x.parquet", {"image": IMAGE, "step": "INTEGER"}, [{"image": data, "step": 0}])
    (source,) = scan_folder(tmp_path).runs
    step = read_step(tmp_path, source.run, source.steps[0])
    assert (step.status, step.width, step.height) == ("ok", 40, 30)


def test_scores_in_parquet_beside_the_runs_are_joined(tmp_path: Path) -> None:
    put(tmp_path, *(f"cat/step_{n}.png" for n in range(3)))
    columns = {"run": "VARCHAR", "step": "INTEGER", "metric": "VARCHAR", "value": "DOUBLE"}
    shard(
        tmp_path / "scores.parquet",
        columns,
        [{"run": "cat", "step": 2, "metric": "niqe", "value": 4.5}],
    )
    assert scan_folder(tmp_path).runs[0].steps[2].scores == {"niqe": 4.5}


def test_rows_without_a_picture_are_gaps(tmp_path: Path) -> None:
    blob = PNG.hex()
    duckdb.execute(
        "COPY (SELECT range AS step, CASE WHEN range = 1 THEN NULL ELSE"
        f" {{'bytes': from_hex('{blob}'), 'path': NULL::VARCHAR}} END AS image FROM range(4))"
        f" TO '{tmp_path}/a.parquet' (FORMAT parquet)"
    )
    (source,) = scan_folder(tmp_path).runs
    assert numbers(source) == [0, 2, 3]
    assert source.missing == (1,)


def test_many_threads_read_the_headers_of_one_row_group(tmp_path: Path) -> None:
    blob = PNG.hex()
    duckdb.execute(
        f"COPY (SELECT range AS step, {{'bytes': from_hex('{blob}'), 'path': 'x.png'}} AS image"
        f" FROM range(500)) TO '{tmp_path}/a.parquet' (FORMAT parquet, ROW_GROUP_SIZE 100)"
    )
    (source,) = scan_folder(tmp_path).runs
    with ThreadPoolExecutor(8) as pool:
        read = list(pool.map(lambda step: read_step(tmp_path, source.run, step), source.steps))
    assert [step.status for step in read] == ["ok"] * 500


def test_a_row_group_that_needs_more_memory_than_usual_is_read_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shards, "_MEMORY", "1MB")
    big = (picture("png") + bytes(3_000_000)).hex()
    duckdb.execute(
        f"COPY (SELECT range AS step, {{'bytes': from_hex('{big}'), 'path': 'x.png'}} AS image"
        f" FROM range(6)) TO '{tmp_path}/a.parquet' (FORMAT parquet, COMPRESSION uncompressed)"
    )
    (source,) = scan_folder(tmp_path).runs
    assert len(open_picture(tmp_path, source.steps[5].picture)) > 3_000_000  # type: ignore[arg-type]
