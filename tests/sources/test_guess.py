from pathlib import Path

import pytest

from b100tui.sources import scan_folder
from tests.shared_data import shared
from tests.sources.made import named, numbers, put, reasons


@pytest.mark.parametrize(
    ("form", "values"),
    [
        ("eiffel_step_{}.png", range(5)),
        ("eiffel.png_step_{}.png", range(5)),
        ("bird_s-240_round{}.jpg", range(1, 6)),
        ("bird_s-240_q-{}.jpg", range(10, 60, 10)),
        ("{:04}.png", range(5)),
        ("turn {}.webp", range(5)),
        ("Iteration-{:03}-final.png", range(5)),
        ("gen.{}.bmp", range(5)),
        ("edit3_step_{}.png", range(5)),
        ("photo_{}.png", range(1, 6)),
    ],
)
def test_number_that_tells_the_step_is_found(tmp_path: Path, form: str, values: range) -> None:
    put(tmp_path, *(f"loop/{form.format(value)}" for value in values))
    (run,) = scan_folder(tmp_path).runs
    assert numbers(run) == list(values)
    assert run.run.run == "loop"


def test_real_trajectories_are_two_runs_of_one_image() -> None:
    scan = scan_folder(shared("real/reed-vae-steps"))
    assert scan.layout == "guess"
    assert [(s.run.run, s.run.image, s.run.setting) for s in scan.runs] == [
        ("eiffel_reed", "eiffel", "reed"),
        ("eiffel_vanilla", "eiffel", "vanilla"),
    ]
    assert all(numbers(source) == list(range(25)) for source in scan.runs)
    assert reasons(scan).keys() == {"README.md"}


def test_steps_stand_in_order_of_number_not_of_text(tmp_path: Path) -> None:
    put(tmp_path, *(f"step_{n}.png" for n in (10, 9, 2, 1, 100)))
    (run,) = scan_folder(tmp_path).runs
    assert numbers(run) == [1, 2, 9, 10, 100]
    assert run.missing == (*range(3, 9), *range(11, 100))


def test_folders_become_image_setting_and_repeat(tmp_path: Path) -> None:
    put(tmp_path, *(f"moss/replicate 2K/run_{k}/step_{n}.png" for k in (1, 2) for n in range(4)))
    runs = scan_folder(tmp_path).runs
    assert [(s.run.run, s.run.image, s.run.setting, s.run.repeat) for s in runs] == [
        ("moss/replicate 2K/run_1", "moss", "replicate 2K", 1),
        ("moss/replicate 2K/run_2", "moss", "replicate 2K", 2),
    ]


def test_names_of_two_images_in_one_folder_are_two_runs(tmp_path: Path) -> None:
    put(tmp_path, *(f"out/{name}_step_{n}.png" for name in ("cat", "dog") for n in range(3)))
    runs = scan_folder(tmp_path).runs
    assert [(s.run.run, s.run.image, s.run.setting) for s in runs] == [
        ("out/cat", "cat", "out"),
        ("out/dog", "dog", "out"),
    ]


def test_other_number_tells_runs_apart(tmp_path: Path) -> None:
    put(tmp_path, *(f"img_{k}_{n}.png" for k in (1, 2) for n in range(10)))
    assert [numbers(source) for source in scan_folder(tmp_path).runs] == [list(range(10))] * 2


def test_seed_beside_the_step_does_not_split_a_run(tmp_path: Path) -> None:
    put(tmp_path, *(f"step_{n}_seed_{9173 * n + 4}.png" for n in range(6)))
    (run,) = scan_folder(tmp_path).runs
    assert numbers(run) == list(range(6))


def test_counter_wins_over_seed(tmp_path: Path) -> None:
    put(tmp_path, *(f"{n:05}-{(n * 7919 + 1234567) % 99991}.png" for n in range(12)))
    (run,) = scan_folder(tmp_path).runs
    assert numbers(run) == list(range(12))


def test_dates_are_ranked(tmp_path: Path) -> None:
    put(tmp_path, *(f"2025-03-0{d}T10-00-0{d}_output.jpeg" for d in (3, 1, 2, 7)))
    (run,) = scan_folder(tmp_path).runs
    assert [(s.step, s.picture.path[:10]) for s in run.steps] == [
        (0, "2025-03-01"),
        (1, "2025-03-02"),
        (2, "2025-03-03"),
        (3, "2025-03-07"),
    ]


def test_one_date_for_all_is_not_the_step(tmp_path: Path) -> None:
    put(tmp_path, *(f"2025-03-01_{n}.png" for n in range(4)))
    (run,) = scan_folder(tmp_path).runs
    assert numbers(run) == [0, 1, 2, 3]


def test_step_folders_are_one_run(tmp_path: Path) -> None:
    put(tmp_path, *(f"cat/step_{n}/out.png" for n in range(4)))
    (run,) = scan_folder(tmp_path).runs
    assert numbers(run) == [0, 1, 2, 3]
    assert run.run.image == "cat"


def test_two_numbered_files_are_not_yet_a_run(tmp_path: Path) -> None:
    put(tmp_path, "I03.bmp", "I04.bmp")
    scan = scan_folder(tmp_path)
    assert scan.runs == ()
    assert all("not yet a run" in reason for reason in reasons(scan).values())


def test_item_ids_are_not_taken_for_steps(tmp_path: Path) -> None:
    put(tmp_path, *(f"I{n:02}.bmp" for n in (3, 4, 6, 8, 19)))
    scan = scan_folder(tmp_path)
    assert scan.runs == ()
    assert "item ids" in reasons(scan)["I03.bmp"]


def test_short_run_is_taken_where_others_of_its_form_are(tmp_path: Path) -> None:
    put(tmp_path, *(f"a/step_{n}.png" for n in range(4)), "b/step_0.png", "b/step_7.png")
    assert [numbers(source) for source in scan_folder(tmp_path).runs] == [[0, 1, 2, 3], [0, 7]]


def test_same_step_in_two_formats_is_one_step_and_listed(tmp_path: Path) -> None:
    put(tmp_path, *(f"round_{n}.jpg" for n in range(4)), "round_2.webp")
    (run,) = scan_folder(tmp_path).runs
    assert numbers(run) == [0, 1, 2, 3]
    (same,) = run.duplicates
    assert (same.step, same.chosen, same.others) == (2, "round_2.webp", ("round_2.jpg",))


@pytest.mark.parametrize("redo", ["step_2_2.png", "step_2_v2.png", "step_2 (2).png"])
def test_second_try_is_a_duplicate_of_its_step(tmp_path: Path, redo: str) -> None:
    put(tmp_path, *(f"step_{n}.png" for n in range(4)), redo)
    (run,) = scan_folder(tmp_path).runs
    (same,) = run.duplicates
    assert (same.step, same.chosen, same.others) == (2, "step_2.png", (redo,))


def test_many_variants_of_one_name_are_steps(tmp_path: Path) -> None:
    put(tmp_path, "DSC0042.png", *(f"DSC0042_{n}.png" for n in range(1, 9)))
    (run,) = scan_folder(tmp_path).runs
    assert numbers(run)[-8:] == list(range(1, 9))


def test_strangers_in_a_run_folder_are_listed(tmp_path: Path) -> None:
    put(tmp_path, *(f"bird_r{n}.jpg" for n in range(5)), "fireflow_bird_r8.jpg", "gpt.jpg")
    scan = scan_folder(tmp_path)
    (run,) = scan.runs
    assert numbers(run) == list(range(5))
    assert "not yet a run" in reasons(scan)["fireflow_bird_r8.jpg"]
    assert "no number" in reasons(scan)["gpt.jpg"]


@pytest.mark.parametrize(
    "origin", ["cat/loop/original.png", "cat/original.jpg", "initial/cat.png", "cat/loop/cat.png"]
)
def test_initial_image_becomes_step_0(tmp_path: Path, origin: str) -> None:
    put(tmp_path, *(f"cat/loop/cat_step_{n}.png" for n in range(1, 4)), origin)
    (run,) = scan_folder(tmp_path).runs
    assert numbers(run) == [0, 1, 2, 3]
    assert run.steps[0].picture.path == origin


def test_run_ids_are_unique(tmp_path: Path) -> None:
    put(tmp_path, *(f"a\x07/step_{n}.png" for n in range(3)))
    put(tmp_path, *(f"a/step_{n}.png" for n in range(3)))
    assert [source.run.run for source in scan_folder(tmp_path).runs] == ["a", "a~2"]


def test_runs_stand_in_natural_order(tmp_path: Path) -> None:
    put(tmp_path, *(f"cat/run_{k}/step_{n}.png" for k in (10, 2, 1) for n in range(3)))
    assert [source.run.repeat for source in scan_folder(tmp_path).runs] == [1, 2, 10]


def test_every_picture_is_used_or_listed(tmp_path: Path) -> None:
    put(tmp_path, "a/x_1.png", "a/x_2.png", "a/b.png", "c.gif", *(f"d/{n}.png" for n in range(5)))
    scan = scan_folder(tmp_path)
    used = {step.picture.path for source in scan.runs for step in source.steps}
    assert used | reasons(scan).keys() == scan.stamps.keys()


def test_empty_folder_has_no_layout(tmp_path: Path) -> None:
    assert scan_folder(tmp_path).layout == "none"


def test_named_step_of_a_run(tmp_path: Path) -> None:
    put(tmp_path, *(f"temperature=0.4/step_{n}.png" for n in range(3)))
    assert named(scan_folder(tmp_path), "temperature=0.4").run.labels["temperature"] == "0.4"


def test_hash_in_the_name_does_not_split_a_run(tmp_path: Path) -> None:
    hashes = ("0a1b2c3d4e", "ffee001122", "9c8d7e6f5a", "12ab34cd56")
    put(tmp_path, *(f"val_{n}_{word}.png" for n, word in enumerate(hashes)))
    (run,) = scan_folder(tmp_path).runs
    assert numbers(run) == [0, 1, 2, 3]


def test_names_that_are_hashes_are_no_steps(tmp_path: Path) -> None:
    put(tmp_path, *(f"{word}.png" for word in ("0a1b2c3d4e", "ffee001122", "9c8d7e6f5a")))
    scan = scan_folder(tmp_path)
    assert not scan.runs
    assert "no number" in reasons(scan)["ffee001122.png"]


def test_input_picture_with_a_number_is_the_origin_of_its_turns(tmp_path: Path) -> None:
    items = (101, 102, 103)
    put(tmp_path, *(f"m/{i}_input_raw.jpg" for i in items))
    put(tmp_path, *(f"m/{i}_input_raw_turn_{n}.png" for i in items for n in (1, 2, 3)))
    runs = scan_folder(tmp_path).runs
    assert [source.run.image for source in runs] == [f"{i}_input_raw" for i in items]
    assert all(numbers(source) == [0, 1, 2, 3] for source in runs)
