"""How a finished frame reaches the terminal: by id, over stand-in cells, or as cells."""

from collections.abc import Callable, Iterable

from textual.widget import Widget

from b100tui.terminal.frames import CellRow, Frame
from b100tui.terminal.kitty import placeholder_rows, transmit
from b100tui.terminal.targets import Request
from b100tui.tui.driver import SYNC, SYNC_END, Link
from b100tui.tui.widgets import picture_lines as lines
from b100tui.tui.widgets.picture_cover import covered


class SentPicture(Widget):
    """The frame on the screen; one is on its way at a time, and only the newest waits."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._request: Request | None = None
        self._next: tuple[Request, Frame] | None = None
        self._in_flight = False
        self._frame: Frame | None = None
        self._frame_request: Request | None = None
        self._rows: tuple[CellRow, ...] = ()
        self._mark = ""
        self._was_covered = False

    def take(self, request: Request, frame: Frame) -> None:
        """Send `frame` now, or once the one on its way has arrived.

        A rough one that was made later than the sharp one of the same picture is left out.
        """
        if frame.quality == "rough" and self._has_sharp(request):
            return
        if self._in_flight:
            self._next = (request, frame)
            return
        link = Link.of(self.app)
        if link is not None and frame.protocol == "kitty":
            self._send_kitty(link, request, frame)
        elif link is not None and not frame.rows_of_cells:
            self._send_raster(link, request, frame)
        else:
            self._send_cells(link, request, frame, frame.rows_of_cells)

    def _has_sharp(self, request: Request) -> bool:
        waiting = self._next
        if waiting is not None and waiting[0] == request and waiting[1].quality == "sharp":
            return True
        shown = self._frame if self._frame_request == request else None
        return shown is not None and shown.quality == "sharp"

    def _send_kitty(self, link: Link, request: Request, frame: Frame) -> None:
        key = (request, frame.quality)
        number, known = link.kitty_number(key)

        def place(whole: bool) -> None:
            if not whole:
                link.kitty_dropped(number)
                self._arrived(0.0)
                return
            if not known:
                link.kitty_sent(key, number)
            if request != self._request:
                self._arrived(0.0)
                return
            rows = placeholder_rows(number, frame.columns, frame.rows)
            size = sum(len(row.text.encode()) for row in rows)
            self._send_cells(link, request, frame, rows, size + (0 if known else frame.bytes))

        if known:
            place(True)
            return
        self._in_flight = True
        # Rough pictures go up whole: while keys repeat, nothing would ever be seen else.
        rough = frame.quality == "rough"
        parts = transmit(frame, number, tmux=link.facts.tmux)
        first = link.pace.takes_whole(frame.bytes)
        self._upload(link, parts, place, lambda: rough or request == self._request, first=first)

    def _send_raster(self, link: Link, request: Request, frame: Frame) -> None:
        if not self._mark:
            self._mark = link.stand_in()
        before, self._frame = self._frame, frame
        same_place = bool(
            before is not None
            and not self._rows
            and (before.protocol, before.columns, before.rows)
            == (frame.protocol, frame.columns, frame.rows)
        )
        sequence = lines.placed(frame, self.size, self.region.offset)
        link.keep(self._mark, sequence)
        self._was_covered = covered(self)
        self._frame_request, self._in_flight = request, True
        self.told(frame.protocol, frame.bytes)
        if self._was_covered:
            self.show_covered()
        elif not same_place:
            self._rows = ()
            self.refresh()
        elif link.pace.takes_whole(len(sequence)):
            link.write(SYNC + sequence + SYNC_END)
            link.measure(self._arrived)
            return
        else:
            most, tmux = link.pace.batch, link.facts.tmux
            high = request.area.cell_height
            at = self.region.offset
            parts = lines.placed_strips(frame, self.size, at, high, most, tmux=tmux)
            self._upload(
                link, parts, self._sent, lambda: request == self._request and not covered(self)
            )
            return
        self.call_after_refresh(link.measure, self._arrived)

    def _send_cells(
        self,
        link: Link | None,
        request: Request,
        frame: Frame,
        rows: tuple[CellRow, ...],
        size: int | None = None,
    ) -> None:
        """Show `rows`: past the compositor where cells of the same place only change."""
        before = self._rows
        self._frame, self._frame_request, self._rows = frame, request, rows
        self.told(frame.protocol, frame.bytes if size is None else size)
        if link is None:
            self.refresh()
            return
        self._in_flight = True
        same_place = before and (before[0].columns, len(before)) == (rows[0].columns, len(rows))
        if not same_place or covered(self):
            self.refresh()
            self.call_after_refresh(link.measure, self._arrived)
            return
        left, top = lines.margins(self.size, rows[0].columns, len(rows))
        x, y = self.region.x + left, self.region.y + top
        whole = lines.rows_at(rows, x, y)
        if link.pace.takes_whole(len(whole)) or frame.protocol == "kitty":
            link.write(SYNC + whole + SYNC_END)
            link.measure(self._arrived)
            return
        parts = [lines.rows_at((row,), x, y + n) for n, row in enumerate(rows)]
        self._upload(link, parts, self._sent, lambda: rows is self._rows and not covered(self))

    def _upload(
        self,
        link: Link,
        parts: Iterable[str],
        done: Callable[[bool], None],
        still: Callable[[], bool],
        *,
        first: bool = False,
    ) -> None:
        """Send parts; the text of the same key goes before them unless they are `first`."""
        if first:
            link.upload(parts, done, still)
        else:
            self.call_after_refresh(link.upload, parts, done, still)

    def _sent(self, _: bool) -> None:
        self._arrived(0.0)

    def _arrived(self, _: float) -> None:
        self._in_flight = False
        waiting, self._next = self._next, None
        if waiting is not None and waiting[0] == self._request:
            self.take(*waiting)

    def told(self, protocol: str, size: int) -> None:
        """A frame of `size` bytes went out by `protocol`."""
        raise NotImplementedError

    def show_covered(self) -> None:
        """Something lies over the picture, or no longer."""
        raise NotImplementedError
