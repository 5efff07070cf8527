"""Every test has its own cache, state, config and data places."""

import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# What an example costs depends on what else the machine does, and a run that fails has to fail
# again: no deadlines, the same examples every time, none remembered from elsewhere.
# `--hypothesis-profile=default` searches on.
settings.register_profile(
    "steady",
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("steady")

# A run started with `&` ignores SIGINT, and so would every program that its tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# What the person who runs the tests has set for their own b100, keys, proxies or terminal is not
# what the tests are about; these say how to run them.
KEPT = ("B100_SCORE_PYTHON", "B100_LOCAL_PYTHON", "B100_SHARED_DATA")
KEPT_PREFIXES = ("B100_STORM_", "B100_BENCH_", "B100_FUZZ")
FOREIGN = ("B100_", "GEMINI_", "GOOGLE_", "OPENAI_", "SLURM_", "SSH_", "XDG_", "TMUX", "COLORTERM")
FOREIGN_NAMES = {"NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "EDITOR", "VISUAL", "TERM_PROGRAM"}
for name in [*os.environ]:
    if name in KEPT or name.startswith(KEPT_PREFIXES):
        continue
    if name.startswith(FOREIGN) or name in FOREIGN_NAMES or name.lower().endswith("_proxy"):
        del os.environ[name]
os.environ["TERM"] = "xterm-256color"


@pytest.fixture(autouse=True)
def own_places(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path_factory.mktemp("places")
    for name in ("CACHE", "STATE", "CONFIG", "DATA"):
        monkeypatch.setenv(f"B100_{name}_DIR", str(home / name.lower()))
    return home
