"""The table of editors: ids, capabilities, prices and usual times, as data with a user override."""

import difflib
from importlib.resources import files
from typing import Any

import msgspec
from msgspec import Struct, field

from b100tui.editors.protocol import Capabilities
from b100tui.model.errors import UNPARSABLE, UsageError, parse_fault
from b100tui.model.text import clean_line
from b100tui.workspace.places import config_dir

FILE_NAME = "editors.toml"
_ALIASES = {"simulate": "sim-pro", "gemini": "nano-banana-pro", "diffusers": "flux2-klein"}


class Price(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """US dollars a million tokens, and how many tokens a picture counts for."""

    input: float
    text: float
    image: float
    input_image_tokens: int = 0
    image_tokens: dict[str, int] = field(default_factory=dict)


class Row(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One editor. `price` for token prices, `usd_per_image` for a flat one, neither is free.

    `seconds` holds (low, likely, high) of one edit by resolution. `options` go to the adapter;
    `key_variable` names the environment variable of the key where it is not the usual one.
    """

    kind: str
    model: str
    title: str = ""
    note: str = ""
    paper_model: str = ""
    include_thoughts: bool = True
    thinking: str | None = None
    seed: bool = False
    temperature: bool = False
    dialog: bool = False
    deterministic: bool = False
    thinking_levels: tuple[str, ...] = ()
    resolutions: tuple[str, ...] = ()
    aspect_ratios: tuple[str, ...] = ()
    max_input_bytes: int | None = None
    price: Price | None = None
    usd_per_image: float | None = None
    seconds: dict[str, tuple[float, float, float]] = field(default_factory=dict)
    concurrency: int = 2
    calls_per_minute: int | None = None
    usd_per_ten_minutes: float | None = None
    options: dict[str, Any] = field(default_factory=dict)
    pipeline: str = ""
    command: tuple[str, ...] = ()
    workflow: str = ""
    base_url: str | None = None
    key_variable: str | None = None
    tier: str | None = None
    vertex: bool = False
    project: str | None = None
    location: str | None = None

    @property
    def capabilities(self) -> Capabilities:
        """What the model takes."""
        return Capabilities(
            seed=self.seed,
            temperature=self.temperature,
            dialog=self.dialog,
            thinking=self.thinking_levels,
            resolutions=self.resolutions,
            aspect_ratios=self.aspect_ratios,
            max_input_bytes=self.max_input_bytes,
            deterministic=self.deterministic,
        )


class JudgeRow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One judge model; dollars a million tokens."""

    kind: str
    model: str
    paper_model: str = ""
    input: float = 0.0
    text: float = 0.0
    base_url: str | None = None
    key_variable: str | None = None


class SpendLimits(Struct, frozen=True, kw_only=True):
    """What the provider lets an account spend; lists run over the tiers, dollars."""

    text: tuple[str, ...] = ()
    ten_minutes: tuple[float, ...] = ()
    month: tuple[float, ...] = ()


class Table(Struct, frozen=True, kw_only=True):
    """All editors and judges by id, and the date of the prices."""

    date: str
    editors: dict[str, Row]
    judges: dict[str, JudgeRow] = field(default_factory=dict)
    limits: SpendLimits = field(default_factory=SpendLimits)

    def editor(self, name: str) -> Row:
        """Return the row of `name`; UsageError names the near ones."""
        name = _ALIASES.get(name, name)
        if name not in self.editors:
            near = difflib.get_close_matches(name, self.editors, 3) or sorted(self.editors)
            raise UsageError(f"no editor {clean_line(name)!r}", f"there are: {', '.join(near)}")
        return self.editors[name]

    def judge(self, name: str) -> JudgeRow:
        """Return the row of judge `name`; a model id that is in no row is asked as Gemini."""
        return self.judges.get(name) or JudgeRow(kind="gemini", model=name)


def proper_name(name: str) -> str:
    """Return the id that paths and sidecars carry: `simulate` is sim-pro."""
    return _ALIASES.get(name, name)


def table() -> Table:
    """Return the shipped table with the user's file laid over it, field by field.

    Raises UsageError naming file and reason when the user's file cannot be used.
    """
    shipped = msgspec.toml.decode(
        files("b100tui.editors").joinpath("editors.toml").read_bytes(), type=dict[str, Any]
    )
    path = config_dir() / FILE_NAME
    try:
        own = msgspec.toml.decode(path.read_bytes(), type=dict[str, Any])
    except FileNotFoundError:
        own = {}
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}", "make it readable") from error
    except UNPARSABLE as error:
        raise UsageError(f"{path}: {parse_fault(error)}", "mend that line") from error
    if own:
        shipped["date"] = f"{shipped['date']} with {FILE_NAME}"
    try:
        return msgspec.convert(_laid_over(shipped, own), Table)
    except msgspec.ValidationError as error:
        raise UsageError(f"{path}: {clean_line(str(error))}", "mend that row") from error


def _laid_over(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        both = isinstance(old, dict) and isinstance(value, dict)
        merged[key] = _laid_over(old, value) if both else value  # type: ignore[arg-type]
    return merged
