"""Themes are data: shipped and the user's own; a bad one costs itself."""

from pathlib import Path

import pytest
from textual.theme import Theme

from b100tui.resources import shipped_folder
from b100tui.tui.themes import load_theme, theme_files
from b100tui.workspace.settings import Settings
from tests.tui.fake import explorer, opened, screen_text

SHIPPED = ["ansi", "colour-blind", "dark", "light"]


def test_four_themes_are_shipped():
    assert sorted(theme_files([shipped_folder("themes")])) == SHIPPED


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_theme_has_every_colour_the_styles_name(name):
    theme = load_theme(theme_files([shipped_folder("themes")])[name])
    assert isinstance(theme, Theme) and theme.name == name
    assert {"border-dim", "text-dim", "spark", "track", "hit-background"} <= set(theme.variables)


@pytest.mark.parametrize("name", SHIPPED)
async def test_the_screen_is_drawn_in_each(name):
    async with opened(explorer(settings=Settings(theme=name))) as (_, main):
        assert main.app.theme == name
        assert any("BRISQUE" in line for line in screen_text(main.explorer))


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / f"{name}.toml"
    path.write_text(text)
    return path


def test_the_users_folder_adds_and_wins(tmp_path: Path):
    mine = write(tmp_path, "dark", 'primary = "#ff0000"\n')
    files = theme_files([shipped_folder("themes"), tmp_path])
    assert files["dark"] == mine and load_theme(mine).primary == "#ff0000"


async def test_a_theme_of_one_colour_is_enough(tmp_path: Path):
    write(tmp_path, "mine", 'primary = "#ff0000"\n')
    app = explorer(settings=Settings(theme="mine"), theme_folders=[tmp_path])
    async with opened(app):
        assert app.theme == "mine"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('primary = "no colour"\n', "no colour"),
        ('primary = "#fff"\n[variables]\nspark = "blau"\n', "spark"),
        ("primary = \n", "mine.toml"),
        ('secondary = "#ffffff"\n', "primary"),
        ('primary = "#fff"\ncolour = "#fff"\n', "colour"),
    ],
)
def test_a_bad_theme_says_what_is_wrong(tmp_path: Path, text: str, said: str):
    with pytest.raises(ValueError, match=said):
        load_theme(write(tmp_path, "mine", text))


async def test_a_bad_theme_is_told_and_the_default_taken(tmp_path: Path):
    write(tmp_path, "mine", "primary = 7\n")
    folders = [shipped_folder("themes"), tmp_path]
    app = explorer(settings=Settings(theme="mine"), theme_folders=folders)
    async with opened(app):
        assert app.theme == "dark"
        assert any("mine.toml" in note.message for note in app._notifications)


async def test_no_color_leaves_no_colour(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NO_COLOR", "1")
    app = explorer()
    async with opened(app):
        assert app.no_color
