"""Whether metrics can run: here, in another interpreter, with a user's own file."""

import sys
import zipfile
from pathlib import Path

import pytest

from b100tui.metrics import registry
from b100tui.metrics.preflight import availability, check
from b100tui.metrics.protocol import Pixels
from b100tui.model.errors import UsageError
from b100tui.model.metric import Metric
from b100tui.scoring import backends


def test_an_interpreter_that_is_not_there_is_named_and_probes_stay_ready() -> None:
    states = check(["niqe", "lab_l"], "/nowhere/python")
    assert states["lab_l"].ready
    assert "cannot be started" in states["niqe"].reason
    assert "[score] python" in states["niqe"].fix


def test_an_interpreter_that_cannot_run_b100_says_why(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text(
        "#!/bin/sh\necho \"ModuleNotFoundError: No module named 'msgspec'\" >&2\nexit 1\n"
    )
    python.chmod(0o755)
    state = check(["niqe"], str(python))["niqe"]
    assert "msgspec" in state.reason
    assert not state.ready


def test_another_interpreter_answers_for_itself(tmp_path: Path) -> None:
    """A wrapper is another interpreter: it is asked, and has what this one has."""
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    assert check(["niqe", "rali"], str(python)) == check(["niqe", "rali"])


@pytest.fixture
def modules(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """What find_spec is made to see."""
    there = {"torch", "pyiqa", "pkg_resources"}
    monkeypatch.setattr(
        "b100tui.metrics.preflight.find_spec", lambda name: name if name in there else None
    )
    return there


def test_setuptools_81_breaks_only_what_needs_clip(
    modules: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    modules.discard("pkg_resources")
    state = availability(registry.metric("clipiqa"))
    assert state.fix == "pip install 'setuptools<81'"
    assert availability(registry.metric("piqe")).ready


def test_missing_weights_name_file_place_and_fetch(
    modules: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    state = availability(registry.metric("musiq"))
    assert "musiq_koniq_ckpt-e95806b9.pth" in state.reason
    assert state.fix == "b100 metrics fetch musiq"
    file = tmp_path / "hub/pyiqa/musiq_koniq_ckpt-e95806b9.pth"
    file.parent.mkdir(parents=True)
    with zipfile.ZipFile(file, "w") as made:
        made.writestr("data.pkl", "x")
    assert availability(registry.metric("musiq")).ready
    file.write_bytes(file.read_bytes()[:-10])
    assert "cut short" in availability(registry.metric("musiq")).reason


def test_maclip_wants_a_gpu(modules: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    assert "GPU" in availability(registry.metric("maclip")).reason


@pytest.mark.parametrize(
    "text", ["[metric.x\n", "[metric.x]\ndirection = 'sideways'\n", "metric = 3\n"]
)
def test_a_file_of_ones_own_that_cannot_be_read_is_wrong_use(text: str) -> None:
    own = registry.own_file()
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text(text)
    with pytest.raises(UsageError, match=r"metrics\.toml"):
        registry.metrics()


@pytest.mark.parametrize("name", ["musiq-spaq", "MUSIQ-SPAQ", "musiq_spaq"])
def test_any_other_name_of_pyiqa_is_known_without_pyiqa(name: str) -> None:
    metric = registry.metric(name)
    assert (metric.id, metric.backend, metric.direction) == ("musiq_spaq", "pyiqa", "higher")
    assert metric not in registry.metrics()


def test_plus_is_part_of_a_name() -> None:
    assert registry.metric("clipiqa+").id == "clipiqa_plus"
    assert registry.metric("clipiqa").id == "clipiqa"


class Constant:
    METRICS = (Metric(id="constant", name="Constant", backend="", direction="higher"),)

    def version_parts(self, metric: str) -> dict[str, str]:
        return {"backend": "constant 1"}

    def measure(
        self, metrics: tuple[str, ...], pixels: Pixels, reference: Pixels | None
    ) -> dict[str, float]:
        return {"constant": 7.0}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed package that offers a metric by entry point."""
    folder = tmp_path / "site"
    (folder / "constant-1.dist-info").mkdir(parents=True)
    (folder / "constant-1.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: constant\nVersion: 1\n"
    )
    (folder / "constant-1.dist-info" / "entry_points.txt").write_text(
        "[b100.metrics]\nconstant = tests.metrics.test_preflight:Constant\n"
        "broken = nowhere.at_all:Broken\n"
    )
    monkeypatch.syspath_prepend(str(folder))
    registry._shipped.cache_clear()


@pytest.mark.usefixtures("package")
@pytest.mark.filterwarnings("ignore:entry point broken")
def test_installed_packages_add_metrics_by_entry_point() -> None:
    try:
        assert registry.metric("Constant").direction == "higher"
        loaded, failures = backends.load(["constant"])
        assert failures == {}
        assert loaded["constant"].version_parts("constant") == {"backend": "constant 1"}
    finally:
        registry._shipped.cache_clear()


def test_a_model_larger_than_the_machine_is_named(
    modules: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    monkeypatch.setattr("b100tui.metrics.preflight.fault_of", lambda weight: "")
    monkeypatch.setattr("b100tui.metrics.preflight.os.sysconf", lambda name: 2**16)
    assert "16 GB" in availability(registry.metric("qalign")).reason
    monkeypatch.setattr("b100tui.metrics.preflight.os.sysconf", lambda name: 2**20)
    assert availability(registry.metric("qalign")).ready
