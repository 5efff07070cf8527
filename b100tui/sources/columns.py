"""What the columns of other people's tables mean: the step, the run, words, parameters, scores."""

import math
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from msgspec import Struct

from b100tui.model.records import Run
from b100tui.model.text import clean, clean_line
from b100tui.sources.reading import sections_in

Row = Mapping[str, Any]
_MOST_DIGITS = 18  # of a repeat; longer ones are ids

FILE = ("file_name", "filename", "file", "path", "image_path", "file_path", "output_file")
STEP = (
    *("step", "step_index", "turn", "turn_index", "iteration", "iter", "round", "generation"),
    *("frame", "step_number", "image_step"),
)
IMAGE = ("image", "image_id", "img_id", "image_name", "initial_image", "source_image", "subject")
RUN = (
    *("run", "run_id", "session", "session_id", "trajectory", "trajectory_id"),
    *("conversation_id", "chat", "sequence", "sequence_id"),
)
REPEAT = ("repeat", "run_index", "replicate", "trial")
SETTING = ("setting", "task", "recipe", "variant", "condition")
EDITOR = ("editor", "model", "model_name", "editor_name")
PROMPT = ("prompt", "instruction", "edit_prompt", "edit_instruction", "caption", "text")
REASONING = (
    *("reasoning", "reasoning_summary", "thoughts", "thinking", "thought_summary", "summary"),
    "sections",
)
# A column that stands for one turn, of a table with a run in each row.
TURN = re.compile(r"(?:step|turn|iter|round|gen|edit)[ _-]?(\d{1,9})(?!\d)", re.I)
METRIC = ("metric", "metric_name", "metric_id", "iqa")
VALUE = ("value", "score", "metric_value")
_PARAMETERS = frozenset(
    {
        *("temperature", "cfg", "cfg_scale", "guidance", "guidance_scale", "strength", "denoise"),
        *("resolution", "width", "height", "size", "top_p", "top_k", "sampler", "steps"),
        *("seconds", "cost", "cost_usd", "usd", "time", "timestamp", "bytes", "sha256", "split"),
        *("index", "idx", "id", "row", "n"),
    }
)
_KNOWN = frozenset(
    {
        *(*FILE, *STEP, *IMAGE, *RUN, *REPEAT, *SETTING, *EDITOR, *PROMPT, *REASONING),
        *(*METRIC, *VALUE, "seed"),
    }
)


class Columns(Struct, frozen=True):
    """Which column of a table plays which part; None where there is none."""

    file: str | None
    step: str | None
    image: str | None
    prompt: str | None
    reasoning: str | None
    model: str | None
    seed: str | None
    metric: str | None
    value: str | None
    who: tuple[tuple[str, str], ...]  # (role, column) of what names the run
    rest: tuple[tuple[str, str], ...]  # (column, lower-case name) of all others

    @property
    def long(self) -> bool:
        """Whether each row holds one score: a metric and its value."""
        return self.metric is not None and self.value is not None


def columns_of(row: Iterable[str]) -> Columns:
    """Return what the columns of a row mean."""
    return _columns(tuple(row))


@lru_cache(maxsize=1024)
def _columns(names: tuple[str, ...]) -> Columns:
    have = {name.strip().casefold(): name for name in names}

    def pick(known: tuple[str, ...]) -> str | None:
        return next((have[name] for name in known if name in have), None)

    who = (("image", IMAGE), ("run", RUN), ("repeat", REPEAT), ("setting", SETTING))
    return Columns(
        file=pick(FILE),
        step=pick(STEP),
        image=pick(IMAGE),
        prompt=pick(PROMPT),
        reasoning=pick(REASONING),
        model=pick(EDITOR),
        seed=pick(("seed",)),
        metric=pick(METRIC),
        value=pick(VALUE),
        who=tuple(
            (role, column)
            for role, known in (*who, ("editor", EDITOR))
            if (column := pick(known)) is not None
        ),
        rest=tuple(
            (name, lower) for name in names if (lower := name.strip().casefold()) not in _KNOWN
        ),
    )


def whole(value: Any) -> int | None:
    """Return a step or seed as an int: 7, 7.0, "007"; None for anything else."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int):
        return value
    number_found = number(value)
    if number_found is None or number_found != int(number_found) or abs(number_found) > 2**53:
        return None
    return int(number_found)


def number(value: Any) -> float | None:
    """Return a finite number, also out of text with a decimal comma; None for anything else."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, str):
        value = value.strip()
        if value.count(",") == 1 and "." not in value:
            value = value.replace(",", ".")
    try:
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


@lru_cache(maxsize=4096)
def metric_id(name: str) -> str:
    """Return a metric's identifier: "TOPIQ-NR" is topiq_nr."""
    return re.sub(r"[^a-z0-9]+", "_", clean_line(name).lower()).strip("_")


def told(row: Row, *, scores: bool = True) -> dict[str, Any]:
    """Return the fields of SourceStep that a row or a foreign sidecar tells.

    With `scores`, numeric columns that are neither known fields nor parameters are scores,
    and so are those of a nested `scores` or `metrics` object.
    """
    columns = columns_of(row)
    fields: dict[str, Any] = {}
    if columns.prompt and isinstance(prompt := row[columns.prompt], str) and prompt:
        fields["prompt"] = clean(prompt)
    if columns.reasoning and row[columns.reasoning]:
        fields["sections"] = sections_in(row[columns.reasoning])
    if columns.model and isinstance(model := row[columns.model], str) and model:
        is_editor = columns.model.casefold().startswith("editor")
        fields["editor" if is_editor else "model"] = clean_line(model)
    if columns.seed and (seed := whole(row[columns.seed])) is not None:
        fields["seed"] = seed
    parameters: dict[str, Any] = {}
    values: dict[str, float] = {}
    for column, name in columns.rest:
        value = row[column]
        if value is None or value == "":
            continue
        if isinstance(value, dict):
            if name in ("scores", "metrics"):
                values.update(_numbers(value))
            elif name in ("parameters", "params"):
                parameters.update(value)
        elif name in _PARAMETERS or isinstance(value, bool):
            parameters[clean_line(column)] = _plain(value)
        elif (found := number(value)) is not None:
            values[metric_id(column)] = found
        elif isinstance(value, str) and len(value) <= 200:
            parameters[clean_line(column)] = clean_line(value)
    if parameters:
        fields["parameters"] = parameters
    if scores and values and not columns.long:
        fields["scores"] = values
    return fields


def long_score(row: Row) -> tuple[str, float] | None:
    """Return (metric, value) of a long row; None where the value is no finite number."""
    columns = columns_of(row)
    if columns.metric is None or columns.value is None or not row[columns.metric]:
        return None
    found = number(row[columns.value])
    return None if found is None else (metric_id(str(row[columns.metric])), found)


def identity(row: Row) -> dict[str, str]:
    """Return what a row says of its run: any of image, run, repeat, setting, editor."""
    return {
        role: clean_line(str(value))
        for role, column in columns_of(row).who
        if isinstance(value := row[column], str | int)
        and not isinstance(value, bool)
        and value != ""
    }


def run_named(who: Mapping[str, str], fallback: str) -> Run:
    """Return the run that `identity` describes; `fallback` names it where nothing does."""
    run, setting = who.get("run", ""), who.get("setting", "")
    repeat = whole(who.get("repeat", run))
    parts = [who.get("image", ""), setting, who.get("editor", "")]
    last = run or who.get("repeat", "")
    if last.isdecimal() and len(last) <= _MOST_DIGITS:
        last = f"run-{int(last)}"
    name = "/".join(part for part in (*parts, last) if part) or fallback
    return Run(
        run=name,
        image=who.get("image") or run or fallback,
        recipe=setting,
        setting="/".join(part for part in (setting, who.get("editor", "")) if part),
        editor=who.get("editor", ""),
        repeat=repeat if repeat is not None and 0 <= repeat < 2**31 else 0,
    )


def _numbers(values: Mapping[Any, Any]) -> dict[str, float]:
    return {
        metric_id(str(name)): found
        for name, value in values.items()
        if (found := number(value)) is not None
    }


def _plain(value: Any) -> Any:
    return clean_line(value) if isinstance(value, str) else value
