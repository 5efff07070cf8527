"""What generators say in the text of their pictures: prompt, seed, parameters, input picture."""

import re
from typing import Any

import msgspec

from b100tui.model.errors import UNPARSABLE
from b100tui.model.text import clean, clean_line
from b100tui.sources.columns import number, whole
from b100tui.sources.comfy_graph import graph_of_workflow, graph_says

_LAST_LINE = re.compile(r"(?:^|\n)(Steps: \d+, .*)$", re.S)
# Of bounded length and not from a blank on, or a long text without a colon would take for ever.
_PAIR = re.compile(r'([\w\-/][\w \-/]{0,63}):\s*("(?:\\.|[^\\"])*"|[^,]*)(?:,|$)')
_NO_NUMBER = re.compile(r"(?<=[:,\[\s])(?:NaN|-?Infinity)(?=[,\]\}\s])")
_NAMES = {
    "cfg scale": "cfg",
    "denoising strength": "denoise",
    "sampler": "sampler",
    "schedule type": "scheduler",
    "steps": "steps",
    "size": "size",
    "mask blur": "mask_blur",
    "init image hash": "init_image_hash",
    "hires upscale": "hires_upscale",
}


def picture_says(texts: dict[str, str]) -> dict[str, Any]:
    """Return the fields of SourceStep that the texts of a picture tell; {} for unknown ones.

    Known: A1111 and Forge (`parameters`), ComfyUI (`prompt`), Fooocus and SwarmUI (JSON in
    `parameters`), NovelAI (`Comment`), InvokeAI (`invokeai_metadata`).
    """
    if "parameters" in texts:
        text = texts["parameters"]
        value = json_object(text)
        if value is None:
            return parameters_say(text)
        inner = value.get("sui_image_params")
        return _plain(inner if isinstance(inner, dict) else value)
    if "prompt" in texts:
        graph = json_object(texts["prompt"])
        return graph_says(graph) if graph else {}
    if "workflow" in texts:
        workflow = json_object(texts["workflow"])
        return graph_says(graph_of_workflow(workflow)) if workflow else {}
    for key in ("invokeai_metadata", "sd-metadata", "Comment"):
        value = json_object(texts.get(key, ""))
        if value is not None:
            return _plain(value)
    return {}


def parameters_say(text: str) -> dict[str, Any]:
    """Return what an A1111 `parameters` text tells: prompt, negative prompt, seed, settings."""
    found = _LAST_LINE.search(text)
    words = text[: found.start()] if found else text
    prompt, _, negative = words.partition("\nNegative prompt:")
    if prompt.startswith("Negative prompt:"):
        prompt, negative = "", prompt.removeprefix("Negative prompt:")
    fields: dict[str, Any] = {}
    if prompt.strip():
        fields["prompt"] = clean(prompt).strip()
    parameters: dict[str, Any] = {}
    if negative.strip():
        parameters["negative_prompt"] = clean(negative).strip()
    for name, cell in _PAIR.findall(found[1] if found else ""):
        key, value = name.strip().casefold(), clean_line(cell.strip().strip('"'))
        if key == "seed":
            fields["seed"] = whole(value)
        elif key == "model":
            fields["model"] = value
        elif key in _NAMES:
            told = number(value)
            parameters[_NAMES[key]] = value if told is None else _whole_or(told)
    if not found and not negative:
        return fields
    return {**fields, "parameters": parameters}


def _plain(value: dict[str, Any]) -> dict[str, Any]:
    """Return prompt, seed and settings of a flat JSON object."""
    lower = {str(key).casefold().replace(" ", "_"): cell for key, cell in value.items()}
    fields: dict[str, Any] = {}
    for key in ("prompt", "positive_prompt", "image_prompt"):
        if isinstance(lower.get(key), str) and lower[key]:
            fields.setdefault("prompt", clean(lower[key]))
    seed = whole(lower.get("seed"))
    if seed is not None:
        fields["seed"] = seed
    model = lower.get("model") or lower.get("base_model")
    model = model.get("name") if isinstance(model, dict) else model
    if isinstance(model, str):
        fields["model"] = clean_line(model)
    names = ("steps", "cfg_scale", "cfgscale", "guidance_scale", "strength", "sampler", "scheduler")
    parameters = {
        name: clean_line(cell) if isinstance(cell, str) else cell
        for name in names
        if isinstance(cell := lower.get(name), str | int | float)
    }
    return {**fields, "parameters": parameters} if parameters else fields


def _whole_or(value: float) -> int | float:
    return int(value) if value == int(value) else value


def json_object(text: str) -> dict[str, Any] | None:
    """Return the JSON object that `text` is, None where it is none."""
    if not text.lstrip().startswith("{"):
        return None
    # ComfyUI writes NaN where a widget holds none, which is no JSON.
    try:
        value = msgspec.json.decode(_NO_NUMBER.sub("null", text))
    except UNPARSABLE:
        return None
    return value if isinstance(value, dict) else None
