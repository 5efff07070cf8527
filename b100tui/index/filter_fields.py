"""The fields a filter knows: the kind of their values, and whether they are of a run or a step."""

import difflib
import math
import re
from collections.abc import Collection
from typing import Literal

from msgspec import Struct

Kind = Literal["text", "choice", "number", "yes", "size", "metric"]
NONE = "none"
_SIZE = re.compile(r"(\d+)x(\d+)", re.IGNORECASE)
_RANGE = re.compile(r"(\d+)-(\d+)")
_YES = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}
_LABEL = "label."


class Field(Struct, frozen=True):
    """A field: `column` in SQL, the kind of its values, and whether it belongs to a step."""

    kind: Kind
    column: str
    of_step: bool = False


FIELDS: dict[str, Field] = {
    "words": Field("text", "r.words"),
    "run": Field("text", "r.run"),
    "image": Field("text", "r.image"),
    "recipe": Field("text", "r.recipe"),
    "setting": Field("text", "r.setting"),
    "editor": Field("text", "r.editor"),
    "kind": Field("text", "r.editor_kind"),
    "model": Field("text", "r.model"),
    "parent": Field("text", "r.parent"),
    "repeat": Field("number", "r.repeat"),
    "steps": Field("number", "r.steps"),
    "missing": Field("number", "r.missing"),
    "onset": Field("number", "r.onset"),
    "limit": Field("number", "r.limit_step"),
    "coverage": Field("number", "r.coverage"),
    "worst": Field("text", "r.worst_metric"),
    "cost": Field("number", "r.cost_usd"),
    "simulated": Field("yes", "r.simulated"),
    "stopped": Field("yes", "r.stopped"),
    "step": Field("number", "s.step", of_step=True),
    "status": Field("choice", "s.status", of_step=True),
    "prompt": Field("text", "s.prompt", of_step=True),
    "size": Field("size", "s", of_step=True),
    "mark": Field("text", "mode", of_step=True),
    "verdict": Field("choice", "verdict", of_step=True),
}
CHOICES = {
    "status": ("ok", "missing", "unreadable", "refused"),
    "verdict": ("yes", "no", "unparsed", "no_summary", "any", NONE),
}
MEASURES = ("value", "gap", "norm")


class Condition(Struct, frozen=True):
    """One `field op value`. `value` is what the field's kind takes; None stands for "none".

    For a metric `field` is its id and `measure` says which of its numbers is meant.
    """

    field: str
    op: str
    value: str | float | bool | tuple[float, float] | None
    measure: str = ""

    @property
    def of_step(self) -> bool:
        """Whether it speaks of one step rather than of the run."""
        if self.measure:
            return True
        found = FIELDS.get(self.field)
        return found is not None and found.of_step


class Refusal(Struct, frozen=True):
    """Why `field op value` cannot be read; `about` says which part to point at."""

    about: Literal["field", "value"]
    what: str
    hint: str = ""


def condition(name: str, op: str, value: str, metrics: Collection[str]) -> Condition | Refusal:
    """Return what `name op value` asks, or why it cannot be read."""
    if name.lower().startswith(_LABEL):
        return _text(_LABEL + name[len(_LABEL) :], op, value)
    field = FIELDS.get(name.lower()) if name.lower() != "words" else None
    if field is not None:
        return _READERS[field.kind](name.lower(), op, value)
    metric, measure = _metric(name, metrics)
    if metric is None:
        return Refusal("field", f"no field {name!r}", _near(name, metrics))
    number = _number(metric, op, value)
    if isinstance(number, Refusal):
        return number
    return Condition(metric, number.op, number.value, measure)


def _metric(name: str, metrics: Collection[str]) -> tuple[str | None, str]:
    from b100tui.metrics.registry import known

    stem, dot, tail = name.rpartition(".")
    for candidate, measure in ((name, "value"), (stem, tail.lower()) if dot else ("", "")):
        if not candidate or measure not in MEASURES:
            continue
        if candidate in metrics:
            return candidate, measure
        found = known(candidate)
        if found is not None:
            return found.id, measure
    return None, ""


def _near(name: str, metrics: Collection[str]) -> str:
    from b100tui.metrics.registry import metrics as registered

    stem, dot, tail = name.rpartition(".")
    ids = list(dict.fromkeys((*(m.id for m in registered()), *metrics)))
    if dot and tail.lower() in MEASURES:
        near = [f"{n}.{tail}" for n in difflib.get_close_matches(stem.lower(), ids, 3, 0.5)]
    elif dot and (stem in ids):
        near = [f"{stem}.{measure}" for measure in ("gap", "norm")]
    else:
        known = [*(field for field in FIELDS if field != "words"), *ids]
        near = difflib.get_close_matches(name.lower(), known, 3, 0.5)
    if near:
        return f"did you mean {', '.join(near)}?"
    return "fields: " + ", ".join(field for field in FIELDS if field != "words") + ", any metric"


def _text(name: str, op: str, value: str) -> Condition | Refusal:
    if op not in {":", "=", "!="}:
        return Refusal("value", f"{name} is text: {op} cannot compare it", f"write {name}:{value}")
    if not value:
        return Refusal("value", f"a value for {name} is missing", f"e.g. {name}:word")
    if value.casefold() == NONE:
        return Condition(name, op, None)
    return Condition(name, op, part_of_word(value.casefold()) if op == ":" else value.casefold())


def part_of_word(text: str) -> str:
    """Return `text` without the * around it: any part of a word is found without one."""
    return text.strip("*") or text


def _choice(name: str, op: str, value: str) -> Condition | Refusal:
    choices = CHOICES[name]
    if value and not any(choice.startswith(value.casefold()) for choice in choices):
        return Refusal("value", f"{name} is never {value!r}", f"it is one of {', '.join(choices)}")
    return _text(name, op, value)


def _number(name: str, op: str, value: str) -> Condition | Refusal:
    if value.casefold() == NONE and op in {":", "=", "!="}:
        return Condition(name, op, None)
    span = _RANGE.fullmatch(value)
    if span and op in {":", "="}:
        return Condition(name, ":", (float(span[1]), float(span[2])))
    try:
        number = float(value)
    except ValueError:
        return Refusal(
            "value",
            f"{name} is a number: {value!r} is none"
            if value
            else f"a number for {name} is missing",
            f"e.g. {name}>10, {name}:5-20 or {name}:none",
        )
    if not math.isfinite(number):
        return Refusal("value", f"{value} is not a finite number")
    return Condition(name, op, number)


def _yes(name: str, op: str, value: str) -> Condition | Refusal:
    if op not in {":", "=", "!="} or value.casefold() not in _YES:
        return Refusal("value", f"{name} is yes or no", f"write {name}:yes or {name}:no")
    return Condition(name, ":", _YES[value.casefold()] is (op != "!="))


def _size(name: str, op: str, value: str) -> Condition | Refusal:
    sides = _SIZE.fullmatch(value)
    if sides:
        if op not in {":", "=", "!="}:
            return Refusal("value", f"two sides cannot be compared by {op}", "e.g. size>2048")
        return Condition(name, op, (float(sides[1]), float(sides[2])))
    number = _number(name, op, value)
    if isinstance(number, Refusal) or number.value is None or isinstance(number.value, tuple):
        return Refusal("value", f"{value!r} is no size", "e.g. size:1024x768 or size>2048")
    return number


_READERS = {"text": _text, "choice": _choice, "number": _number, "yes": _yes, "size": _size}
