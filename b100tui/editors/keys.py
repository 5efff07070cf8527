"""Where API keys come from, and how they are kept out of everything that is written or shown."""

import os
import stat
from typing import Any
from urllib.parse import quote

from b100tui.model.errors import UsageError
from b100tui.workspace.places import state_dir

# The order is the client library's own: GOOGLE_API_KEY wins.
_VARIABLES = {"gemini": ("GOOGLE_API_KEY", "GEMINI_API_KEY"), "openai": ("OPENAI_API_KEY",)}
_FILES = {"gemini": "key", "openai": "key-openai"}
HIDDEN = "[secret]"


def find_key(kind: str, variable: str | None = None) -> str | None:
    """Return the key for editors of `kind`: environment, else the key file (mode 0600).

    Raises UsageError for a key file that others can read.
    """
    for name in (variable,) if variable else _VARIABLES.get(kind, ()):
        if value := os.environ.get(name, "").strip():
            return value
    path = state_dir() / _FILES.get(kind, f"key-{kind}")
    try:
        mode = path.stat().st_mode
        text = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return None
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise UsageError(f"key file {path} can be read by others", f"chmod 600 {path}")
    return text or None


def key_place(kind: str, variable: str | None = None) -> str:
    """Return in words where a key is looked for."""
    names = (variable,) if variable else _VARIABLES.get(kind, ())
    path = state_dir() / _FILES.get(kind, f"key-{kind}")
    return f"export {' or '.join(names)}, or put it into {path} with mode 0600"


class Hider:
    """Replaces keys in everything that came from outside."""

    def __init__(self, *keys: str | None) -> None:
        plain = {key for key in keys if key}
        self._forms = sorted(plain | {quote(key, safe="") for key in plain}, key=len, reverse=True)

    def text(self, text: str) -> str:
        """Return `text` without any key."""
        for form in self._forms:
            text = text.replace(form, HIDDEN)
        return text

    def value(self, value: Any) -> Any:
        """Return a JSON-like value without any key, names of fields included."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.value(key): self.value(inner) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return type(value)(self.value(inner) for inner in value)
        return value

    def is_in(self, data: bytes) -> bool:
        """Say whether a key stands inside `data`."""
        return any(form.encode() in data for form in self._forms)
