"""The slider tells everything by characters, colours come on top."""

from b100tui.tui.widgets.step_slider import SliderState, track


def drawn(width: int = 11, **more: object) -> str:
    fields: dict[str, object] = {"first": 0, "last": 10, "step": 5, "reference": 1}
    state = SliderState(**(fields | more))  # type: ignore[arg-type]
    return "".join(text for text, _ in track(state, width))


def test_the_knob_and_the_reference_stand_at_their_steps():
    assert drawn() == "━◇━━━●─────"


def test_missing_failed_and_onset_have_characters_of_their_own():
    assert drawn(missing=frozenset({3}), failed=frozenset({8}), onset=6) == "━◇━╌━●▼─×──"


def test_the_knob_covers_the_other_marks():
    assert drawn(step=1) == "━●─────────"


def test_a_run_of_one_step_has_a_knob():
    assert drawn(first=0, last=0, step=0, reference=0) == "●──────────"


def test_the_ends_reach_the_ends_of_a_wide_bar():
    assert drawn(width=101, step=10).endswith("●") and len(drawn(width=101)) == 101


def test_a_mark_beyond_the_run_is_not_drawn():
    assert drawn(marked=frozenset({4, 99})) == "━◇━━▲●─────"
