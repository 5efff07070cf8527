"""Settings: flag > environment `B100_*` > config file (TOML) > default, each with its origin."""

import difflib
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, get_type_hints

import msgspec
from msgspec import Meta, Struct, field

from b100tui.model.errors import UNPARSABLE, StoreError, UsageError, parse_fault
from b100tui.workspace.places import config_dir

FILE_NAME = "config.toml"
DEADLINE = "deadline_seconds"


class ScoreSettings(Struct, frozen=True, kw_only=True):
    """`[score]`: how the scoring worker runs."""

    python: Annotated[
        str, Meta(description="Python that has the score extra; empty means the one b100 runs in")
    ] = ""
    device: Annotated[str, Meta(description="device of the metrics: auto, cpu, cuda, cuda:1")] = (
        "auto"
    )


class EditorSettings(Struct, frozen=True, kw_only=True):
    """`[editors.NAME]`: one image editor."""

    deadline_seconds: Annotated[
        Annotated[float, Meta(gt=0)] | None,
        Meta(description="overall limit of one attempt in seconds; unset: by picture size"),
    ] = None


class EditSettings(Struct, frozen=True, kw_only=True):
    """`[edit]`: caps in dollars over all folders, and when a confirmation is typed."""

    day_usd: Annotated[
        Annotated[float, Meta(ge=0)] | None,
        Meta(description="most dollars that edits may cost in one UTC day; unset: no cap"),
    ] = None
    month_usd: Annotated[
        Annotated[float, Meta(ge=0)] | None,
        Meta(description="most dollars that edits may cost in one UTC month; unset: no cap"),
    ] = None


class Settings(Struct, frozen=True, kw_only=True):
    """All settings; the description of each field is what `b100 config show` prints."""

    theme: Annotated[
        str, Meta(description="name of a theme from themes/ or your own themes folder")
    ] = "dark"
    graphics: Annotated[
        Literal["auto", "kitty", "sixel", "iterm", "half", "text"],
        Meta(description="how pictures are drawn; auto asks the terminal"),
    ] = "auto"
    link: Annotated[
        str,
        Meta(
            pattern="^(auto|fast|slow|[1-9][0-9]*)$",
            description="speed of the link: auto, fast, slow or kbit/s",
        ),
    ] = "auto"
    colours: Annotated[
        Literal["auto", "24bit", "256", "16", "none"],
        Meta(description="colour depth; auto follows the terminal, NO_COLOR means none"),
    ] = "auto"
    probes: Annotated[
        Literal["off", "run", "all"],
        Meta(description="which runs get probe scores by themselves when explored"),
    ] = "run"
    reference: Annotated[
        int, Meta(ge=0, description="reference step; 1 because the first output is cropped")
    ] = 1
    preview_cache_mb: Annotated[
        int, Meta(ge=0, description="most megabytes of previews kept on disk for one folder")
    ] = 2048
    deadline_seconds: Annotated[
        Annotated[float, Meta(gt=0)] | None,
        Meta(description="overall limit of one attempt of any editor, in seconds"),
    ] = None
    score: ScoreSettings = field(default_factory=ScoreSettings)
    edit: EditSettings = field(default_factory=EditSettings)
    limit: Annotated[
        dict[str, Annotated[float, Meta(ge=0)]],
        Meta(description="[limit] tolerances by name: when a step counts as bad"),
    ] = field(default_factory=dict)
    editors: Annotated[
        dict[str, EditorSettings], Meta(description="[editors.NAME] tables, one an editor")
    ] = field(default_factory=dict)
    keys: Annotated[
        dict[str, str], Meta(description='your keymap: action id = "key,other key"')
    ] = field(default_factory=dict)

    def deadline(self, editor: str) -> float | None:
        """Return the limit of one attempt of `editor` in seconds; None means by picture size."""
        own = self.editors.get(editor)
        if own is not None and own.deadline_seconds is not None:
            return own.deadline_seconds
        return self.deadline_seconds


class Origin(Struct, frozen=True, kw_only=True):
    """One setting as it holds now: its dotted key, value, where it came from, and its meaning."""

    key: str
    value: Any
    origin: str  # "default", "flag", "environment B100_X", "FILE:LINE"
    about: str


class Loaded(Struct, frozen=True, kw_only=True):
    """The settings, the file they were looked for in, and the origin of each value."""

    settings: Settings
    path: Path
    origins: tuple[Origin, ...]


def load(config: str | None = None, flags: Mapping[str, Any] | None = None) -> Settings:
    """Return the settings in force; see `load_with_origins`."""
    return load_with_origins(config, flags).settings


def settings_path(config: str | None = None) -> Path:
    """Return the config file: `config`, else B100_CONFIG, else config.toml in the user's folder."""
    given = config or os.environ.get("B100_CONFIG")
    return Path(os.path.expanduser(given)) if given else config_dir() / FILE_NAME


def load_with_origins(config: str | None = None, flags: Mapping[str, Any] | None = None) -> Loaded:
    """Return the settings in force with the origin of each.

    `flags` holds values from the command line by dotted key; None values are not set.
    Raises UsageError naming file and line (or the variable) for an unknown key, with the
    nearest known one, and for a value that does not fit; also where a file that was asked
    for by name does not exist.
    """
    path = settings_path(config)
    named = bool(config or os.environ.get("B100_CONFIG"))
    text = _read(path, must_exist=named)
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for key, value in _checked(_parse(path, text), Settings, "", path, text):
        values[key] = value
        origins[key] = f"{path}:{_line_of(text, key)}"
    leaves = dict(_leaves(Settings, ""))
    for key, kind in leaves.items():
        variable = "B100_" + key.replace(".", "_").upper()
        given = os.environ.get(variable)
        if given and not _is_table(kind):
            values[key] = _convert(given, kind, f"environment {variable}", key, strict=False)
            origins[key] = f"environment {variable}"
            if key == DEADLINE:
                values = {k: v for k, v in values.items() if not k.endswith("." + DEADLINE)}
    for key, value in (flags or {}).items():
        if value is not None:
            values[key] = _convert(value, leaves[key], f"--{key}", key, strict=False)
            origins[key] = "flag"
    settings = msgspec.convert(_nested(values), Settings)
    return Loaded(settings=settings, path=path, origins=tuple(_described(settings, origins)))


def template() -> str:
    """Return a config file in which every setting stands as a comment with its default."""
    lines = ["# Settings of b100. Remove the # in front of a line to change it.", ""]
    table = ""
    for key, kind in _leaves(Settings, ""):
        if _is_table(kind):
            continue
        head, _, name = key.rpartition(".")
        if head != table:
            lines += [f"[{head}]"]
            table = head
        default = _value(Settings(), key)
        shown = "..." if default is None else msgspec.json.encode(default).decode()
        lines += [f"# {_about(kind)}", f"# {name} = {shown}", ""]
    lines += ["# [editors.gemini]", "# deadline_seconds = 300", "", "# [keys]", '# quit = "q"', ""]
    lines += ["# [limit]", "# noise_ratio = 2.0", "# cast = 3.0", ""]
    return "\n".join(lines)


def _read(path: Path, *, must_exist: bool) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        if must_exist:
            raise UsageError(f"{path} does not exist", "name a TOML file with --config") from error
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise StoreError(f"cannot read {path}: {error}", "make it a readable UTF-8 file") from error


def _parse(path: Path, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except UNPARSABLE as error:
        raise UsageError(
            f"{path}: {parse_fault(error)}", "mend that line; b100 config edit opens it"
        ) from error


def _checked(
    given: dict[str, Any], kind: type[Struct], prefix: str, path: Path, text: str
) -> Iterator[tuple[str, Any]]:
    """Yield (dotted key, value) for each leaf of the file's tables."""
    hints = get_type_hints(kind, include_extras=True)
    for name, value in given.items():
        key = prefix + name
        place = f"{path} line {_line_of(text, key)}"
        if name not in hints:
            raise UsageError(f"{place}: no setting {key!r}", _nearest(key))
        struct = _struct_of(hints[name])
        if struct is None:
            yield key, _convert(value, hints[name], place, key, strict=True)
        elif not isinstance(value, dict):
            raise UsageError(f"{place}: {key} is a table", f"write [{key}] on a line of its own")
        elif _is_table(hints[name]):
            for entry, inner in value.items():
                if not isinstance(inner, dict):
                    raise UsageError(
                        f"{path} line {_line_of(text, f'{key}.{entry}')}: {key}.{entry} is a table",
                        f"write [{key}.NAME] and the settings below it",
                    )
                yield from _checked(inner, struct, f"{key}.{entry}.", path, text)
        else:
            yield from _checked(value, struct, key + ".", path, text)


def _convert(value: Any, kind: Any, place: str, key: str, *, strict: bool) -> Any:
    try:
        return msgspec.convert(value, kind, strict=strict)
    except msgspec.ValidationError as error:
        raise UsageError(f"{place}: {key} = {value!r}: {error}", _about(kind)) from error


def _leaves(kind: type[Struct], prefix: str) -> Iterator[tuple[str, Any]]:
    for name, hint in get_type_hints(kind, include_extras=True).items():
        struct = _struct_of(hint)
        if struct is None or _is_table(hint):
            yield prefix + name, hint
        else:
            yield from _leaves(struct, f"{prefix}{name}.")


def _plain(hint: Any) -> Any:
    return hint.__origin__ if hasattr(hint, "__metadata__") else hint


def _is_table(hint: Any) -> bool:
    return getattr(_plain(hint), "__origin__", None) is dict


def _struct_of(hint: Any) -> type[Struct] | None:
    plain = _plain(hint)
    inner = plain.__args__[1] if _is_table(plain) else plain
    return inner if isinstance(inner, type) and issubclass(inner, Struct) else None


def _about(hint: Any) -> str:
    notes = getattr(hint, "__metadata__", ())
    return next((note.description or "" for note in notes if isinstance(note, Meta)), "")


def _nearest(key: str) -> str:
    known = [name for name, _ in _leaves(Settings, "")] + ["score", "editors.NAME.deadline_seconds"]
    near = difflib.get_close_matches(key, known, 3, 0.5)
    return f"did you mean {', '.join(near)}?" if near else f"known: {', '.join(known)}"


def _nested(values: dict[str, Any]) -> dict[str, Any]:
    whole: dict[str, Any] = {}
    for key, value in values.items():
        *tables, name = _split(key)
        place = whole
        for table in tables:
            place = place.setdefault(table, {})
        place[name] = value
    return whole


def _split(key: str) -> list[str]:
    """Split a dotted key; the NAME of an editor may hold dots itself."""
    if key.startswith("editors."):
        name, _, last = key.removeprefix("editors.").rpartition(".")
        return ["editors", name, last]
    return key.split(".")


def _value(settings: Settings, key: str) -> Any:
    value: Any = settings
    for name in key.split("."):
        value = getattr(value, name)
    return value


def _described(settings: Settings, origins: dict[str, str]) -> Iterator[Origin]:
    for key, kind in _leaves(Settings, ""):
        below = [origin for name, origin in origins.items() if name.startswith(key + ".")]
        yield Origin(
            key=key,
            value=msgspec.to_builtins(_value(settings, key)),
            origin=origins.get(key, below[0] if below else "default"),
            about=_about(kind),
        )


def _line_of(text: str, key: str) -> int:
    """Return the line on which dotted `key` (or the nearest table around it) is written."""
    table, best, best_length = "", 1, -1
    for number, line in enumerate(text.splitlines(), 1):
        header = re.match(r"\s*\[\[?([^\]]+)\]", line)
        entry = re.match(r"\s*([^=#\[]+?)\s*=", line)
        if header:
            table = _unquoted(header[1])
            name = table
        elif entry:
            name = f"{table}.{_unquoted(entry[1])}" if table else _unquoted(entry[1])
        else:
            continue
        if (key == name or key.startswith(name + ".")) and len(name) > best_length:
            best, best_length = number, len(name)
    return best


def _unquoted(name: str) -> str:
    return re.sub(r"[\"'\s]", "", name)
