"""Search: words, phrases, prefixes, fields; with the text index, without it, and in between."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from b100tui.index.build import refresh
from b100tui.index.snippet import snippet
from b100tui.index.store import Index, open_index
from b100tui.index.text import build_text, newest_text
from b100tui.index.text_query import QueryError, Term, parse_query
from b100tui.workspace.places import cache_dir
from tests.index.folder import add_run, add_step

A = "dongpo/replicate-2k/run-0"
B = "fog/replicate-2k/run-1"
TEXTS = {
    (A, 0): (("Examining the Dish", "I am looking at the plate and the glaze."),),
    (A, 1): (("Final Check", "The plate looks right; no grain texture anywhere."),),
    (B, 0): (("Into the Fog", "Soft grain, soft texture, and a plate of clouds."),),
    (B, 1): (("Final Check", "Everything matches. Épreuve passée."),),
}


def make(root: Path) -> None:
    for (run, step), sections in TEXTS.items():
        add_step(
            root, run, step, sections=sections, prompt=f"Replicate {run.split('/')[0]} exactly"
        )
    refresh(root)


@pytest.fixture(scope="module", params=["text index", "scan"])
def index(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Index:
    root = tmp_path_factory.mktemp("searched")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("B100_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        make(root)
        if request.param == "text index":
            build_text(root)
        return open_index(root)


def places(index: Index, query: str, filter: str | None = None) -> set[tuple[str, int]]:
    result = index.search(query, 50, filter)
    assert result.total == len(result.hits)
    return {(hit.run, hit.step) for hit in result.hits}


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("plate", {(A, 0), (A, 1), (B, 0)}),
        ("PLATE", {(A, 0), (A, 1), (B, 0)}),
        ("plate grain", {(A, 1), (B, 0)}),
        ('"grain texture"', {(A, 1)}),
        ("grain -soft", {(A, 1)}),
        ('plate -"grain texture"', {(A, 0), (B, 0)}),
        ("exam*", {(A, 0)}),
        ("textu*", {(A, 1), (B, 0)}),
        ("grain soft*", {(B, 0)}),
        ("title:check", {(A, 1), (B, 1)}),
        ('section:"final check"', {(A, 1), (B, 1)}),
        ("check image:fog", {(B, 1)}),
        ("plate run:dongpo", {(A, 0), (A, 1)}),
        ("plate step:1", {(A, 1)}),
        ("plate step:0-0", {(A, 0), (B, 0)}),
        ("plate section:0", {(A, 0), (A, 1), (B, 0)}),
        ("plate -step:0", {(A, 1)}),
        ("prompt:fog", {(B, 0)}),
        ("text:fog", set()),
        ("épreuve", {(B, 1)}),
        ("nowhere", set()),
    ],
)
def test_finds(index: Index, query: str, found: set[tuple[str, int]]) -> None:
    assert places(index, query) == found


def test_a_prompt_repeated_step_after_step_is_one_hit(index: Index) -> None:
    result = index.search("replicate exactly", 50)
    assert [
        (hit.run, hit.step, hit.section, hit.title)
        for hit in sorted(result.hits, key=lambda hit: hit.run)
    ] == [(A, 0, None, "prompt"), (B, 0, None, "prompt")]


def test_a_filter_narrows_the_steps(index: Index) -> None:
    assert places(index, "plate", "image:dongpo step>0") == {(A, 1)}
    assert places(index, "plate", "image:nothing") == set()


def test_the_limit_cuts_hits_but_not_the_total(index: Index) -> None:
    result = index.search("plate", 1)
    assert (len(result.hits), result.total) == (1, 3)


def test_a_snippet_marks_the_words(index: Index) -> None:
    (hit,) = index.search('"grain texture"', 5).hits
    assert [hit.snippet[low:high] for low, high in hit.marks] == ["grain", "texture"]
    assert (hit.section, hit.title) == (0, "Final Check")


def test_ranks_a_place_with_more_of_the_words_first(tmp_path: Path) -> None:
    add_step(tmp_path, A, 0, sections=(("Dish", "plate " + "other words " * 40),))
    add_step(tmp_path, A, 1, sections=(("Dish", "plate plate plate"),))
    refresh(tmp_path)
    build_text(tmp_path)
    result = open_index(tmp_path).search("plate", 5)
    assert result.ranked
    assert [hit.step for hit in result.hits] == [1, 0]
    assert result.hits[0].score > result.hits[1].score


def test_only_changed_runs_are_indexed_again(tmp_path: Path) -> None:
    make(tmp_path)
    assert build_text(tmp_path) == 6
    assert build_text(tmp_path) == 0
    add_step(tmp_path, B, 2, sections=(("New", "a zebra appears"),), prompt="Replicate fog exactly")
    refresh(tmp_path)
    assert build_text(tmp_path) == 4
    index = open_index(tmp_path)
    assert places(index, "zebra") == {(B, 2)}
    assert places(index, "plate") == {(A, 0), (A, 1), (B, 0)}


def test_what_the_text_index_does_not_hold_yet_is_found_all_the_same(tmp_path: Path) -> None:
    make(tmp_path)
    build_text(tmp_path)
    add_step(tmp_path, B, 0, sections=(("Changed", "a zebra instead"),))
    refresh(tmp_path)
    index = open_index(tmp_path)
    assert places(index, "zebra") == {(B, 0)}
    assert places(index, "clouds") == set()
    assert places(index, "plate") == {(A, 0), (A, 1)}


def test_a_reader_goes_on_while_newer_text_is_published(tmp_path: Path) -> None:
    make(tmp_path)
    build_text(tmp_path)
    index = open_index(tmp_path)
    index.search("plate", 5)
    for step in range(2, 5):
        add_step(tmp_path, A, step, sections=(("More", "another plate"),))
        refresh(tmp_path)
        build_text(tmp_path)
    assert places(index, "plate") >= {(A, 0), (A, 1), (B, 0)}


@pytest.mark.parametrize("what", ["segments", "content"])
def test_a_damaged_text_index_leaves_the_scan(tmp_path: Path, what: str) -> None:
    make(tmp_path)
    build_text(tmp_path)
    newest = newest_text(cache_dir(tmp_path))
    assert newest is not None
    for path in newest[1].iterdir():
        if (path.name == "content.json") is (what == "content"):
            path.write_bytes(b"")
    result = open_index(tmp_path).search("plate", 5)
    assert (result.total, result.ranked) == (3, False)


@pytest.mark.parametrize(
    ("query", "place", "near"),
    [
        ('plate "two', 6, "two words"),
        ("titel:check", 0, "title"),
        ("plate image:", 12, "image:word"),
        ('plate ""', 6, "two words"),
        ("step:soon", 0, "step:5"),
        ("plate ***", 6, ""),
    ],
)
def test_an_unreadable_query_points_at_the_place(query: str, place: int, near: str) -> None:
    with pytest.raises(QueryError) as told:
        parse_query(query)
    assert (told.value.place, told.value.exit_code) == (place, 2)
    assert near in told.value.hint


def test_no_words_are_refused() -> None:
    with pytest.raises(QueryError, match="no words"):
        parse_query("  ")


@given(st.text(max_size=60))
def test_any_query_is_read_or_refused_in_words(text: str) -> None:
    try:
        parse_query(text)
    except QueryError as error:
        assert 0 <= error.place <= len(text)


def test_a_long_text_is_cut_around_the_words() -> None:
    text = "lead " * 100 + "the needle here" + " tail" * 100
    shown, marks = snippet(text, [Term("words", words=("needle",))])
    assert len(shown) < 170
    assert [shown[low:high] for low, high in marks] == ["needle"]
    assert shown.startswith("…") and shown.endswith("…")


def test_a_snippet_carries_no_control_characters() -> None:
    shown, _ = snippet("a\x1b[31m needle\nnext\u202e", [Term("words", words=("needle",))])
    assert shown == "a needle next"


def test_a_builder_leaves_the_text_index_in_work_alone(tmp_path: Path) -> None:
    add_run(tmp_path, "fog/replicate-2k/run-0", 2)
    refresh(tmp_path)
    in_work = cache_dir(tmp_path) / "building-search-1"
    in_work.mkdir()
    (cache_dir(tmp_path) / "building-1.duckdb").touch()
    refresh(tmp_path, rebuild=True)
    assert in_work.is_dir()
    assert not (cache_dir(tmp_path) / "building-1.duckdb").exists()
    build_text(tmp_path)
    assert not in_work.exists()
