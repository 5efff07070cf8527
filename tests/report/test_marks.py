"""Human marks: modes, taking back, merging, agreement, blind order."""

from pathlib import Path

import pytest

from b100tui.model.errors import UsageError
from b100tui.report.marks import (
    MarkError,
    agreements,
    all_marks,
    blind_order,
    merge,
    mode_id,
    modes,
    new_mark,
    take_back,
    write_marks,
)
from b100tui.workspace.parts import part_files
from b100tui.workspace.places import workspace_dirs
from tests.index.folder import mark


def test_the_papers_modes_stand_at_three_levels() -> None:
    by_level = {
        level: [m.id for m in modes() if m.level == level]
        for level in ("sub-object", "object", "image", "tag")
    }
    assert [len(ids) for ids in by_level.values()] == [1, 3, 6, 8]


def test_a_key_means_one_mode_within_its_level() -> None:
    pairs = [(mode.level, mode.key) for mode in modes()]
    assert len(set(pairs)) == len(pairs)


@pytest.mark.parametrize(
    ("text", "id"),
    [("Tint", "tint"), ("counting failure", "counting"), ("tag:my-own", "tag:my-own")],
)
def test_a_mode_is_known_by_id_or_name(text: str, id: str) -> None:
    assert mode_id(text) == id


def test_a_mistyped_mode_names_the_nearest() -> None:
    with pytest.raises(UsageError) as caught:
        mode_id("haloo")
    assert "halo" in caught.value.hint


def test_a_mark_that_was_taken_back_is_gone_but_stays_on_disk(tmp_path: Path) -> None:
    one, other = new_mark("r", 3, "noise", by="ann"), new_mark("r", 4, "tint", by="ann")
    write_marks(tmp_path, one, other)
    counter = take_back(tmp_path, one.id[:8], "ann")
    assert counter.undo and counter.id == one.id
    assert [m.id for m in all_marks(tmp_path)] == [other.id]
    lines = b"".join(p.read_bytes() for p in part_files(workspace_dirs(tmp_path), "marks"))
    assert lines.count(b"\n") == 3


def test_taking_back_an_unknown_mark_fails(tmp_path: Path) -> None:
    with pytest.raises(MarkError):
        take_back(tmp_path, "zz")


def test_merging_twice_changes_nothing(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    write_marks(here, new_mark("r", 3, "noise", by="ann"))
    write_marks(there, new_mark("r", 4, "tint", by="bob"), new_mark("r", 5, "tint", by="bob"))
    (part,) = part_files(workspace_dirs(there), "marks")
    assert merge(here, part) == (2, [])
    assert merge(here, part) == (0, [])
    assert len(all_marks(here)) == 3


def test_kappa_of_two_annotators_by_hand() -> None:
    # tint: ann in runs a b, bob in a c, of a b c d (d marked by both otherwise).
    ann = [
        mark(
            f"x{r}",
            r,
            5,
            m,
        )
        for r, m in (("a", "tint"), ("b", "tint"), ("c", "grid"), ("d", "grid"))
    ]
    bob = [
        mark(f"y{r}", r, 5, m)
        for r, m in (("a", "tint"), ("b", "grid"), ("c", "tint"), ("d", "grid"))
    ]
    import msgspec

    bob = [msgspec.structs.replace(m, by="bob") for m in bob]
    found = {(one.unit, one.mode): one for one in agreements([*ann, *bob])}
    tint = found["run", "tint"]
    assert (tint.n, tint.observed, tint.expected, tint.kappa) == (4, 0.5, 0.5, 0.0)
    step = found["step", None]
    assert (step.n, step.observed, step.kappa) == (4, 0.5, 0.0)


def test_one_annotator_has_nobody_to_agree_with() -> None:
    assert agreements([mark("a", "r", 3, "noise")]) == []


def test_blind_order_hides_the_step_and_repeats_with_its_seed() -> None:
    order = blind_order(range(50), 7)
    assert sorted(order) == list(range(50)) and order != list(range(50))
    assert order == blind_order(range(50), 7)


def test_what_another_took_back_is_gone_after_the_merge(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    gone, kept = new_mark("r", 3, "noise", by="bob"), new_mark("r", 5, "tint", by="bob")
    write_marks(there, gone, kept)
    (first,) = part_files(workspace_dirs(there), "marks")
    assert merge(here, first) == (2, [])
    take_back(there, gone.id, "bob")
    for part in part_files(workspace_dirs(there), "marks"):
        merge(here, part)
    assert [one.id for one in all_marks(here)] == [kept.id]


def test_a_damaged_line_costs_itself_only(tmp_path: Path) -> None:
    write_marks(tmp_path / "there", new_mark("r", 3, "noise", by="bob"))
    (part,) = part_files(workspace_dirs(tmp_path / "there"), "marks")
    file = tmp_path / "mixed.jsonl"
    file.write_bytes(b'{"no": "mark"}\n' + part.read_bytes() + b"{broken\n")
    new, bad = merge(tmp_path / "here", file)
    assert (new, len(bad)) == (1, 2)


def test_kappa_is_below_zero_where_two_disagree_more_than_by_chance() -> None:
    one = [new_mark(f"r{n}", 2, "noise", by="ann") for n in (1, 2)]
    one += [new_mark(f"r{n}", 3, "tint", by="ann") for n in (3, 4)]
    other = [new_mark(f"r{n}", 2, "noise", by="bob") for n in (3, 4)]
    other += [new_mark(f"r{n}", 3, "tint", by="bob") for n in (1, 2)]
    by_mode = {found.mode: found for found in agreements([*one, *other]) if found.unit == "run"}
    assert by_mode["noise"].observed == 0.0 and by_mode["noise"].expected == 0.5
    assert by_mode["noise"].kappa == -1.0


def test_three_annotators_are_compared_two_by_two() -> None:
    marks = [new_mark("r", 2, "noise", by=name) for name in ("ann", "bob", "cem")]
    pairs = {(found.one, found.other) for found in agreements(marks)}
    assert pairs == {("ann", "bob"), ("ann", "cem"), ("bob", "cem")}
