"""Named queries and own SQL: what they answer, and what is refused."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from b100tui.index.build import refresh
from b100tui.index.queries import list_queries, parse_sql, run_query
from b100tui.index.sql import run_sql
from b100tui.model.errors import StoreError, UsageError
from tests.index.folder import add_run, add_step, record, score

RUN = "fog/replicate-2k/run-0"
OTHER = "fog/replicate-2k/run-1"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("asked")
    add_run(folder, RUN, 6, cost_usd=0.25, sections=(("a", "b"),))
    for step in range(3):
        add_step(folder, OTHER, step, size=(4, 3) if step < 2 else (8, 3), editor="flux")
    add_step(folder, RUN, 4, cost_usd=0.25)
    record(
        folder,
        "scores",
        *(score(RUN, step, "brisque", 40.0 - step) for step in range(6)),
        score(OTHER, 1, "brisque", None, error="nan"),
    )
    return folder


@pytest.fixture(autouse=True)
def built(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("B100_CACHE_DIR", str(root.parent / "cache-of-asked"))
    refresh(root)


def test_shipped_queries_are_the_promised_ones() -> None:
    names = {query.name for query in list_queries()}
    assert names >= {
        *("runs-by-onset", "worst-metric-per-run", "steps-without-reasoning", "size-changes"),
        *("cost-by-editor", "score-coverage", "failures-by-metric"),
    }
    assert all(query.about for query in list_queries())


@pytest.mark.parametrize("name", [query.name for query in list_queries()])
def test_every_shipped_query_answers(root: Path, name: str) -> None:
    assert run_query(root, name, {}).columns


def test_size_changes_names_the_step(root: Path) -> None:
    table = run_query(root, "size-changes", {})
    ((run, step, *_, change),) = table.rows
    assert (run, step, change) == (OTHER, 2, 100.0)


def test_steps_without_reasoning_names_the_step(root: Path) -> None:
    assert [row[:2] for row in run_query(root, "steps-without-reasoning", {}).rows] == [(RUN, 4)]


def test_cost_by_editor_adds_up_the_outputs(root: Path) -> None:
    table = run_query(root, "cost-by-editor", {})
    costs = {row[0]: row[table.columns.index("usd")] for row in table.rows}
    assert costs == {"pro": 1.25, "flux": None}


def test_failures_count_runs_that_scored_better(root: Path) -> None:
    table = run_query(root, "failures-by-metric", {})
    assert [row[:5] for row in table.rows] == [("brisque", 5, 1, 1, 1.0)]


def test_a_parameter_replaces_its_default(root: Path) -> None:
    assert len(run_query(root, "runs-by-onset", {"most": "1"}).rows) == 1


def test_own_queries_are_added_and_win(root: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.sql").write_text(
        "-- name: mine\n-- about: one run\n-- param: which\nSELECT run FROM run WHERE run = $which"
    )
    (tmp_path / "other.sql").write_text("-- name: size-changes\nSELECT 7 AS seven")
    assert run_query(root, "mine", {"which": RUN}, tmp_path).rows == ((RUN,),)
    assert run_query(root, "size-changes", {}, tmp_path).rows == ((7,),)
    with pytest.raises(UsageError, match="needs which"):
        run_query(root, "mine", {}, tmp_path)


def test_an_unknown_query_names_near_ones(root: Path) -> None:
    with pytest.raises(UsageError) as told:
        run_query(root, "size-change", {})
    assert "size-changes" in told.value.hint


def test_an_unknown_parameter_names_the_known_ones(root: Path) -> None:
    with pytest.raises(UsageError) as told:
        run_query(root, "runs-by-onset", {"limit": "1"})
    assert "most" in told.value.hint


def test_a_parameter_that_is_no_number_is_refused(root: Path) -> None:
    with pytest.raises(UsageError, match="is a number"):
        run_query(root, "runs-by-onset", {"most": "many"})


def test_a_parameter_line_that_cannot_be_read_names_the_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="line 2"):
        parse_sql("-- name: a\n-- param: 3 = 4\nSELECT 1", tmp_path / "a.sql")


def test_own_sql_answers(root: Path) -> None:
    table = run_sql(root, "SELECT run, count(*) AS n FROM step GROUP BY run ORDER BY run", 30)
    assert table.columns == ("run", "n")
    assert table.rows == ((RUN, 6), (OTHER, 3))


def test_what_json_lacks_becomes_null_or_text(root: Path) -> None:
    table = run_sql(
        root, "SELECT 'nan'::DOUBLE AS a, DATE '2026-01-02' AS b, [1.5, NULL] AS c, 1 AS c", 30
    )
    assert table.columns == ("a", "b", "c", "c_2")
    assert table.rows == ((None, "2026-01-02", [1.5, None], 1),)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1; SELECT 2",
        "",
        "CREATE TEMP TABLE t AS SELECT 1",
        "DELETE FROM run",
        "INSERT INTO run (run) VALUES ('x')",
        "SET enable_external_access = true",
        "RESET lock_configuration",
        "ATTACH ':memory:' AS m",
        "COPY run TO '/tmp/out.csv'",
        "EXPORT DATABASE '/tmp/out'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "PRAGMA database_list",
        "CHECKPOINT",
        "SET VARIABLE a = 1",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM glob('/etc/*')",
        "SELECT getenv('HOME')",
        "SELECT * FROM nothing",
        "SELEC 1",
    ],
)
def test_everything_else_is_refused(root: Path, text: str) -> None:
    with pytest.raises(UsageError):
        run_sql(root, text, 30)


def test_a_statement_that_takes_too_long_is_ended(root: Path) -> None:
    text = "SELECT sum(list_sum(list_transform(range(30000000 + a.range), lambda x: x * 2)))"
    with pytest.raises(StoreError, match="took more than"):
        run_sql(root, text + " FROM range(1000) a", 0.5)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT repeat('x', 1000000) FROM range(100000)",
        "SELECT range(3000000) FROM range(1000)",
        "SELECT list(repeat(a.range::VARCHAR, 5000)) FROM range(10000000) a",
    ],
)
def test_a_statement_that_wants_too_much_memory_is_ended(root: Path, text: str) -> None:
    with pytest.raises((StoreError, UsageError), match=r"answer of more than|memory would"):
        run_sql(root, text, 120)


def test_the_process_that_runs_own_sql_is_told_no_keys(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[dict[str, str]] = []
    real = subprocess.Popen

    def watched(*words: Any, **options: Any) -> Any:
        seen.append(options["env"])
        return real(*words, **options)

    monkeypatch.setenv("GEMINI_API_KEY", "AIzaCanary0123456789")
    monkeypatch.setattr(subprocess, "Popen", watched)
    assert run_sql(root, "SELECT 1 AS one", 60).rows == ((1,),)
    assert "AIzaCanary0123456789" not in seen[0].values()
    assert seen[0]["PATH"] == os.environ["PATH"]


def test_a_limit_of_no_time_is_refused(root: Path) -> None:
    with pytest.raises(UsageError):
        run_sql(root, "SELECT 1", 0)


def test_without_an_index_sql_says_so(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no index yet"):
        run_sql(tmp_path, "SELECT 1", 5)
