"""The process that holds a diffusers pipeline: started by path, it needs nothing of b100.

One JSON object a line: first what to load, then one request an edit; one reply to each. Torch
and diffusers are imported here and nowhere else. What libraries print goes to stderr.
"""

import inspect
import json
import os
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from typing import Any, TextIO

# A lossless file of pixels: a low level, because noise does not compress and time counts.
PNG_LEVEL = 3
_LOADING = {"device", "dtype", "offload", "download"}
_PACKAGES = ("torch", "diffusers", "transformers")


class NotHereError(Exception):
    """The pipeline cannot run on this machine as it is."""


def load(told: dict[str, Any]) -> Any:
    """Return the pipeline named by `told`: pipeline (class), model (id or folder), options.

    Options: device (auto, cpu, cuda, ...), dtype (bfloat16 by default on a GPU, else float32),
    offload (none, model, sequential), download (weights only from this machine unless true).
    Raises NotHereError naming what is missing.
    """
    try:
        import diffusers
        import torch
    except ImportError as error:
        raise NotHereError(f"{error}; pip install '.[local]'") from error
    options = told.get("options") or {}
    kind = getattr(diffusers, told["pipeline"], None)
    if kind is None:
        raise NotHereError(f"diffusers {diffusers.__version__} has no {told['pipeline']}")
    device = options.get("device", "auto")
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    dtype = getattr(torch, options.get("dtype") or ("float32" if device == "cpu" else "bfloat16"))
    try:
        pipeline = kind.from_pretrained(
            told["model"], torch_dtype=dtype, local_files_only=not options.get("download", False)
        )
    except (OSError, ValueError) as error:
        first = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise NotHereError(
            f"cannot load {told['model']}: {first}; fetch it first: hf download {told['model']}"
        ) from error
    offload = options.get("offload", "none")
    if offload == "model":
        pipeline.enable_model_cpu_offload(device=device)
    elif offload == "sequential":
        pipeline.enable_sequential_cpu_offload(device=device)
    else:
        pipeline.to(device)
    pipeline.set_progress_bar_config(disable=True)
    return pipeline


def edit(pipeline: Any, told: dict[str, Any]) -> dict[str, Any]:
    """Make one edit of the picture at `input` and write it as PNG to `output`.

    A seed goes into a generator on the CPU, so that it means the same on every machine; without
    one the pipeline draws its own noise. Raises ValueError for an option it does not take.
    """
    from PIL import Image

    with Image.open(told["input"]) as opened:
        image = opened.convert("RGB")
    options = {
        name: value for name, value in (told.get("options") or {}).items() if name not in _LOADING
    }
    takes = inspect.signature(pipeline.__call__).parameters
    unknown = sorted(set(options) - set(takes))
    if unknown:
        raise ValueError(f"{type(pipeline).__name__} takes no {', '.join(unknown)}")
    if told.get("seed") is not None:
        import torch

        options["generator"] = torch.Generator("cpu").manual_seed(int(told["seed"]))
    begin = time.monotonic()
    made = pipeline(image=[image], prompt=told["prompt"], **options).images[0]
    seconds = time.monotonic() - begin
    made.convert("RGB").save(told["output"], "PNG", compress_level=PNG_LEVEL)
    return {"ok": True, "seconds": seconds, "size": list(made.size)}


def versions() -> dict[str, str]:
    """Return the versions of the packages that decide what comes out."""
    found = {}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def failed(error: Exception) -> dict[str, Any]:
    """Return the reply for a failure: which class, and why in one line."""
    name = type(error).__name__
    said = " ".join(str(error).split())[:400]
    kind = "fatal_run"
    if isinstance(error, NotHereError | ImportError) or "OutOfMemory" in name:
        kind = "unavailable"
    return {
        "ok": False,
        "kind": kind,
        "message": said if kind != "fatal_run" else f"{name}: {said}",
    }


def serve(requests: TextIO, replies: TextIO) -> None:
    """Answer until the requests end."""
    pipeline: Any = None
    for line in requests:
        told = json.loads(line)
        try:
            if pipeline is None:
                pipeline = load(told)
                reply: dict[str, Any] = {"ok": True, "versions": versions()}
            else:
                reply = edit(pipeline, told)
        except Exception as error:
            # Whatever a pipeline raises is this edit's failure; the process goes on.
            reply = failed(error)
        replies.write(json.dumps(reply) + "\n")
        replies.flush()


if __name__ == "__main__":
    own = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    serve(sys.stdin, own)
