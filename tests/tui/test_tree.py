"""The run list as lines of a tree."""

from b100tui.tui.tree import RunTree, title
from tests.tui.fake import make_row, rows


def shape(tree: RunTree, lines: list[int]) -> list[str]:
    return [tree.rows[n].run if n >= 0 else tree.groups[-1 - n].label for n in lines]


def test_images_hold_settings_and_settings_hold_runs():
    tree = RunTree(rows(images=["fog"], repeats=2))
    assert shape(tree, tree.lines(())) == [
        "fog",
        "replicate-2K", "fog/replicate-2K/run-0", "fog/replicate-2K/run-1",
        "rotate-1K", "fog/rotate-1K/run-0", "fog/rotate-1K/run-1",
    ]  # fmt: skip


def test_a_setting_with_one_run_is_one_line_with_the_settings_name():
    tree = RunTree(rows(images=["fog"], repeats=1))
    assert shape(tree, tree.lines(()))[1:] == ["fog/replicate-2K/run-0", "fog/rotate-1K/run-0"]
    assert tree.label(0) == "replicate-2K"


def test_a_closed_image_hides_what_it_holds():
    tree = RunTree(rows())
    assert shape(tree, tree.lines({("dongpo",), ("fog",)})) == ["dongpo", "fog"]


def test_a_closed_setting_hides_its_runs_only():
    tree = RunTree(rows(images=["fog"], repeats=2))
    closed = {("fog", "replicate-2K")}
    assert shape(tree, tree.lines(closed))[:3] == ["fog", "replicate-2K", "rotate-1K"]


def test_a_filter_opens_the_groups_of_what_it_finds():
    tree = RunTree(rows(repeats=2))
    found = tree.matching("FOG rotate run-1")
    assert shape(tree, tree.lines({("fog",)}, found)) == ["fog", "rotate-1K", "fog/rotate-1K/run-1"]


def test_words_that_grew_are_looked_for_among_what_the_shorter_ones_found():
    tree = RunTree(rows())
    shorter = tree.matching("fog ro")
    assert tree.matching("fog rotate run-1", shorter) == tree.matching("fog rotate run-1")


def test_a_filter_without_words_finds_all():
    tree = RunTree(rows())
    assert tree.matching("  ") == list(range(len(tree.rows)))


def test_only_the_groups_around_the_opened_run_stay_open():
    tree = RunTree(rows())
    closed = tree.closed_but("fog/rotate-1K/run-0")
    assert ("fog",) not in closed and ("fog", "rotate-1K") not in closed
    assert {("dongpo",), ("fog", "replicate-2K")} <= closed


def test_a_title_without_room_keeps_the_run_and_cuts_the_setting_in_its_middle():
    row = make_row("building", "replicate-2k-sim-fast", 0)
    assert title(row) == "building · replicate-2k-sim-fast · simulate · run 0"
    assert title(row, 40) == "building · replicate-2k-sim-fast · run 0"
    assert title(row, 30) == "building · repli…-fast · run 0"
    assert title(row, 20) == "building · run 0"


def test_control_characters_in_names_are_gone():
    row = make_row("fo\x1b[31mg", "se\x07t", 0)
    tree = RunTree([row])
    assert tree.groups[0].label == "fog"
    assert title(row) == "fog · set · simulate · run 0"


def test_no_rows_make_no_lines():
    assert RunTree(()).lines(()) == []
