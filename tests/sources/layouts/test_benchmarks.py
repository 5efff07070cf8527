"""MagicBrush, EdiVal, ImgEdit and MSE-Bench in the shapes they are read in."""

from pathlib import Path

import duckdb
import pytest

from b100tui.sources import open_picture, read_step, scan_folder
from tests.sources.layouts.written import jpeg, json_file, notes, paths, tar_of, the_run
from tests.sources.made import PNG, named, put


def turns(*pairs: tuple[str, str]) -> list[dict[str, str]]:
    return [
        {"input": before, "mask": f"mask{n}.png", "output": after, "instruction": f"edit {n}"}
        for n, (before, after) in enumerate(pairs, 1)
    ]


def test_a_magicbrush_session_is_a_run_and_its_masks_are_no_steps(tmp_path: Path) -> None:
    names = ("7-input.png", "7-output1.png", "7-output2.png", "mask1.png")
    put(tmp_path, *(f"images/7/{name}" for name in names))
    told = turns(("7-input.png", "7-output1.png"), ("7-output1.png", "7-output2.png"))
    json_file(tmp_path / "edit_sessions.json", {"7": told})
    scan = scan_folder(tmp_path)
    (source,) = scan.runs
    assert paths(source) == [(n, f"images/7/{name}") for n, name in enumerate(names[:3])]
    assert [step.prompt for step in source.steps] == [None, "edit 1", "edit 2"]
    assert notes(scan) == ["a mask, not a step"]


def test_a_magicbrush_turn_that_does_not_begin_where_the_last_ended_is_named(
    tmp_path: Path,
) -> None:
    put(tmp_path, *(f"images/7/{name}.png" for name in "abc"))
    told = turns(("a.png", "b.png"), ("a.png", "c.png"))
    json_file(tmp_path / "edit_sessions.json", {"7": told})
    assert notes(scan_folder(tmp_path)) == [
        "7: [1].input: a.png is not the output of the turn before"
    ]


def edival(root: Path) -> Path:
    for kind in ("multipass", "singlepass"):
        put(root, f"pro/{kind}/3_input_raw.jpg", data=jpeg(9))
        put(root, *(f"pro/{kind}/3_input_raw_turn_{n}.png" for n in (1, 2, 3)))
    rows = [
        "image_index,turns,task_type,instructions,bg_consistency",
        """3,1,['add'],['add a cat'],0.9""",
        """3,2,"['add', 'recolour']","['add a cat', ""make it 'red'""]",0.5""",
        "3,x,add,['a'],1",
        "3,3,add,[1,1",
    ]
    (root / "oai.csv").write_text("\n".join(rows))
    return root


def test_edival_passes_of_a_model_are_runs_with_their_own_instruction(tmp_path: Path) -> None:
    scan = scan_folder(edival(tmp_path))
    assert [source.run.run for source in scan.runs] == ["pro/multipass/3", "pro/singlepass/3"]
    source = scan.runs[0]
    assert [step.prompt for step in source.steps] == [None, "add a cat", "make it 'red'", None]
    assert source.steps[2].scores == {"bg_consistency": 0.5}
    assert (source.run.editor, source.run.image) == ("pro", "3")


def test_edival_cells_that_are_no_numbers_or_lists_are_named(tmp_path: Path) -> None:
    assert notes(scan_folder(edival(tmp_path))) == [
        "line 4: turns: 'x' is no number",
        "line 5: instructions: is no list of texts",
    ]


def imgedit_table(root: Path, turns: str) -> None:
    (root / "mt").mkdir(parents=True, exist_ok=True)
    duckdb.execute(f"COPY (SELECT {turns} AS data) TO '{root}/mt/train.parquet' (FORMAT parquet)")


TURNS = """[
  {'input_images': ['x/12/origin_0.png'], 'output_images': ['x/12/result_0.png'], 'prompt': 'one'},
  {'input_images': ['x/12/result_0.png'], 'output_images': ['x/12/result_1.png'], 'prompt': 'two'}
]"""
PICTURES = {
    "./x/12/origin_0.png": PNG,
    "./x/12/result_0.png": jpeg(1),
    "./x/12/result_1.png": jpeg(2),
}


@pytest.mark.parametrize("parts", [1, 3])
def test_imgedit_turns_are_read_out_of_archives_also_of_split_ones(
    tmp_path: Path, parts: int
) -> None:
    imgedit_table(tmp_path, TURNS)
    whole = tar_of(tmp_path / "pics.tar", PICTURES)
    if parts > 1:
        data = whole.read_bytes()
        size = len(data) // parts + 1
        for part in range(parts):
            piece = data[part * size : (part + 1) * size]
            (tmp_path / f"pics.tar.split.{part:03}").write_bytes(piece)
        whole.unlink()
    source = the_run(tmp_path)
    assert [(s.step, s.picture.member, s.prompt) for s in source.steps] == [
        (0, "x/12/origin_0.png", None),
        (1, "x/12/result_0.png", "one"),
        (2, "x/12/result_1.png", "two"),
    ]
    assert [open_picture(tmp_path, step.picture) for step in source.steps] == [*PICTURES.values()]
    step = read_step(tmp_path, source.run, source.steps[1])
    assert (step.status, step.format, step.width) == ("ok", "jpeg", 8)


def test_imgedit_scores_join_by_the_path_of_the_result(tmp_path: Path) -> None:
    imgedit_table(tmp_path, TURNS)
    tar_of(tmp_path / "pics.tar", PICTURES)
    json_file(tmp_path / "all_dataset_gpt_score.json", {"x/12/result_1.png": 4.5})
    assert the_run(tmp_path).steps[2].scores == {"gpt_score": 4.5}


def test_imgedit_benchmark_items_wait_for_their_turns(tmp_path: Path) -> None:
    put(tmp_path, "pics/a.jpg", data=jpeg(3))
    item = {"id": "pics/a.jpg", "turn1": "add", "turn2": "remove", "turn3": 5}
    json_file(tmp_path / "multi.json", {"1": item, "2": {"id": "gone.jpg", "turn1": "x"}})
    scan = scan_folder(tmp_path)
    source = named(scan, "1")
    steps = [read_step(tmp_path, source.run, step) for step in source.steps]
    assert [(step.status, step.prompt) for step in steps] == [
        ("ok", None),
        ("missing", "add"),
        ("missing", "remove"),
        ("missing", None),
    ]
    assert notes(scan) == ["1: turn3: is no text but int", "2: id: gone.jpg is not here"]


def mse_table(root: Path, columns: str) -> None:
    (root / "data").mkdir(parents=True, exist_ok=True)
    blob = "{{'bytes': from_hex('{}'), 'path': NULL}}"
    fields = ", ".join(
        f"{blob.format(jpeg(n).hex())} AS {name}" for n, name in enumerate(columns.split())
    )
    duckdb.execute(
        f"COPY (SELECT 5 AS index, 'a summary' AS summary, ['c1', 'c2'] AS context,"
        f" ['o1', 'o2'] AS operation, {fields})"
        f" TO '{root}/data/pro-00000-of-00001-ab12.parquet' (FORMAT parquet)"
    )


@pytest.mark.parametrize(
    ("columns", "steps"),
    [
        ("image turn_0_image turn_1_image", [(0, None), (1, "c1"), (2, "c2")]),
        ("turn_0_image turn_1_image", [(1, "c1"), (2, "c2")]),
        ("turn_0_image turn_1_image turn_2_image", [(0, None), (1, "c1"), (2, "c2")]),
    ],
)
def test_mse_bench_turns_are_numbered_by_how_many_operations_there_are(
    tmp_path: Path, columns: str, steps: list[tuple[int, str | None]]
) -> None:
    mse_table(tmp_path, columns)
    source = the_run(tmp_path)
    assert [(step.step, step.prompt) for step in source.steps] == steps
    assert (source.run.run, source.run.editor) == ("pro/5", "pro")
    assert read_step(tmp_path, source.run, source.steps[0]).status == "ok"


def test_mse_bench_scores_come_from_the_file_of_model_and_index(tmp_path: Path) -> None:
    mse_table(tmp_path, "image turn_0_image turn_1_image")
    told = {"turn_1": {"consistency": 7, "quality": "n/a"}, "turn_2": {"consistency": 3.5}}
    json_file(tmp_path / "pro/5.json", told)
    source = the_run(tmp_path)
    assert [step.scores for step in source.steps] == [
        {},
        {"consistency": 7.0},
        {"consistency": 3.5},
    ]
