"""What a storm's memory is judged by tells a leak from a warm-up and from noise."""

import math

import pytest

from tests.e2e.pty_terminal import Memory
from tests.e2e.storm_memory import MOST_GROWTH, growth

MB = 1024


def storm(seconds: float, leak: float, warm_up: float = 60.0) -> list[tuple[float, Memory]]:
    """Return samples of 90 MB that warm up by 20, swing by 5 and leak `leak` MB a minute."""
    found = []
    for n in range(int(seconds / 2)):
        at = 2.0 * n
        caches = 20 * (1 - math.exp(-at / warm_up))
        held = 90 + caches + 5 * math.sin(at / 11) + leak * at / 60
        found.append((at, Memory(rss=int((held + 70) * MB), anonymous=int(held * MB))))
    return found


@pytest.mark.parametrize("seconds", [600.0, 3600.0])
def test_a_warm_up_and_its_noise_are_no_leak(seconds: float) -> None:
    grown = growth(storm(seconds, 0.0))
    assert grown is not None and 0.98 < grown < 1.03


@pytest.mark.parametrize(("seconds", "leak"), [(600.0, 4.0), (3600.0, 1.0)])
def test_a_leak_of_a_few_megabytes_a_minute_is_told(seconds: float, leak: float) -> None:
    grown = growth(storm(seconds, leak))
    assert grown is not None and grown > MOST_GROWTH


def test_a_short_storm_is_not_judged() -> None:
    assert growth(storm(200.0, 100.0)) is None


def test_pages_of_files_do_not_count() -> None:
    samples = [(at, one._replace(rss=one.rss + int(at) * MB)) for at, one in storm(600.0, 0.0)]
    grown = growth(samples)
    assert grown is not None and grown < 1.03
