"""Themes as data: `themes/*.toml`, shipped and the user's own."""

import tomllib
from pathlib import Path

import msgspec
from textual.theme import Theme

FIELDS = (
    *("primary", "secondary", "warning", "error", "success", "accent", "foreground"),
    *("background", "surface", "panel", "boost"),
)


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


def load_themes(folders: list[Path]) -> tuple[dict[str, Theme], list[str]]:
    """Return the themes of `folders` by name, later folders winning, and every fault in words."""
    found: dict[str, Theme] = {}
    problems: list[str] = []
    for folder in folders:
        for path in sorted(folder.glob("*.toml")):
            try:
                theme = _theme(path)
            except (OSError, ValueError, tomllib.TOMLDecodeError) as error:
                problems.append(f"theme {path}: {error}")
                continue
            found[theme.name] = theme
    return found, problems


def _theme(path: Path) -> Theme:
    from textual.color import Color, ColorParseError

    table = tomllib.loads(path.read_text(encoding="utf-8"))
    given = msgspec.convert(table, ThemeFile)
    for field in FIELDS:
        value = getattr(given, field)
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
