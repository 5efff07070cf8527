"""Small real pictures and run folders for the tests of this room."""

import hashlib
import io
import json
from pathlib import Path

from PIL import Image

from b100tui.model.scan import Scan, SourceRun


def picture(kind: str = "png", size: tuple[int, int] = (8, 6), shade: int = 120) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", size, (shade, 90, 60)).save(out, kind)
    return out.getvalue()


PNG = picture()


def put(root: Path, *paths: str, data: bytes = PNG) -> None:
    for path in paths:
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)


def own_run(root: Path, run: str, steps: int, **plan: object) -> Path:
    """A run as b100 writes it, with `steps` steps after step 0."""
    folder = root / run
    folder.mkdir(parents=True)
    image, setting, repeat = run.split("/")
    facts = {
        "schema": 1,
        "run": run,
        "image": image,
        "recipe": "replicate",
        "setting": setting,
        "editor": "simulate",
        "repeat": int(repeat.rpartition("-")[2]),
        "steps_planned": steps,
    }
    (folder / "run.json").write_text(json.dumps({**facts, **plan}))
    for step in range(steps + 1):
        commit(folder, run, step)
    return folder


def commit(folder: Path, run: str, step: int, data: bytes | None = None, **more: object) -> None:
    data = data or picture("jpeg", shade=step % 256)
    name = f"step-{step:03}.jpg"
    output = {
        "sha256": hashlib.sha256(data).hexdigest(),
        "bytes": len(data),
        "width": 8,
        "height": 6,
        "mime": "image/jpeg",
        "file": name,
    }
    sidecar = {"schema": 1, "run": run, "step": step, "output": output, "input": None, **more}
    (folder / name).write_bytes(data)
    (folder / f"step-{step:03}.json").write_text(json.dumps(sidecar))


def named(scan: Scan, name: str) -> SourceRun:
    return next(source for source in scan.runs if source.run.run == name)


def numbers(source: SourceRun) -> list[int]:
    return [step.step for step in source.steps]


def reasons(scan: Scan) -> dict[str, str]:
    return {left.path: left.reason for left in (*scan.unused, *scan.unreadable)}
