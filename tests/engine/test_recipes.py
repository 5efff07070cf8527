"""Recipes: shipped ones, their cycles, and the user's own."""

from pathlib import Path

import pytest

from b100tui.engine.recipes import recipe, recipes
from b100tui.model.errors import UsageError
from b100tui.workspace.places import config_dir


def own(name: str, text: str) -> Path:
    folder = config_dir() / "recipes"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_all_recipes_of_the_paper_are_there() -> None:
    assert set(recipes()) >= {
        "replicate", "replicate-rephrased", "replicate-denoise", "mirror", "rotate",
        "patches-edges-reconstruct", "monochrome-recolour", "add-apples", "add-100-fruits",
    }  # fmt: skip


def test_replicate_asks_in_the_papers_words() -> None:
    asked = "Produce an exact replica of the provided image, with no alterations."
    assert {recipe("replicate").prompt(step) for step in (1, 50, 100)} == {asked}


@pytest.mark.parametrize(
    ("name", "cycle"),
    [("mirror", 2), ("rotate", 4), ("patches-edges-reconstruct", 3), ("monochrome-recolour", 2)],
)
def test_cycles_come_round_after_their_length(name: str, cycle: int) -> None:
    found = recipe(name)
    assert found.cycle == found.returns_every == cycle
    assert found.prompt(2) == found.prompt(2 + cycle)


def test_a_hundred_steps_add_a_hundred_different_fruits() -> None:
    found = recipe("add-100-fruits")
    assert len({found.prompt(step) for step in range(1, 101)}) == 100


def test_step_0_has_no_prompt() -> None:
    with pytest.raises(ValueError, match="initial image"):
        recipe("replicate").prompt(0)


def test_a_users_recipe_adds_to_the_shipped_ones() -> None:
    own("night.toml", 'about = "make it night"\nkind = "reconstruct"\nprompts = ["Make it night."]')
    assert recipe("night").prompt(3) == "Make it night."
    assert "replicate" in recipes()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("prompts = [", "bad.toml"),
        ('about = "x"\nkind = "identity"\nprompts = []', "at least one prompt"),
        ('about = "x"\nkind = "identity"\nprompts = ["a"]\nprompt = "b"', "prompt"),
        ('about = "x"\nkind = "other"\nprompts = ["a"]', "kind"),
    ],
)
def test_a_broken_recipe_is_named_with_its_file(text: str, words: str) -> None:
    own("bad.toml", text)
    with pytest.raises(UsageError, match=words) as caught:
        recipes()
    assert "bad.toml" in caught.value.message


def test_an_unknown_recipe_names_the_near_ones() -> None:
    with pytest.raises(UsageError) as caught:
        recipe("replicat")
    assert "replicate" in caught.value.hint
