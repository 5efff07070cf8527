"""Log of unexpected exceptions, cleaned of secrets, so that a person has something to send."""

import os
import platform
import re
import traceback
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from b100tui import __version__
from b100tui.model.errors import B100Error
from b100tui.model.text import clean
from b100tui.workspace.places import make_private, state_dir

KEPT = 20
KEY_FILE = "key"  # other kinds of editors: key-openai and so on
SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)
_SECRET_SHAPE = re.compile(
    r"AIza[0-9A-Za-z_-]{20,}|sk-[0-9A-Za-z_-]{16,}|(?i:bearer\s+)[0-9A-Za-z._~+/=-]{8,}"
    r"|(?i:[?&](?:key|token|api_key)=)[^&\s'\"]+"
)
_SHORTEST_SECRET = 6


def record_crash(error: BaseException, words: Sequence[str]) -> Path | None:
    """Write the traceback of `error` to a log file of its own and return its path.

    `words` is the command line. Only the newest 20 logs are kept. Returns None where the
    state folder cannot be written: the exception itself still has to be told.
    """
    now = datetime.now(UTC)
    trace = "".join(traceback.format_exception(error))
    text = (
        f"b100 {__version__}, Python {platform.python_version()}, {platform.platform()}\n"
        f"{now.isoformat(timespec='seconds')}\ncommand: b100 {' '.join(words)}\n\n{trace}"
    )
    try:
        folder = make_private(make_private(state_dir()) / "log")
        path = folder / f"{now:%Y%m%dT%H%M%S}-{os.getpid()}.log"
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(without_secrets(clean(text)))
        for old in sorted(folder.glob("*.log"))[:-KEPT]:
            old.unlink(missing_ok=True)
    except (OSError, B100Error):
        return None
    return path


def without_secrets(text: str) -> str:
    """Return `text` with keys replaced: those of the environment, the key files, known shapes."""
    for secret in sorted(_secrets(), key=len, reverse=True):
        text = text.replace(secret, "[secret]")
    return _SECRET_SHAPE.sub("[secret]", text)


def _secrets() -> set[str]:
    found = {
        value
        for name, value in os.environ.items()
        if SECRET_NAME.search(name) and len(value) >= _SHORTEST_SECRET
    }
    try:
        files = [state_dir() / KEY_FILE, *state_dir().glob(f"{KEY_FILE}-*")]
    except OSError:
        return found
    for file in files:
        try:
            key = file.read_text(encoding="utf-8", errors="replace").strip()
        except OSError:
            continue  # what cannot be read here cannot have been used as a key either
        if len(key) >= _SHORTEST_SECRET:
            found.add(key)
    return found
