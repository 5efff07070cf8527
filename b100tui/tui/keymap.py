"""The user's own keys: `keymap.toml` in the config folder, `ACTION = "KEY"` or a list."""

import tomllib
from collections.abc import Mapping
from pathlib import Path

from b100tui.tui.actions import ACTIONS, Action, with_keymap
from b100tui.tui.analysis_keys import TABLES

FILE_NAME = "keymap.toml"


def load_actions(
    folder: Path, settings_keys: Mapping[str, str] | None = None
) -> tuple[tuple[Action, ...], list[str]]:
    """Return the main screen's actions with the user's keys, and every fault in words.

    `settings_keys` is the `[keys]` table of the settings ("key,other key"); the file wins. One
    that cannot be read costs only itself: the shipped keys stay.
    """
    keymap, problems = _read(folder, settings_keys)
    if keymap is None:
        return ACTIONS, problems
    beside = {action.id for table in TABLES for action in table}
    own = {name: keys for name, keys in keymap.items() if name not in beside}
    actions, faults = with_keymap(ACTIONS, own)
    return actions, problems + _told(folder, faults)


def load_screen_keys(
    folder: Path, settings_keys: Mapping[str, str] | None = None
) -> tuple[dict[str, tuple[str, ...]], list[str]]:
    """Return the changed keys of the analysis screens by action id, and their faults in words.

    Each screen has its keys for itself; an action whose key went to another has none. What
    cannot be read at all is told by `load_actions`.
    """
    keymap = _read(folder, settings_keys)[0] or {}
    changed: dict[str, tuple[str, ...]] = {}
    problems: list[str] = []
    for table in TABLES:
        ids = {action.id for action in table}
        own = {name: keys for name, keys in keymap.items() if name in ids}
        actions, faults = with_keymap(table, own)
        problems += faults
        for action, shipped in zip(actions, table, strict=True):
            if action.keys != shipped.keys:
                changed[action.id] = action.keys
    return changed, _told(folder, problems)


def _told(folder: Path, faults: list[str]) -> list[str]:
    path = folder / FILE_NAME
    return [f"{path}: {fault}" for fault in faults] if path.exists() else faults


def _read(
    folder: Path, settings_keys: Mapping[str, str] | None
) -> tuple[dict[str, tuple[str, ...]] | None, list[str]]:
    keymap = {name: tuple(keys.split(",")) for name, keys in (settings_keys or {}).items()}
    path = folder / FILE_NAME
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return keymap, []
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        return None, [f"{path}: {error}; the shipped keys are used"]
    problems: list[str] = []
    for name, value in _flatten(table):
        keys = (value,) if isinstance(value, str) else value
        if not isinstance(keys, tuple | list) or not all(isinstance(key, str) for key in keys):
            problems.append(f"{path}: {name} needs a key or a list of keys")
            continue
        keymap[name] = tuple(str(key) for key in keys)
    return keymap, problems


def _flatten(table: dict[str, object], prefix: str = "") -> list[tuple[str, object]]:
    """Return dotted names, so that `step.play = "P"` and a [step] table mean the same."""
    found: list[tuple[str, object]] = []
    for name, value in table.items():
        if isinstance(value, dict):
            found += _flatten(value, f"{prefix}{name}.")
        else:
            found.append((prefix + name, value))
    return found
