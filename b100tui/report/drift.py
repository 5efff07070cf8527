"""How each step of a run lies against the reference step, and what is left once that is undone.

Pictures are read reduced to 1408 px on the longer side: the size at which the alignment is
refined; aligned SSIM and PSNR are those of the reduced pictures. Answers are kept in the cache
folder by picture, so that a run that grew costs its new steps only.
"""

import hashlib
import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec
from msgspec import Struct

from b100tui.model.errors import CancelledError, PictureError, StoreError
from b100tui.model.records import PictureRef, Step
from b100tui.workspace.places import cache_dir, make_private

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from b100tui.imaging.align import Alignment, Reference
    from b100tui.index.store import Index

VERSION = 3  # of the alignment, the measures and this file: another one makes all anew
SIDE = 1408
MOST_THREADS = 4
KEEP_EVERY = 16  # steps between two writings of the cache
Progress = Callable[[int, int], None]
Status = Literal["aligned", "identical", "unreliable"]
Signals = dict[str, dict[int, float | None]]


class DriftRow(Struct, frozen=True, kw_only=True):
    """One step against the reference; see `imaging.align.Alignment` for signs and units.

    `matrix` (2x3 row-major) maps the step's source pixels to the reference's. `ssim`, `psnr`
    (dB), `changed_share`, `no_op` and `texture_ratio` (gradient energy over that of the warped
    reference) are what is left after alignment, None where nothing can be compared; those called
    outside leave the changed region out. `note` reads "misaligned" where both were compared as
    they lie.
    """

    step: int
    status: Status
    zoom_pct: float | None = None
    dx_px: float | None = None
    dy_px: float | None = None
    aspect_pct: float | None = None
    crop_pct: float | None = None
    rotation_deg: float | None = None
    mirrored: bool | None = None
    confidence: float = 0.0
    reason: str = ""
    matrix: tuple[float, ...] | None = None
    ssim: float | None = None
    psnr: float | None = None
    changed_share: float | None = None
    no_op: bool | None = None
    overlap: float | None = None
    texture_ratio: float | None = None
    outside_ssim: float | None = None
    outside_psnr: float | None = None
    outside_texture_ratio: float | None = None
    note: str = ""


class DriftSeries(Struct, frozen=True, kw_only=True):
    """The rows of one run, ascending, the reference step itself included as identical."""

    run: str
    reference: int
    rows: tuple[DriftRow, ...]
    side: int = SIDE
    trouble: str = ""

    def signals(self) -> Signals:
        """Return what alignment says by step; steps compared as they lie are left out.

        Aligned SSIM, PSNR, texture against the warped reference, zoom (percent); and, called
        `outside_...`, the first three without the region that changed.
        """
        out: Signals = {}
        for row in self.rows:
            if row.step == self.reference or row.status != "aligned" or row.note:
                continue
            values = {
                "ssim": row.ssim,
                "psnr": row.psnr,
                "texture_aligned": row.texture_ratio,
                "zoom": row.zoom_pct,
                "outside_ssim": row.outside_ssim,
                "outside_psnr": row.outside_psnr,
                "outside_texture_aligned": row.outside_texture_ratio,
            }
            for name, value in values.items():
                if value is not None:
                    out.setdefault(name, {})[row.step] = value
        return out


class _Kept(Struct, frozen=True):
    """One row in the cache with the picture it was made from."""

    picture: PictureRef
    row: DriftRow


class _File(Struct, frozen=True):
    version: int
    run: str
    reference: int
    base: PictureRef
    rows: tuple[_Kept, ...]


def drift_series(
    root: Path,
    steps: Sequence[Step],
    *,
    reference: int = 1,
    wanted: Sequence[int] | None = None,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> DriftSeries:
    """Return the drift of the `wanted` steps (default all) of one run, from the cache if there.

    `steps` are all steps of the run. A picture that cannot be read is unreliable with its
    reason; without a readable reference every step is. Raises CancelledError.
    """
    run = steps[0].run if steps else ""
    listed = [step for step in steps if wanted is None or step.step in wanted]
    base = next((step for step in steps if step.step == reference), None)
    if base is None or base.picture is None:
        why = f"there is no picture at reference step {reference}"
        return _nothing(run, reference, listed, why)
    path = _path(root, run, reference)
    kept = _load(path, run, reference, base.picture)
    todo = [
        step
        for step in listed
        if step.picture is not None and _row(kept, step.step, step.picture) is None
    ]
    trouble = ""
    if todo:
        try:
            first = _reduced(root, base.picture)
        except PictureError as error:
            return _nothing(run, reference, listed, f"the reference picture: {error.message}")
        for done, (step, row) in enumerate(_compute(root, base, first, todo, cancelled), 1):
            kept[step.step] = _Kept(step.picture or PictureRef(""), row)
            if progress is not None:
                progress(done, len(todo))
            if done % KEEP_EVERY == 0 or done == len(todo):
                trouble = _store(path, _File(VERSION, run, reference, base.picture, ()), kept)
    rows = []
    for step in listed:
        found = None if step.picture is None else _row(kept, step.step, step.picture)
        why = step.reason or f"the step is {step.status}"
        rows.append(found or DriftRow(step=step.step, status="unreliable", reason=why))
    return DriftSeries(run=run, reference=reference, rows=tuple(rows), trouble=trouble)


def kept_series(root: Path, steps: Sequence[Step], reference: int = 1) -> DriftSeries | None:
    """Return what the cache holds of a run and still fits its pictures; None for nothing."""
    base = next((step for step in steps if step.step == reference), None)
    if base is None or base.picture is None:
        return None
    run = base.run
    kept = _load(_path(root, run, reference), run, reference, base.picture)
    rows = [
        row
        for step in steps
        if step.picture is not None and (row := _row(kept, step.step, step.picture)) is not None
    ]
    return DriftSeries(run=run, reference=reference, rows=tuple(rows)) if rows else None


def kept_signals(index: "Index", runs: Sequence[str], reference: int = 1) -> dict[str, Signals]:
    """Return the aligned signals of those runs whose drift was measured before."""
    folder = cache_dir(index.root) / "drift"
    if not folder.is_dir():
        return {}
    out: dict[str, Signals] = {}
    for run in runs:
        if not _path(index.root, run, reference).exists():
            continue
        series = kept_series(index.root, index.steps(run), reference)
        if series is not None and (signals := series.signals()):
            out[run] = signals
    return out


def _nothing(run: str, reference: int, steps: Sequence[Step], why: str) -> DriftSeries:
    rows = tuple(DriftRow(step=step.step, status="unreliable", reason=why) for step in steps)
    return DriftSeries(run=run, reference=reference, rows=rows)


def _compute(
    root: Path,
    base: Step,
    first: "NDArray[np.uint8]",
    todo: Sequence[Step],
    cancelled: Callable[[], bool] | None,
) -> Iterator[tuple[Step, DriftRow]]:
    """Yield the row of each step in order; few pictures are in memory at a time."""
    import cv2

    from b100tui.imaging.align import prepare

    prepared = prepare(first)
    threads = min(os.cpu_count() or 1, MOST_THREADS)
    waiting: deque[tuple[Step, Future[DriftRow]]] = deque()
    rest = iter(todo)
    # A thread a picture is enough: OpenCV's own beside them would only wait for each other.
    inner = cv2.getNumThreads()
    cv2.setNumThreads(1)
    with ThreadPoolExecutor(threads, "b100-drift") as pool:
        try:
            while True:
                if cancelled is not None and cancelled():
                    raise CancelledError("drift was stopped", "what was measured is kept")
                for step in islice(rest, threads + 1 - len(waiting)):
                    waiting.append((step, pool.submit(_one, root, base, prepared, step)))
                if not waiting:
                    return
                step, job = waiting.popleft()
                yield step, job.result()
        finally:
            cv2.setNumThreads(inner)
            for _, job in waiting:
                job.cancel()


def _one(root: Path, base: Step, prepared: "Reference", step: Step) -> DriftRow:
    from b100tui.imaging.align import align
    from b100tui.imaging.aligned import measure

    try:
        pixels = _reduced(root, step.picture or PictureRef(""))
    except PictureError as error:
        return DriftRow(step=step.step, status="unreliable", reason=error.message)
    found = align(prepared, pixels)
    left = measure(prepared.pixels, pixels, found)
    outside = None if left is None else left.outside
    here, there = _scale(pixels, step), _scale(prepared.pixels, base)
    shift_x = None if found.dx_px is None else found.dx_px / here[0]
    shift_y = None if found.dy_px is None else found.dy_px / here[1]
    return DriftRow(
        step=step.step,
        status=found.status,
        zoom_pct=found.zoom_pct,
        dx_px=shift_x,
        dy_px=shift_y,
        aspect_pct=found.aspect_pct,
        crop_pct=found.crop_pct,
        rotation_deg=found.rotation_deg,
        mirrored=found.mirrored,
        confidence=found.confidence,
        reason=found.reason,
        matrix=_in_source(found, here, there),
        ssim=None if left is None else left.ssim,
        psnr=None if left is None else left.psnr,
        changed_share=None if left is None else left.changed_share,
        no_op=None if left is None else left.no_op,
        overlap=None if left is None else left.overlap,
        texture_ratio=None if left is None else left.texture_ratio,
        outside_ssim=None if outside is None else outside.ssim,
        outside_psnr=None if outside is None else outside.psnr,
        outside_texture_ratio=None if outside is None else outside.texture_ratio,
        note="" if left is None else left.note,
    )


def _reduced(root: Path, ref: PictureRef) -> "NDArray[np.uint8]":
    import numpy as np

    from b100tui.imaging.preview import preview
    from b100tui.sources.pictures import open_picture

    return np.ascontiguousarray(np.asarray(preview(open_picture(root, ref), (SIDE, SIDE))))


def _scale(pixels: "NDArray[np.uint8]", step: Step) -> tuple[float, float]:
    """Return reduced over source size, across and down."""
    height, width = pixels.shape[:2]
    return width / (step.width or width), height / (step.height or height)


def _in_source(
    found: "Alignment", here: tuple[float, float], there: tuple[float, float]
) -> tuple[float, ...] | None:
    """Return the matrix between source pixels; pixel centres lie at half pixels."""
    if found.matrix is None:
        return None
    a, b, tx, c, d, ty = found.matrix
    x, y = 0.5 * here[0] - 0.5, 0.5 * here[1] - 0.5
    across = (a * here[0] / there[0], b * here[1] / there[0])
    down = (c * here[0] / there[1], d * here[1] / there[1])
    return (
        *across,
        (a * x + b * y + tx + 0.5) / there[0] - 0.5,
        *down,
        (c * x + d * y + ty + 0.5) / there[1] - 0.5,
    )


def _path(root: Path, run: str, reference: int) -> Path:
    name = hashlib.sha256(f"{run}\0{reference}".encode("utf-8", "surrogateescape")).hexdigest()
    return cache_dir(root) / "drift" / f"{name[:24]}.json"


def _load(path: Path, run: str, reference: int, base: PictureRef) -> dict[int, _Kept]:
    """Return the rows in the cache by step; none where it is absent, damaged or of other make."""
    try:
        kept = msgspec.json.decode(path.read_bytes(), type=_File)
    except (OSError, msgspec.DecodeError):
        return {}
    if (kept.version, kept.run, kept.reference, kept.base) != (VERSION, run, reference, base):
        return {}
    return {one.row.step: one for one in kept.rows}


def _row(kept: Mapping[int, _Kept], step: int, picture: PictureRef) -> DriftRow | None:
    found = kept.get(step)
    return found.row if found is not None and found.picture == picture else None


def _store(path: Path, file: _File, kept: Mapping[int, _Kept]) -> str:
    """Write the cache; return why it could not be written, "" when it was."""
    from b100tui.workspace.atomic import write_atomic

    rows = tuple(kept[step] for step in sorted(kept))
    try:
        make_private(path.parent)
        data = msgspec.json.encode(msgspec.structs.replace(file, rows=rows))
        write_atomic(path, data, durable=False, mode=0o600)
    except StoreError as error:
        return error.message
    return ""
