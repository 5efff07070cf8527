"""What a stated link speed means: how long to rest before a sharp frame, how large a batch is."""

from msgspec import Struct

from b100tui.terminal.frames import SHARP_BYTES

REST = 0.15  # seconds without a key before the sharp frame goes out
LONGEST_REST = 2.0
TEXT_WAITS = 0.01  # seconds that text may stand behind a part of a picture
LEAST_BATCH, MOST_BATCH = 8 << 10, 256 << 10
UNKNOWN_BATCH = 12 << 10
SLOW_RATE = 2e6  # bytes a second below which a sharp picture takes over 0.1 s
FAST_RATE = 1e7  # above which it takes less than 25 ms
TELLING_BYTES = 32 << 10  # less says more about the machine than about the link
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


def batch_for(bytes_per_second: float) -> int:
    """Return the bytes of a picture that leave text at most TEXT_WAITS behind."""
    return int(min(max(bytes_per_second * TEXT_WAITS, LEAST_BATCH), MOST_BATCH))


def stated(link: str) -> Speed:
    """Return the speed that the setting `link` states: auto, fast, slow or a number of kbit/s."""
    named = {"auto": None, "slow": SLOW_KBIT, "fast": FAST_KBIT}
    if link in named:
        return Speed(named[link])
    return Speed(float(link))
