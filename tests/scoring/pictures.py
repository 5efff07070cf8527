"""Makes small pictures, steps and plans for the scoring tests."""

from pathlib import Path

import numpy as np
from PIL import Image

from b100tui.metrics import registry
from b100tui.model.metric import Metric
from b100tui.model.records import PictureRef, ScoreRecord, Step
from b100tui.scoring.done import read_records
from b100tui.scoring.run import ScoreReport, score
from b100tui.scoring.session import Options

ALONE = ("noise_sigma", "lab_l")


def draw(path: Path, seed: int, size: tuple[int, int] = (96, 64)) -> Path:
    values = np.random.default_rng(seed).integers(0, 256, (size[1], size[0], 3), dtype=np.uint8)
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(values).save(path)
    return path


def step_of(root: Path, path: Path, number: int, run: str = "a/b/run-0") -> Step:
    facts = path.stat()
    ref = PictureRef(path.relative_to(root).as_posix(), None, facts.st_size, facts.st_mtime_ns)
    return Step(run=run, step=number, picture=ref)


def drawn_run(root: Path, count: int, run: str = "a/b/run-0", first: int = 0) -> list[Step]:
    return [
        step_of(root, draw(root / run / f"step-{n:03}.png", n + 100 * len(run)), n, run)
        for n in range(first, first + count)
    ]


def metrics(*names: str) -> tuple[Metric, ...]:
    return tuple(registry.metric(name) for name in names)


def score_all(root: Path, steps: list[Step], *names: str, **options: object) -> ScoreReport:
    chosen = Options(**{"threads": 2, **options})  # type: ignore[arg-type]
    return score(root, steps, metrics(*(names or ALONE)), options=chosen)


def records(root: Path) -> list[ScoreRecord]:
    return list(read_records(root))
