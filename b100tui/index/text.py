"""Builds the text index of a generation beside it: words of prompts and reasoning summaries."""

import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from b100tui.index import generation as files
from b100tui.index.tables import append, statement
from b100tui.model.errors import StoreError
from b100tui.workspace.atomic import write_atomic
from b100tui.workspace.locks import hold
from b100tui.workspace.places import cache_dir

if TYPE_CHECKING:
    from b100tui.index.tables import Connection

CONTENT = "content.json"
PROMPT = -1  # the section number that stands for the prompt
HEAP_BYTES = 64_000_000
FETCH = 2000
_NAMES = ("image", "setting", "recipe", "editor", "model")


def schema() -> Any:
    """Return the tantivy schema: one document is one section, or one prompt."""
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_text_field("id", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("place", tokenizer_name="raw", index_option="basic")
    for name in ("run", *_NAMES):
        builder.add_text_field(name, tokenizer_name="default")
    builder.add_integer_field("step", stored=True, indexed=True)
    builder.add_integer_field("section", stored=True, indexed=True)
    for name in ("title", "text", "prompt"):
        builder.add_text_field(name, stored=True, tokenizer_name="default")
    return builder.build()


def place_of(run: str, step: int) -> str:
    """Return the term that names one step of one run."""
    return f"{run}\n{step}"


def newest_text(cache: Path) -> tuple[int, Path] | None:
    """Return number and folder of the newest finished text index, or None."""
    for generation in reversed(files.generations(cache)):
        folder = files.search_path(cache, generation)
        if (folder / CONTENT).exists():
            return generation, folder
    return None


def read_content(folder: Path) -> dict[str, str]:
    """Return run -> digest of the texts a finished text index holds. Raises StoreError."""
    try:
        return msgspec.json.decode((folder / CONTENT).read_bytes(), type=dict[str, str])
    except (OSError, msgspec.DecodeError) as error:
        raise StoreError(
            f"the text index {folder} cannot be read: {error}", "b100 index --rebuild"
        ) from error


def build_text(root: Path, *, wait_seconds: float = 600.0) -> int:
    """Bring the text index up to the newest generation; return how many documents were written.

    Only runs whose texts changed are written again. Readers keep what they have meanwhile.
    Raises StoreError when it cannot be written, LockHeldError when another one is at it.
    """
    cache = cache_dir(root)
    with hold(cache / "text.lock", f"text-indexing {root}", wait_seconds=wait_seconds):
        for leftover in cache.glob(f"{files.TEXT_IN_WORK}*"):
            shutil.rmtree(leftover, ignore_errors=True)
        while True:
            generation = files.newest(cache)
            before = newest_text(cache)
            if generation is None or (before is not None and before[0] == generation):
                return 0
            try:
                return _build(cache, generation, before[1] if before else None)
            except StoreError:
                # A builder may have swept what this one rested on: then there is newer work.
                if files.newest(cache) == generation:
                    raise


def _build(cache: Path, generation: int, before: Path | None) -> int:
    temporary = cache / f"{files.TEXT_IN_WORK}{os.getpid()}"
    try:
        temporary.mkdir(mode=0o700)
        written = _write(cache, generation, before, temporary)
        final = files.search_path(cache, generation)
        shutil.rmtree(final, ignore_errors=True)
        os.replace(temporary, final)
    except OSError as error:
        raise StoreError(
            f"the text index in {cache} could not be written: {error.strerror}",
            "free space, or point B100_CACHE_DIR elsewhere; search scans the texts meanwhile",
        ) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return written


def _write(cache: Path, generation: int, before: Path | None, folder: Path) -> int:
    import duckdb
    import tantivy

    known: dict[str, str] = {}
    if before is not None:
        known = read_content(before)
        _link(before, folder)
    try:
        con = duckdb.connect(
            str(files.database_path(cache, generation)),
            read_only=True,
            config={
                "threads": "1",
                "memory_limit": "512MB",
                **files.spilling(cache),
            },
        )
    except duckdb.Error as error:
        raise StoreError(
            f"generation {generation} could not be opened: {error}", "b100 index builds it anew"
        ) from error
    try:
        now = dict(con.execute(statement("text_digests")).fetchall())
        stale = [run for run in {*known, *now} if known.get(run) != now.get(run)]
        con.execute("CREATE TEMP TABLE stale (run VARCHAR)")
        append(con, "stale", ((run,) for run in stale))
        try:
            index = tantivy.Index(schema(), path=str(folder), reuse=before is not None)
            writer = index.writer(heap_size=HEAP_BYTES, num_threads=1)
            for run in stale:
                if run in known:
                    writer.delete_documents_by_term("id", run)
            written = _add(writer, _rows(con))
            writer.commit()
            writer.wait_merging_threads()
        except ValueError as error:  # what the engine raises for every failure of its own
            raise StoreError(
                f"the text index could not be written: {error}", "free space, then b100 index"
            ) from error
    finally:
        con.close()
    write_atomic(folder / CONTENT, msgspec.json.encode(now), durable=False)
    return written


def _rows(con: "Connection") -> Iterator[tuple[Any, ...]]:
    result = con.execute(statement("text_rows"))
    while rows := result.fetchmany(FETCH):
        yield from rows


def _add(writer: Any, rows: Iterable[tuple[Any, ...]]) -> int:
    import tantivy

    count = 0
    for run, image, setting, recipe, editor, model, step, section, title, text in rows:
        document = tantivy.Document()
        document.add_text("id", run)
        document.add_text("place", place_of(run, step))
        document.add_text("run", run)
        for name, value in zip(_NAMES, (image, setting, recipe, editor, model), strict=True):
            if value:
                document.add_text(name, value)
        document.add_integer("step", step)
        document.add_integer("section", section)
        if section == PROMPT:
            document.add_text("prompt", text)
        else:
            document.add_text("title", title)
            document.add_text("text", text)
        writer.add_document(document)
        count += 1
    return count


def _link(before: Path, folder: Path) -> None:
    """Take over an older text index: its segments never change, so links do; the rest is copied."""
    for path in before.iterdir():
        if path.name == CONTENT or path.suffix == ".lock":
            continue
        if path.suffix == ".json":
            shutil.copyfile(path, folder / path.name)
        else:
            os.link(path, folder / path.name)
