"""Four readers, two builders and four writers at one root: nobody fails, nothing is lost."""

import json
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from b100tui.index.build import refresh
from b100tui.index.store import open_index
from b100tui.index.text import build_text
from tests.e2e.concurrent_child import RUN
from tests.index.folder import add_run

SECONDS = 6.0
CROWD = (*["read"] * 4, *["build"] * 2, *["write"] * 4)
TOP = Path(__file__).resolve().parents[2]


def gathered(root: Path, locks: str) -> list[tuple[str, dict[str, Any]]]:
    """Let the crowd work for a while; return what each has seen, by role."""
    children = [
        (
            role,
            subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "tests.e2e.concurrent_child",
                    role,
                    str(root),
                    f"w{n}",
                    locks,
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                cwd=TOP,
            ),
        )
        for n, role in enumerate(CROWD)
    ]
    try:
        for _, child in children:
            assert child.stdout is not None
            assert child.stdout.readline() == "up\n"
        time.sleep(SECONDS)
        found = []
        for role, child in children:
            out, err = child.communicate("\n", timeout=300)
            assert child.returncode == 0, f"{role}: {err[-3000:]}"
            found.append((role, json.loads(out)))
        return found
    finally:
        for _, child in children:
            child.kill()
            child.communicate()


@pytest.mark.parametrize("locks", ["sound", "deaf", "barred"])
def test_a_crowd_at_one_root_loses_nothing_and_readers_never_fail(
    tmp_path: Path, locks: str
) -> None:
    root = tmp_path / "root"
    add_run(root, RUN, 5, sections=(("Final Check", "the plate is well"),))
    add_run(root, "dongpo/replicate-2k/run-0", 3)
    refresh(root)
    build_text(root)
    found = gathered(root, locks)
    assert all(seen["turns"] for _, seen in found)
    for role, seen in found:
        if role == "build" and locks == "sound":
            assert all("held by" in words and "pid" in words for words in seen["told"]), seen
        if role == "build" and locks == "barred":
            assert any("cannot lock" in words for words in seen["told"]), seen
    refresh(root)
    index = open_index(root)
    index.poll()
    kept = Counter(one.id for one in index.marks(RUN))
    written = [id for _, seen in found for id in seen["written"]]
    assert kept == Counter(written)
    last = index.series(RUN)
    assert len([one for one in last if one.metric.startswith("m_w")]) == CROWD.count("write")
    index.close()
