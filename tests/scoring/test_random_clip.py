"""The metrics that stand on CLIP, with narrow random models from real cache files, through b100."""

import json
from pathlib import Path

import pytest
from PIL import Image

from b100tui.model.records import ScoreRecord
from tests.scoring.learned import run_python, score_python
from tests.scoring.pictures import records, score_all, step_of
from tests.scoring.test_odd_pictures import scene

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]
METRICS = ("clipiqa", "liqe", "qualiclip")
REPOSITORY = str(Path(__file__).parents[2])
WORKER = """
import sys
from tests.scoring import random_clip
random_clip.patch()
from b100tui.scoring import worker
if __name__ == '__main__':
    sys.exit(worker.main(sys.argv[4:]))
"""
PLAIN = """
import json, sys
from tests.scoring import random_clip
random_clip.patch()
import pyiqa
path, *names = sys.argv[1:]
print(json.dumps({name: pyiqa.create_metric(name, device='cpu')(path).item() for name in names}))
"""


def patched(folder: Path, python: str) -> str:
    """An interpreter whose worker, and the worker's processes, take the random models."""
    program, wrapper = folder / "worker.py", folder / "python"
    program.write_text(WORKER)
    wrapper.write_text(f'#!/bin/sh\nexec {python} {program} x "$@"\n')
    wrapper.chmod(0o755)
    return str(wrapper)


@pytest.fixture(scope="module")
def values(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[dict[str, ScoreRecord], dict[str, float]]:
    """Records of b100 by metric, and what plain calls give."""
    python = score_python()
    root = tmp_path_factory.mktemp("clip")
    with pytest.MonkeyPatch.context() as patch:
        for place in ("CACHE", "STATE", "CONFIG", "DATA"):
            patch.setenv(f"B100_{place}_DIR", str(root / place.lower()))
        patch.setenv("TORCH_HOME", str(root / "torch"))
        patch.setenv("PYTHONPATH", REPOSITORY)
        (root / "torch/hub/pyiqa").mkdir(parents=True)
        run_python("from tests.scoring import random_clip; random_clip.main()")
        path = root / "a/b/run-0/step-001.png"
        path.parent.mkdir(parents=True)
        Image.fromarray(scene(320, 256)).save(path)
        step = step_of(root, path, 1)
        report = score_all(root, [step], *METRICS, python=patched(root, python))
        assert report.failed == {}
        plain = json.loads(run_python(PLAIN, str(path), *METRICS))
        return {r.metric: r for r in records(root)}, plain


@pytest.mark.parametrize("metric", METRICS)
def test_a_clip_metric_from_its_cache_file_scores_as_a_plain_call_does(
    values: tuple[dict[str, ScoreRecord], dict[str, float]], metric: str
) -> None:
    stored, plain = values
    assert stored[metric].value == pytest.approx(plain[metric], rel=1e-5, abs=1e-6)
