"""Commit of one step: the image first, its sidecar last, so that no half step is ever visible.

A step exists if and only if its sidecar parses and the image it names is there. The bytes are
stored exactly as given; the extension comes from their first bytes, never from a declared type.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import msgspec

from b100tui.imaging.header import header
from b100tui.model.errors import StoreError
from b100tui.model.records import FileFacts, Sidecar
from b100tui.workspace.atomic import write_in_order

Stage = Literal["begin", "image", "sidecar", "done"]
_EXTENSIONS = {
    "png": ("png", "image/png"),
    "jpeg": ("jpg", "image/jpeg"),
    "webp": ("webp", "image/webp"),
    "gif": ("gif", "image/gif"),
    "tiff": ("tiff", "image/tiff"),
    "bmp": ("bmp", "image/bmp"),
    "avif": ("avif", "image/avif"),
}
_ENCODER = msgspec.json.Encoder()


def step_name(step: int) -> str:
    """Return the stem of a step's files: step-007, or more digits beyond 999."""
    return f"step-{step:03d}"


def file_facts(data: bytes, step: int, declared_mime: str | None = None) -> FileFacts:
    """Return hash, size, pixels, type and name of a step's image from its bytes alone.

    Raises PictureError when `data` is no picture that opens: such bytes never enter a chain.
    """
    found = header(data)
    extension, mime = _EXTENSIONS[found.format]
    return FileFacts(
        sha256=hashlib.sha256(data).hexdigest(),
        bytes=len(data),
        width=found.width,
        height=found.height,
        mime=mime,
        file=f"{step_name(step)}.{extension}",
        declared_mime=declared_mime,
    )


def commit_step(
    folder: Path,
    data: bytes,
    sidecar: Sidecar,
    *,
    durable: bool = True,
    at: Callable[[Stage], None] = lambda stage: None,
) -> None:
    """Store `data` under `sidecar.output.file` in `folder`, then the sidecar beside it.

    Each is written to a temporary name in the folder, fsynced and then renamed, in this order;
    then the folder is fsynced, and only then is the step acknowledged. `durable=False` leaves
    out the fsyncs: only for data that can be made again, such as the demo. `at` is told each
    stage, for tests that cut the power there.
    Raises StoreError when the step exists already (an acknowledged step is never replaced),
    when hash or length differ from the sidecar's, or when the disk refuses.
    """
    facts = sidecar.output
    record = folder / f"{step_name(sidecar.step)}.json"
    if record.exists():
        raise StoreError(
            f"{record} exists already: step {sidecar.step} is committed",
            "continue after the last step, or fork the run",
        )
    if len(data) != facts.bytes or hashlib.sha256(data).hexdigest() != facts.sha256:
        raise StoreError(
            f"step {sidecar.step} in {folder}: the bytes are not those of the sidecar",
            "run the edit again; nothing was stored",
        )
    at("begin")
    write_in_order(
        [(folder / facts.file, data), (record, _ENCODER.encode(sidecar))],
        durable=durable,
        renamed=lambda path: at("sidecar" if path == record else "image"),
    )
    at("done")
