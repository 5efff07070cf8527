"""Link speed, stated or measured: parts of a picture never hold text up for long."""

import pytest

from b100tui.terminal.speed import MOST_BATCH, REST, Pace, Speed, batch_for, stated


def test_auto_leaves_the_speed_to_be_measured() -> None:
    assert stated("auto") == Speed(None)


@pytest.mark.parametrize("kbit", [2_000, 10_000, 30_000])
def test_a_part_of_a_picture_takes_at_most_ten_milliseconds_where_that_is_4_kib(
    kbit: int,
) -> None:
    batch = stated(str(kbit)).batch
    assert batch == 4096 or batch / (kbit * 125) <= 0.0101


def test_on_a_quick_link_a_rough_picture_goes_at_once() -> None:
    assert stated("40000").batch == 100_000


def test_batches_stay_in_bounds_on_any_link() -> None:
    assert (batch_for(1.0), batch_for(1e12)) == (4 << 10, 256 << 10)


def test_a_slow_link_rests_longer_before_the_sharp_picture() -> None:
    assert stated("fast").rest == REST
    assert stated("slow").rest == pytest.approx(1.024)
    assert stated("1").rest == 2.0


class Wire:
    """A link in numbers: bytes leave one after another, answers come `away` seconds later."""

    def __init__(self, rate: float, away: float = 0.0) -> None:
        self.rate, self.away = rate, away
        self.now = 0.0
        self.pace = Pace(Speed())

    def carry(self, total: int) -> int:
        """Send `total` bytes as there is room; return the most bytes that stood before the wire."""
        self.pace.begin()
        under_way: list[tuple[float, int, float]] = []
        free, standing = self.now, 0
        while total or under_way:
            while total and self.pace.room >= self.pace.batch:
                size = min(self.pace.batch, total)
                self.pace.sent(size, self.now)
                free = max(free, self.now) + size / self.rate
                standing = max(standing, round((free - self.now) * self.rate))
                under_way.append((free + self.away, size, self.now))
                total -= size
            arrives, size, sent = under_way.pop(0)
            self.now = arrives
            self.pace.answered(size, sent, self.now)
        return standing

    def ask(self) -> None:
        """Send a question alone."""
        self.pace.sent(4, self.now)
        self.now += self.away + 1e-4
        self.pace.answered(4, self.now - self.away - 1e-4, self.now)


@pytest.mark.parametrize("away", [0.0, 0.05])
@pytest.mark.parametrize("kbit", [4_000, 10_000, 100_000])
def test_what_stands_before_a_measured_link_soon_waits_no_longer_than_text_may(
    kbit: int, away: float
) -> None:
    wire = Wire(kbit * 125, away)
    wire.ask()
    wire.carry(250_000)
    standing = wire.carry(250_000)
    assert standing / wire.rate <= (0.031 if away or kbit >= 80_000 else 0.011)
    assert wire.pace.rate is not None
    assert 0.5 <= wire.pace.rate / wire.rate <= 1.1


def test_a_long_way_does_not_slow_a_picture_down() -> None:
    wire = Wire(1_250_000, 0.1)
    wire.ask()
    for _ in range(4):
        wire.carry(250_000)
    begin = wire.now
    wire.carry(250_000)
    one_by_one = 250_000 / wire.pace.batch * (wire.away + wire.pace.batch / wire.rate)
    assert wire.now - begin <= one_by_one / 2


def test_a_link_that_was_slow_is_found_fast_again_by_small_parts() -> None:
    wire = Wire(500_000)
    wire.ask()
    wire.carry(500_000)
    assert wire.pace.batch <= 8_192
    wire.rate = 1e9
    wire.carry(250_000)
    assert wire.pace.fast
    assert wire.pace.batch > 50_000


def test_a_link_that_becomes_slow_soon_gets_small_parts() -> None:
    wire = Wire(1e9)
    wire.ask()
    wire.carry(2_000_000)
    assert wire.pace.batch > MOST_BATCH / 2
    wire.rate = 1_250_000
    wire.carry(1_000_000)
    assert wire.pace.batch <= 16_000
    assert not wire.pace.fast


def test_a_picture_goes_whole_where_that_takes_a_twentieth_of_a_second() -> None:
    pace = Pace(stated("40000"))
    assert pace.takes_whole(250_000)
    assert not pace.takes_whole(250_001)


def test_a_stated_speed_is_not_measured() -> None:
    pace = Pace(stated("10000"))
    pace.sent(12_000, 0.0)
    pace.answered(12_000, 0.0, 5.0)
    assert (pace.rate, pace.batch) == (1_250_000.0, 12_500)


def test_a_terminal_that_does_not_tell_leaves_room() -> None:
    pace = Pace(Speed())
    pace.sent(pace.batch, 0.0)
    pace.unanswered()
    assert pace.room == pace.batch
