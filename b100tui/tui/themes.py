"""Themes as data: `themes/*.toml`, shipped and the user's own."""

import tomllib
from pathlib import Path

import msgspec
from textual.theme import Theme

FIELDS = (
    *("primary", "secondary", "warning", "error", "success", "accent", "foreground"),
    *("background", "surface", "panel", "boost"),
)


# Names that the styles use beyond Textual's own, with what a theme that lacks them gets.
OWN_VARIABLES = {
    "border-dim": "#5a6474",
    "text-dim": "#7f8ba0",
    "spark": "#5f9bd6",
    "track": "#5a6474",
    "hit-background": "#8a6d1a",
}


class ThemeFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One theme file; colours are CSS colours or `ansi_...` names."""

    name: str
    primary: str
    secondary: str | None = None
    warning: str | None = None
    error: str | None = None
    success: str | None = None
    accent: str | None = None
    foreground: str | None = None
    background: str | None = None
    surface: str | None = None
    panel: str | None = None
    boost: str | None = None
    dark: bool = True
    ansi: bool = False
    variables: dict[str, str] = {}


def theme_files(folders: list[Path]) -> dict[str, Path]:
    """Return the theme files of `folders` by name (the file's stem), later folders winning."""
    return {path.stem: path for folder in folders for path in sorted(folder.glob("*.toml"))}


def load_theme(path: Path) -> Theme:
    """Return the theme in `path`; ValueError or OSError in words where it cannot be read."""
    try:
        return _theme(path)
    except (OSError, ValueError) as error:
        raise ValueError(f"theme {path}: {error}") from error


def _theme(path: Path) -> Theme:
    from textual.color import Color, ColorParseError

    table = tomllib.loads(path.read_text(encoding="utf-8"))
    given = msgspec.convert({"name": path.stem} | table, ThemeFile)
    if given.name != path.stem:
        raise ValueError(f"it is called {given.name!r} inside: name the file {given.name}.toml")
    named = {field: getattr(given, field) for field in FIELDS}
    named |= {name: given.variables.get(name) for name in OWN_VARIABLES}
    for field, value in named.items():
        if value is None:
            continue
        try:
            Color.parse(value)
        except ColorParseError as error:
            raise ValueError(f"{field} = {value!r} is no colour") from error
    return Theme(
        **{field: getattr(given, field) for field in FIELDS},
        name=given.name,
        dark=given.dark,
        ansi=given.ansi,
        variables=dict(given.variables),
    )
