from hypothesis import given
from hypothesis import strategies as st

from b100tui.sources.names import STEP_WORDS, group_stems
from b100tui.sources.paths import natural, on_disk, split_name, stored

LETTERS = st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=6)


@given(
    st.sampled_from(STEP_WORDS),
    st.sampled_from(["", "_", "-", " ", "."]),
    st.integers(1, 4),
    st.sets(st.integers(0, 999), min_size=3, max_size=30),
)
def test_number_after_a_step_word_is_the_step(
    word: str, between: str, width: int, steps: set[int]
) -> None:
    stems = [f"zq_{word}{between}{step:0{width}}" for step in steps]
    (group,), plain = group_stems(stems)
    assert not plain
    assert group.how == "word"
    assert group.steps == sorted(steps)


@given(st.lists(st.text(max_size=20).filter(lambda name: "\0" not in name), max_size=30))
def test_every_stem_is_in_one_group_or_plain(stems: list[str]) -> None:
    groups, plain = group_stems(stems)
    members = [member.stem for group in groups for member in group.members]
    assert sorted([*members, *plain]) == sorted(set(stems))


@given(st.sets(st.integers(0, 10**8), min_size=1, max_size=20), LETTERS)
def test_groups_do_not_depend_on_the_order_of_names(numbers: set[int], word: str) -> None:
    stems = [f"{word}{number}x" for number in numbers]

    def seen(names: list[str]) -> set[tuple[str, int]]:
        return {(m.stem, m.step) for group in group_stems(names)[0] for m in group.members}

    assert seen(stems) == seen(stems[::-1])


@given(st.lists(st.integers(0, 10**6), max_size=20), LETTERS)
def test_natural_order_is_the_order_of_numbers(numbers: list[int], word: str) -> None:
    names = [f"{word}{number}.png" for number in numbers]
    assert sorted(names, key=natural) == [f"{word}{number}.png" for number in sorted(numbers)]


@given(st.lists(st.text(max_size=8), max_size=8))
def test_natural_order_compares_any_names(names: list[str]) -> None:
    assert sorted(sorted(names, key=natural), key=natural) == sorted(names, key=natural)


@given(st.binary(min_size=1, max_size=12).filter(lambda b: not {0, 47} & set(b) and b != b".."))
def test_any_file_name_comes_back_from_its_stored_form(name: bytes) -> None:
    text = stored(name.decode("utf-8", "surrogateescape"))
    text.encode()  # storable as UTF-8
    disk = on_disk("/nowhere", text).encode("utf-8", "surrogateescape")
    if not any(0xEF80 <= ord(sign) <= 0xEFFF for sign in name.decode("utf-8", "ignore")):
        assert disk == b"/nowhere/" + name


def test_extension_is_lower_case_and_hidden_names_have_none() -> None:
    assert split_name("a.b.PNG") == ("a.b", "png")
    assert split_name(".png") == (".png", "")


def test_a_hash_behind_a_step_word_is_no_step() -> None:
    (group,), plain = group_stems(["step_1", "step_2", "step_3", "step_deadbee1"])
    assert (group.how, group.steps, plain) == ("word", [1, 2, 3], ["step_deadbee1"])
