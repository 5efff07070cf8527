"""What is made ahead follows the scrub."""

import pytest

from b100tui.terminal.targets import likely_next


@pytest.mark.parametrize(
    ("position", "visited", "expected"),
    [
        (5, (), (6, 4, 7, 3)),
        (5, (3, 4), (6, 4, 7, 3)),
        (5, (7, 6), (4, 6, 3, 7)),
        (20, (0, 10), (30, 40, 10, 21, 19)),
        (99, (97, 98), (98, 97)),
        (0, (), (1, 2)),
    ],
)
def test_the_next_positions_follow_direction_and_stride(
    position: int, visited: tuple[int, ...], expected: tuple[int, ...]
) -> None:
    assert likely_next(position, 100, visited) == expected


def test_a_trajectory_of_one_step_has_no_neighbours() -> None:
    assert likely_next(0, 1, ()) == ()
