"""Finds out whether anything changed, and what: stamps of files, signatures of steps."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from b100tui import __version__
from b100tui.index.generation import SCHEMA, database_path, newest, stamps_path
from b100tui.index.rows import IndexReport
from b100tui.index.tables import statement
from b100tui.model.scan import Scan, SourceRun, SourceStep
from b100tui.workspace.parts import part_files
from b100tui.workspace.places import workspace_dirs

KINDS = ("scores", "verdicts", "marks")
_ENCODE = msgspec.msgpack.Encoder()


class Seen(Struct, frozen=True):
    """What a generation was built from, and what its building reported."""

    digest: str
    report: IndexReport


def basis() -> str:
    """Return what, besides the files, a generation depends on.

    The release, the definitions of the tables and the metric registry: where one differs, a
    generation is not refreshed but built anew.
    """
    from b100tui.metrics.registry import metrics

    definitions = [statement(name) for name in ("schema", "derive", "summary")]
    facts = (SCHEMA, __version__, definitions, metrics())
    return hashlib.blake2b(_ENCODE.encode(facts), digest_size=16).hexdigest()


def parts_of(root: Path) -> dict[Path, tuple[str, int, int]]:
    """Return part path -> (kind, bytes, mtime_ns) of every record file about `root`."""
    found: dict[Path, tuple[str, int, int]] = {}
    folders = workspace_dirs(root)
    for kind in KINDS:
        for path in part_files(folders, kind):
            try:
                facts = path.stat()
            except FileNotFoundError:  # removed between listing and looking
                continue
            found[path] = (kind, facts.st_size, facts.st_mtime_ns)
    return found


def digest_of(root: Path, stamps: Mapping[str, tuple[int, int]], mapping: Path | None) -> str:
    """Return one hash over every stamp that decides what an index of `root` holds."""
    total = hashlib.blake2b(basis().encode(), digest_size=16)
    names = (
        f"{path}\0{stamps[path]}\n"
        for path in sorted(stamps)
        if not path.startswith(".b100/") or path == ".b100/mapping.toml"
    )
    total.update("".join(names).encode("utf-8", "surrogateescape"))
    for path, facts in sorted(parts_of(root).items()):
        total.update(f"{path}\0{facts}\n".encode("utf-8", "surrogateescape"))
    if mapping is not None:
        try:
            total.update(mapping.read_bytes())
        except OSError:  # the scan says why it cannot be read
            total.update(b"?")
    return total.hexdigest()


def unchanged_report(cache: Path, digest: str) -> IndexReport | None:
    """Return the newest generation's report if it was built from just these stamps."""
    generation = newest(cache)
    if generation is None or not database_path(cache, generation).exists():
        return None
    try:
        seen = msgspec.json.decode(stamps_path(cache, generation).read_bytes(), type=Seen)
    except (OSError, msgspec.DecodeError):
        return None
    return seen.report if seen.digest == digest else None


def step_signature(step: SourceStep, scan: Scan) -> str:
    """Return a hash over all that the scan knows of a step, stamps of its files included."""
    reasoning = scan.stamps.get(step.reasoning) if step.reasoning else None
    try:
        told = _ENCODE.encode((step, reasoning))
    except OverflowError:  # a foreign number of more than 64 bits
        told = repr((step, reasoning)).encode()
    return hashlib.blake2b(told, digest_size=12).hexdigest()


def run_signature(run: SourceRun) -> str:
    """Return a hash over what the scan knows of a run itself, its steps aside."""
    return hashlib.blake2b(
        _ENCODE.encode((run.run, run.folder, run.duplicates)), digest_size=12
    ).hexdigest()
