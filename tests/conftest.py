"""Every test has its own cache, state, config and data places."""

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


@pytest.fixture(autouse=True)
def own_places(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path_factory.mktemp("places")
    for name in ("CACHE", "STATE", "CONFIG", "DATA"):
        monkeypatch.setenv(f"B100_{name}_DIR", str(home / name.lower()))
    for name in ("B100_ROOT", "B100_CONFIG", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return home
