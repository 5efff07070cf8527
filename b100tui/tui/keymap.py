"""The user's own keys: `keymap.toml` in the config folder, `ACTION = "KEY"` or a list."""

import tomllib
from collections.abc import Mapping
from pathlib import Path

from b100tui.tui.actions import ACTIONS, Action, with_keymap

FILE_NAME = "keymap.toml"


def load_actions(
    folder: Path, settings_keys: Mapping[str, str] | None = None
) -> tuple[tuple[Action, ...], list[str]]:
    """Return the actions with the user's keys, and every fault in words.

    `settings_keys` is the `[keys]` table of the settings ("key,other key"); the file wins. One
    that cannot be read costs only itself: the shipped keys stay.
    """
    given = {name: tuple(keys.split(",")) for name, keys in (settings_keys or {}).items()}
    path = folder / FILE_NAME
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return with_keymap(ACTIONS, given)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        return ACTIONS, [f"{path}: {error}; the shipped keys are used"]
    keymap = dict(given)
    problems: list[str] = []
    for name, value in _flatten(table):
        keys = (value,) if isinstance(value, str) else value
        if not isinstance(keys, tuple | list) or not all(isinstance(key, str) for key in keys):
            problems.append(f"{path}: {name} needs a key or a list of keys")
            continue
        keymap[name] = tuple(str(key) for key in keys)
    actions, faults = with_keymap(ACTIONS, keymap)
    return actions, problems + [f"{path}: {fault}" for fault in faults]


def _flatten(table: dict[str, object], prefix: str = "") -> list[tuple[str, object]]:
    """Return dotted names, so that `step.play = "P"` and a [step] table mean the same."""
    found: list[tuple[str, object]] = []
    for name, value in table.items():
        if isinstance(value, dict):
            found += _flatten(value, f"{prefix}{name}.")
        else:
            found.append((prefix + name, value))
    return found
