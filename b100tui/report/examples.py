"""Example runs of a report: which ones, their strips, contact sheets and aligned crops."""

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from b100tui.model.errors import PictureError
from b100tui.model.records import Step
from b100tui.report.drift import drift_series
from b100tui.report.gap_table import GapTable
from b100tui.report.strip import StripRow, draw_strip

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL.Image import Image

    from b100tui.index.rows import RunRow
    from b100tui.index.store import Index

STRIP_STEPS = (0, 1, 5, 10, 20, 50, 100)
CROP = 320  # source pixels, side of an example crop
THUMB = 176
_GAIN = 4.0


class Crop(Struct, frozen=True, kw_only=True):
    """One aligned pair: the reference as the step shows it, the step, their difference.

    JPEG or PNG bytes of one picture with the three parts side by side; `note` says what was
    done, or that they are misaligned.
    """

    run: str
    step: int
    picture: bytes
    note: str


def example_runs(index: "Index", table: GapTable, count: int) -> "list[RunRow]":
    """Return the runs whose metrics fail most plainly, one an image before a second of any."""
    members = {run for many in table.members.values() for run in many}
    rows = [row for row in index.runs() if row.run in members]
    rows.sort(key=lambda row: (-(row.worst_gap or 0.0), row.run))
    first: list[RunRow] = []
    rest: list[RunRow] = []
    seen: set[str] = set()
    for row in rows:
        (rest if row.image in seen else first).append(row)
        seen.add(row.image)
    return [*first, *rest][:count]


def strip_of(index: "Index", row: "RunRow", captions: Sequence[str]) -> "Image":
    """Return a strip of a run: a middle part of each step pixel for pixel, with captions."""
    steps = tuple(index.steps(row.run))
    scores = {view.step: view.scores for view in index.step_views(row.run)}
    wanted = [step for step in STRIP_STEPS if step <= (row.last_step or 0)]
    shown = [step for step in steps if step.step in wanted]
    sizes = [(one.width, one.height) for one in shown if one.width and one.height]
    crop = None
    if sizes:
        width = min(side for side, _ in sizes if side)
        height = min(side for _, side in sizes if side)
        across, down = min(CROP, width), min(CROP, height)
        crop = ((width - across) // 2, (height - down) // 2, across, down)
    title = f"{row.run} (middle {crop[2]}x{crop[3]} px)" if crop else row.run
    return draw_strip(
        index.root,
        [StripRow(title=title, steps=steps, scores=scores)],
        wanted,
        crop=crop,
        captions=captions,
    )


def contact_sheet(index: "Index", row: "RunRow") -> bytes:
    """Return small pictures of a run's steps in one row, as JPEG."""
    wanted = [step for step in STRIP_STEPS if step <= (row.last_step or 0)]
    image = draw_strip(
        index.root,
        [StripRow(title=row.run, steps=tuple(index.steps(row.run)))],
        wanted,
        tile_width=THUMB,
    )
    return _jpeg(image)


def aligned_crop(index: "Index", run: str, step: int, reference: int) -> Crop | None:
    """Return reference, step and difference (four times) of a middle part, aligned where possible.

    The reference is warped, never the step. None when a picture cannot be read or nothing can
    be compared.
    """
    import numpy as np
    from PIL import Image

    from b100tui.imaging.align import Alignment
    from b100tui.imaging.aligned import onto

    steps = index.steps(run)
    by_number = {one.step: one for one in steps}
    if step not in by_number or reference not in by_number:
        return None
    series = drift_series(index.root, steps, reference=reference, wanted=[step])
    row = series.rows[0]
    try:
        there = _pixels(index, by_number[reference])
        here = _pixels(index, by_number[step])
    except PictureError:
        return None
    if row.matrix is None and here.shape != there.shape:
        return None
    found = Alignment(status=row.status, matrix=row.matrix)
    warped, _ = onto(there, here.shape, found)
    height, width = here.shape[:2]
    across, down = min(CROP, width), min(CROP, height)
    part = (
        slice((height - down) // 2, (height + down) // 2),
        slice((width - across) // 2, (width + across) // 2),
    )
    one, other = warped[part], here[part]
    apart = other.astype(np.float32) - one.astype(np.float32)
    difference = np.clip(128.0 + _GAIN * apart, 0, 255).astype(np.uint8)
    gap = np.full((one.shape[0], 6, 3), 255, np.uint8)
    sheet = np.hstack([one, gap, other, gap, difference])
    note = (
        "misaligned: compared as they lie"
        if row.matrix is None
        else f"aligned: zoom {row.zoom_pct:+.2f} %, moved {row.dx_px:+.1f}, {row.dy_px:+.1f} px"
    )
    return Crop(run=run, step=step, picture=_jpeg(Image.fromarray(sheet), 92), note=note)


def _pixels(index: "Index", step: Step) -> "NDArray[np.uint8]":
    from b100tui.imaging.decode import decode
    from b100tui.sources.pictures import open_picture

    if step.picture is None:
        raise PictureError(step.reason or "no picture")
    return decode(open_picture(index.root, step.picture)).pixels


def _jpeg(image: "Image", quality: int = 85) -> bytes:
    data = io.BytesIO()
    image.save(data, "JPEG", quality=quality)
    return data.getvalue()
