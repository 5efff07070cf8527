"""Which steps may be held against each other."""

import pytest

from b100tui.model.comparable import comparable, comparable_steps, cycle, in_gaps, mixed
from b100tui.model.records import Run, Step


def run(recipe: str, **more: object) -> Run:
    return Run(run="r", image="i", recipe=recipe, **more)  # type: ignore[arg-type]


def steps(count: int, size: tuple[int, int] = (64, 48)) -> list[Step]:
    return [Step(run="r", step=n, width=size[0], height=size[1]) for n in range(count)]


@pytest.mark.parametrize(
    ("recipe", "length", "kind"),
    [
        ("replicate", 1, "identity"),
        ("replicate-denoise", 1, "identity"),
        ("mirror", 2, "cycle"),
        ("rotate", 4, "cycle"),
        ("monochrome-recolour", 2, "reconstruction"),
        ("patches-edges-reconstruct", 3, "reconstruction"),
        ("replicate 2K interleaved", 3, "identity"),
        ("mirror interleaved", 6, "cycle"),
        ("add-apples", 1, "addition"),
        ("", 1, "unknown"),
        ("address book", 1, "unknown"),
    ],
)
def test_the_recipe_gives_the_cycle(recipe: str, length: int, kind: str) -> None:
    found = cycle(run(recipe))
    assert (found.length, found.kind) == (length, kind)


def test_resolution_parameter_interleaves_too() -> None:
    assert cycle(run("replicate", parameters={"resolution": "interleaved"})).length == 3


def test_mirror_steps_compare_within_their_phase() -> None:
    good, left = comparable_steps(steps(8), 1, run("mirror"))
    assert good == (3, 5, 7)
    assert "phase" in left[2]


def test_rotate_steps_compare_every_fourth() -> None:
    assert comparable_steps(steps(12), 1, run("rotate"))[0] == (5, 9)


def test_other_pixel_size_is_not_comparable_unless_resampled() -> None:
    first, second = steps(2)[1], Step(run="r", step=2, width=128, height=96)
    plain = comparable(second, first, run("replicate"))
    assert not plain.ok and "128x96" in plain.reason
    assert comparable(second, first, run("replicate"), resampled=True).ok


def test_additions_compare_outside_the_change_only() -> None:
    one, two = steps(3)[1:]
    assert comparable(two, one, run("add-apples")).region == "outside_change"


def test_missing_reference_makes_nothing_comparable() -> None:
    good, left = comparable_steps(steps(5)[2:], 1, run("replicate"))
    assert good == () and "no reference step 1" in left[3]


def test_unreadable_step_is_not_comparable() -> None:
    broken = Step(run="r", step=2, status="unreadable")
    assert not comparable(broken, steps(2)[1], run("replicate")).ok


def test_gap_tables_take_replication_and_unknown_recipes() -> None:
    assert in_gaps(run("replicate")).ok and in_gaps(run("")).ok
    assert not in_gaps(run("mirror")).ok and not in_gaps(run("patches-edges")).ok


def test_mixed_names_what_differs() -> None:
    a = run("replicate", seed_policy="fixed", parameters={"resolution": "1K"})
    b = run("replicate", seed_policy="none", parameters={"resolution": "2K"})
    assert mixed([a, b]) == ("seed policy", "resolution")
