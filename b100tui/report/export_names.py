"""Names of what goes out: folders for run ids that any file system takes, and extensions."""

import hashlib
import re

_UNSAFE = re.compile(r'[\x00-\x1f\x7f<>:"\\|?*\ud800-\udfff\uef80-\uefff]')
# Folders that a scan passes over, and names that Windows keeps for itself.
_TAKEN = frozenset(
    {
        *("__pycache__", "node_modules", "__macosx", "con", "prn", "aux", "nul"),
        *("drafts", "orphans", "thumbs.db", "desktop.ini"),
    }
)
_LONGEST = 100
EXTENSIONS = {
    "png": "png",
    "jpeg": "jpg",
    "webp": "webp",
    "gif": "gif",
    "tiff": "tiff",
    "bmp": "bmp",
}
MIMES = {name: f"image/{name}" for name in EXTENSIONS}


class Folders:
    """Gives each run id a folder of its own: its parts made safe, equal ones told apart."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def of(self, run: str) -> str:
        """Return the relative folder of a run; it may lie inside that of another one."""
        name = "/".join(_safe(part) for part in run.split("/") if part) or "run"
        number, free = 1, name
        while free.casefold() in self._taken:
            number += 1
            free = f"{name}~{number}"
        self._taken.add(free.casefold())
        return free


def _safe(part: str) -> str:
    name = _UNSAFE.sub("_", part).strip(" ").rstrip(".")
    if not name or name.startswith(".") or name.casefold() in _TAKEN:
        name = f"_{name.lstrip('.')}"
    if len(name.encode()) > _LONGEST:
        mark = hashlib.sha256(part.encode("utf-8", "surrogatepass")).hexdigest()[:12]
        name = f"{name.encode()[: _LONGEST - 13].decode(errors='ignore')}-{mark}"
    return name
