"""Makes frames in worker threads: one wanted target, newest wins, nothing queues.

A request is answered at once from the cache of encoded frames, or later by `deliver`, which
worker threads call. While keys repeat the rough frame is made; once `rest` seconds pass
without a new request, the sharp one; then the likely next ones.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from b100tui.model.errors import PictureError
from b100tui.model.records import PictureRef
from b100tui.model.text import clean_line
from b100tui.terminal.facts import TerminalFacts
from b100tui.terminal.frames import Frame, Quality
from b100tui.terminal.speed import REST
from b100tui.terminal.targets import Request, Target, likely_next

if TYPE_CHECKING:
    from b100tui.terminal.pictures import Pictures

FRAME_BYTES = 64 << 20
PREVIEW_BYTES = 4_000_000_000  # on disk
MOST_FAILED = 1000  # by picture, area and look: a broken folder in many window sizes has more
WORKERS = 3
# Workers that may make what nobody wants yet: one is always left for the keys.
AHEAD, AHEAD_AT_REST = 1, 2
ROUGH = frozenset({"kitty", "sixel", "iterm"})  # have a cheaper frame for while keys repeat
Opener = Callable[[Path, PictureRef], Path | bytes]


class Delivery(Struct, frozen=True, kw_only=True):
    """An answer to `request`: a frame, or the reason why there is none."""

    request: Request
    frame: Frame | None = None
    reason: str = ""
    seconds: float = 0.0


class _Channel:
    """What one viewer wants: its request, where it delivers, what lies near."""

    def __init__(self, deliver: Callable[[Delivery], None]) -> None:
        self.deliver = deliver
        self.request: Request | None = None
        self.asked = 0.0
        self.ahead: tuple[Request, ...] = ()
        self.visited: deque[int] = deque(maxlen=3)
        self.done: set[Quality] = set()


class Pipeline:
    """Frames for the pictures under `root`; starts no thread before the first request.

    Any number of viewers share it, each with its own `Viewer` from `viewer(deliver)`.
    """

    def __init__(
        self,
        root: Path,
        facts: TerminalFacts,
        *,
        preview_folder: Path,
        opener: Opener | None = None,
        rest: float = REST,
        frame_bytes: int = FRAME_BYTES,
        preview_bytes: int = PREVIEW_BYTES,
    ) -> None:
        self._preview_bytes = preview_bytes
        self.root = root
        self.facts = facts
        self.rest = rest
        self._preview_folder = preview_folder
        self._opener = opener
        self._frame_bytes = frame_bytes
        self._wake = threading.Condition()
        self._preparing = threading.Lock()
        self._channels: list[_Channel] = []
        self._busy: set[tuple[Request, Quality]] = set()
        self._failed: dict[Request, str] = {}
        self._threads: list[threading.Thread] = []
        self._closed = False
        self._workshop: _Workshop | None = None

    def viewer(self, deliver: Callable[[Delivery], None]) -> "Viewer":
        """Return a viewer; `deliver` is called from worker threads."""
        channel = _Channel(deliver)
        with self._wake:
            self._channels.append(channel)
        return Viewer(self, channel)

    def frame(self, request: Request, quality: Quality) -> Frame | None:
        """Return the encoded frame if it is there, and no better one could be made of it."""
        shop = self._workshop
        frame = shop.frame(request, quality) if shop else None
        return None if frame and frame.provisional and self._is_aligned(request) else frame

    def best(self, request: Request) -> Frame | None:
        """Return the sharpest frame that is there."""
        return self.frame(request, "sharp") or self.frame(request, "rough")

    def forget(self, ref: PictureRef) -> None:
        """Forget that `ref` failed, so that it is tried again."""
        with self._wake:
            self._failed = {r: why for r, why in self._failed.items() if r.target.ref != ref}

    def alignment_in_words(self, step: PictureRef, reference: PictureRef) -> str:
        """Return how `step` lies against `reference`; slow, raises PictureError.

        For worker threads only; the alignment is kept and serves the frames too.
        """
        from b100tui.terminal.scene import in_words

        return in_words(self._shop().pictures.alignment(step, reference))

    def close(self) -> None:
        """Stop the threads; what they still make is dropped."""
        with self._wake:
            self._closed = True
            self._wake.notify_all()
        for thread in self._threads:
            thread.join(timeout=5)

    def _want(
        self, channel: _Channel, request: Request, line: Sequence[Target], position: int | None
    ) -> None:
        with self._wake:
            channel.request = request
            channel.asked = time.monotonic()
            channel.done = set()
            channel.ahead = ()
            if position is not None:
                near = likely_next(position, len(line), tuple(channel.visited))
                channel.visited.append(position)
                channel.ahead = tuple(
                    Request(line[n], request.area, request.protocol)
                    for n in near
                    if line[n].ref is not None
                )
            self._start()
            self._wake.notify_all()

    def _drop(self, channel: _Channel) -> None:
        with self._wake:
            if channel in self._channels:
                self._channels.remove(channel)

    def _start(self) -> None:
        if self._threads or self._closed:
            return
        for number in range(WORKERS):
            thread = threading.Thread(
                target=self._work, name=f"b100-pictures-{number}", daemon=True
            )
            self._threads.append(thread)
            thread.start()

    def _shop(self) -> "_Workshop":
        from b100tui.terminal.pictures import Pictures

        # Loading Pillow takes long: never under the lock that the UI thread takes.
        with self._preparing:
            if self._workshop is None:
                pictures = Pictures(
                    self.root, self._preview_folder, self._opener, self._preview_bytes
                )
                self._workshop = _Workshop(pictures, self.facts, self._frame_bytes)
            return self._workshop

    def _work(self) -> None:
        workshop = self._shop()
        while True:
            with self._wake:
                job = self._next_job()
                while job is None and not self._closed:
                    self._wake.wait(self._pause())
                    job = self._next_job()
                if self._closed or job is None:
                    return
                self._busy.add(job)
            started = time.monotonic()
            request, quality = job
            frame, reason = workshop.make(request, quality)
            self._finish(request, quality, frame, reason, time.monotonic() - started)

    def _finish(
        self, request: Request, quality: Quality, frame: Frame | None, reason: str, seconds: float
    ) -> None:
        with self._wake:
            self._busy.discard((request, quality))
            if reason:
                self._failed[request] = reason
                if len(self._failed) > MOST_FAILED:
                    del self._failed[next(iter(self._failed))]
            # The UI may have moved on meanwhile: then the frame only stays in the cache.
            waiting = [c for c in self._channels if c.request == request]
            for channel in waiting:
                channel.done.add(quality)
            self._wake.notify_all()
        delivery = Delivery(request=request, frame=frame, reason=reason, seconds=seconds)
        for channel in waiting:
            channel.deliver(delivery)

    def _next_job(self) -> tuple[Request, Quality] | None:
        """Return the most urgent frame that nobody makes: wanted, then sharp, then ahead.

        What is begun is made to its end, so that something is left for the next wanted one:
        it never waits for what is made ahead.
        """
        now = time.monotonic()
        resting = [c for c in self._channels if c.request and now - c.asked >= self.rest]
        for channel in self._channels:
            job = self._job(channel, "rough") or self._job(channel, "sharp", rough_first=True)
            if job:
                return job
        for channel in resting:
            job = self._job(channel, "sharp")
            if job:
                return job
        wanted = {c.request for c in self._channels}
        ahead = sum(request not in wanted for request, _ in self._busy)
        if ahead >= (AHEAD_AT_REST if len(resting) == len(self._channels) else AHEAD):
            return None
        for channel in self._channels:
            if channel.request is None or not self._settled(channel.request):
                continue
            for request in channel.ahead:
                quality: Quality = "rough" if self._has_rough(request) else "sharp"
                if self._missing(request, quality):
                    return request, quality
        for channel in resting:
            for request in channel.ahead[:2]:
                if self._missing(request, "sharp"):
                    return request, "sharp"
        return None

    def _job(
        self, channel: _Channel, quality: Quality, *, rough_first: bool = False
    ) -> tuple[Request, Quality] | None:
        request = channel.request
        if request is None or request.target.ref is None or quality in channel.done:
            return None
        rough = self._has_rough(request)
        if quality == "rough" and (not rough or self.frame(request, "sharp")):
            return None
        if rough_first and rough:
            return None
        return (request, quality) if self._missing(request, quality) else None

    def _missing(self, request: Request, quality: Quality) -> bool:
        return (
            self.frame(request, quality) is None
            and (request, quality) not in self._busy
            and request not in self._failed
            and not (quality == "sharp" and self._would_wait(request))
        )

    def _would_wait(self, request: Request) -> bool:
        """Whether another alignment is being found: a second worker stays free for the keys."""
        return not self._is_aligned(request) and any(
            quality == "sharp" and not self._is_aligned(busy) for busy, quality in self._busy
        )

    def _settled(self, request: Request) -> bool:
        return (
            request.target.ref is None or request in self._failed or self.best(request) is not None
        )

    def _has_rough(self, request: Request) -> bool:
        cheaper = request.protocol in ROUGH and not request.target.view.zoom
        return cheaper or not self._is_aligned(request)

    def _is_aligned(self, request: Request) -> bool:
        """Whether the alignment that `request` needs, if any, is known: finding it is slow."""
        target, shop = request.target, self._workshop
        if not target.view.align or target.view.reference is None or target.ref is None:
            return True
        if shop is None:
            return False
        return shop.pictures.known_alignment(target.ref, target.view.reference) is not None

    def _pause(self) -> float | None:
        """Return the seconds until a channel comes to rest, None when none will."""
        now = time.monotonic()
        left = [
            c.asked + self.rest - now
            for c in self._channels
            if c.request and now - c.asked < self.rest
        ]
        return max(min(left), 0.001) if left else None


class Viewer:
    """One place on the screen that shows one target at a time."""

    def __init__(self, pipeline: Pipeline, channel: _Channel) -> None:
        self.pipeline = pipeline
        self._channel = channel

    def want(
        self, request: Request, line: Sequence[Target] = (), position: int | None = None
    ) -> Frame | None:
        """Make `request` the only thing wanted; return its best frame if one is there.

        `line` is the trajectory and `position` the place of the target in it: neighbours are
        made ahead by direction and stride. Whatever was wanted before is dropped.
        """
        self.pipeline._want(self._channel, request, line, position)
        return self.pipeline.best(request)

    def failed(self, request: Request) -> str:
        """Return why `request` failed before, or an empty string."""
        return self.pipeline._failed.get(request, "")

    def close(self) -> None:
        """Want nothing any more."""
        self.pipeline._drop(self._channel)


class _Workshop:
    """What the worker threads share; made in the first of them, so that Pillow loads there."""

    def __init__(self, pictures: "Pictures", facts: TerminalFacts, frame_bytes: int) -> None:
        from b100tui.terminal.encoders import encoders
        from b100tui.terminal.pictures import Bounded

        self.pictures = pictures
        self._encoders = encoders(facts)
        self._frames: Bounded[tuple[Request, Quality], Frame] = Bounded(frame_bytes)

    def frame(self, request: Request, quality: Quality) -> Frame | None:
        return self._frames.get((request, quality))

    def make(self, request: Request, quality: Quality) -> tuple[Frame | None, str]:
        """Return the frame, or None and the reason in words."""
        from b100tui.terminal.compose import compose

        try:
            frame = compose(
                request.target,
                request.area,
                self._encoders[request.protocol],
                quality,
                self.pictures,
            )
        except PictureError as error:
            return None, clean_line(error.message)
        except (OSError, MemoryError, ValueError) as error:
            return None, clean_line(f"{request.target.label or 'picture'}: {error}")
        self._frames.put((request, quality), frame, _held(frame))
        return frame, ""


def _held(frame: Frame) -> int:
    """Return roughly the bytes of memory that a frame holds."""
    strips = sum(len(sequence) for _, sequence in frame.strips)
    cells = sum(len(row.text) * 2 + len(row.ink) for row in frame.rows_of_cells)
    return len(frame.payload) + strips + cells
