"""Entry point: finds the command, loads only its module, turns failures into words and codes."""

import os
import sys
from collections.abc import Sequence

from b100tui.cli.registry import find_command, print_overview

FAILED = 1
USAGE = 2
INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code (see the command contract)."""
    words = list(sys.argv[1:] if argv is None else argv)
    _prepare_streams()
    from b100tui.model.errors import B100Error

    try:
        code = _run(words)
        sys.stdout.flush()
        return code
    except B100Error as error:
        return _tell(error.message, error.hint, error.exit_code)
    except KeyboardInterrupt:
        return _tell("interrupted; everything acknowledged is kept", "", INTERRUPTED)
    except Exception as error:
        if _was_interrupted(error):
            return _tell("interrupted; everything acknowledged is kept", "", INTERRUPTED)
        if isinstance(error, BrokenPipeError) and _reader_left():
            _forget_buffered()
            return 0
        unwritten = _unwritten() if isinstance(error, OSError) else ""
        if unwritten:
            _forget_buffered()
            what = f"the output could not be written: {unwritten}"
            return _tell(what, "free space where it is sent, or send it elsewhere", FAILED)
        return _tell_unexpected(error, words)


def _was_interrupted(error: BaseException | None) -> bool:
    """Tell whether Ctrl+C is behind `error`.

    One amid an import comes as an ImportError, one that DuckDB hears of as its own RuntimeError.
    """
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return True
        if type(error) is RuntimeError and str(error) == "Query interrupted":
            return True
        error = error.__cause__
    return False


def _prepare_streams() -> None:
    """Give closed streams a place to go, and let no letter that a locale lacks stop a command."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        elif stream.encoding.lower() != "utf-8" and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _unwritten() -> str:
    """Return why stdout does not take what is still buffered, or an empty text."""
    try:
        sys.stdout.flush()
    except OSError as error:
        return error.strerror or str(error)
    return ""


def _forget_buffered() -> None:
    """Drop what stdout still holds: nobody takes it, and Python would complain at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(words: list[str]) -> int:
    if not words or words[0] in {"-h", "--help"}:
        print_overview(sys.stdout if words else sys.stderr)
        return 0 if words else USAGE
    if words[0] in {"-V", "--version"}:
        from b100tui import __version__

        print(f"b100 {__version__}")
        return 0
    command, arguments = find_command(words)
    args = command.parse(arguments)
    if args.config and command.name != "config" and not os.path.isfile(args.config):
        from b100tui.model.errors import UsageError

        raise UsageError(f"--config {args.config}: there is no such file", "check the name")
    if args.no_color:
        os.environ["NO_COLOR"] = "1"
    from b100tui.terminal.aside import libraries_aside

    # With -v libraries may speak for themselves, but never over what the explorer draws.
    if args.verbose and command.name != "explore":
        return command.run(args)
    with libraries_aside():
        return command.run(args)


def _reader_left() -> bool:
    """Tell whether the reader of stdout has closed its end of the pipe."""
    import select

    poll = select.poll()
    try:
        poll.register(sys.stdout.fileno(), select.POLLOUT)
    except (OSError, ValueError):
        return False
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))


def _tell_unexpected(error: Exception, words: list[str]) -> int:
    from b100tui.workspace.crash import record_crash, without_secrets

    log = record_crash(error, words)
    hint = f"the log {log} says where; please report it" if log else "the log cannot be written"
    what = without_secrets(f"unexpected {type(error).__name__}: {error}")
    return _tell(what, hint, FAILED)


def _tell(message: str, hint: str, code: int) -> int:
    """Print what went wrong and the fix on stderr, cleaned; return `code`."""
    from b100tui.model.text import clean

    text = f"b100: {clean(message)}\n" + (f"  fix: {clean(hint)}\n" if hint else "")
    try:
        print(text, end="", file=sys.stderr, flush=True)
    except OSError:
        return code  # nobody can be told: the exit code still says it
    return code
