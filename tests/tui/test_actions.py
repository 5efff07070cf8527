"""The registry: one meaning a key, one handler an action, the user's keys on top."""

from collections import Counter
from pathlib import Path

import pytest

from b100tui.tui.actions import ACTIONS, GROUPS, with_keymap
from b100tui.tui.keymap import load_actions, load_screen_keys
from b100tui.tui.screens.help import help_blocks
from b100tui.tui.screens.main import MainScreen

# Keys that tmux, screen or SSH eat must never be the only way (product, "Keys").
EATEN = {"ctrl+a", "ctrl+b", "ctrl+j", "ctrl+s", "ctrl+enter"}


def test_no_key_means_two_things():
    counts = Counter(key for action in ACTIONS for key in action.keys)
    assert [key for key, count in counts.items() if count > 1] == []


def test_every_id_stands_once():
    assert len({action.id for action in ACTIONS}) == len(ACTIONS)


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: action.id)
def test_an_action_has_a_handler_or_a_reason(action):
    assert action.typed or action.later or callable(getattr(MainScreen, action.handler, None))


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: action.id)
def test_an_action_has_words_and_a_key_that_arrives(action):
    assert action.about and action.group in GROUPS
    assert any(
        key not in EATEN and "alt+" not in key and not key.startswith("f1") for key in action.keys
    )


@pytest.mark.parametrize("panel", ["runs", "picture", "metrics", "reasoning", "facts"])
def test_the_help_lists_every_action(panel):
    text = "\n".join("".join(part for part, _ in block) for block in help_blocks(ACTIONS, panel))
    assert [action.about for action in ACTIONS if action.about not in text] == []


def test_a_users_key_replaces_the_shipped_ones(tmp_path: Path):
    (tmp_path / "keymap.toml").write_text('[step]\nplay = ["P", "ctrl+y"]\n')
    actions, problems = load_actions(tmp_path)
    assert problems == []
    assert {a.id: a.keys for a in actions}["step.play"] == ("P", "ctrl+y")


def test_a_key_given_to_one_action_leaves_the_other(tmp_path: Path):
    (tmp_path / "keymap.toml").write_text('"step.play" = "r"\n')
    actions, problems = load_actions(tmp_path)
    keys = {a.id: a.keys for a in actions}
    assert (keys["step.play"], keys["step.reference"], problems) == (("r",), (), [])


def test_a_key_given_twice_is_named():
    _, problems = with_keymap(ACTIONS, {"step.play": ("P",), "step.onset": ("P",)})
    assert problems == ["step.onset: key 'P' already means step.play"]


def test_an_unknown_action_names_the_nearest(tmp_path: Path):
    (tmp_path / "keymap.toml").write_text('"step.plya" = "P"\n')
    _, problems = load_actions(tmp_path)
    assert problems[0].endswith("no action 'step.plya'; did you mean 'step.play'?")


def test_a_keymap_that_cannot_be_read_keeps_the_shipped_keys(tmp_path: Path):
    (tmp_path / "keymap.toml").write_text("step.play = \n")
    actions, problems = load_actions(tmp_path)
    assert actions == ACTIONS
    assert "keymap.toml" in problems[0] and "shipped keys" in problems[0]


def test_digits_cannot_be_taken():
    actions, problems = with_keymap(ACTIONS, {"step.play": ("5",)})
    assert problems == ["step.play: key '5' already means step.typed"]
    assert next(a for a in actions if a.id == "step.play").keys == ()


def test_the_settings_table_of_keys_counts_too(tmp_path: Path):
    actions, problems = load_actions(tmp_path, {"app.quit": "Q,ctrl+q"})
    assert problems == []
    assert next(a for a in actions if a.id == "app.quit").keys == ("Q", "ctrl+q")


def test_the_analysis_screens_take_a_users_keys_each_for_itself(tmp_path: Path):
    (tmp_path / "keymap.toml").write_text('[heatmap]\nsort = "t"\n[lies]\npanel = "n"\n')
    keys, faults = load_screen_keys(tmp_path)
    assert keys == {"heatmap.sort": ("t",), "heatmap.turn": (), "lies.panel": ("n",)}
    assert faults == []
    assert load_actions(tmp_path) == (ACTIONS, [])
