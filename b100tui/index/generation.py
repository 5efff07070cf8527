"""Numbered, immutable generations of the index in the cache folder of a ROOT.

Knows names and the order of writing; opens no database and imports none.
"""

import os
import re
import shutil
from pathlib import Path

from b100tui.model.errors import StoreError

SCHEMA = 1
KEEP = 2
SPILL_LIMIT = "2GB"
TEXT_IN_WORK = "building-search-"  # the text builder's own, under a lock of its own
_DATABASE = re.compile(r"index-(\d+)-(\d+)\.duckdb")
_BESIDE = re.compile(r"(?:first|stamps|search)-(\d+)(?:\.json)?")


def database_path(cache: Path, generation: int) -> Path:
    """Return the path of a generation's database."""
    return cache / f"index-{SCHEMA}-{generation:06d}.duckdb"


def first_path(cache: Path, generation: int) -> Path:
    """Return the path of a generation's run-list snapshot."""
    return cache / f"first-{generation:06d}.json"


def stamps_path(cache: Path, generation: int) -> Path:
    """Return the path of what a generation was built from, to see whether anything changed."""
    return cache / f"stamps-{generation:06d}.json"


def search_path(cache: Path, generation: int) -> Path:
    """Return the folder of a generation's text index."""
    return cache / f"search-{generation:06d}"


def lock_path(cache: Path) -> Path:
    """Return the lock that the one builder holds."""
    return cache / "build.lock"


def generations(cache: Path) -> list[int]:
    """Return the published generations of this schema, oldest first."""
    found = (_DATABASE.fullmatch(name) for name in _names(cache))
    return sorted(int(hit[2]) for hit in found if hit and int(hit[1]) == SCHEMA)


def _names(cache: Path) -> list[str]:
    try:
        return os.listdir(cache)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise StoreError(
            f"cannot list {cache}: {error.strerror}", "point B100_CACHE_DIR elsewhere"
        ) from error


def newest(cache: Path) -> int | None:
    """Return the newest published generation, or None."""
    have = generations(cache)
    return have[-1] if have else None


def publish(temporary: Path, cache: Path, generation: int) -> Path:
    """Make a finished database read-only, durable and visible by one rename; return its path."""
    from b100tui.workspace.atomic import sync_folder

    final = database_path(cache, generation)
    try:
        handle = os.open(temporary, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
        os.chmod(temporary, 0o444)
        os.replace(temporary, final)
        sync_folder(cache)
    except OSError as error:
        raise StoreError(
            f"cannot publish {final}: {error.strerror}",
            "free space, or point B100_CACHE_DIR elsewhere",
        ) from error
    return final


def sweep(cache: Path) -> None:
    """Remove all but the last generations with what belongs to them, and leftovers of builders.

    Only the builder that holds the lock calls this. Processes that still read a removed file
    keep it until they let go.
    """
    kept = set(generations(cache)[-KEEP:])
    for name in _names(cache):
        path = cache / name
        database, beside = _DATABASE.fullmatch(name), _BESIDE.fullmatch(name)
        number = int(database[2]) if database else int(beside[1]) if beside else None
        if database and int(database[1]) != SCHEMA:
            if int(database[1]) < SCHEMA:
                _remove(path)
        elif (number is not None and number not in kept) or _left_over(name):
            _remove(path)


def spilling(cache: Path) -> dict[str, str]:
    """Return DuckDB settings that bound what spills to disk, in a folder of this process.

    Folders of processes that were killed are removed first: DuckDB leaves their files, which
    can be many gigabytes.
    """
    for folder in cache.glob("spill-*"):
        number = folder.name.removeprefix("spill-")
        if number.isdecimal() and int(number) != os.getpid() and not _runs(int(number)):
            _remove(folder)
    return {
        "temp_directory": str(cache / f"spill-{os.getpid()}"),
        "max_temp_directory_size": SPILL_LIMIT,
    }


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _left_over(name: str) -> bool:
    return name.startswith("building-") and not name.startswith(TEXT_IN_WORK)


def set_aside(cache: Path, generation: int) -> Path:
    """Move an unusable generation out of the way, for a look; only the last one is kept."""
    aside = cache / "aside"
    try:
        if aside.exists():
            shutil.rmtree(aside)
        aside.mkdir(mode=0o700)
        for path in (
            database_path(cache, generation),
            first_path(cache, generation),
            stamps_path(cache, generation),
            search_path(cache, generation),
        ):
            if path.exists():
                os.replace(path, aside / path.name)
    except OSError as error:
        raise StoreError(
            f"cannot move the unusable index {database_path(cache, generation)} aside: "
            f"{error.strerror}",
            f"delete {cache}; nothing in it is lost for good",
        ) from error
    return aside


def _remove(path: Path) -> None:
    try:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(
            f"cannot remove the old {path}: {error.strerror}", f"make {path.parent} writable"
        ) from error
