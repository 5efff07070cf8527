"""Every net that can be built offline, with random weights from real cache files, through b100.

The yardstick is pyiqa called as its own documentation says, on the same file and cache.
"""

import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from b100tui.model.records import ScoreRecord
from tests.scoring.learned import run_python, score_python
from tests.scoring.pictures import records, score_all, step_of
from tests.scoring.test_odd_pictures import scene

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3000)]
NETS = (
    *("arniqa", "cnniqa", "dbcnn", "hyperiqa", "maniqa", "musiq", "nima", "paq2piq"),
    *("topiq_nr", "tres", "wadiqam_nr"),
)
PLAIN = """
import json, sys, pyiqa
path, *names = sys.argv[1:]
print(json.dumps({name: pyiqa.create_metric(name, device='cpu')(path).item() for name in names}))
"""


@pytest.fixture(scope="module")
def values(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[dict[str, ScoreRecord], dict[str, float]]]:
    """Records of b100 by metric, and what plain calls give."""
    python = score_python()
    root = tmp_path_factory.mktemp("nets")
    home = Path(tempfile.mkdtemp(prefix="b100-nets-"))  # gigabytes: gone when the suite ends
    try:
        with pytest.MonkeyPatch.context() as patch:
            for place in ("CACHE", "STATE", "CONFIG", "DATA"):
                patch.setenv(f"B100_{place}_DIR", str(root / place.lower()))
            patch.setenv("TORCH_HOME", str(home))
            patch.setenv("HF_HOME", str(home / "hf"))
            patch.setenv("HF_HUB_OFFLINE", "1")
            (home / "hub" / "pyiqa").mkdir(parents=True)
            writer = Path(__file__).with_name("random_weights.py")
            subprocess.run([python, str(writer), *NETS], check=True, capture_output=True)
            path = root / "a/b/run-0/step-001.png"
            path.parent.mkdir(parents=True)
            Image.fromarray(scene(320, 256)).save(path)
            report = score_all(root, [step_of(root, path, 1)], *NETS, python=python)
            assert report.failed == {}
            plain = json.loads(run_python(PLAIN, str(path), *NETS))
            yield {r.metric: r for r in records(root)}, plain
    finally:
        shutil.rmtree(home)


@pytest.mark.parametrize("metric", NETS)
def test_a_net_from_its_cache_file_scores_as_a_plain_call_does(
    values: tuple[dict[str, ScoreRecord], dict[str, float]], metric: str
) -> None:
    stored, plain = values
    assert stored[metric].value == pytest.approx(plain[metric], rel=1e-5, abs=1e-6)
    assert "missing" not in stored[metric].parts["weights"]
