"""The executed graph that ComfyUI writes into its pictures: node id -> class_type and inputs."""

from collections.abc import Iterator
from typing import Any

from b100tui.model.text import clean, clean_line
from b100tui.sources.columns import whole

_DEPTH = 64  # nodes followed in a row; graphs may be circular when edited by hand
_TEXTS = ("text", "prompt", "text_g", "clip_l", "t5xxl", "string", "value")
_SAMPLER = ("positive", "seed", "noise_seed")
_MODELS = ("ckpt_name", "unet_name", "model_name", "model")
_SETTINGS = ("steps", "cfg", "denoise", "sampler_name", "scheduler", "guidance")
_WIDGETS = {
    "KSampler": ("seed", "control", "steps", "cfg", "sampler_name", "scheduler", "denoise"),
    "CLIPTextEncode": ("text",),
    "LoadImage": ("image",),
    "CheckpointLoaderSimple": ("ckpt_name",),
    "UNETLoader": ("unet_name",),
    "FluxGuidance": ("guidance",),
}

Graph = dict[str, Any]


def graph_says(graph: Graph) -> dict[str, Any]:
    """Return prompt, seed, model and settings of a graph; {} where there is no sampler or prompt.

    The prompt is the text reached through `positive`, else the only text of an API node.
    """
    fields: dict[str, Any] = {}
    nodes = [node for node in graph.values() if isinstance(node, dict)]
    nodes = [node for node in nodes if isinstance(node.get("inputs"), dict)]
    samplers = [node for node in nodes if any(key in node["inputs"] for key in _SAMPLER)]
    settings: dict[str, Any] = {}
    for node in samplers or nodes:
        inputs = node["inputs"]
        if "prompt" not in fields and (text := _text(graph, inputs, "positive" in inputs)):
            fields["prompt"] = clean(text)
        for key in ("seed", "noise_seed"):
            seed = whole(_value(graph, inputs.get(key)))
            if seed is not None:
                fields.setdefault("seed", seed)
        for key in _SETTINGS:
            value = _value(graph, inputs.get(key))
            if isinstance(value, str | int | float) and not isinstance(value, bool):
                settings.setdefault(key, clean_line(value) if isinstance(value, str) else value)
    for node in nodes:
        for key in _MODELS:
            name = node["inputs"].get(key)
            if isinstance(name, str) and name:
                fields.setdefault("model", clean_line(name))
    return {**fields, "parameters": settings} if settings else fields


def graph_of_workflow(workflow: dict[str, Any]) -> Graph:
    """Return the editor's graph in the form of an executed one, as far as it tells that.

    Links become inputs by name, the first widgets of known nodes their values.
    """
    nodes, links = workflow.get("nodes"), workflow.get("links")
    if not isinstance(nodes, list) or not isinstance(links, list):
        return {}
    sources = {
        link[0]: [str(link[1]), link[2]]
        for link in links
        if isinstance(link, list) and len(link) > 2 and isinstance(link[0], int)
    }
    graph: Graph = {}
    for node in nodes:
        if not isinstance(node, dict) or not isinstance(node.get("type"), str):
            continue
        told, slots = node.get("widgets_values"), node.get("inputs")
        names = _WIDGETS.get(node["type"], ())
        inputs = dict(zip(names, told, strict=False)) if isinstance(told, list) else {}
        for slot in slots if isinstance(slots, list) else ():
            if isinstance(slot, dict) and slot.get("link") in sources:
                inputs[str(slot.get("name"))] = sources[slot["link"]]
        graph[str(node.get("id"))] = {"class_type": node["type"], "inputs": inputs}
    return graph


def loaded(graph: Graph) -> list[str]:
    """Return the file names that LoadImage nodes read, without "[output]" and the like."""
    names: list[str] = []
    for node in graph.values():
        if isinstance(node, dict) and str(node.get("class_type", "")).startswith("LoadImage"):
            inputs = node.get("inputs")
            name = _value(graph, inputs.get("image")) if isinstance(inputs, dict) else None
            if isinstance(name, str) and name:
                names.append(name.rpartition(" [")[0] if name.endswith("]") else name)
    return names


def _text(graph: Graph, inputs: dict[str, Any], sampler: bool) -> str:
    if sampler:
        return next(_texts(graph, inputs["positive"], _DEPTH, set()), "")
    text = inputs.get("prompt")
    return text if isinstance(text, str) else next(_texts(graph, text, _DEPTH, set()), "")


def _texts(graph: Graph, link: Any, depth: int, seen: set[int]) -> Iterator[str]:
    """Yield the texts of the nodes behind a link, nearest first, each node's once."""
    node = _linked(graph, link)
    if node is None or depth == 0 or id(node) in seen:
        return
    seen.add(id(node))
    inputs = node.get("inputs")
    if not isinstance(inputs, dict):
        return
    for key in _TEXTS:
        value = inputs.get(key)
        if isinstance(value, str) and value.strip():
            yield value
        else:
            yield from _texts(graph, value, depth - 1, seen)
    for key, value in inputs.items():
        if key not in (*_TEXTS, "clip", "vae", "image", "pixels"):
            yield from _texts(graph, value, depth // 2, seen)


def _value(graph: Graph, value: Any) -> Any:
    """Return a value, following links to nodes that hold one."""
    for _ in range(_DEPTH):
        node = _linked(graph, value)
        if node is None:
            return value
        inputs = node.get("inputs")
        if not isinstance(inputs, dict):
            return None
        value = next(
            (inputs[key] for key in ("value", "int", "seed", "string") if key in inputs), None
        )
    return None


def _linked(graph: Graph, link: Any) -> dict[str, Any] | None:
    if not isinstance(link, list) or len(link) != 2 or not isinstance(link[0], str | int):
        return None
    node = graph.get(str(link[0]))
    return node if isinstance(node, dict) else None
