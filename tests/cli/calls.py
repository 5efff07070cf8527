"""Runs `b100` as a person does: its own process, nothing inherited but the test's places."""

import os
import subprocess
import sys
from collections.abc import Sequence

BARE = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TERM")
SECONDS = 300


def b100(
    *words: str, env: dict[str, str] | None = None, stdin: str | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(words),
        env=environment(env),
        input=stdin if stdin is not None else "",
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def command(words: Sequence[str]) -> list[str]:
    return [sys.executable, "-m", "b100tui", *words]


def environment(extra: dict[str, str] | None = None) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if k in BARE or k.startswith("B100_")}
    return {**kept, **(extra or {})}
