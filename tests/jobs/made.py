"""Makes jobs whose command waits for the test: it greets on a pipe and goes on when told."""

import os
import sys
from pathlib import Path

from b100tui.jobs import start
from b100tui.jobs.files import LOCK, find
from b100tui.workspace.locks import hold

HEAD = """
import os, signal, sys, time
from pathlib import Path
def greet():
    with open('up', 'w') as up:
        up.write('up')
def wait():
    with open('go') as go:
        return go.read()
"""


class Waiting:
    """A job with a command of `lines`, run in `root`; `greeted` returns once it is up."""

    def __init__(self, root: Path, lines: str, **options: object) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)
        for name in ("up", "go"):
            os.mkfifo(root / name)
        (root / "work.py").write_text(HEAD + lines)
        argv = [sys.executable, str(root / "work.py")]
        here = os.getcwd()
        os.chdir(root)
        try:
            self.id = start(root, "score", argv, title="a title", **options)  # type: ignore[arg-type]
        finally:
            os.chdir(here)

    @property
    def folder(self) -> Path:
        return find(self.root, self.id)

    def greeted(self) -> None:
        (self.root / "up").read_text()

    def tell(self, text: str = "go") -> None:
        (self.root / "go").write_text(text)

    def ended(self) -> None:
        """Return when the keeper has left; the command must have greeted before."""
        with hold(self.folder / LOCK, "test", wait_seconds=240):
            return
