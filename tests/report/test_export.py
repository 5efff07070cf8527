import csv
import hashlib
import json
from pathlib import Path

import pytest
from msgspec import structs

from b100tui.index.build import refresh
from b100tui.index.store import Index, open_index
from b100tui.model.errors import StoreError, UsageError
from b100tui.model.records import MarkRecord, ScoreRecord, Step, VerdictRecord
from b100tui.report.chosen import runs_of
from b100tui.report.export import FORMATS, Format, export
from b100tui.report.export_steps import Until, parse_until
from b100tui.report.onsets import onset_table
from b100tui.sources import open_picture, walk
from b100tui.workspace.parts import PartWriter
from tests.sources.layouts.written import jsonl_file
from tests.sources.made import own_run, picture, put

DRAWN = {n: picture("png", shade=20 * n) for n in range(6)}


def indexed(root: Path) -> Index:
    refresh(root)
    return open_index(root)


def foreign(root: Path) -> Path:
    """A guessed run and one told by a manifest, with words, scores, a failed one, a verdict."""
    for n in range(5):
        put(root, f"cat/task=red/step_{n}.png", data=DRAWN[n])
        put(root, f"s/{n}.png", data=DRAWN[n])
    put(root, "cat/task=red/step_1.txt", data=b"**Look**\n\nhere\n\n**Then**\n\nthere")
    put(root, "cat/task=red/step_2_prompt.txt", data=b"=SUM(A1) or -make it red")
    rows = [
        {"file_name": f"{n}.png", "session": "=s", "turn": n, "prompt": f"p{n}", "seed": n}
        for n in range(5)
    ]
    jsonl_file(root / "s/metadata.jsonl", *rows)
    ids = {"run": "cat/task=red", "metric_version": "v1"}
    write(
        root,
        "scores",
        ScoreRecord(step=1, metric="brisque", value=-3.5, **ids),
        ScoreRecord(step=2, metric="brisque", error="too_small", message="8 px", **ids),
        ScoreRecord(step=3, metric="niqe", value=1.25, **ids),
    )
    said = {"run": "cat/task=red", "model": "judge", "content_hash": "x"}
    write(
        root,
        "verdicts",
        VerdictRecord(step=1, verdict="yes", time="1", **said),
        VerdictRecord(step=2, verdict=None, error="timeout", **said),
    )
    mark = MarkRecord(
        id="m1", run="cat/task=red", step=3, mode="tint", by="me", time="1", region=(1, 2, 3, 4)
    )
    write(root, "marks", mark)
    return root


def write(root: Path, kind: str, *records: object) -> None:
    writer = PartWriter(root / ".b100" / kind)
    writer.append(*records)
    writer.close()


def steps(index: Index, run: str) -> list[Step]:
    """The steps of a run without what is of the place they lie in."""
    return [
        structs.replace(step, picture=None, sha256=None, seed=step.seed)
        for step in index.steps(run)
    ]


def everything(index: Index) -> dict[str, object]:
    facts = "run, image, recipe, setting, editor, editor_kind, repeat, labels, model, parameters"
    more = "seed_policy, session, parent, remedy, simulated, stopped"
    return {
        "runs": index.ask(f"SELECT {facts}, {more} FROM run ORDER BY run"),
        "steps": {run: steps(index, run) for run in index.run_ids()},
        "pictures": {
            (run, step.step): hashlib.sha256(_bytes(index, step)).hexdigest()
            for run in index.run_ids()
            for step in index.steps(run)
        },
        "scores": index.ask(
            "SELECT run, step, metric, metric_version, value, error, message FROM score"
            " ORDER BY run, step, metric"
        ),
        "verdicts": {run: index.verdicts(run) for run in index.run_ids()},
        "marks": {run: index.marks(run) for run in index.run_ids()},
    }


def _bytes(index: Index, step: Step) -> bytes:
    assert step.picture is not None
    source = open_picture(index.root, step.picture)
    return source if isinstance(source, bytes) else source.read_bytes()


@pytest.mark.parametrize("format", FORMATS)
def test_what_goes_out_comes_in_again_unchanged(tmp_path: Path, format: Format) -> None:
    index = indexed(foreign(tmp_path / "in"))
    report = export(index, tmp_path / "out", format)
    assert (report.rows, report.skipped) == (10, ())
    assert everything(indexed(tmp_path / "out")) == everything(index)


@pytest.mark.parametrize("format", FORMATS)
def test_a_run_that_b100_made_comes_in_again_unchanged(tmp_path: Path, format: Format) -> None:
    made = own_run(tmp_path / "in", "moss/plain/run-1", 3, seed_policy="fixed", model="m")
    (made / "stopped.json").write_text('{"reason": "budget spent"}')
    index = indexed(tmp_path / "in")
    export(index, tmp_path / "out", format)
    assert everything(indexed(tmp_path / "out")) == everything(index)


def test_the_files_of_a_run_that_b100_made_are_byte_for_byte_the_same(tmp_path: Path) -> None:
    made = own_run(tmp_path / "in", "moss/plain/run-1", 3)
    export(indexed(tmp_path / "in"), tmp_path / "out", "files")
    copied = tmp_path / "out" / "moss/plain/run-1"
    for path in made.iterdir():
        assert (copied / path.name).read_bytes() == path.read_bytes()


@pytest.mark.parametrize("format", FORMATS)
def test_the_source_is_not_touched_and_files_are_counted(tmp_path: Path, format: Format) -> None:
    root = foreign(tmp_path / "in")
    before = walk(root)
    report = export(indexed(root), tmp_path / "out", format)
    assert walk(root) == before
    assert report.files == sum(path.is_file() for path in (tmp_path / "out").rglob("*"))


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_nulls_of_scores_and_verdicts_stay_nulls(tmp_path: Path) -> None:
    export(indexed(foreign(tmp_path / "in")), tmp_path / "out", "jsonl")
    rows = {row["step"]: row for row in lines(tmp_path / "out/steps.jsonl") if "cat" in row["path"]}  # type: ignore[operator]
    assert rows[1]["scores"] == {"brisque": -3.5}
    assert rows[2]["scores"] == {"brisque": None}
    assert [rows[n]["verdict"] for n in (0, 1, 2)] == [None, "yes", None]
    assert rows[3]["marks"] == [{"mode": "tint", "by": "me", "region": [1, 2, 3, 4], "note": None}]


def test_the_lines_alone_bring_failed_scores_back_as_failed(tmp_path: Path) -> None:
    export(indexed(foreign(tmp_path / "in")), tmp_path / "out", "jsonl")
    for part in (tmp_path / "out/.b100").rglob("*.jsonl"):
        part.unlink()
    for folder in ("scores", "verdicts", "marks"):
        (tmp_path / "out/.b100" / folder).rmdir()
    again = indexed(tmp_path / "out")
    assert again.ask("SELECT step, value FROM score WHERE metric = 'brisque' ORDER BY step") == [
        (1, -3.5),
        (2, None),
    ]


def test_a_score_of_given_bytes_stays_theirs(tmp_path: Path) -> None:
    root = foreign(tmp_path / "in")
    known = hashlib.sha256(DRAWN[4]).hexdigest()
    score = ScoreRecord(
        run="=s",
        step=4,
        metric="piqe",
        metric_version="v",
        value=2.0,
        sha256=known,
        path="s/4.png",
        bytes=len(DRAWN[4]),
        mtime_ns=(root / "s/4.png").stat().st_mtime_ns,
    )
    write(root, "scores", score)
    export(indexed(root), tmp_path / "out", "files")
    records = lines(tmp_path / "out/.b100/scores/exported.jsonl")
    assert [r["sha256"] for r in records if r["metric"] == "piqe"] == [known]
    assert {r["sha256"] for r in records if r["metric"] != "piqe"} == {None}


def test_an_imagefolder_has_the_same_columns_in_every_row(tmp_path: Path) -> None:
    export(indexed(foreign(tmp_path / "in")), tmp_path / "out", "hf")
    rows = lines(tmp_path / "out/train/metadata.jsonl")
    assert {tuple(row) for row in rows} == {tuple(rows[0])}
    assert {tuple(row["scores"]) for row in rows} == {("brisque", "niqe")}  # type: ignore[arg-type]
    assert all((tmp_path / "out/train" / str(row["file_name"])).is_file() for row in rows)
    assert "image" not in rows[0]


def test_formula_cells_of_the_overview_are_neutralised(tmp_path: Path) -> None:
    export(indexed(foreign(tmp_path / "in")), tmp_path / "out", "files")
    with (tmp_path / "out/steps.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["run"] for row in rows} == {"'=s", "cat/task=red"}
    prompts = {row["prompt"] for row in rows}
    assert "'=SUM(A1) or -make it red" in prompts
    assert not any(cell.startswith(("=", "+", "@")) for row in rows for cell in row.values())
    by_step = {row["step"]: row for row in rows if row["run"] == "cat/task=red"}
    assert (by_step["1"]["brisque"], by_step["2"]["brisque"]) == ("-3.5", "")


def test_a_filter_on_steps_lets_only_those_steps_out(tmp_path: Path) -> None:
    index = indexed(foreign(tmp_path / "in"))
    report = export(index, tmp_path / "out", "jsonl", filter="image:cat step>2")
    assert report.rows == 2
    assert indexed(tmp_path / "out").run_ids() == ["cat/task=red"]


def test_until_a_step_ends_behind_it(tmp_path: Path) -> None:
    index = indexed(foreign(tmp_path / "in"))
    report = export(index, tmp_path / "out", "jsonl", until=parse_until("2"))
    assert report.rows == 6
    assert {row["step"] for row in lines(tmp_path / "out/steps.jsonl")} == {0, 1, 2}
    assert json.loads((tmp_path / "out/export.json").read_text())["until"] == 2


def planted(root: Path, *, steps: int = 40, scored: int = 40, onset: int = 20) -> Path:
    """A run whose noise and texture are even up to `onset` and then rise."""
    put(root, *(f"cat/step_{n}.png" for n in range(steps)), data=DRAWN[1])
    records = []
    for n in range(1, scored):
        wobble = ((n * 7) % 5 - 2) / 100
        for metric in ("noise_sigma", "noise_wavelet", "laplacian_variance", "gradient_energy"):
            value = 2.0 + wobble + (max(0, n - onset + 1) * 0.8)
            records.append(
                ScoreRecord(run="cat", step=n, metric=metric, metric_version="v", value=value)
            )
    write(root, "scores", *records)
    return root


def test_until_the_onset_ends_before_the_change_can_have_begun(tmp_path: Path) -> None:
    index = indexed(planted(tmp_path / "in"))
    report = export(index, tmp_path / "out", "jsonl", until=Until("onset"))
    last = max(int(str(row["step"])) for row in lines(tmp_path / "out/steps.jsonl"))
    (row,) = onset_table(index, runs_of(index))
    assert row.low is not None
    assert (row.status, last) == ("onset", row.low - 1)
    assert last < 20
    assert report.skipped == ()
    assert not report.partly
    assert "onset at step" in json.loads((tmp_path / "out/export.json").read_text())["ends"]["cat"]


def test_until_the_limit_ends_before_the_first_bad_step(tmp_path: Path) -> None:
    index = indexed(planted(tmp_path / "in"))
    export(index, tmp_path / "out", "jsonl", until=Until("limit"))
    last = max(int(str(row["step"])) for row in lines(tmp_path / "out/steps.jsonl"))
    # noise_sigma doubles from 2.0 once 0.8 (n - 19) passes 2.0, at step 22.
    assert last == 21


def test_a_run_whose_onset_nobody_can_tell_stays_back(tmp_path: Path) -> None:
    index = indexed(foreign(tmp_path / "in"))
    report = export(index, tmp_path / "out", "jsonl", until=Until("onset"))
    assert report.rows == 0
    assert [one.run for one in report.skipped] == index.run_ids()
    assert all(one.reason.startswith("no onset can be told") for one in report.skipped)
    assert report.partly


def test_steps_behind_the_last_scored_one_stay_back_when_no_onset_was_found(
    tmp_path: Path,
) -> None:
    index = indexed(planted(tmp_path / "in", scored=30, onset=99))
    report = export(index, tmp_path / "out", "jsonl", until=Until("onset"))
    assert report.rows == 30
    assert {one.step for one in report.skipped} == set(range(30, 40))
    assert "the last scored one: nobody can tell" in report.skipped[0].reason


def test_broken_and_missing_steps_stay_back_with_their_reason(tmp_path: Path) -> None:
    root = tmp_path / "in"
    put(root, *(f"cat/step_{n}.png" for n in (0, 1, 3)))
    put(root, "cat/step_4.png", data=b"")
    report = export(indexed(root), tmp_path / "out", "files")
    assert [(one.step, one.failed) for one in report.skipped] == [(2, False), (4, True)]
    assert "empty" in report.skipped[1].reason
    assert report.partly


def test_a_picture_that_vanished_since_costs_itself(tmp_path: Path) -> None:
    root = foreign(tmp_path / "in")
    index = indexed(root)
    (root / "s/3.png").unlink()
    report = export(index, tmp_path / "out", "jsonl")
    assert report.rows == 9
    assert [(one.run, one.step) for one in report.skipped] == [("=s", 3)]


@pytest.mark.parametrize("place", ["in", "in/out", "."])
def test_no_export_into_the_root_or_around_it(tmp_path: Path, place: str) -> None:
    index = indexed(foreign(tmp_path / "in"))
    with pytest.raises(UsageError, match="exported from"):
        export(index, tmp_path / place, "jsonl")


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    index = indexed(foreign(tmp_path / "in"))
    put(tmp_path, "out/mine.txt", data=b"x")
    with pytest.raises(StoreError, match="not empty"):
        export(index, tmp_path / "out", "files")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["mine.txt"]


@pytest.mark.parametrize("text", ["", "-1", "5.5", "ever", "1" * 40, "٣"])
def test_an_until_that_is_no_step_is_wrong_use(text: str) -> None:
    with pytest.raises(UsageError):
        parse_until(text)
