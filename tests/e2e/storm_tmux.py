"""An explorer inside a real tmux on a socket of its own: its client comes and goes."""

import os
import select
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.e2e.pty_terminal import LIMIT, Memory, Pty, memory_of

HAS_TMUX = shutil.which("tmux") is not None
# What tmux tells of a pane, and what it says of one in which nothing has run yet.
FRESH = {
    "alternate_on": "0", "cursor_flag": "1", "insert_flag": "0", "keypad_flag": "0",
    "keypad_cursor_flag": "0", "mouse_any_flag": "0", "mouse_button_flag": "0",
    "mouse_sgr_flag": "0", "mouse_standard_flag": "0", "wrap_flag": "1", "origin_flag": "0",
}  # fmt: skip
_ENDED = "explorer-ended"


class TmuxExplorer:
    """`b100 explore` in the one pane of a tmux of its own; `client` is who looks at it, if any."""

    def __init__(self, folder: Path, root: Path, size: tuple[int, int]) -> None:
        self.folder = folder
        self.size = size
        self.code: int | None = None
        self.client: Pty | None = None
        self.clients = 0
        self._socket = str(folder / "tmux.socket")
        self._status = folder / "tmux.status"
        self._status.unlink(missing_ok=True)
        words = [sys.executable, "-m", "b100tui", "explore", str(root), "--graphics", "half"]
        # The line settings before and after; then the pane stays, so that it can be looked at.
        script = (
            f"stty -g > before; {shlex.join(words)}; code=$?; stty -g > after; "
            f"echo {_ENDED}; echo $code > tmux.part; mv tmux.part tmux.status; exec cat"
        )
        columns, rows = size
        settings = folder / "tmux.conf"
        # Else tmux holds an Escape for half a second and makes Alt of it and the next key.
        settings.write_text("set -s escape-time 20\n")
        self.tell(
            *("-f", str(settings), "new-session", "-d", "-x", str(columns), "-y", str(rows)),
            *("-c", str(folder), f"sh -c {shlex.quote(script)}"),
        )

    def tell(self, *words: str) -> str:
        """Run one tmux command; return what it says, nothing where the server has gone."""
        done = subprocess.run(
            ["tmux", "-S", self._socket, *words],
            env={**os.environ, "TERM": "xterm-256color"},
            capture_output=True, text=True, timeout=5 * LIMIT, check=False,
        )  # fmt: skip
        return done.stdout

    def attach(self) -> None:
        """Have somebody look, unless somebody does."""
        self._forget_gone()
        if self.client is None:
            words = ["-S", self._socket, "attach-session"]
            self.client = Pty(words, self.size, answers=False, program="tmux", folder=self.folder)
            self.clients += 1

    def detach(self) -> None:
        """Have whoever looks leave; tmux wants its output read before it lets him go."""
        words = ["tmux", "-S", self._socket, "detach-client"]
        told = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + LIMIT
        while told.poll() is None or (self.client is not None and self.client.running()):
            if time.monotonic() > end:
                told.kill()
                told.wait()
                break
            if self.client is not None:
                select.select([self.client.fd], [], [], 0.05)
                self.client.pump()
        self._forget_gone()

    def _forget_gone(self) -> None:
        if self.client is not None and not self.client.running():
            self.client.close()
            self.client = None

    def type(self, data: bytes) -> None:
        """Type through the client; where nobody looks, nobody types."""
        if self.client is not None:
            self.client.type(data.replace(b"\x02", b""))  # ctrl+b is tmux's own

    def resize(self, columns: int, rows: int) -> None:
        self.size = (columns, rows)
        if self.client is not None:
            self.client.resize(columns, rows)

    def pump(self) -> bool:
        return self.client.pump() if self.client is not None else False

    def signal(self, number: int) -> None:
        pid = self.explorer()
        if pid:
            os.kill(pid, number)

    def running(self) -> bool:
        """Whether the explorer still runs; its exit code is known once it does not."""
        if self.code is None and self._status.exists():
            self.code = int(self._status.read_text())
        return self.code is None

    def explorer(self) -> int:
        """Return the explorer's process id, 0 where it does not run."""
        pane = self.tell("display-message", "-p", "#{pane_pid}").strip()
        if not pane:
            return 0
        try:
            children = Path(f"/proc/{pane}/task/{pane}/children").read_text().split()
        except OSError:
            return 0
        return int(children[0]) if children else 0

    def memory(self) -> Memory:
        return memory_of(self.explorer())

    def tail(self) -> str:
        """Return the words in the pane."""
        return "\n".join(line for line in self.tell("capture-pane", "-p").splitlines() if line)

    def left(self) -> list[str]:
        """Return in words what of the pane is not as before the explorer."""
        form = "\n".join(f"{name}=#{{{name}}}" for name in FRESH)
        end = time.monotonic() + LIMIT
        while _ENDED not in self.tail() and time.monotonic() < end:
            self.pump()
        told = dict(line.split("=", 1) for line in self.tell("display-message", "-p", form).split())
        found = [f"{name} is {told.get(name)}" for name in FRESH if told.get(name) != FRESH[name]]
        before, after = ((self.folder / name).read_text() for name in ("before", "after"))
        return found + ([] if before == after else [f"line settings {before} became {after}"])

    def close(self) -> None:
        if self.client is not None:
            self.client.close()
        if not self._status.exists():
            self.signal(signal.SIGKILL)
        self.tell("kill-server")
