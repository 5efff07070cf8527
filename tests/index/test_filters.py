"""The filter language: what it matches and where it says it cannot be read."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from b100tui.index.build import refresh
from b100tui.index.filters import FilterError, parse
from b100tui.index.store import Index, open_index
from b100tui.model.errors import UsageError
from b100tui.model.records import VerdictRecord
from tests.index.folder import add_run, add_step, mark, record, score

A = "dongpo/replicate-2k/run-0"
B = "dongpo/mirror-2k/run-1"
C = "fog/replicate-2k/run-0"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    root = tmp_path_factory.mktemp("filtered")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("B100_CACHE_DIR", str(root / "cache-of-test"))
        add_run(root, A, 6, prompt="Keep the plate as it is", cost_usd=0.5)
        add_run(root, B, 6, model="gemini")
        for step in (0, 1, 2, 5):
            add_step(root, C, step, size=(4, 3) if step < 5 else (8, 3))
        record(
            root,
            "scores",
            *(score(A, step, "brisque", 40.0 - step) for step in range(6)),
            *(score(A, step, "niqe", 5.0 + step) for step in range(6)),
            *(score(B, step, "brisque", 10.0 + step) for step in range(6)),
            score(C, 1, "pi", 6.0),
            score(C, 2, "pi", 4.0),
        )
        record(root, "marks", mark("m", A, 3, "tint"))
        record(
            root,
            "verdicts",
            VerdictRecord(run=B, step=2, verdict="yes", model="j", content_hash="c"),
        )
        refresh(root)
        return open_index(root)


@pytest.mark.parametrize(
    ("expr", "runs"),
    [
        ("", [B, A, C]),
        ("image:dongpo", [B, A]),
        ("image=fog", [C]),
        ("image=fo", []),
        ("image!=fog", [B, A]),
        ("-image:fog", [B, A]),
        ("IMAGE:DONGPO", [B, A]),
        ("dongpo recipe:replicate", [A]),
        ("dongpo OR fog", [B, A, C]),
        ("dongpo AND mirror", [B]),
        ("dongpo AND (mirror OR fog) AND NOT verdict:no", [B]),
        ("NOT image:fog", [B, A]),
        ("NOT (mirror OR fog)", [A]),
        ("image:dong*", [B, A]),
        ("*irror*", [B]),
        ("dongpo mirror OR fog", [B, C]),
        ("dongpo (mirror OR fog)", [B]),
        ('"plate as it"', [A]),
        ("repeat:1", [B]),
        ("steps<6", [C]),
        ("missing>0", [C]),
        ("status:missing", [C]),
        ("editor:pro", [B, A, C]),
        ("cost>2.9", [A]),
        ("cost:none", [B, C]),
        ("simulated:yes", []),
        ("brisque>20", [A]),
        ("brisque>=15", [B, A]),
        ("BRISQUE>20", [A]),
        ("brisque:none", [C]),
        ("-brisque!=none", [C]),
        ("brisque.gap>0", [A]),  # B is better at steps of another phase only
        ("pi.gap>0", [C]),
        ("pi.gap<0", []),
        ("mark:tint", [A]),
        ("-mark:tint", [B, C]),
        ("mark:any", [A]),
        ("verdict:yes", [B]),
        ("verdict:no", []),
        ("size:8x3", [C]),
        ("size>4", [C]),
        ("onset:none", [B, A, C]),
        ("label.nothing:none", [B, A, C]),
        ("step:9", []),
    ],
)
def test_matches(index: Index, expr: str, runs: list[str]) -> None:
    assert index.run_ids(expr) == runs


def test_step_conditions_meet_in_one_step(index: Index) -> None:
    # A falls from 40 to 35 and its NIQE rises from 5 to 10: both hold only at steps 3 and 4.
    assert index.run_ids("brisque>35.5 niqe>7.5") == [A]
    assert index.run_ids("brisque>38.5 niqe>7.5") == []
    assert index.run_ids("mark:tint step:3") == [A]
    assert index.run_ids("mark:tint step:4") == []


def test_a_not_beside_a_step_condition_joins_in_at_that_step(index: Index) -> None:
    assert index.run_ids("niqe>7.5 -mark:tint") == [A]
    assert index.run_ids("step:3 image:dongpo -mark:tint") == [B]


def test_matching_steps_are_those_where_all_of_it_holds(index: Index) -> None:
    assert index.matching_steps(A, "brisque>35.5 niqe>7.5") == [3, 4]
    assert index.matching_steps(A, "image:dongpo step>3") == [4, 5]
    assert index.matching_steps(A, "image:fog") == []
    assert index.matching_steps(C, "size:8x3") == [5]


@pytest.mark.parametrize(
    ("expr", "place", "near"),
    [
        ("image:fog brisqe>3", 10, "brisque"),
        ("imge:fog", 0, "image"),
        ("brisque.gp>1", 0, "brisque.gap"),
        ("onset<soon", 6, "onset>10"),
        ("image:", 6, "image:word"),
        ("image>fog", 6, "image:fog"),
        ("simulated:maybe", 10, "simulated:yes"),
        ("size:large", 5, "size:1024x768"),
        ("(fog", 0, ""),
        ("fog)", 3, ""),
        ("fog OR", 6, "word"),
        ("OR fog", 0, "word"),
        ("AND fog", 0, "word"),
        ("fog AND", 7, "word"),
        ("fog AND OR fog", 8, "word"),
        ("fog NOT", 4, "-verdict:yes"),
        ("verdict:maybe", 8, "unparsed"),
        ("status:broken", 7, "unreadable"),
        ("()", 1, "word"),
        ('fog "two words', 4, "close it"),
        ('image:"two words', 6, "close it"),
        ("brisque>nan", 8, ""),
        ("fog -", 4, "-verdict:yes"),
    ],
)
def test_an_error_points_at_the_place(expr: str, place: int, near: str) -> None:
    with pytest.raises(FilterError) as told:
        parse(expr)
    assert told.value.place == place
    assert f"character {place + 1}:" in told.value.message
    assert near in told.value.hint
    assert told.value.exit_code == 2


def test_an_imported_metric_is_a_field(index: Index, tmp_path: Path) -> None:
    add_run(tmp_path, A, 2)
    record(tmp_path, "scores", score(A, 1, "my_own_metric", 3.0))
    refresh(tmp_path)
    assert open_index(tmp_path).run_ids("my_own_metric>2") == [A]
    with pytest.raises(UsageError):
        index.run_ids("my_own_metric>2")


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused_in_words(text: str) -> None:
    try:
        parse(text)
    except FilterError as error:
        assert 0 <= error.place <= len(text)


@pytest.mark.parametrize("expr", ["image:'; DROP TABLE run; --", 'label.x"y:1', "%' OR '1'='1"])
def test_values_are_never_sql(index: Index, expr: str) -> None:
    try:
        index.run_ids(expr)
    except FilterError as error:
        assert error.place >= 0
    assert len(index.run_ids()) == 3
