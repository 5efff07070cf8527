"""How fast the link is, stated or measured, and what follows: rests, and how much goes at once."""

import math

from msgspec import Struct

from b100tui.terminal.frames import SHARP_BYTES

REST = 0.15  # seconds without a key before the sharp frame goes out
LONGEST_REST = 2.0
TEXT_WAITS = 0.01  # seconds that text may stand behind a part of a picture
WHOLE_TAKES = 0.05  # seconds that a picture may take which must not be seen half drawn
LEAST_BATCH, MOST_BATCH = 4 << 10, 256 << 10
UNKNOWN_BATCH = 12 << 10
QUICK_RATE = 4e6  # bytes a second from which text may wait twice as long: there is less of it
FAST_RATE = 1e7  # bytes a second above which a sharp picture takes less than 25 ms
QUICKEST = 0.002  # seconds; a shorter stretch says more about the machine than about the link
TELLING_BYTES = 32 << 10  # less may have been held up by the machine
QUESTION = 256  # bytes; what is no longer than this measures the way there and back alone
SLOW_KBIT, FAST_KBIT = 1_000.0, 1_000_000.0


class Speed(Struct, frozen=True):
    """A link of `kbit` kbit/s; None: not known, it is measured."""

    kbit: float | None = None

    @property
    def rest(self) -> float:
        """Seconds to rest: long enough that the sharp frame would take about as long again."""
        if self.kbit is None:
            return REST
        return min(max(SHARP_BYTES * 8 / 2 / (self.kbit * 1000), REST), LONGEST_REST)

    @property
    def batch(self) -> int:
        """Bytes of a picture to send at once."""
        return UNKNOWN_BATCH if self.kbit is None else batch_for(self.kbit * 125)


class Pace:
    """How much may be on its way, from when the terminal acknowledged what was sent before.

    All times are seconds of one clock. What is sent while nothing is on its way begins a
    stretch; the rate is what was acknowledged in the stretch over its time, less the time
    there and back. Answers that arrive together (a busy machine) so count as one.
    """

    def __init__(self, speed: Speed) -> None:
        self._stated = speed.kbit is not None
        self._rate = None if speed.kbit is None else speed.kbit * 125
        self._round_trip = math.inf
        self._under_way = 0
        self._since = 0.0
        self._carried = 0
        self._arrived = 0
        self.batch = speed.batch

    @property
    def rate(self) -> float | None:
        """Bytes a second, stated or measured; None while neither is known."""
        return self._rate

    @property
    def fast(self) -> bool:
        """Whether a sharp picture is there as soon as a rough one."""
        return self._rate is not None and self._rate > FAST_RATE

    def takes_whole(self, size: int) -> bool:
        """Whether `size` bytes may go out in one write, so that nothing is seen half drawn."""
        whole = self._rate * WHOLE_TAKES if self._rate and self._rate >= QUICK_RATE else 0.0
        return size <= max(self.batch, whole)

    @property
    def room(self) -> int:
        """Bytes that may follow now: a batch, and what fills the way there and back.

        The way is filled by and by, a batch more for each that arrived: at once, all of it
        would stand before the wire, and text behind it.
        """
        travelling = 0.0
        if self._rate is not None and self._round_trip < math.inf:
            travelling = min(self._rate * self._round_trip, self._arrived, MOST_BATCH)
        return self.batch + int(travelling) - self._under_way

    def begin(self) -> None:
        """A picture goes out from now on."""
        self._arrived = 0

    def sent(self, size: int, now: float) -> None:
        """Count `size` bytes that an answer will acknowledge."""
        if not self._under_way:
            self._since, self._carried = now, 0
        self._under_way += size

    def answered(self, size: int, sent: float, now: float) -> None:
        """Learn that `size` bytes, sent at `sent`, have arrived."""
        self._under_way = max(self._under_way - size, 0)
        self._carried += size
        self._arrived += size
        if size <= QUESTION:
            self._round_trip = min(self._round_trip, now - sent)
        if self._stated or size <= QUESTION:
            return
        whole = now - self._since
        # A question that was answered late (a busy start) told of a longer way than there is.
        away = self._round_trip if self._round_trip < whole else whole / 2
        rate = self._carried / max(whole - away, QUICKEST)
        # A busy machine only ever makes a link look slower than it is: little proves nothing.
        least = 0.5 * (self._rate or 0.0) if self._carried < TELLING_BYTES else 0.0
        self._rate = max(rate, least)
        self.batch = min(batch_for(self._rate), 2 * self.batch)

    def unanswered(self) -> None:
        """Forget what is on its way: the terminal does not tell."""
        self._under_way = 0


def batch_for(bytes_per_second: float) -> int:
    """Return the bytes of a picture that leave text at most TEXT_WAITS behind.

    A quick link may take twice as long: a rough picture goes whole. A fast one takes a sharp
    picture whole in little more.
    """
    if bytes_per_second >= FAST_RATE:
        return MOST_BATCH
    waits = TEXT_WAITS * (2 if bytes_per_second >= QUICK_RATE else 1)
    return int(min(max(bytes_per_second * waits, LEAST_BATCH), MOST_BATCH))


def stated(link: str) -> Speed:
    """Return the speed that the setting `link` states: auto, fast, slow or a number of kbit/s."""
    named = {"auto": None, "slow": SLOW_KBIT, "fast": FAST_KBIT}
    if link in named:
        return Speed(named[link])
    return Speed(float(link))
