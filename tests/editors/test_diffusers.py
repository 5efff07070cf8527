"""Local pipelines: the worker's border with stand-in packages, and real ones built tiny."""

import io
import os
import subprocess
import threading
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from b100tui.editors.diffusers import DiffusersEditor
from b100tui.editors.diffusers_worker import edit
from b100tui.editors.protocol import Outcome, Parameters
from b100tui.editors.table import Row
from tests.engine.made import noisy

PICTURE = noisy(kind="JPEG")
# Pipelines with the call signature of the real ones, in packages of the real names.
_TORCH = """
float32 = bfloat16 = "dtype"
class cuda:
    @staticmethod
    def is_available(): return False
class Generator:
    def __init__(self, device): assert device == "cpu"
    def manual_seed(self, seed):
        self.seed = seed
        return self
"""
_DIFFUSERS = """
import os, sys, time
from types import SimpleNamespace
from PIL import Image
__version__ = "0"
class Flux2Pipeline:
    @classmethod
    def from_pretrained(cls, model, torch_dtype, local_files_only):
        if model == "gated/model": raise OSError("You need to agree to share your contact")
        assert local_files_only
        print("noise on stdout that is no reply")
        return cls()
    def to(self, device): return self
    def set_progress_bar_config(self, disable): pass
    def __call__(self, image=None, prompt=None, num_inference_steps=50, guidance_scale=4.0,
                 generator=None, max_sequence_length=512):
        if prompt == "die": os.abort()
        if prompt == "hang": time.sleep(600)
        if prompt == "raise": raise RuntimeError("shape mismatch")
        shade = 0 if generator is None else generator.seed % 256
        made = Image.new("RGB", image[0].size, (shade, num_inference_steps, 9))
        return SimpleNamespace(images=[made])
"""


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in (("torch", _TORCH), ("diffusers", _DIFFUSERS)):
        folder = tmp_path / "packages" / name
        folder.mkdir(parents=True)
        (folder / "__init__.py").write_text(text)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "packages"))
    return tmp_path


def row(**more: object) -> Row:
    words = {"options": {"num_inference_steps": 4}, "model": "some/model"} | more
    return Row(kind="diffusers", pipeline="Flux2Pipeline", **words)  # type: ignore[arg-type]


def ran(given: Row, prompt: str = "copy", **asked: object) -> Outcome:
    editor = DiffusersEditor("flux2-dev", given)
    try:
        parameters = Parameters(**{"deadline_seconds": 300.0} | asked)  # type: ignore[arg-type]
        return editor.edit(PICTURE, "image/jpeg", prompt, parameters)
    finally:
        editor.close()


def pixel(outcome: Outcome) -> object:
    assert outcome.image is not None, outcome.message
    with Image.open(io.BytesIO(outcome.image.data)) as image:
        return image.getpixel((0, 0))


def test_pixels_come_back_as_a_png_that_says_it_is_ours(packages: Path) -> None:
    outcome = ran(row(), seed=77)
    assert pixel(outcome) == (77, 4, 9)
    assert outcome.encoding is not None and "b100" in outcome.encoding
    assert outcome.sent == {"seed": 77, "num_inference_steps": 4}


def test_no_seed_means_no_generator(packages: Path) -> None:
    assert pixel(ran(row())) == (0, 4, 9)


def test_settings_of_the_call_win_over_those_of_the_row(packages: Path) -> None:
    assert pixel(ran(row(), extra={"num_inference_steps": 7})) == (0, 7, 9)


@pytest.mark.parametrize(
    ("given", "prompt", "failure", "said"),
    [
        (row(options={"strenght": 1}), "copy", "fatal_run", "takes no strenght"),
        (row(model="gated/model"), "copy", "unavailable", "agree to share"),
        (row(command=("/no/such/python",)), "copy", "unavailable", "cannot start"),
        (row(), "raise", "fatal_run", "RuntimeError: shape mismatch"),
        (row(), "die", "backoff", "ended by signal"),
    ],
)
def test_each_failure_is_named(
    given: Row, prompt: str, failure: str, said: str, packages: Path
) -> None:
    outcome = ran(given, prompt)
    assert outcome.failure == failure
    assert said in outcome.message


def test_a_pipeline_that_hangs_is_ended_and_the_next_edit_begins_anew(packages: Path) -> None:
    editor = DiffusersEditor("flux2-dev", row())
    try:
        hung = editor.edit(PICTURE, "image/jpeg", "hang", Parameters(deadline_seconds=0.5))
        assert (hung.failure, hung.possibly_billed) == ("backoff", False)
        again = editor.edit(PICTURE, "image/jpeg", "copy", Parameters(deadline_seconds=300))
        assert again.image is not None
    finally:
        editor.close()


def test_a_person_can_abort_it(packages: Path) -> None:
    abort = threading.Event()
    threading.Timer(0.5, abort.set).start()
    assert ran(row(), "hang", cancelled=abort.is_set).failure == "cancelled"


def test_without_the_packages_the_fix_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "packages"
    folder.mkdir()
    (folder / "diffusers.py").write_text("raise ImportError('No module named diffusers')")
    monkeypatch.setenv("PYTHONPATH", str(folder))
    outcome = ran(row())
    assert outcome.failure == "unavailable" and ".[local]" in outcome.message


def test_a_pipeline_is_called_with_a_list_of_rgb(tmp_path: Path) -> None:
    seen: dict[str, object] = {}

    class Recorder:
        def __call__(self, image: object = None, prompt: object = None) -> object:
            seen.update(image=image, prompt=prompt)
            return type("Out", (), {"images": image})

    path = tmp_path / "in.png"
    Image.fromarray(np.zeros((4, 6), np.uint8)).save(path)
    out = tmp_path / "out.png"
    edit(Recorder(), {"input": str(path), "output": str(out), "prompt": "p", "seed": None})
    (image,) = seen["image"]  # type: ignore[misc]
    assert (image.mode, image.size) == ("RGB", (6, 4))


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """An interpreter with the local extra, and the real pipelines with tiny random weights."""
    python = os.environ.get("B100_LOCAL_PYTHON", "")
    if not python:
        pytest.skip("needs B100_LOCAL_PYTHON: an interpreter with the local extra")
    folder = tmp_path_factory.mktemp("tiny")
    maker = Path(__file__).with_name("tiny_pipelines.py")
    subprocess.run([python, "-P", str(maker), str(folder)], check=True, timeout=900)
    return python, folder


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pipeline", "options"),
    [
        ("Flux2KleinPipeline", {"guidance_scale": 1.0, "max_sequence_length": 32}),
        ("Flux2Pipeline", {"guidance_scale": 4.0, "max_sequence_length": 32}),
        (
            "QwenImageEditPlusPipeline",  # the size spares a picture of a million pixels
            {"true_cfg_scale": 4.0, "negative_prompt": " ", "height": 64, "width": 96},
        ),
    ],
)
def test_a_real_pipeline_edits_and_its_seed_decides(
    pipeline: str, options: dict[str, object], tiny: tuple[str, Path]
) -> None:
    python, folder = tiny
    common = {"device": "cpu", "num_inference_steps": 2}
    given = Row(
        kind="diffusers",
        pipeline=pipeline,
        model=str(folder / pipeline),
        command=(python,),
        options=common | options,
    )
    editor = DiffusersEditor("tiny", given)
    picture = noisy(size=(96, 64))
    try:
        made = [
            editor.edit(picture, "image/png", "copy the image", Parameters(seed=seed))
            for seed in (1, 1, 2)
        ]
    finally:
        editor.close()
    data = [one.image.data if one.image else one.message for one in made]
    assert all(isinstance(one, bytes) for one in data), data
    assert data[0] == data[1] != data[2]
    assert made[0].api is not None and "diffusers" in made[0].api
