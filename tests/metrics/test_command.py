"""Programs and URLs that score pictures; what they do wrong is named."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from b100tui.metrics import registry
from b100tui.metrics.command import Command
from b100tui.metrics.protocol import Failure, Outcome, Pixels
from b100tui.scoring.plan import choose_metrics
from tests.metrics.server import Reply, serve
from tests.scoring.pictures import drawn_run, records, score_all

PICTURES: list[Pixels] = [np.full((9, 7, 3), level, np.uint8) for level in (10, 20, 30)]
LOOP = """
import json, os, sys
from PIL import Image
print('Loading the model', flush=True)
for line in sys.stdin:
    path = line.rstrip('\\n')
    level = Image.open(path).getpixel((0, 0))[0]
    {body}
"""


def set_up(folder: Path, body: str, name: str = "rali", **options: object) -> None:
    program = folder / "scorer.py"
    program.write_text(LOOP.format(body=body))
    own = registry.own_file()
    own.parent.mkdir(parents=True, exist_ok=True)
    lines = [f"[metric.{name}]", f"command = {json.dumps([sys.executable, str(program)])}"]
    lines += [f"{key} = {json.dumps(value)}" for key, value in options.items()]
    own.write_text("\n".join(lines))


def measured(count: int = 3, name: str = "rali") -> list[Outcome]:
    return Command().measure_batch(name, PICTURES[:count], [None] * count)


GOOD = "print(json.dumps({'path': path, 'score': level / 8}), flush=True)"


def test_each_picture_gets_its_own_score_and_other_lines_are_passed_over(tmp_path: Path) -> None:
    set_up(tmp_path, GOOD)
    assert measured() == [1.25, 2.5, 3.75]


def test_the_program_stays_open_between_batches(tmp_path: Path) -> None:
    set_up(tmp_path, "print(json.dumps({'path': path, 'score': os.getpid()}), flush=True)")
    backend = Command()
    first = backend.measure_batch("rali", PICTURES[:1], [None])
    assert backend.measure_batch("rali", PICTURES[1:2], [None]) == first


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("print(json.dumps({'path': path, 'error': 'cannot'}), flush=True)", "refused"),
        ("print(json.dumps({'path': path}), flush=True)", "refused"),
        ("sys.exit(3)", "crashed"),
        ("os.kill(os.getpid(), 9)", "crashed"),
        ("import time; time.sleep(600)", "timed_out"),
    ],
)
def test_what_goes_wrong_is_named(tmp_path: Path, body: str, error: str) -> None:
    set_up(tmp_path, body, seconds=0.5 if error == "timed_out" else 120)
    (outcome,) = measured(1)
    assert isinstance(outcome, Failure)
    assert outcome.error == error


def test_a_program_that_died_is_started_again(tmp_path: Path) -> None:
    body = f"""
    if not os.path.exists('{tmp_path}/once'):
        open('{tmp_path}/once', 'w').close()
        sys.exit(1)
    {GOOD}"""
    set_up(tmp_path, body)
    backend = Command()
    (first,) = backend.measure_batch("rali", PICTURES[:1], [None])
    assert isinstance(first, Failure)
    assert backend.measure_batch("rali", PICTURES[:1], [None]) == [1.25]


def test_a_program_that_is_not_there_is_unavailable_with_the_fix(tmp_path: Path) -> None:
    own = registry.own_file()
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text('[metric.rali]\ncommand = ["/nowhere/at-all"]\n')
    ready, unavailable = choose_metrics("rali")
    assert ready == ()
    assert "not a program" in unavailable["rali"]


def test_the_version_changes_with_the_program(tmp_path: Path) -> None:
    set_up(tmp_path, GOOD)
    before = Command().version_parts("rali")
    set_up(tmp_path, GOOD + "  # another")
    assert Command().version_parts("rali") != before


def test_a_url_is_posted_the_paths() -> None:
    def answer(path: str, body: bytes, headers: dict[str, str]) -> Reply:
        lines = [
            json.dumps({"path": one, "score": Image.open(one).getpixel((0, 0))[0]})  # type: ignore[index]
            for one in json.loads(body)["paths"]
        ]
        return 200, {}, "\n".join(reversed(lines)).encode()

    own = registry.own_file()
    own.parent.mkdir(parents=True, exist_ok=True)
    with serve(answer) as url:
        own.write_text(f'[metric.rali]\nurl = "{url}"\n')
        assert measured() == [10.0, 20.0, 30.0]


def test_a_metric_of_ones_own_is_scored_like_any_other(tmp_path: Path) -> None:
    set_up(tmp_path, GOOD, "my_score", direction="higher", low=0, high=100)
    assert registry.metric("my score").direction == "higher"
    root = tmp_path / "root"
    report = score_all(root, drawn_run(root, 5), "my_score")
    assert (report.done, report.failed) == (5, {})
    assert all(r.parts["backend"] == "command 1" for r in records(root))


def test_nan_is_a_failure(tmp_path: Path) -> None:
    set_up(
        tmp_path,
        "print('{\"path\": ' + json.dumps(path) + ', \"score\": NaN}', flush=True)",
        seconds=0.5,
    )
    (outcome,) = measured(1)
    assert isinstance(outcome, Failure)
