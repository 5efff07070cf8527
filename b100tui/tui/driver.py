"""The one writer: Textual's Linux driver with pictures in the same queue.

Sixel and inline JPEG are drawn over cells that hold a stand-in character: whenever Textual
paints such cells, the picture is appended to that same write. Kitty pictures go up in
batches, each acknowledged by the terminal (CSI 6n) before the next, so that text is never
behind a whole picture. Nothing here imports Pillow or numpy.
"""

import asyncio
import os
import selectors
import signal
import threading
import time
from codecs import getincrementaldecoder
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Iterable
from functools import partial
from typing import Any, NamedTuple

from textual import events
from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver
from textual.message import Message

from b100tui.terminal.facts import TerminalFacts
from b100tui.terminal.kitty import delete, wrap
from b100tui.terminal.probe import judge_late, with_cell_now, with_client_now
from b100tui.terminal.replies import ReplyFilter
from b100tui.terminal.speed import Pace, Speed
from b100tui.tui.outlet import Outlet

STAND_INS = tuple(chr(0xF8F0 + n) for n in range(16))
SYNC = "\x1b[?2026h"
SYNC_END = "\x1b[?2026l"
KITTY_KEPT = 32
_ASK_POSITION = "\x1b[6n"
_CLEAR_SCREEN = "\x1b[2J"
AWAY = 2.0  # seconds without a key in which the session may have been attached elsewhere
_PAUSE = 0.1  # seconds of silence after which the link is taken to be idle
_NO_ANSWER = 2.0
_LOST_ANSWERS = 2


class _Upload:
    """A picture that goes up in parts: what is left of it, and whom to tell."""

    def __init__(
        self, parts: Iterable[str], done: Callable[[bool], None], still: Callable[[], bool]
    ) -> None:
        self.parts = deque(parts)
        self.done = done
        self.still = still
        self.asked = 0  # answers that are still to come


class _Question(NamedTuple):
    """A question for the cursor behind `size` bytes."""

    asked: float
    size: int
    done: Callable[[float], None]


class Link(LinuxDriver):
    """The way to one terminal; `of(app)` finds it, None where the app runs without it."""

    facts = TerminalFacts()
    """What the probe found; set it on the class before the app runs."""
    speed = Speed()
    """What the person states about the link; set it likewise."""

    def __init__(self, app: Any, **options: Any) -> None:
        super().__init__(app, **options)
        # Textual's own handlers would start anew amid the start, and take the raw line settings
        # of that for those to restore at the end. The loop's come with the start.
        for number in (signal.SIGTSTP, signal.SIGCONT):
            signal.signal(number, signal.SIG_DFL)
        self._file: Any = Outlet(self._file)
        self._painted: dict[str, str] = {}
        self._waiting: deque[_Question] = deque()
        self._uploads: deque[_Upload] = deque()
        self.pace = Pace(self.speed)
        self._unmeasured = 0
        self._unmeasured_since = self._written = 0.0
        self._answers = True
        self._lost = 0
        self._kitty: OrderedDict[Hashable, int] = OrderedDict()
        self._used: set[int] = set()
        self._next_number = os.getpid() % 60000 * 256 + 1
        self._late = ""
        self._typed = 0.0
        self._started = self._stopped = self._suspended = False
        self.on_facts: Callable[[TerminalFacts], None] | None = None

    @staticmethod
    def of(app: Any) -> "Link | None":
        """Return the link that `app` runs on, or None (tests, other drivers)."""
        driver = getattr(app, "_driver", None)
        return driver if isinstance(driver, Link) else None

    # -- pictures over stand-in cells -----------------------------------------------------

    def stand_in(self) -> str:
        """Return a stand-in character that no other picture uses."""
        return next(mark for mark in STAND_INS if mark not in self._painted)

    def keep(self, mark: str, sequence: str) -> None:
        """Draw `sequence` (with its own placing) whenever cells with `mark` are painted."""
        self._painted[mark] = sequence

    def drop(self, mark: str) -> None:
        """Forget the picture over `mark`."""
        self._painted.pop(mark, None)

    def write(self, data: str) -> None:
        """Queue `data`; pictures whose stand-in cells it paints follow in the same write."""
        for mark, sequence in self._painted.items():
            if mark in data:
                data = data.replace(mark, " ") + sequence
        now = time.monotonic()
        if now - self._written > _PAUSE:
            self._unmeasured = 0  # that has long arrived
        if not self._unmeasured:
            self._unmeasured_since = now
        self._written = now
        self._unmeasured += len(data) if data.isascii() else len(data.encode())
        super().write(data)

    # -- Kitty pictures by id -------------------------------------------------------------

    def kitty_has(self, key: Hashable) -> bool:
        """Whether the picture of `key` is in the terminal."""
        return key in self._kitty

    def kitty_number(self, key: Hashable) -> tuple[int, bool]:
        """Return the id of `key` and whether its picture is already uploaded."""
        known = self._kitty.get(key)
        if known is not None:
            self._kitty.move_to_end(key)
            return known, True
        number = self._next_number
        self._next_number = number % ((1 << 24) - 1) + 1
        self._used.add(number)
        return number, False

    def kitty_sent(self, key: Hashable, number: int) -> None:
        """Remember an upload; the least recently shown beyond 32 are freed in the terminal."""
        self._kitty[key] = number
        while len(self._kitty) > KITTY_KEPT:
            old = self._kitty.popitem(last=False)[1]
            self._used.discard(old)
            self.write(delete(old, tmux=self.facts.tmux))

    def kitty_dropped(self, number: int) -> None:
        """End an upload amid its chunks: a later command would be taken for its data."""
        self._used.discard(number)
        tmux = self.facts.tmux
        self.write(_end_of_chunks(tmux=tmux) + delete(number, tmux=tmux))

    def upload(
        self,
        parts: Iterable[str],
        done: Callable[[bool], None],
        still: Callable[[], bool] = lambda: True,
    ) -> None:
        """Send `parts` of a picture with other output in between, then call `done(whole)`.

        Once `still` is false the rest is left out, and `done` is told that it was.
        """
        if self._stopped:
            return
        self._uploads.append(_Upload(parts, done, still))
        if len(self._uploads) == 1:
            self._begin()

    def _begin(self) -> None:
        self.measure(lambda _: None)  # there and back alone, before anything large
        self.pace.begin()
        self._send_parts()

    def _send_parts(self) -> None:
        upload = self._uploads[0]
        while upload.parts:
            batch = [upload.parts.popleft()]
            size = len(batch[0])
            while upload.parts and size + len(upload.parts[0]) <= self.pace.batch:
                batch.append(upload.parts.popleft())
                size += len(batch[-1])
            self.write("".join(batch))
            upload.asked += 1
            self.measure(partial(self._parts_sent, upload))
            if not self._answers or self.pace.room < self.pace.batch:
                return

    def _parts_sent(self, upload: _Upload, _: float) -> None:
        upload.asked -= 1
        if not self._uploads or upload is not self._uploads[0]:
            return  # it was given up
        whole = not upload.parts
        if upload.asked and whole:
            return
        if whole or not upload.still():
            self._uploads.popleft()
            others = bool(self._uploads)
            upload.done(whole)  # it may begin the next one itself
            if others:
                self._begin()
            return
        self._send_parts()

    # -- the speed of the link ------------------------------------------------------------

    def measure(self, done: Callable[[float], None]) -> None:
        """Call `done(seconds)` once the terminal has taken everything written so far.

        Where it does not answer CSI 6n, `done` is called after two seconds, soon at once.
        """
        if not self._answers:
            self._app.call_later(done, 0.0)
            return
        self.write(_ASK_POSITION)
        entry = _Question(self._written, self._unmeasured, done)
        self.pace.sent(entry.size, self._unmeasured_since)
        self._unmeasured = 0
        self._waiting.append(entry)
        self._loop.call_later(_NO_ANSWER, self._give_up, entry)

    def _give_up(self, entry: _Question) -> None:
        if entry not in self._waiting:
            return
        # An answer may be lost once; a terminal that loses the next too does not answer.
        self._lost += 1
        self._answers = self._lost < _LOST_ANSWERS
        self.pace.unanswered()
        while self._waiting:
            self._app.call_later(self._waiting.popleft().done, _NO_ANSWER)

    def _answered(self, now: float) -> None:
        if not self._waiting:
            return
        self._lost = 0
        entry = self._waiting.popleft()
        self.pace.answered(entry.size, entry.asked, now)
        entry.done(now - entry.asked)

    def process_message(self, message: Message) -> None:
        """Keep answers to CSI 6n for ourselves; pass everything else on. Input thread."""
        if isinstance(message, events.CursorPosition) and self._waiting:
            # The time is taken here: the loop may be busy.
            self._app.call_later(self._answered, time.monotonic())
            return
        if isinstance(message, events.Key):
            now = time.monotonic()
            if now - self._typed > AWAY:
                self._ask_for_client()
            self._typed = now
        super().process_message(message)

    # -- input ----------------------------------------------------------------------------

    def run_input_thread(self) -> None:
        """Read input as Textual does, but take late answers of the terminal out of it."""
        parser, replies = XTermParser(self._debug), ReplyFilter()
        decode = getincrementaldecoder("utf-8")("replace").decode
        with selectors.DefaultSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                if selector.select(0.1):
                    data = self._read()
                    if not data:
                        self._app.call_later(self._leave, 128 + signal.SIGHUP)
                        return
                    typed = replies.feed(decode(data))
                else:
                    typed = replies.flush()
                answer = replies.take()
                if answer:
                    self._app.call_later(self._take_late, answer)
                for message in (*(parser.feed(typed) if typed else ()), *parser.tick()):
                    self.process_message(message)

    def _read(self) -> bytes:
        """Return what was typed; nothing once the terminal has gone away."""
        try:
            return os.read(self.fileno, 4096)
        except OSError:
            return b""

    def _take_late(self, answer: str) -> None:
        if not self.facts.pending:
            return
        self._late += answer
        facts = judge_late(self._late.encode("latin-1", "replace"), self.facts, os.environ)
        if facts is not self.facts:
            type(self).facts = facts
            if self.on_facts is not None:
                self.on_facts(facts)

    # -- beginning and end ----------------------------------------------------------------

    def start_application_mode(self) -> None:
        """Start, and make SIGTERM and SIGHUP leave by the same door as `q`."""
        bare_continue = self._started and not self._stopped
        if bare_continue:
            # Continued without having been suspended (kill -STOP, then -CONT): leave first, or
            # the raw line settings of now would be taken for those to restore at the end.
            self.stop_application_mode()
            self.close()  # its writer thread: the start makes another one
        self._started, self._stopped = True, False
        super().start_application_mode()  # type: ignore[no-untyped-call]  # Textual's has none
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self._leave, 128 + number)
        # Textual's own handlers run between any two instructions: amid a write they would wait
        # for ever for the queue that this write holds. The loop's run between its steps.
        resized = signal.getsignal(signal.SIGWINCH)
        loop.add_signal_handler(signal.SIGWINCH, self._window_changed, resized)
        loop.add_signal_handler(signal.SIGTSTP, self._sigtstp_application)
        loop.add_signal_handler(signal.SIGCONT, self._sigcont_application)
        self.measure(lambda seconds: None)  # the round trip, before anything large goes out
        if bare_continue:
            self._app.app_resume_signal.publish(self._app)
            self._app.call_later(self._app.refresh)

    def _window_changed(self, resized: Any) -> None:
        """Tell Textual, and the pictures where cells have another size, as with another font.

        Textual hears of columns and rows alone, and of those only when they are others.
        """
        resized(signal.SIGWINCH, None)
        self._take_facts(with_cell_now(self.facts))
        self._ask_for_client()

    def _take_facts(self, facts: TerminalFacts) -> None:
        if facts is self.facts or self._stopped:
            return
        if facts.client != self.facts.client:
            self._kitty.clear()  # another terminal, which has none of our pictures
        type(self).facts = facts
        if self.on_facts is not None:
            self.on_facts(facts)
        # Old pixels reach over other cells by now, and Textual knows of no change there.
        self.write(_CLEAR_SCREEN)
        self._app.app_resume_signal.publish(self._app)
        self._app.refresh()

    def _ask_for_client(self) -> None:
        """Look whether tmux's session is shown in another terminal by now; any thread.

        Attached in the same size, nothing tells: so a window that changes asks, and the first
        key after a rest.
        """
        if not self.facts.tmux:
            return

        def ask() -> None:
            facts = with_client_now(self.facts, os.environ)
            if facts is not self.facts:
                self._app.call_later(self._take_facts, facts)

        threading.Thread(target=ask, name="b100-tmux-client", daemon=True).start()

    def suspend_application_mode(self) -> None:
        """Stop for a while."""
        self._suspended = True
        super().suspend_application_mode()

    def resume_application_mode(self) -> None:
        """Start again, unless the program is on its way out: a late SIGCONT starts nothing."""
        if self._stopped and not self._suspended:
            return
        self._suspended = False
        super().resume_application_mode()

    def _leave(self, code: int) -> None:
        self._app.exit(return_code=code)

    def stop_application_mode(self) -> None:
        """Free our pictures in the terminal, then restore it."""
        tmux = self.facts.tmux
        self._stopped = True  # a crash leaves timers that would upload once more
        # An upload that was cut short would swallow the commands after it: end it first.
        end = _end_of_chunks(tmux=tmux) if self._uploads else ""
        frees = "".join(delete(number, tmux=tmux) for number in sorted(self._used))
        for held in (self._uploads, self._waiting, self._painted, self._kitty, self._used):
            held.clear()
        self.write(end + frees + SYNC_END)
        super().stop_application_mode()


def _end_of_chunks(*, tmux: bool) -> str:
    return wrap("\x1b_Gm=0,q=2;\x1b\\", tmux=tmux)
