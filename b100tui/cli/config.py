"""`b100 config path|show|edit`: where the settings are, what holds and why, and changing them."""

import argparse
import os
import shlex
import sys

from b100tui.cli.output import add_json, emit_json
from b100tui.model.errors import B100Error, StoreError, UsageError

EPILOG = """examples:
  b100 config show
  b100 config show --json
  B100_THEME=light b100 config show

A flag wins over the environment (B100_THEME, B100_SCORE_PYTHON, ...), that wins over the
file, that over the default."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `b100 config`."""
    parser.epilog = EPILOG
    parser.add_argument(
        "action",
        nargs="?",
        choices=("path", "show", "edit"),
        default="show",
        help="path: print the file's place; show: every setting and its origin (default); "
        "edit: open the file in $VISUAL or $EDITOR",
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Run `b100 config`."""
    from b100tui.workspace import settings

    path = settings.settings_path(args.config)
    if args.action == "path":
        if args.json:
            emit_json({"path": str(path), "exists": path.exists()})
        else:
            print(path)
        return 0
    if args.action == "edit":
        return _edit(args.config)
    loaded = settings.load_with_origins(args.config)
    if args.json:
        emit_json({"path": str(path), "exists": path.exists(), "settings": loaded.origins})
        return 0
    print(f"# {path}{'' if path.exists() else ' (does not exist yet: b100 config edit makes it)'}")
    width = max(len(origin.key) for origin in loaded.origins)
    for origin in loaded.origins:
        shown = "unset" if origin.value in (None, "", {}) else origin.value
        print(f"{origin.key:<{width}}  {shown!s:<8}  {origin.origin:<9}  {origin.about}")
    return 0


def _edit(config: str | None) -> int:
    import subprocess

    from b100tui.terminal.aside import stderr_for_child
    from b100tui.workspace import settings
    from b100tui.workspace.atomic import write_atomic
    from b100tui.workspace.places import make_private

    path = settings.settings_path(config)
    command = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi")
    if not path.exists():
        make_private(path.parent)
        write_atomic(path, settings.template().encode())
    try:
        words = [*command, str(path)]
        code = subprocess.run(words, stderr=stderr_for_child(), check=False).returncode
    except OSError as error:
        raise StoreError(
            f"cannot start the editor {command[0]!r}: {error.strerror}",
            f"set EDITOR, or change {path} by hand",
        ) from error
    if code:
        raise StoreError(f"the editor {command[0]!r} left with code {code}", f"look at {path}")
    try:
        settings.load(str(path))
    except B100Error as error:
        raise UsageError(error.message, error.hint or "b100 config edit opens it again") from error
    print(f"{path} can be read", file=sys.stderr)
    return 0
