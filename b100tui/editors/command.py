"""Any program as an editor: `{input} {output} {prompt} {seed} {size}` in its command line.

Exit codes follow sysexits where they have one: 75 try again, 69 not available here, 77 refused.
A text file at `{thoughts}`, where the program writes one, becomes the reasoning summary.
"""

import os
import re
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from b100tui.editors.protocol import (
    Capabilities,
    FailureClass,
    Outcome,
    Parameters,
    ReceivedImage,
)
from b100tui.editors.table import Row
from b100tui.model.errors import UsageError
from b100tui.model.text import clean_line
from b100tui.workspace.crash import without_secrets

_CLASSES: dict[int, FailureClass] = {75: "backoff", 69: "unavailable", 77: "refused"}
_PLACE = re.compile(r"\{(input|output|prompt|seed|size|thoughts|step|temperature)\}")
_SUFFIX = {"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp"}
_LOOK_SECONDS = 0.1
_SAID = 300
_LOG_BYTES = 4096
_LIMIT_BYTES = 512 * 1024 * 1024


class CommandEditor:
    """One program; several may run at once."""

    kind = "command"

    def __init__(self, name: str, row: Row) -> None:
        self.name = name
        self.model = row.model
        self._row = row
        words = " ".join(row.command)
        if "{input}" not in words or "{output}" not in words:
            raise UsageError(
                f"editor {name}: its command has no {{input}} and {{output}}",
                'command = ["PROGRAM", "{input}", "{output}", "{prompt}"] in editors.toml',
            )

    @property
    def capabilities(self) -> Capabilities:
        """What the row says the program takes."""
        return self._row.capabilities

    def edit(self, image: bytes, mime: str, prompt: str, parameters: Parameters) -> Outcome:
        """Run the program once in a folder of its own."""
        with tempfile.TemporaryDirectory(prefix="b100-edit-") as folder:
            place = Path(folder)
            given = place / f"input{_SUFFIX.get(mime, '.img')}"
            given.write_bytes(image)
            seed = "" if parameters.seed is None else str(parameters.seed)
            warm = "" if parameters.temperature is None else f"{parameters.temperature:g}"
            values = {
                "input": str(given),
                "output": str(place / "output.png"),
                "thoughts": str(place / "thoughts.txt"),
                "prompt": prompt,
                "seed": seed,
                "size": parameters.resolution or "",
                "step": str(parameters.step),
                "temperature": warm,
            }
            words = [_filled(word, values) for word in self._row.command]
            return self._run(words, place, parameters)

    def _run(self, words: Sequence[str], place: Path, parameters: Parameters) -> Outcome:
        log = place / "log"
        try:
            with log.open("wb") as said:
                child = subprocess.Popen(
                    [os.path.expanduser(words[0]), *words[1:]],
                    stdin=subprocess.DEVNULL,
                    stdout=said,
                    stderr=said,
                    cwd=place,
                    start_new_session=True,
                )
        except OSError as error:
            return Outcome(
                failure="unavailable",
                message=f"cannot start {clean_line(words[0])}: {error.strerror}",
                hint="mend command in your editors.toml",
            )
        ended = _wait(child, parameters)
        if ended is not None:
            return ended
        return _read(child.returncode, place, _last_words(log))


def _filled(word: str, values: dict[str, str]) -> str:
    """Fill the places in one pass, so that a prompt that holds {input} stays a prompt."""
    return _PLACE.sub(lambda found: values[found[1]], word)


def _wait(child: "subprocess.Popen[bytes]", parameters: Parameters) -> Outcome | None:
    """Wait for the program; end its whole group at the deadline or when a person aborts."""
    begin = time.monotonic()
    deadline = parameters.deadline_seconds
    while True:
        try:
            child.wait(_LOOK_SECONDS)
        except subprocess.TimeoutExpired:
            if parameters.cancelled is not None and parameters.cancelled():
                _end(child)
                return Outcome(failure="cancelled", message="aborted")
            if deadline is not None and time.monotonic() - begin > deadline:
                _end(child)
                return Outcome(failure="backoff", message=f"not ready within {deadline:g} s")
            continue
        return None


def _end(child: "subprocess.Popen[bytes]") -> None:
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        return  # it ended by itself meanwhile
    child.wait()


def _read(code: int, place: Path, said: str) -> Outcome:
    if code != 0:
        how = f"killed by signal {-code}" if code < 0 else f"exit code {code}"
        return Outcome(
            failure=_CLASSES.get(code, "fatal_run"), message=f"{how}: {said}".rstrip(": ")
        )
    output = place / "output.png"
    if not output.is_file() or not output.stat().st_size:
        return Outcome(failure="no_image", message=f"no output was written: {said}".rstrip(": "))
    if output.stat().st_size > _LIMIT_BYTES:
        return Outcome(failure="fatal_run", message="the output is larger than 512 MB")
    thoughts = place / "thoughts.txt"
    words = thoughts.read_text("utf-8", "replace") if thoughts.is_file() else ""
    return Outcome(
        image=ReceivedImage(data=output.read_bytes()),
        endpoint="this machine",
        thoughts=(words,) if words.strip() else (),
    )


def _last_words(log: Path) -> str:
    with log.open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - _LOG_BYTES))
        lines = file.read(_LOG_BYTES).decode("utf-8", "replace").strip().splitlines()
    return without_secrets(clean_line(lines[-1]))[:_SAID] if lines else ""
