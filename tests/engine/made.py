"""Small pictures and editors for the engine's tests."""

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from b100tui.editors import loop
from b100tui.engine.batch import quiet
from b100tui.engine.edit import make, plan
from b100tui.engine.events import EditReport, Tell
from b100tui.engine.policy import Policy
from b100tui.engine.request import Ask, Limits, New
from b100tui.engine.stopping import Stop
from b100tui.workspace.places import config_dir, state_dir
from b100tui.workspace.settings import Settings
from tests.fakes.gemini import FakeGemini
from tests.fakes.gemini_rules import KEYS

KEY = next(iter(KEYS))
DEADLINE = 600.0  # seconds, far more than an answer takes on a busy machine
# Waits are what the policy's own tests are about.
AT_ONCE = Policy(backoff_base=0.0, jitter=0.0)


def noisy(seed: int = 0, size: tuple[int, int] = (96, 60), kind: str = "PNG") -> bytes:
    pixels = np.random.default_rng(seed).integers(0, 255, (size[1], size[0], 3), dtype=np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, kind)
    return buffer.getvalue()


def image(folder: Path, name: str = "cat.png", seed: int = 0) -> Path:
    path = folder / name
    path.write_bytes(noisy(seed, kind="JPEG" if name.endswith("jpg") else "PNG"))
    return path


def root_of(folder: Path) -> Path:
    root = folder / "root"
    root.mkdir(exist_ok=True)
    return root


@contextmanager
def served(**options: Any) -> Iterator[FakeGemini]:
    """A fake service that every Gemini editor of the table is pointed to."""
    with FakeGemini(**options) as fake:
        config_dir().mkdir(parents=True, exist_ok=True)
        names = ("nano-banana-pro", "nano-banana-2", "nano-banana-2-fast")
        rows = [f'[editors.{name}]\nbase_url = "{fake.url}"\n' for name in names]
        rows.append(f'[judges.gemini-3-flash]\nbase_url = "{fake.url}"\n')
        (config_dir() / "editors.toml").write_text("".join(rows))
        os.environ["GEMINI_API_KEY"] = KEY
        try:
            yield fake
        finally:
            del os.environ["GEMINI_API_KEY"]


class LeapingClock:
    """The machine's clock, put forward past every deadline by `leap`, as a suspend does."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def __call__(self) -> float:
        return loop.elapsed_clock() + self.ahead

    def leap(self) -> None:
        self.ahead += 2 * DEADLINE


@contextmanager
def impatient(fake: FakeGemini) -> Iterator[Settings]:
    """Settings under which a call that stalls or drips has its deadline at once, others later."""
    clock = LeapingClock()
    fake.on_stall = clock.leap
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop.SHARED, "_clock", clock)
        yield Settings(deadline_seconds=DEADLINE)


def edit_new(
    root: Path,
    picture: Path,
    *,
    limits: Limits | None = None,
    policy: Policy = AT_ONCE,
    stop: Stop | None = None,
    settings: Settings | None = None,
    tell: Tell = quiet,
    **ask: Any,
) -> EditReport:
    ask = {"editor": "nano-banana-pro", "steps": 3} | ask
    planned = plan(root, New(images=(picture,), ask=Ask(**ask)))
    return make(root, planned, limits, policy=policy, stop=stop, settings=settings, tell=tell)


def everything_written(*folders: Path) -> bytes:
    places = (*folders, state_dir())
    return b"\n".join(
        path.read_bytes() for place in places for path in place.rglob("*") if path.is_file()
    )
