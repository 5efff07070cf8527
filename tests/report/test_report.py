"""The report on real data: what is made, that it is made again alike, what it refuses."""

import csv
import hashlib
import html.parser
import io
import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from b100tui.cli.main import main
from b100tui.index.build import refresh
from b100tui.index.store import Index, open_index
from b100tui.model.errors import UsageError
from b100tui.model.records import VerdictRecord
from b100tui.report.origin import Wanted
from b100tui.report.report import Report, make_report
from tests.index.folder import add_step, record, score
from tests.report.paper import positives, printed, write_runs

Made = Callable[..., tuple[Report, Path]]


@pytest.fixture(scope="module")
def paper(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """The paper's 756 gaps, and a judge that says yes in some runs."""
    root = tmp_path_factory.mktemp("paper")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("B100_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        write_runs(root)
        for image, first in (("holi", 10), ("rice", None)):
            record(
                root,
                "verdicts",
                *(
                    VerdictRecord(
                        run=f"{image}/replicate-2k/run-0",
                        step=step,
                        verdict="yes" if first is not None and step >= first else "no",
                        model="judge",
                        content_hash=str(step),
                    )
                    for step in (5, 10, 20)
                ),
            )
        refresh(root)
        return open_index(root)


def made(index: Index, out: Path, **more: object) -> Report:
    wanted = Wanted(bounds={"pi": (None, 20.0)}, bound_words=("pi=20",), **more)  # type: ignore[arg-type]
    return make_report(index, out, wanted)


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))


def test_figures_5_and_6_hold_the_papers_numbers(paper: Index, tmp_path: Path) -> None:
    made(paper, tmp_path / "out", figures=("5",), tables=(), formats=("csv",))
    rows = rows_of(tmp_path / "out" / "figure-5.csv")
    wanted = printed()
    assert len(rows) == len(wanted)
    from b100tui.metrics.registry import metric

    counts: dict[tuple[str, str], int] = {}
    for row in rows:
        name = metric(row["metric"]).id
        gap = wanted[row["group"], name, int(row["step"])]
        assert abs(float(row["gap"]) - (gap or -0.01)) < 1e-9
        key = (row["group"], name)
        counts[key] = counts.get(key, 0) + (row["failure"] == "true")
    assert counts == positives()


def test_every_kind_of_file_is_made_and_listed_with_its_command(
    paper: Index, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    report = made(paper, out)
    names = {one.path for one in report.files}
    for figure in ("4", "5", "6", "7", "10"):
        for kind in ("png", "svg", "csv", "parquet", "tex"):
            assert f"figure-{figure}.{kind}" in names
    for table in ("1", "2", "first-yes"):
        for kind in ("csv", "parquet", "tex"):
            assert f"table-{table}.{kind}" in names
    assert {"report.html", "provenance.json", "figure-strips-1.png"} <= names
    for one in report.files:
        assert hashlib.sha256((out / one.path).read_bytes()).hexdigest() == one.sha256
        assert one.command.startswith("b100 report") or one.path == "provenance.json"


def test_made_twice_it_is_the_same_byte_for_byte(paper: Index, tmp_path: Path) -> None:
    for name in ("one", "other"):
        made(paper, tmp_path / name, figures=("6", "strips"))
    for path in sorted((tmp_path / "one").iterdir()):
        assert path.read_bytes() == (tmp_path / "other" / path.name).read_bytes(), path.name


@pytest.mark.parametrize("name", ["figure-6.png", "figure-4.svg", "figure-5.parquet"])
def test_the_command_beside_a_file_makes_that_file_again(
    name: str, paper: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    kind = name.rpartition(".")[2]
    figures = (name.removeprefix("figure-").partition(".")[0],)
    report = made(paper, out, figures=figures, tables=(), formats=(kind, "csv"))
    (command,) = [one.command for one in report.files if one.path == name]
    monkeypatch.chdir(tmp_path)
    assert main(shlex.split(command)[1:]) == 0
    assert (tmp_path / "report" / name).read_bytes() == (out / name).read_bytes()


def test_provenance_names_data_versions_bounds_and_counts(paper: Index, tmp_path: Path) -> None:
    made(paper, tmp_path / "out", figures=(), tables=("2",), formats=("csv",))
    told = json.loads((tmp_path / "out" / "provenance.json").read_bytes())["provenance"]
    assert told["bounds"] == {"pi": [None, 20.0]}
    assert told["n"] == {"runs": 12, "runs_in_gaps": 12, "steps": 48, "scores": 12 * 21 * 4}
    assert {"numpy", "matplotlib", "duckdb", "python"} <= told["versions"].keys()
    assert len(told["data"]) == 64


def test_other_data_has_another_hash(tmp_path: Path) -> None:
    run = "dongpo/replicate-2k/run-0"
    hashes = []
    for value in (30.0, 31.0):
        root = tmp_path / str(value)
        add_step(root, run, 1)
        record(root, "scores", score(run, 1, "brisque", value))
        refresh(root)
        index = open_index(root)
        made(index, tmp_path / f"out-{value}", figures=(), tables=("2",), formats=("csv",))
        index.close()
        told = json.loads((tmp_path / f"out-{value}" / "provenance.json").read_bytes())
        hashes.append(told["provenance"]["data"])
    assert hashes[0] != hashes[1]


def test_runs_that_never_say_yes_are_censored(paper: Index, tmp_path: Path) -> None:
    made(paper, tmp_path / "out", figures=(), tables=("first-yes",), formats=("csv",))
    holi, rice = rows_of(tmp_path / "out" / "table-first-yes.csv")
    assert (holi["setting"], holi["median"]) == ("holi/replicate-2k", "10.0")
    assert holi["censored"] == "0"
    assert (rice["median"], rice["mean"], rice["censored"]) == ("", "", "1")


def test_parquet_can_be_read_with_its_provenance(paper: Index, tmp_path: Path) -> None:
    import duckdb

    made(paper, tmp_path / "out", figures=("5",), tables=(), formats=("parquet",))
    path = tmp_path / "out" / "figure-5.parquet"
    ((count,),) = duckdb.sql(f"SELECT count(*) FROM '{path}' WHERE failure").fetchall()
    assert count == sum(gap > 0 for gap in printed().values())
    pairs = duckdb.sql(f"SELECT key, value FROM parquet_kv_metadata('{path}')").fetchall()
    told = {bytes(key).decode(): bytes(value).decode() for key, value in pairs}
    assert json.loads(told["b100"])["reference"] == 1


class _Page(html.parser.HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.sources: list[str] = []
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.sources += [value or "" for key, value in attrs if key in ("src", "href")]


def test_the_page_loads_nothing_and_runs_nothing(paper: Index, tmp_path: Path) -> None:
    made(paper, tmp_path / "out", figures=("6", "strips"), formats=("html",))
    (path,) = [one for one in (tmp_path / "out").iterdir() if one.suffix == ".html"]
    page = _Page()
    page.feed(path.read_text(encoding="utf-8"))
    assert page.tags.count("img") >= 6 and "table" in page.tags
    assert "script" not in page.tags and "link" not in page.tags
    assert all(source.startswith(("data:image/", "#")) for source in page.sources)


def test_foreign_names_are_inert_everywhere(tmp_path: Path) -> None:
    root = tmp_path / "runs"
    run = "dongpo/replicate-2k/run-0"
    for step in (1, 5):
        add_step(root, run, step)
    name = "x</td><script>alert(1)</script>$\\input{a}"
    import msgspec

    from b100tui.model.records import RunPlan

    path = root / run / "run.json"
    plan = msgspec.json.decode(path.read_bytes(), type=RunPlan)
    path.write_bytes(msgspec.json.encode(msgspec.structs.replace(plan, image=name)))
    record(root, "scores", *(score(run, step, "brisque", 30.0 - step) for step in (1, 5)))
    refresh(root)
    index = open_index(root)
    out = tmp_path / "out"
    made(index, out, figures=("5",), tables=("1",))
    index.close()
    assert "<script>" not in (out / "report.html").read_text(encoding="utf-8")
    assert "<script>" not in (out / "figure-5.svg").read_text(encoding="utf-8")
    assert "\\input" not in (out / "table-1.tex").read_text(encoding="utf-8")


def test_a_folder_inside_the_runs_is_refused(paper: Index) -> None:
    with pytest.raises(UsageError, match="inside the folder of runs"):
        made(paper, paper.root / "report")


@pytest.mark.parametrize("more", [{"figures": ("8",)}, {"tables": ("x",)}, {"formats": ("pdf",)}])
def test_unknown_names_are_wrong_use(
    more: dict[str, tuple[str, ...]], paper: Index, tmp_path: Path
) -> None:
    with pytest.raises(UsageError):
        made(paper, tmp_path / "out", **more)
    assert not (tmp_path / "out").exists()


def test_data_without_any_score_says_so(tmp_path: Path) -> None:
    root = tmp_path / "runs"
    add_step(root, "dongpo/replicate-2k/run-0", 1)
    refresh(root)
    index = open_index(root)
    report = made(index, tmp_path / "out")
    index.close()
    assert {one.run for one in report.skipped} >= {"figure 5", "figure 7", "table first-yes"}
    assert "No gap could be judged" in (tmp_path / "out" / "report.html").read_text("utf-8")


def test_further_tables_on_request(paper: Index, tmp_path: Path) -> None:
    out = tmp_path / "out"
    names = ("onset", "notice", "agreement", "gaps")
    made(paper, out, figures=(), tables=names, formats=("csv",))
    assert {row["status"] for row in rows_of(out / "table-onset.csv")} == {"too_short"}
    pairs = rows_of(out / "table-agreement.csv")
    assert len(pairs) == 21 * 20 // 2 and {row["n"] for row in pairs} == {"48"}
