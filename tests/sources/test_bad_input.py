"""Manifests that are wrong in every way: named with line and field, and the rest comes in."""

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from b100tui.model.errors import CancelledError, LayoutError
from b100tui.sources import folder as scanning
from b100tui.sources import read_step, scan_folder
from b100tui.sources.claims import Claimed
from b100tui.sources.layouts.protocol import Layout
from b100tui.sources.layouts.registry import layouts
from b100tui.sources.listing import Listing, list_files
from b100tui.sources.texts import LINE_LIMIT, lines_of
from tests.sources.layouts.written import jsonl_file, notes
from tests.sources.made import named, numbers, put, reasons

Row = dict[str, object]


def line(n: int, **more: object) -> Row:
    return {"run": "r", "step": n, "path": f"pics/{n}.png", "prompt": f"p{n}", **more}


def folder(root: Path, *rows: object) -> Path:
    put(root, *(f"pics/{n}.png" for n in range(4)))
    jsonl_file(root / "steps.jsonl", *rows)
    return root


def test_a_line_a_step_is_read(tmp_path: Path) -> None:
    rows = [line(n, scores={"BRISQUE": n, "niqe": None}, labels={"chat": "left"}) for n in range(3)]
    (source,) = scan_folder(folder(tmp_path, *rows)).runs
    assert numbers(source) == [0, 1, 2]
    assert source.run.labels == {"chat": "left"}
    assert source.steps[2].scores == {"brisque": 2.0, "niqe": None}


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (line(-1), "line 2: step: '-1' is no step number"),
        (line(0) | {"step": "x"}, "line 2: step: 'x' is no step number"),
        (line(0) | {"step": 10**12}, "line 2: step: '1000000000000' is no step number"),
        (line(0) | {"step": [1]}, "line 2: step: '[1]' is no step number"),
        (line(0) | {"run": 5}, "line 2: run: is no text but int"),
        ({"step": 1, "path": "pics/1.png"}, "line 2: run: is missing"),
        (line(1, prompt={"a": 1}), "line 2: prompt: is no text but dict"),
        (line(1, scores=[1]), "line 2: scores: is no object but list"),
        (line(1, seed="abc"), "line 2: seed: 'abc' is no whole number"),
        (line(0), "line 2: path: step 0 is told already by path"),
        (
            line(1) | {"path": "pics/0.png"},
            "line 2: path: pics/0.png is the picture of step 0 already",
        ),
    ],
)
def test_a_wrong_value_is_named_with_line_and_field(tmp_path: Path, row: Row, said: str) -> None:
    scan = scan_folder(folder(tmp_path, line(0), row, line(3)))
    assert said in notes(scan)
    assert {0, 3} <= set(numbers(named(scan, "r")))


def test_records_of_scores_are_no_steps(tmp_path: Path) -> None:
    put(tmp_path, *(f"cat/step_{n}.png" for n in range(3)))
    rows = [
        {"run": "cat", "step": n, "path": f"cat/step_{n}.png", "metric": "niqe", "value": n}
        for n in range(3)
    ]
    jsonl_file(tmp_path / "scores.jsonl", *rows)
    (source,) = scan_folder(tmp_path).runs
    assert [step.scores for step in source.steps] == [{"niqe": float(n)} for n in range(3)]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("https://example.invalid/1.png", "is a url, which is never fetched unasked"),
        ("file:///etc/passwd", "is a url, which is never fetched unasked"),
        ("../../etc/x.png", "leads outside the folder"),
        ("/etc/x.png", "is not there"),
        ("gone.png", "is not there"),
        ("a\0b.png", "is no file name"),
        ("", "no picture is named"),
        (7, "is no file name"),
        (["a"], "is no file name"),
    ],
)
def test_a_picture_that_is_not_here_is_a_missing_step_with_line_and_field(
    tmp_path: Path, path: object, said: str
) -> None:
    source = named(scan_folder(folder(tmp_path, line(0), line(1) | {"path": path})), "r")
    step = read_step(tmp_path, source.run, source.steps[1])
    assert (step.status, step.prompt) == ("missing", "p1")
    assert str(step.reason).startswith("line 2: path: ")
    assert said in str(step.reason)


def test_an_archive_that_is_not_here_is_a_missing_step(tmp_path: Path) -> None:
    row = {"run": "r", "step": 1, "archive": "gone.tar", "member": "a.png"}
    source = named(scan_folder(folder(tmp_path, line(0), row)), "r")
    assert "gone.tar is not there" in str(source.steps[1].absent)


def test_lines_that_are_no_json_are_named_and_the_rest_comes_in(tmp_path: Path) -> None:
    root = folder(tmp_path, line(0), line(1))
    with (root / "steps.jsonl").open("ab") as file:
        file.write(b"nonsense\n[1]\n\xff\xfe\n" + json.dumps(line(2)).encode() + b"\n{")
    scan = scan_folder(root)
    assert numbers(named(scan, "r")) == [0, 1, 2]
    told = [left.reason.split(":")[0] for left in scan.unreadable]
    assert told == ["line 3", "line 4", "line 5", "line 7"]


def test_a_line_beyond_the_limit_is_passed_over_without_being_held(tmp_path: Path) -> None:
    root = folder(tmp_path, line(0))
    with (root / "steps.jsonl").open("ab") as file:
        file.write(b'{"run": "r", "step": 1, "prompt": "')
        for _ in range(100):
            file.write(b"x" * 1024 * 1024)
        file.write(b'"}\n' + json.dumps(line(2)).encode() + b"\n")
    scan = scan_folder(root)
    assert numbers(named(scan, "r")) == [0, 2]
    assert reasons(scan)["steps.jsonl"] == "line 2: longer than 16 MB"


def test_lines_are_cut_at_the_limit_and_counted_on(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"a\n" + b"b" * 20 + b"\nc\n" + b"d" * 7 + b"\n" + b"e" * 30)
    with path.open("rb") as file:
        assert list(lines_of(file, 8)) == [
            (1, b"a\n"),
            (2, None),
            (3, b"c\n"),
            (4, b"ddddddd\n"),
            (5, None),
        ]
    assert LINE_LIMIT <= 16 * 1024 * 1024


def test_a_csv_line_beyond_the_limit_is_named(tmp_path: Path) -> None:
    put(tmp_path, *(f"cat/step_{n}.png" for n in range(3)))
    long = b"x" * (LINE_LIMIT + 5)
    put(tmp_path, "s.csv", data=b"run,step,brisque\ncat,1," + long + b"\ncat,2,5\n")
    scan = scan_folder(tmp_path)
    assert scan.runs[0].steps[2].scores == {"brisque": 5.0}
    assert "line 2: longer than 16 MB" in notes(scan)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be", "cp1252"])
def test_lines_of_other_encodings_are_read(tmp_path: Path, encoding: str) -> None:
    put(tmp_path, "pics/0.png", "pics/1.png")
    rows = [json.dumps(line(n, prompt="é"), ensure_ascii=False) + "\n" for n in (0, 1)]
    (tmp_path / "steps.jsonl").write_bytes("".join(rows).encode(encoding))
    source = named(scan_folder(tmp_path), "r")
    assert source.steps[0].prompt == "é"


def test_many_problems_of_one_manifest_are_counted_not_all_listed(tmp_path: Path) -> None:
    scan = scan_folder(folder(tmp_path, line(0), *(line(-1) for _ in range(99))))
    assert notes(scan)[-1] == "and 79 more such problems"


def test_an_imagefolder_names_urls_and_pictures_of_two_steps(tmp_path: Path) -> None:
    put(tmp_path, "0.png", "1.png")
    rows: list[Row] = [{"file_name": f"{n}.png", "step": n} for n in (0, 1)]
    rows += [{"file_name": "https://x.invalid/2.png", "step": 2}, {"file_name": "0.png", "step": 3}]
    rows += [{"file_name": "1.png", "step": None}]
    jsonl_file(tmp_path / "metadata.jsonl", *rows)
    scan = scan_folder(tmp_path)
    assert numbers(scan.runs[0]) == [0, 1]
    assert notes(scan) == [
        "line 3: file_name: https://x.invalid/2.png is a url, which is never fetched unasked",
        "line 4: file_name: 0.png is the picture of step 0 already",
        "line 5: step: 'None' is no step number",
    ]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"file_name": "../../etc/passwd", "step": 2}, "'../../etc/passwd' names no picture"),
        ({"file_name": 7, "step": 2}, "file_name: '7' names no picture"),
        ({"file_name": "a.png"}, "no column tells a step"),
        ({"step": 2}, "no column names a picture"),
    ],
)
def test_an_imagefolder_names_rows_that_are_no_step(tmp_path: Path, row: Row, said: str) -> None:
    put(tmp_path, "a.png", "b.png")
    rows = [{"file_name": "a.png", "step": 0}, {"file_name": "b.png", "step": 1}, row]
    (tmp_path / "metadata.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))
    scan = scan_folder(tmp_path)
    assert numbers(scan.runs[0]) == [0, 1]
    (reason,) = [left.reason for left in scan.unused if left.path == "metadata.jsonl"]
    assert reason.startswith("line 3: ") and said in reason


def test_one_initial_image_may_serve_many_runs(tmp_path: Path) -> None:
    put(tmp_path, "0.png", "a1.png", "b1.png")
    rows = [
        {"file_name": name, "step": step, "session": run}
        for run in "ab"
        for step, name in ((0, "0.png"), (1, f"{run}1.png"))
    ]
    jsonl_file(tmp_path / "metadata.jsonl", *rows)
    assert [numbers(source) for source in scan_folder(tmp_path).runs] == [[0, 1], [0, 1]]


def test_one_wild_step_number_lists_no_millions(tmp_path: Path) -> None:
    put(tmp_path, "cat/step_1.png", "cat/step_2.png", "cat/step_999999999.png")
    (source,) = scan_folder(tmp_path).runs
    assert len(source.missing) == 1000


@pytest.mark.parametrize("work", [scan_folder, list_files], ids=["scan", "list"])
def test_a_large_listing_tells_progress_and_can_be_stopped(
    tmp_path: Path, work: Callable[..., object]
) -> None:
    for n in range(5000):
        (tmp_path / f"step_{n}.png").touch()
    seen: list[int] = []
    work(tmp_path, progress=seen.append)
    assert seen == [2048, 4096]
    with pytest.raises(CancelledError):
        work(tmp_path, cancelled=lambda: bool(time.monotonic()))


def test_a_layout_that_fails_as_a_whole_costs_itself_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(listing: Listing, taken: set[str]) -> Claimed:
        raise LayoutError("the table has no end")

    broken = Layout(name="broken", sign="none", claim=fail)
    monkeypatch.setattr(scanning, "layouts", lambda: (broken, *layouts()))
    put(tmp_path, *(f"cat/step_{n}.png" for n in range(3)))
    scan = scan_folder(tmp_path)
    assert numbers(scan.runs[0]) == [0, 1, 2]
    assert reasons(scan)["."] == "read as broken: the table has no end"
