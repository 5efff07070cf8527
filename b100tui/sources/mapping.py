"""mapping.toml: how a person says that file names become image, setting, run and step."""

import difflib
import re
import tomllib
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from b100tui.model.errors import UNPARSABLE, LayoutError, parse_fault
from b100tui.model.text import clean_line
from b100tui.sources.assemble import PREFER
from b100tui.sources.patterns import (
    MOST_CHOICES,
    MOST_FREE,
    choices,
    endless_repeat,
    free_repeats,
)

KEYS = (*("root", "image", "runs", "origin", "prefer", "reasoning", "prompts", "scores", "labels"),)
FIXED = ("run", "image", "recipe", "setting", "editor", "repeat")
RUN_KEYS = ("files", *FIXED, "origin", "labels")
TABLE_KEYS = ("file", "key", "column", "shape", "metric", "value")
_LIMIT = 4 * 1024 * 1024


class TableRule(Struct, frozen=True, kw_only=True):
    """Which table tells prompts or scores, and which of its columns name the step."""

    file: str
    key: tuple[str, ...] = ()
    column: str = ""
    shape: str = "long"
    metric: str = "metric"
    value: str = "value"


class RunRule(Struct, frozen=True, kw_only=True):
    """One pattern for image paths, with what is fixed for the runs that it finds.

    `origin` is a file template of its step 0 and wins over that of the mapping.
    """

    pattern: re.Pattern[str]
    fixed: dict[str, str] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    origin: str = ""


class Mapping(Struct, frozen=True, kw_only=True):
    """A checked mapping file."""

    place: str
    root: str = ""
    rules: tuple[RunRule, ...]
    origin: str = ""
    prefer: tuple[str, ...] = PREFER
    reasoning: str = ""
    prompts: tuple[TableRule, ...] = ()
    scores: tuple[TableRule, ...] = ()
    labels: dict[str, str] = field(default_factory=dict)


def load_mapping(path: Path) -> Mapping:
    """Read and check a mapping file.

    Raises LayoutError that names the file, the line, and the nearest known keys.
    """
    try:
        with path.open("rb") as file:
            data = file.read(_LIMIT + 1)
    except OSError as error:
        raise LayoutError(
            f"mapping {path} cannot be read: {error.strerror}",
            "b100 scan DIR --write-mapping makes one",
        ) from error
    if len(data) > _LIMIT:
        raise LayoutError(f"mapping {path} is larger than 4 MB", "use patterns, not lists of files")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise LayoutError(f"mapping {path} is no UTF-8 text", "save it as UTF-8") from error
    return parse_mapping(text, str(path))


def parse_mapping(text: str, place: str) -> Mapping:
    """Check the text of a mapping; `place` is its name in errors (see load_mapping)."""
    try:
        told = tomllib.loads(text)
    except UNPARSABLE as error:
        end = f"its end, line {len(text.splitlines())}"
        words = parse_fault(error).replace("end of document", end)
        raise LayoutError(
            f"{place}: {words}", "put regular expressions in 'single quotes'"
        ) from error
    check = _Check(text, place)
    check.keys(told, KEYS)
    rules = [check.rule("image", pattern, {}) for pattern in check.texts(told, "image")]
    for entry in check.tables(told, "runs"):
        check.keys(entry, RUN_KEYS, "runs")
        fixed = {
            name: str(entry[name])
            for name in FIXED
            if name in entry and check.is_word(name, entry[name])
        }
        rules += [
            check.rule(
                "files", pattern, fixed, check.words(entry, "labels"), check.text(entry, "origin")
            )
            for pattern in check.texts(entry, "files", needed=True)
        ]
    if not rules:
        raise check.error(
            "image", "no pattern says which files are steps", "image = '(?P<step>\\d+)\\.png'"
        )
    return Mapping(
        place=place,
        root=check.folder(told),
        rules=tuple(rules),
        origin=check.text(told, "origin"),
        prefer=tuple(check.texts(told, "prefer")) or PREFER,
        reasoning=check.text(told, "reasoning"),
        prompts=tuple(check.table(entry, "prompts") for entry in check.tables(told, "prompts")),
        scores=tuple(check.table(entry, "scores") for entry in check.tables(told, "scores")),
        labels=check.words(told, "labels"),
    )


class _Check:
    """Turns what is wrong into an error with file, line and fix."""

    def __init__(self, text: str, place: str) -> None:
        self.lines = text.splitlines()
        self.place = place

    def error(self, key: str, problem: str, hint: str, value: str = "") -> LayoutError:
        """Return the error for `key`, at the line where it (with `value`) stands."""
        name = re.compile(rf"""(?:^|[\[{{,.\s])["']?{re.escape(key)}["']?\s*(?:=|\]|\.)""")
        lines = [n for n, line in enumerate(self.lines, 1) if name.search(line)]
        with_value = [
            n
            for n, line in enumerate(self.lines, 1)
            if value and value.split("\n", maxsplit=1)[0] in line
        ]
        found = [n for n in lines if n in with_value] or with_value or lines
        where = f"{self.place} line {found[0]}" if found else self.place
        return LayoutError(f"{where}: {problem}", hint)

    def keys(self, told: dict[str, Any], known: Iterable[str], of: str = "") -> None:
        """Refuse unknown keys, naming the nearest."""
        names = list(known)
        for key in told:
            if key not in names:
                near = difflib.get_close_matches(key, names, 2)
                what = f"unknown key {key!r}" + (f" in {of}" if of else "")
                hint = (
                    f"did you mean {' or '.join(near)}?" if near else "known: " + ", ".join(names)
                )
                raise self.error(key, what, hint)

    def text(self, told: dict[str, Any], key: str) -> str:
        """Return a text or ""."""
        value = told.get(key, "")
        if not isinstance(value, str):
            raise self.error(key, f"{key} has to be a text", f"{key} = '...'")
        return value

    def texts(self, told: dict[str, Any], key: str, *, needed: bool = False) -> list[str]:
        """Return a text or a list of texts as a list."""
        value = told.get(key, [])
        values = [value] if isinstance(value, str) else value
        if not isinstance(values, list) or not all(isinstance(one, str) for one in values):
            raise self.error(key, f"{key} has to be a text or a list of texts", f"{key} = ['...']")
        if needed and not values:
            raise self.error(key, f"{key} is missing", f"{key} = '...'")
        return values

    def tables(self, told: dict[str, Any], key: str) -> list[dict[str, Any]]:
        """Return a table or a list of tables as a list."""
        value = told.get(key, [])
        values = [value] if isinstance(value, dict) else value
        if not isinstance(values, list) or not all(isinstance(one, dict) for one in values):
            raise self.error(key, f"{key} has to be a table", f"{key} = {{ file = '...' }}")
        return values

    def words(self, told: dict[str, Any], key: str) -> dict[str, str]:
        """Return a table of plain words, cleaned."""
        value = told.get(key, {})
        if not isinstance(value, dict):
            raise self.error(key, f"{key} has to be a table", f"{key} = {{ model = '...' }}")
        return {
            clean_line(name): clean_line(str(word))
            for name, word in value.items()
            if self.is_word(name, word)
        }

    def is_word(self, key: str, value: Any) -> bool:
        """Refuse anything but a text or a number."""
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            return True
        raise self.error(key, f"{key} has to be a text or a number", f"{key} = '...'")

    def folder(self, told: dict[str, Any]) -> str:
        """Return `root` as a relative folder, "" for "."."""
        value = self.text(told, "root").strip("/") if told.get("root", ".") != "." else ""
        if ".." in value.split("/") or self.text(told, "root").startswith("/"):
            raise self.error("root", "root leads outside the folder", "name a folder inside it")
        return value.removeprefix("./")

    def rule(
        self,
        key: str,
        pattern: str,
        fixed: dict[str, str],
        labels: dict[str, str] | None = None,
        origin: str = "",
    ) -> RunRule:
        """Compile one pattern; it has to name the step."""
        endless = endless_repeat(pattern)
        if endless is not None:
            raise self.error(
                key,
                f"{key} repeats {endless}, which itself repeats or chooses: it could take for ever",
                "repeat one character class instead, as in [^/]+",
                pattern,
            )
        if choices(pattern) > MOST_CHOICES:
            raise self.error(
                key,
                f"{key} has {choices(pattern)} choices and options: it could take for ever",
                f"at most {MOST_CHOICES}; several [[runs]] with a pattern each do the same",
                pattern,
            )
        free = free_repeats(pattern)
        if len(free) > MOST_FREE:
            raise self.error(
                key,
                f"{key} has {len(free)} open repeats ({' '.join(free)}): it could take for ever",
                f"at most {MOST_FREE} of them; say what each ends at, as in [^/]+/ or [^_]+_",
                pattern,
            )
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", FutureWarning)
                compiled = re.compile(pattern)
        except FutureWarning as warning:
            fix = "put a backslash before a [ inside of a character class"
            raise self.error(key, f"{key}: {warning}", fix, pattern) from warning
        except (re.error, OverflowError, *UNPARSABLE) as error:
            where = f" at character {error.pos}" if isinstance(error, re.error) else ""
            words = error.msg if isinstance(error, re.error) else parse_fault(error)
            raise self.error(
                key,
                f"{key} is no regular expression: {words}{where}",
                "try it in Python's re",
                pattern,
            ) from error
        if not {"step", "date"} & set(compiled.groupindex):
            fix = r"put (?P<step>\d+) around its number, or (?P<date>...) around a date"
            raise self.error(key, f"{key} does not name the step", fix, pattern)
        return RunRule(pattern=compiled, fixed=fixed, labels=labels or {}, origin=origin)

    def table(self, told: dict[str, Any], key: str) -> TableRule:
        """Check one rule about a table."""
        self.keys(told, TABLE_KEYS, key)
        if not isinstance(told.get("file"), str):
            raise self.error(key, f"{key} names no file", f"{key} = {{ file = 'name.csv' }}")
        shape = told.get("shape", "long")
        if shape not in ("long", "wide"):
            raise self.error(key, f"{key}: shape {shape!r} is unknown", "write long or wide")
        return TableRule(
            file=told["file"],
            key=tuple(self.texts(told, "key")),
            column=self.text(told, "column"),
            shape=shape,
            metric=self.text(told, "metric") or "metric",
            value=self.text(told, "value") or "value",
        )
