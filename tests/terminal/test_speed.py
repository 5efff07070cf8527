"""A stated link speed: parts of a picture never hold text up for long."""

import pytest

from b100tui.terminal.speed import REST, Speed, batch_for, stated


def test_auto_leaves_the_speed_to_be_measured() -> None:
    assert stated("auto") == Speed(None)


@pytest.mark.parametrize("kbit", [2_000, 10_000, 50_000])
def test_a_part_of_a_picture_takes_at_most_ten_milliseconds_where_that_is_8_kib(
    kbit: int,
) -> None:
    batch = stated(str(kbit)).batch
    assert batch == 8192 or batch / (kbit * 125) <= 0.0101


def test_batches_stay_in_bounds_on_any_link() -> None:
    assert (batch_for(1.0), batch_for(1e12)) == (8 << 10, 256 << 10)


def test_a_slow_link_rests_longer_before_the_sharp_picture() -> None:
    assert stated("fast").rest == REST
    assert stated("slow").rest == pytest.approx(1.024)
    assert stated("1").rest == 2.0
