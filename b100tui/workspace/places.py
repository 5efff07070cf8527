"""Where things live: cache, state, config, and the workspace of a ROOT."""

import hashlib
import os
from pathlib import Path

from b100tui.model.errors import RootError, StoreError

_APP = "b100"


def config_dir() -> Path:
    """Return the user's config folder (may not exist yet); B100_CONFIG_DIR overrides it."""
    return _place("B100_CONFIG_DIR", "user_config_path")


def state_dir() -> Path:
    """Return the user's state folder: ledger, last used root, key file, logs."""
    return _place("B100_STATE_DIR", "user_state_path")


def data_home() -> Path:
    """Return the user's data folder: records about roots that cannot be written, the demo."""
    return _place("B100_DATA_DIR", "user_data_path")


def cache_home() -> Path:
    """Return the user's cache folder; everything below it may be deleted at will."""
    return _place("B100_CACHE_DIR", "user_cache_path")


def cache_dir(root: Path) -> Path:
    """Return the cache folder of `root`, made on demand with mode 0700.

    Raises StoreError when it cannot be made.
    """
    return make_private(make_private(cache_home()) / _key(root))


def workspace_dir(root: Path) -> Path:
    """Return where b100's own records about `root` go (may not exist yet).

    `ROOT/.b100` where ROOT is writable or already holds it, else the user's data folder under
    a hash of ROOT.
    """
    inside = root / ".b100"
    return inside if _takes_files(inside if inside.is_dir() else root) else data_home() / _key(root)


def _takes_files(folder: Path) -> bool:
    """Whether `folder` may be written to.

    One without any write bit was closed on purpose: that holds for root too, whom the
    system would let through.
    """
    try:
        marked = folder.stat().st_mode & 0o222
    except OSError:
        return False
    return bool(marked) and os.access(folder, os.W_OK)


def workspace_dirs(root: Path) -> list[Path]:
    """Return every existing folder that may hold records about `root` (readers read all)."""
    beside = data_home() / _key(root)
    return [folder for folder in (root / ".b100", beside) if folder.is_dir()]


def make_private(folder: Path) -> Path:
    """Make `folder` with mode 0700 and return it; StoreError with the fix where that fails."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise StoreError(
            f"cannot make {folder}: {error.strerror}",
            "free space or point XDG_CACHE_HOME, XDG_STATE_HOME or B100_CACHE_DIR elsewhere",
        ) from error
    return folder


def resolve_root(given: str | os.PathLike[str]) -> Path:
    """Return the absolute folder meant by `given`.

    Raises RootError when it does not exist, is no folder, or may not be listed.
    """
    root = Path(os.path.abspath(os.path.expanduser(given)))
    try:
        there = root.exists()
    except OSError as error:
        raise RootError(
            f"{root} may not be reached: {error.strerror}", "check its name and the folders above"
        ) from error
    if not there:
        raise RootError(f"{root} does not exist", "name a folder of runs, or try b100 demo DIR")
    if not root.is_dir():
        raise RootError(f"{root} is a file", "name the folder that holds the runs")
    if not os.access(root, os.R_OK | os.X_OK):
        raise RootError(f"{root} may not be read", f"ask for read permission on {root}")
    return root


def remember_root(root: Path) -> bool:
    """Store `root` as the last used one; reading commands default to it.

    False where the state folder cannot be written: reading goes on, and the next command
    asks for its ROOT.
    """
    from b100tui.workspace.atomic import write_atomic

    try:
        write_atomic(make_private(state_dir()) / "last-root", os.fsencode(root) + b"\n")
    except StoreError:
        return False
    return True


def last_root() -> Path | None:
    """Return the last used root if it still exists."""
    path = remembered_root()
    try:
        return path if path is not None and path.is_dir() else None
    except (OSError, ValueError):
        return None


def remembered_root() -> Path | None:
    """Return the last used root, whether or not it still exists."""
    try:
        text = (state_dir() / "last-root").read_bytes()
        path = Path(os.fsdecode(text.rstrip(b"\n")))
        return path if path.is_absolute() else None
    except (OSError, ValueError):
        return None


def _place(variable: str, default: str) -> Path:
    """Return the folder that `variable` names, else what platformdirs says under `default`."""
    if given := os.environ.get(variable):
        return Path(given)
    import platformdirs

    return Path(getattr(platformdirs, default)(_APP))


def _key(root: Path) -> str:
    real = os.path.realpath(root)
    tail = "".join(c if c.isalnum() else "-" for c in os.path.basename(real))[:24]
    return f"{tail}-{hashlib.sha256(os.fsencode(real)).hexdigest()[:16]}"
