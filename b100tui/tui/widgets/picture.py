"""`PictureView`: shows one target at a time, newest wins. Works on any terminal.

    view = PictureView(id="picture")              # no pipeline yet: empty
    view.attach(pipeline)                         # a terminal.pipeline.Pipeline
    view.show(target, line=targets, position=41)  # terminal.targets.Target
    view.cover_changed()                          # from the screen's on_screen_suspend/_resume

`line` and `position` (the trajectory and the place in it) let neighbours be made ahead.
Tells `Shown` and `Failed`. No border, padding, opacity or tint: it draws whole rows itself.
"""

import time
from collections.abc import Sequence
from typing import TypeAlias

from textual import events
from textual.geometry import Region
from textual.strip import Strip
from textual.timer import Timer

from b100tui.model.text import clean, clean_line
from b100tui.terminal.frames import Area, Frame
from b100tui.terminal.pipeline import Delivery, Pipeline, Viewer
from b100tui.terminal.probe import with_cell_now
from b100tui.terminal.targets import Request, Target
from b100tui.tui.driver import Link
from b100tui.tui.widgets import picture_lines as lines
from b100tui.tui.widgets import picture_messages as messages
from b100tui.tui.widgets.picture_cover import covered
from b100tui.tui.widgets.picture_mouse import MouseOver
from b100tui.tui.widgets.picture_sent import SentPicture

PATIENCE = 0.25
HURRY = 0.3  # keys closer together than this are a scrub: rough frames go first
RASTER = frozenset({"sixel", "iterm"})


class PictureView(SentPicture, MouseOver):
    """A rectangle of cells with a picture, or with the words why there is none."""

    can_focus = False
    DEFAULT_CSS = "PictureView { width: 1fr; height: 1fr; }"

    Shown: TypeAlias = messages.Shown
    Failed: TypeAlias = messages.Failed
    Delivered: TypeAlias = messages.Delivered

    def __init__(
        self,
        pipeline: Pipeline | None = None,
        *,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(id=id, classes=classes)
        self._pipeline = pipeline
        self._viewer: Viewer | None = None
        self._half_viewer: Viewer | None = None
        self._target: Target | None = None
        self._line: Sequence[Target] = ()
        self._position: int | None = None
        self._asked = 0.0
        self._words = ""
        self._patience: Timer | None = None

    # -- what the owner calls --------------------------------------------------------------

    def attach(self, pipeline: Pipeline | None) -> None:
        """Use `pipeline` from now on, and show the same target through it."""
        self._close_viewer()
        self._pipeline = pipeline
        self.again()

    def show(
        self, target: Target, line: Sequence[Target] = (), position: int | None = None
    ) -> None:
        """Want `target` and nothing else; returns at once."""
        self._target = target
        self._line = line
        self._position = position
        self._want()

    def again(self) -> None:
        """Ask for the same target anew (after a resize, a resume, other facts)."""
        self._frame = self._frame_request = None
        if self._target is not None:
            self._want()

    def cover_changed(self) -> None:
        """Look whether something lies over the picture now, and paint accordingly."""
        now = covered(self)
        if now != self._was_covered:
            self._was_covered = now
            self.show_covered()

    @property
    def words(self) -> str:
        """The text shown instead of a picture."""
        return self._words

    @property
    def frame(self) -> Frame | None:
        """The frame on the screen."""
        return self._frame

    @property
    def shown(self) -> Target | None:
        """The target whose picture is on the screen."""
        return self._frame_request.target if self._frame_request else None

    @property
    def pixels(self) -> tuple[int, int]:
        """Width and height of the area in pixels of the protocol in use."""
        across, down = self.cell_pixels
        return self.size.width * across, self.size.height * down

    @property
    def cell_pixels(self) -> tuple[int, int]:
        """Width and height of one cell in pixels of the protocol in use."""
        pipeline = self._pipeline
        if pipeline is None or self._protocol(pipeline) in {"half", "text"}:
            return 1, 2
        return pipeline.facts.cell_width, pipeline.facts.cell_height

    # -- asking ----------------------------------------------------------------------------

    def _want(self) -> None:
        target, pipeline = self._target, self._pipeline
        if target is None or not self.is_mounted or not self.size:
            return
        now = time.monotonic()
        hurried = now - self._asked < HURRY
        self._asked = now
        self._stop_patience()
        if target.ref is None:
            self._request = None
            self._say(target.label, target.reason or "there is no picture")
            return
        if pipeline is None:
            return
        protocol = self._protocol(pipeline)
        if protocol == "text":
            self._request = None
            self._say(target.label, f"no pictures here: {pipeline.facts.reason}")
            return
        request = Request(target, self._area(pipeline), protocol)
        if request == self._request == self._frame_request and self._frame is not None:
            return
        self._request = request
        if self._viewer is None:
            self._viewer = pipeline.viewer(self._deliver)
        frame = self._viewer.want(request, self._line, self._position)
        if frame is not None:
            if frame.quality == "sharp" and not self._at_once(request, hurried=hurried):
                rough = pipeline.frame(request, "rough")
                if rough is not None:
                    frame = rough
                    self._patience = self.set_timer(pipeline.rest, self._sharpen)
            self._take(request, frame)
            return
        if failed := self._viewer.failed(request):
            self._say(target.label, failed)
            return
        self._patience = self.set_timer(PATIENCE, self._say_wait)

    def _protocol(self, pipeline: Pipeline) -> str:
        graphics = pipeline.facts.graphics
        bare = graphics in {"text", "half"} or Link.of(self.app) is not None
        return graphics if bare else "half"

    def _area(self, pipeline: Pipeline) -> Area:
        facts = pipeline.facts
        return Area(self.size.width, self.size.height, facts.cell_width, facts.cell_height)

    def _deliver(self, delivery: Delivery) -> None:
        """Hand a delivery over to the UI thread; called in a worker thread."""
        if self.is_attached:
            self.post_message(self.Delivered(delivery))

    def on_picture_view_delivered(self, message: messages.Delivered) -> None:
        """Take what was made, unless something else is wanted by now."""
        delivery = message.delivery
        if delivery.request != self._request:
            return
        self._stop_patience()
        if delivery.frame is not None:
            self._take(delivery.request, delivery.frame)
        else:
            self._say(delivery.request.target.label, delivery.reason)

    # -- showing ---------------------------------------------------------------------------

    def _take(self, request: Request, frame: Frame) -> None:
        self._words = ""
        self.take(request, frame)

    def told(self, protocol: str, size: int) -> None:
        """Tell that a frame of `size` bytes goes out by `protocol`."""
        ms = (time.monotonic() - self._asked) * 1000
        self.post_message(self.Shown(self, protocol, size, ms))

    def _say(self, label: str, reason: str) -> None:
        self._frame = self._frame_request = self._next = None
        self._rows = ()
        self._words = "\n".join(part for part in (clean_line(label), clean(reason)) if part)
        self.refresh()
        self.post_message(self.Failed(self, clean_line(reason)))

    def _at_once(self, request: Request, *, hurried: bool) -> bool:
        """Whether the sharp frame goes first: it is there already, or costs no time."""
        link, sharp = Link.of(self.app), (request, "sharp")
        return link is not None and (link.kitty_has(sharp) or (link.pace.fast and not hurried))

    def _sharpen(self) -> None:
        """Send the sharp frame that was there already, now that no key follows."""
        request, pipeline = self._request, self._pipeline
        frame = pipeline.frame(request, "sharp") if request and pipeline else None
        if request is not None and frame is not None:
            self._take(request, frame)

    def _say_wait(self) -> None:
        if self._target is not None and self._request != self._frame_request:
            self._frame = self._frame_request = None
            self._rows = ()
            self._words = f"{clean_line(self._target.label)}\nreading the picture ..."
            self.refresh()

    def _stop_patience(self) -> None:
        if self._patience is not None:
            self._patience.stop()
            self._patience = None

    # -- things that lie over the picture --------------------------------------------------

    def show_covered(self) -> None:
        """Half blocks while something lies over a sixel or JPEG picture, stand-ins after it."""
        frame, request, pipeline = self._frame, self._request, self._pipeline
        if frame is None or frame.protocol not in RASTER or request is None or pipeline is None:
            return
        self._rows = ()
        if self._was_covered:
            half = Request(request.target, request.area, "half")
            made = pipeline.best(half)
            if made is None:
                if self._half_viewer is None:
                    self._half_viewer = pipeline.viewer(self._deliver_half)
                self._half_viewer.want(half)
            else:
                self._rows = made.rows_of_cells
        self.refresh()

    def _deliver_half(self, _: Delivery) -> None:
        if self.is_attached:
            self.app.call_later(self.show_covered)

    def on_mount(self) -> None:
        """Follow overlays and resumes."""
        self.screen.screen_layout_refresh_signal.subscribe(self, lambda _: self.cover_changed())
        self.app.app_resume_signal.subscribe(self, lambda _: self._ask_anew())

    def on_unmount(self) -> None:
        """Want nothing any more, and be let go of: the signal of resuming keeps who hears it."""
        self.app.app_resume_signal.unsubscribe(self)
        self._close_viewer()
        link = Link.of(self.app)
        if link is not None and self._mark:
            link.drop(self._mark)

    def on_resize(self, event: events.Resize) -> None:
        """Ask again for the new area."""
        self._ask_anew()

    def _ask_anew(self) -> None:
        """Ask again, with the cell size that the terminal has now."""
        pipeline = self._pipeline
        if pipeline is not None and Link.of(self.app) is not None:
            pipeline.facts = with_cell_now(pipeline.facts)
        self.again()

    def on_move(self) -> None:
        """Draw at the new place."""
        link = Link.of(self.app)
        if link is not None and self._mark and self._frame is not None:
            link.keep(self._mark, lines.placed(self._frame, self.size, self.region.offset))
            self.refresh()

    def _close_viewer(self) -> None:
        for viewer in (self._viewer, self._half_viewer):
            if viewer is not None:
                viewer.close()
        self._viewer = self._half_viewer = None

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return whole rows without Textual's style cache, which would lose CellStrip."""
        style, size, frame = self.rich_style, self.size, self._frame
        drawn: dict[int, Strip] = {}
        if self._words:
            drawn = lines.word_lines(self._words, size, style)
        elif self._rows:
            drawn = lines.cell_lines(self._rows, size, style)
        elif frame is not None and self._mark and not covered(self):
            # While covered, half blocks are on their way: stand-ins would draw over the pop-up.
            drawn = lines.stand_in_lines(self._mark, frame, size, style)
        rows = [drawn.get(y) or Strip.blank(size.width, style) for y in range(crop.y, crop.bottom)]
        whole = (crop.x, crop.right) == (0, size.width)
        return rows if whole else [row.crop(crop.x, crop.right) for row in rows]
