"""Makes small folders in b100's own layout, and parts with records about them."""

import hashlib
import struct
import zlib
from pathlib import Path
from typing import Any

import msgspec

from b100tui.model.records import FileFacts, MarkRecord, RunPlan, ScoreRecord, Section, Sidecar
from b100tui.workspace.parts import PartWriter
from b100tui.workspace.places import workspace_dir


def png(seed: int, width: int = 4, height: int = 3) -> bytes:
    row = b"\0" + struct.pack(">I", seed % 2**24)[1:] * width
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(row * height)),
        (b"IEND", b""),
    )
    body = b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + body


def add_step(
    root: Path,
    run: str,
    step: int,
    *,
    data: bytes | None = None,
    sections: tuple[tuple[str, str], ...] = (),
    prompt: str = "Replicate this image",
    size: tuple[int, int] = (4, 3),
    **more: Any,
) -> str:
    """Write one step with its sidecar; return the sha256 of the picture."""
    folder = root / run
    folder.mkdir(parents=True, exist_ok=True)
    image, setting, _ = run.split("/")
    if not (folder / "run.json").exists():
        plan = RunPlan(
            run=run,
            image=image,
            recipe=setting.split("-")[0],
            setting=setting,
            editor="pro",
            repeat=int(run.rpartition("-")[2]),
            steps_planned=9,
        )
        (folder / "run.json").write_bytes(msgspec.json.encode(plan))
    if data is None:
        data = png(zlib.crc32(f"{run}@{step}".encode()) % 2**24, *size)
    sha256 = hashlib.sha256(data).hexdigest()
    file = f"step-{step:03d}.png"
    (folder / file).write_bytes(data)
    facts = FileFacts(
        sha256=sha256,
        bytes=len(data),
        width=size[0],
        height=size[1],
        mime="image/png",
        file=file,
    )
    sidecar = Sidecar(
        run=run,
        step=step,
        output=facts,
        prompt=prompt,
        sections=tuple(Section(*section) for section in sections),
        **more,
    )
    (folder / f"step-{step:03d}.json").write_bytes(msgspec.json.encode(sidecar))
    return sha256


def add_run(root: Path, run: str, steps: int, **more: Any) -> list[str]:
    return [add_step(root, run, step, **more) for step in range(steps)]


def score(run: str, step: int, metric: str, value: float | None, **more: Any) -> ScoreRecord:
    return ScoreRecord(run=run, step=step, metric=metric, metric_version="1", value=value, **more)


def mark(id: str, run: str, step: int, mode: str, **more: Any) -> MarkRecord:
    return MarkRecord(
        id=id, run=run, step=step, mode=mode, by="ann", time="2026-01-01T00:00:00Z", **more
    )


def record(root: Path, kind: str, *records: Any) -> PartWriter:
    """Append records durably to a part of their own; return its writer for more of them."""
    writer = PartWriter(workspace_dir(root) / kind)
    writer.append(*records)
    return writer
