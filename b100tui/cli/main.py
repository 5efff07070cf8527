"""Entry point: finds the command, loads only its module, turns named errors into words."""

import sys
from collections.abc import Sequence

from b100tui.cli.registry import find_command, print_overview

USAGE = 2
INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code (see the command contract)."""
    words = list(sys.argv[1:] if argv is None else argv)
    from b100tui.model.errors import B100Error

    try:
        if not words or words[0] in {"-h", "--help"}:
            print_overview()
            return 0 if words else USAGE
        if words[0] in {"-V", "--version"}:
            from b100tui import __version__

            print(f"b100 {__version__}")
            return 0
        command, arguments = find_command(words)
        return command.run(command.parse(arguments))
    except B100Error as error:
        print(f"b100: {error.message}", file=sys.stderr)
        if error.hint:
            print(f"  fix: {error.hint}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("b100: interrupted; everything acknowledged is kept", file=sys.stderr)
        return INTERRUPTED
