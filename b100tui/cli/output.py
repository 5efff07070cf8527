"""What commands print: one JSON document or JSON lines on stdout, narration on stderr."""

import argparse
import math
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from b100tui.model.errors import RootError, UsageError
from b100tui.model.text import clean


def add_json(parser: argparse.ArgumentParser, *, lines: bool = False) -> None:
    """Add `--json`, and `--jsonl` where a list may be long."""
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    if lines:
        parser.add_argument("--jsonl", action="store_true", help="one JSON object a line")


def emit_json(value: Any) -> None:
    """Print one JSON document in UTF-8; NaN and infinities become null."""
    import msgspec

    text = msgspec.json.encode(_finite(msgspec.to_builtins(value))).decode()
    if (sys.stdout.encoding or "utf-8").lower() != "utf-8" and not text.isascii():
        import json

        text = json.dumps(json.loads(text))  # letters escaped: the same in every encoding
    sys.stdout.write(text + "\n")


def emit_jsonl(values: Iterable[Any]) -> None:
    """Print one JSON object a line."""
    for value in values:
        emit_json(value)


def narrate(text: str) -> None:
    """Print cleaned narration on stderr."""
    print(clean(text), file=sys.stderr)


def one_blas_thread() -> None:
    """Keep numpy's linear algebra on one thread; call it before numpy is first imported.

    The analyses multiply many small matrices: more threads only wait for each other, the
    longer the busier the machine is. Torch, in a worker, takes its threads from elsewhere.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def reading_root(args: argparse.Namespace, positional: str | None = None) -> Path:
    """Return ROOT for a reading command: argument, --root, B100_ROOT, else the last used one.

    Raises UsageError when none is known, RootError when it cannot be read.
    """
    from b100tui.workspace.places import remembered_root, resolve_root

    given = positional or args.root or os.environ.get("B100_ROOT")
    if given:
        return resolve_root(given)
    root = remembered_root()
    if root is None:
        raise UsageError("no folder of runs is known", "name one: b100 runs ROOT, or --root ROOT")
    try:
        return resolve_root(root)
    except RootError as error:
        raise RootError(
            f"{error.message}; it is the folder that was used last",
            "name another: b100 runs ROOT, or --root ROOT",
        ) from error


def writing_root(args: argparse.Namespace) -> Path:
    """Return ROOT for a writing command: --root, B100_ROOT, or a known root around the cwd.

    Raises UsageError otherwise, so that work never lands in the last used root by accident.
    """
    from b100tui.workspace.places import last_root, resolve_root

    given = args.root or os.environ.get("B100_ROOT")
    if given:
        return resolve_root(given)
    here = Path.cwd()
    last = last_root()
    for folder in (here, *here.parents):
        if (folder / ".b100").is_dir() or folder == last:
            return folder
    raise UsageError(
        "a writing command needs its folder of runs", "add --root ROOT, or run it inside the root"
    )


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return value
