"""The simulated editor: what is planted can be measured in the pixels it makes."""

import random as global_random

import cv2
import numpy as np
import pytest

from b100tui.editors.protocol import Editor, Outcome, Parameters
from b100tui.editors.schedule import Schedule, Shift
from b100tui.editors.simulate import SimulatedEditor
from b100tui.metrics import probes

COPY = "Produce an exact replica of the provided image, with no alterations."


def texture(width: int = 256, height: int = 192) -> np.ndarray:
    noise = np.random.default_rng(3).standard_normal((height, width, 3)).astype(np.float32)
    soft = cv2.GaussianBlur(noise, (0, 0), 3.0)
    return np.clip(128 + 160 * soft, 0, 255).astype(np.uint8)


def encoded(pixels: np.ndarray) -> bytes:
    return bytes(cv2.imencode(".png", pixels[:, :, ::-1])[1])


def decoded(data: bytes) -> np.ndarray:
    return np.ascontiguousarray(cv2.imdecode(np.frombuffer(data, np.uint8), 1)[:, :, ::-1])


def planted(**changes: object) -> Schedule:
    plain = {"profile": "sim-pro", "seed": 5, "steps": 20, "onset": 6, "strength": 1.0}
    return Schedule(**{**plain, **changes})  # type: ignore[arg-type]


def chain(schedule: Schedule, steps: int, prompt: str = COPY, fmt: str = "png") -> list[bytes]:
    editor = SimulatedEditor(schedule, scale=0.1, fmt=fmt)
    data = [encoded(texture())]
    for step in range(1, steps + 1):
        outcome = editor.edit(data[-1], "image/png", prompt, Parameters(step=step, run="a/b/run-0"))
        assert outcome.image is not None
        data.append(outcome.image.data)
    return data


def test_it_is_an_editor_by_the_protocol() -> None:
    editor: Editor = SimulatedEditor(planted())
    assert (editor.name, editor.kind) == ("sim-pro", "simulate")


def test_noise_begins_to_grow_at_the_planted_onset_and_not_before() -> None:
    pictures = chain(planted(onset=6), 12)
    sigmas = [probes.measure(decoded(data), ["noise_sigma"])["noise_sigma"] for data in pictures]
    assert sigmas[5] == sigmas[1]
    assert sigmas[6] > sigmas[5] + 1.0
    assert sigmas[12] > sigmas[6]


def test_a_run_without_onset_is_the_same_at_every_step_once_cropped() -> None:
    pictures = chain(planted(onset=None), 5)
    assert len(set(pictures[1:])) == 1


def test_the_tint_moves_colour_the_way_the_profile_says() -> None:
    pictures = chain(planted(onset=2, strength=2.0), 20)
    shift = decoded(pictures[20]).mean((0, 1)) - decoded(pictures[1]).mean((0, 1))
    assert shift[1] > shift[0] > shift[2]  # green gains, blue loses most


def test_planted_zoom_and_move_are_what_alignment_measures() -> None:
    shifts = (Shift(2, 0.02, 1.5, -1.0), Shift(4, 0.015, 0.0, 2.0))
    schedule = planted(onset=None, shifts=shifts)
    pictures = chain(schedule, 5)
    first, last = decoded(pictures[1]), decoded(pictures[5])
    found = np.eye(2, 3, dtype=np.float32)
    grey = [cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY) for pixels in (first, last)]
    criteria = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 400, 1e-9)
    _, found = cv2.findTransformECC(grey[0], grey[1], found, cv2.MOTION_AFFINE, criteria)
    middle = np.array([(first.shape[1] - 1) / 2, (first.shape[0] - 1) / 2])
    moved = found[:, :2] @ middle + found[:, 2] - middle
    dx, dy = schedule.move_at(5)
    zoom = float(np.sqrt(abs(np.linalg.det(found[:, :2]))) - 1)
    assert zoom == pytest.approx(schedule.zoom_at(5), abs=0.001)
    assert moved == pytest.approx([dx, dy], abs=0.15)


def test_accumulated_truth_follows_from_the_single_slips() -> None:
    schedule = planted(shifts=(Shift(2, 0.1, 1.0, 0.0), Shift(4, 0.1, 2.0, -3.0)))
    assert schedule.zoom_at(1) == 0.0
    assert schedule.zoom_at(4) == pytest.approx(0.21)
    assert schedule.move_at(3) == (1.0, 0.0)
    assert schedule.move_at(4) == pytest.approx((3.1, -3.0))


def test_the_first_step_crops_to_the_size_table() -> None:
    editor = SimulatedEditor(planted(), scale=0.2)
    whole = encoded(texture(563, 307))
    outcome = editor.edit(whole, "image/png", COPY, Parameters(step=1))
    assert outcome.image is not None
    pixels = decoded(outcome.image.data)
    assert pixels.shape == (301, 563, 3)


def test_an_ignored_instruction_leaves_the_picture_and_the_next_one_is_followed() -> None:
    schedule = planted(onset=None, ignored=(2,))
    pictures = chain(schedule, 3, "Mirror the image horizontally.")
    first, second, third = (decoded(data) for data in pictures[1:])
    assert np.array_equal(second, first)
    assert np.array_equal(third, second[:, ::-1])


def test_four_quarter_turns_give_the_picture_back() -> None:
    pictures = chain(planted(onset=None), 5, "Rotate the image clockwise by 90 degrees.")
    assert decoded(pictures[2]).shape[:2] == decoded(pictures[1]).shape[1::-1]
    assert np.array_equal(decoded(pictures[5]), decoded(pictures[1]))


def test_an_added_apple_changes_only_its_own_place() -> None:
    pictures = chain(planted(onset=None), 2, "Add an apple to the table. Keep the rest.")
    changed = np.any(decoded(pictures[1]) != decoded(pictures[2]), axis=2)
    assert 0.001 < changed.mean() < 0.25


def test_a_planted_refusal_is_an_outcome_with_the_reason() -> None:
    editor = SimulatedEditor(planted(refused=3))
    outcome = editor.edit(encoded(texture()), "image/png", COPY, Parameters(step=3))
    assert (outcome.image, outcome.failure) == (None, "refused")
    assert outcome.finish_reason == "IMAGE_SAFETY"


def test_bytes_that_are_no_picture_fail_the_run_by_name() -> None:
    outcome = SimulatedEditor(planted()).edit(b"junk", "image/png", COPY, Parameters(step=1))
    assert outcome.failure == "fatal_run"


def test_the_same_schedule_gives_the_same_bytes_and_another_seed_does_not() -> None:
    assert chain(planted(), 8, fmt="jpeg") == chain(planted(), 8, fmt="jpeg")
    assert chain(planted(seed=6), 8)[-1] != chain(planted(), 8)[-1]


def test_no_global_random_state_is_read_or_written() -> None:
    np.random.seed(1)
    global_random.seed(1)
    before = (np.random.get_state()[1].tolist(), global_random.getstate())
    first = chain(planted(), 7)
    assert (np.random.get_state()[1].tolist(), global_random.getstate()) == before
    np.random.seed(99)
    global_random.seed(99)
    assert chain(planted(), 7) == first


def test_every_answer_is_labelled_simulated() -> None:
    outcome = SimulatedEditor(planted()).edit(
        encoded(texture()), "image/png", COPY, Parameters(step=1)
    )
    assert isinstance(outcome, Outcome)
    assert outcome.endpoint == "simulated"
    assert "SIMULATED" in outcome.warnings
    assert outcome.price_table == "simulated"
