"""While work goes on: a key is in no command line, and in no process that can do without it."""

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from b100tui.workspace.places import cache_home, state_dir
from tests.cli.calls import b100
from tests.e2e.pty_terminal import Pty
from tests.engine.made import KEY, image, served
from tests.index.folder import add_run

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")
RUN = "fog/replicate-2k/run-0"
# May call a paid service, so they must know the key: the explorer, edits, judges, their keepers.
PAID = ("explore", "edit", "judge", "b100tui.jobs.keeper")


def processes() -> Iterator[tuple[list[str], bytes]]:
    """Words and environment of every process of this test, known by its state folder."""
    mark = os.fsencode(f"B100_STATE_DIR={state_dir()}")
    for place in Path("/proc").glob("[0-9]*"):
        if int(place.name) == os.getpid():
            continue
        try:
            # In this order: a child that is just becoming another program still has the words
            # and the environment of its parent, and new words never come with the old environment.
            words = (place / "cmdline").read_bytes().decode("utf-8", "replace").split("\0")
            held = (place / "environ").read_bytes()
        except OSError:
            continue
        if mark in held.split(b"\0") and any(words):
            yield words, held


def watched(until: Callable[[set[str]], bool], pump: Callable[[], object]) -> set[str]:
    """Look at the processes until what was seen is enough; return the modules and commands."""
    seen: set[str] = set()
    end = time.monotonic() + 120
    while not until(seen):
        assert time.monotonic() < end, seen
        pump()
        for words, held in processes():
            seen |= set(words)
            assert KEY not in " ".join(words)
            if not set(words) & set(PAID) and "b100tui" in " ".join(words):
                assert KEY.encode() not in held, words
    return seen


def test_only_what_calls_a_paid_service_is_told_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    root = tmp_path / "root"
    add_run(root, RUN, 4, size=(64, 48))
    terminal = Pty(["explore", str(root), "--graphics", "half"])
    try:
        wanted = {"b100tui.tui.indexer", "explore", "score"}
        watched(lambda seen: wanted <= seen, terminal.pump)
        terminal.type(b"q")
        assert terminal.ended() == 0
        assert KEY.encode() not in terminal.raw
    finally:
        terminal.close()


def test_a_paid_edit_in_the_background_tells_the_key_to_nobody(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    with served() as fake:
        fake.latency = 3.0
        words = ("edit", "new", str(image(tmp_path)), "--editor", "nano-banana-pro", "--steps")
        told = b100(
            *(*words, "1", "--budget", "1", "--yes", "--detach", "--root", str(root)),
            env={"GEMINI_API_KEY": KEY},
        )
        assert told.returncode == 0, told.stderr
        watched(lambda seen: "edit" in seen and fake.called.is_set(), lambda: time.sleep(0.01))
        log = b100("jobs", "log", told.stdout.strip(), "--follow", "--root", str(root))
        assert '"committed"' in log.stdout or "1 steps" in log.stdout, log.stdout
    for text in (told.stdout, told.stderr, log.stdout, log.stderr):
        assert KEY not in text
    for place in (root, state_dir(), cache_home()):
        for path in place.rglob("*"):
            if path.is_file():
                assert KEY.encode() not in path.read_bytes(), path
