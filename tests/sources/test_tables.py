from pathlib import Path

import pytest

from b100tui.sources import read_step, scan_folder
from tests.sources.made import named, numbers, put, reasons


def runs(root: Path) -> Path:
    put(root, *(f"{name}/step_{n}.png" for name in ("cat", "dog") for n in range(3)))
    return root


def scores(root: Path) -> dict[tuple[str, int], dict[str, float]]:
    return {
        (source.run.run, step.step): step.scores
        for source in scan_folder(root).runs
        for step in source.steps
        if step.scores
    }


def prompts(root: Path) -> dict[tuple[str, int], str]:
    return {
        (source.run.run, step.step): step.prompt
        for source in scan_folder(root).runs
        for step in source.steps
        if step.prompt
    }


def test_long_scores_join_by_run_and_step(tmp_path: Path) -> None:
    put(runs(tmp_path), "s.csv", data=b"run,step,metric,value\ncat,1,TOPIQ-NR,0.5\ndog,2,niqe,-3\n")
    assert scores(tmp_path) == {("cat", 1): {"topiq_nr": 0.5}, ("dog", 2): {"niqe": -3.0}}


def test_wide_scores_join_by_file_name(tmp_path: Path) -> None:
    text = b"file_name,brisque,NIQE\ncat/step_2.png,12.5,\n"
    put(runs(tmp_path), "s.csv", data=text)
    assert scores(tmp_path) == {("cat", 2): {"brisque": 12.5}}


def test_table_in_a_run_folder_speaks_of_that_run(tmp_path: Path) -> None:
    put(runs(tmp_path), "dog/s.jsonl", data=b'{"step": 1, "brisque": 7}\n')
    assert scores(tmp_path) == {("dog", 1): {"brisque": 7.0}}


def test_long_row_that_fits_several_runs_is_not_guessed(tmp_path: Path) -> None:
    put(runs(tmp_path), "s.csv", data=b"step,metric,value\n1,niqe,3\n")
    assert scores(tmp_path) == {}
    assert "2 runs answer" in reasons(scan_folder(tmp_path))["s.csv"]


def test_prompt_of_a_step_holds_for_every_run_it_fits(tmp_path: Path) -> None:
    put(runs(tmp_path), "prompts.csv", data=b"step,prompt\n1,again\n")
    assert prompts(tmp_path) == {("cat", 1): "again", ("dog", 1): "again"}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16", "utf-16-le"])
def test_tables_of_any_usual_encoding_are_read(tmp_path: Path, encoding: str) -> None:
    text = "run,step,prompt\ncat,1,café \u2013 naïve\n"
    put(runs(tmp_path), "p.csv", data=text.encode(encoding))
    assert prompts(tmp_path) == {("cat", 1): "café \u2013 naïve"}


@pytest.mark.parametrize("between", [";", "\t"])
def test_other_delimiters_are_seen(tmp_path: Path, between: str) -> None:
    text = f"run{between}step{between}brisque\ncat{between}1{between}3,5\n"
    put(runs(tmp_path), "p.csv", data=text.encode())
    assert scores(tmp_path) == {("cat", 1): {"brisque": 3.5}}


def test_nan_is_no_score(tmp_path: Path) -> None:
    text = b"run,step,metric,value\ncat,1,niqe,nan\ncat,1,piqe,inf\ncat,1,brisque,1e3\n"
    put(runs(tmp_path), "s.csv", data=text)
    assert scores(tmp_path) == {("cat", 1): {"brisque": 1000.0}}


def test_bad_lines_cost_themselves(tmp_path: Path) -> None:
    text = b'{"run": "cat", "step": 1, "brisque": 1}\nnonsense\n[1]\n{"run": "cat", "step": "x"}\n'
    put(runs(tmp_path), "s.jsonl", data=text)
    scan = scan_folder(tmp_path)
    assert scores(tmp_path) == {("cat", 1): {"brisque": 1.0}}
    told = [left.reason for left in scan.unreadable]
    assert [reason.split(":")[0] for reason in told] == ["line 2", "line 3"]
    assert [left.reason for left in scan.unused] == [
        "1 of 2 rows join no step; line 4: step is no step number"
    ]


def test_table_without_a_step_is_listed_with_the_reason(tmp_path: Path) -> None:
    put(runs(tmp_path), "t.csv", data=b"colour,count\nred,5\n")
    assert "no column names a step" in reasons(scan_folder(tmp_path))["t.csv"]


def test_header_alone_and_nothing_at_all_are_no_failure(tmp_path: Path) -> None:
    put(runs(tmp_path), "empty.csv", data=b"")
    put(tmp_path, "header.csv", data=b"run,step,metric,value\n")
    scan = scan_folder(tmp_path)
    assert len(scan.runs) == 2
    assert "no header" in reasons(scan)["empty.csv"]


def test_table_names_no_file_outside_the_root(tmp_path: Path) -> None:
    put(tmp_path, "secret/step_0.png")
    root = runs(tmp_path / "root")
    put(root, "s.csv", data=b"file_name,brisque\n../secret/step_0.png,5\n/etc/x.png,1\n")
    assert scores(root) == {}
    assert "2 of 2 rows join no step" in reasons(scan_folder(root))["s.csv"]


@pytest.mark.parametrize(
    "name", ["step_1.txt", "step_1_reasoning.md", "step_1.thoughts.txt", "reasoning_1.txt"]
)
def test_text_beside_a_picture_is_its_reasoning(tmp_path: Path, name: str) -> None:
    put(runs(tmp_path), f"cat/{name}", data=b"**Look**\n\nhere")
    source = named(scan_folder(tmp_path), "cat")
    step = read_step(tmp_path, source.run, source.steps[1])
    assert [(s.title, s.text) for s in step.sections] == [("Look", "here")]


@pytest.mark.parametrize("name", ["step_1_prompt.txt", "step_1@caption.txt", "step_1.caption.txt"])
def test_prompt_file_beside_a_picture_is_its_prompt(tmp_path: Path, name: str) -> None:
    put(runs(tmp_path), f"cat/{name}", data=b"make it \x1b[31mred\n")
    assert prompts(tmp_path) == {("cat", 1): "make it red"}


def test_json_beside_a_picture_tells_words_parameters_and_scores(tmp_path: Path) -> None:
    text = (
        b'{"prompt": "red", "seed": 5, "model": "pro", "thoughts": ["**A**\\nx"],'
        b' "temperature": 0.4, "scores": {"BRISQUE": 3.5, "bad": null}}'
    )
    put(runs(tmp_path), "cat/step_1.json", data=text)
    source = named(scan_folder(tmp_path), "cat")
    told = source.steps[1]
    assert (told.prompt, told.seed, told.model, told.parameters, told.scores) == (
        "red",
        5,
        "pro",
        {"temperature": 0.4},
        {"brisque": 3.5},
    )
    assert told.sections[0].title == "A"


def test_sidecars_without_their_run_file_give_words_but_no_scores(tmp_path: Path) -> None:
    text = b'{"schema": 1, "run": "a/b/run-0", "step": 2, "prompt": "copy", "attempts": 1,'
    text += b' "output": {"bytes": 7}, "cost_usd": 0.13, "scores_seen": 4}'
    put(runs(tmp_path), "cat/step_2.json", data=text)
    assert prompts(tmp_path) == {("cat", 2): "copy"}
    assert scores(tmp_path) == {}


@pytest.mark.parametrize(
    "data", [b"{", b"[1, 2]", b'"text"', b"null", b'{"prompt": 5, "seed": "x"}']
)
def test_json_of_another_shape_costs_nothing(tmp_path: Path, data: bytes) -> None:
    put(runs(tmp_path), "cat/step_1.json", data=data)
    source = named(scan_folder(tmp_path), "cat")
    assert read_step(tmp_path, source.run, source.steps[1]).status == "ok"
    assert prompts(tmp_path) == {}


def test_imagefolder_with_a_step_column_is_read(tmp_path: Path) -> None:
    rows = "".join(
        f'{{"file_name": "img/{k}{n}.png", "session": "s{k}", "turn": {n}, "prompt": "p{n}"}}\n'
        for k in "ab"
        for n in range(3)
    )
    put(tmp_path, *(f"train/img/{k}{n}.png" for k in "ab" for n in range(3)))
    put(tmp_path, "train/metadata.jsonl", data=rows.encode())
    scan = scan_folder(tmp_path)
    assert scan.layout == "imagefolder"
    assert [source.run.run for source in scan.runs] == ["sa", "sb"]
    assert [step.prompt for step in scan.runs[0].steps] == ["p0", "p1", "p2"]


def test_imagefolder_without_a_step_column_lends_its_words_to_the_guess(tmp_path: Path) -> None:
    put(tmp_path, *(f"cat/step_{n}.png" for n in range(3)))
    put(tmp_path, "metadata.csv", data=b"file_name,text\ncat/step_1.png,make it red\n")
    scan = scan_folder(tmp_path)
    assert scan.layout == "guess"
    assert scan.runs[0].steps[1].prompt == "make it red"


def test_manifest_lines_that_lead_out_or_nowhere_are_named(tmp_path: Path) -> None:
    put(tmp_path, "0.png", "1.png")
    names = ["0.png", "1.png", "../2.png", "gone.png"]
    rows = "file_name,step\n" + "".join(f"{name},{n}\n" for n, name in enumerate(names))
    put(tmp_path, "metadata.csv", data=rows.encode())
    scan = scan_folder(tmp_path)
    assert numbers(scan.runs[0]) == [0, 1]
    assert [left.reason for left in scan.unused] == [
        "line 4: file_name: ../2.png leads outside the folder",
        "line 5: file_name: gone.png is not there",
    ]


def test_source_of_the_first_turn_is_step_0(tmp_path: Path) -> None:
    rows = (
        b"img_id,turn_index,source_img,target_img,instruction\n"
        b"7,1,in.png,a.png,one\n7,2,a.png,b.png,two\n"
    )
    put(tmp_path, "in.png", "a.png", "b.png")
    put(tmp_path, "metadata.csv", data=rows)
    (source,) = scan_folder(tmp_path).runs
    assert [(s.step, s.picture.path, s.prompt) for s in source.steps] == [
        (0, "in.png", None),
        (1, "a.png", "one"),
        (2, "b.png", "two"),
    ]


def test_imagefolder_with_a_column_a_turn_has_a_run_a_row(tmp_path: Path) -> None:
    rows = "".join(
        f'{{"image_file_name": "{k}0.png", "turn_1_image_file_name": "{k}1.png",'
        f' "turn_2_image_file_name": "{k}2.png", "turn_2_instruction": "again {k}"}}\n'
        for k in "ab"
    )
    put(tmp_path, *(f"{k}{n}.png" for k in "ab" for n in range(3)))
    put(tmp_path, "metadata.jsonl", data=rows.encode())
    scan = scan_folder(tmp_path)
    assert scan.layout == "imagefolder"
    told = [[(s.step, s.picture.path, s.prompt) for s in source.steps] for source in scan.runs]
    assert told == [
        [(0, f"{k}0.png", None), (1, f"{k}1.png", None), (2, f"{k}2.png", f"again {k}")]
        for k in "ab"
    ]
