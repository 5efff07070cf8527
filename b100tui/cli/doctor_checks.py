"""The checks of `b100 doctor`; each looks at one thing and costs only itself."""

import locale
import os
import platform
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec import Struct

from b100tui import __version__
from b100tui.model.errors import B100Error
from b100tui.model.text import clean_line
from b100tui.workspace import places, settings
from b100tui.workspace.crash import KEY_FILE

KEY_VARIABLES = ("GOOGLE_API_KEY", "GEMINI_API_KEY")
LEAST_FREE = 1024**3  # an index with previews of a few thousand steps fits in 1 GB
TMUX_SECONDS = 2.0
STDOUT = 1
TRUE_COLOUR = 1 << 24
MANY_COLOURS = 256
PROBE_SECONDS = 1.0
MOST_REASONS = 3
ASKED_JUDGE = "gemini-3-flash"  # the least that a key of the image editors can pay for
GRAPHICS = {
    "kitty": "Kitty graphics",
    "sixel": "sixel",
    "iterm": "iTerm2 inline images",
    "half": "half blocks",
    "text": "no pictures",
}


class Check(Struct, frozen=True):
    """One finding: `found` says what is there, `fix` what to do (empty when nothing is)."""

    id: str
    ok: bool
    found: str
    fix: str = ""


def all_checks(root: str | None, config: str | None, *, paid: bool) -> list[Check]:
    """Return every check in the order they are shown; a check that breaks says so itself."""
    asked: list[tuple[str, Callable[[], Iterator[Check]]]] = [
        ("python", _python),
        ("version", _version),
        ("settings", lambda: _settings(config)),
        ("tty", _tty),
        ("graphics", lambda: _graphics(config)),
        ("locale", _locale),
        ("tmux", _tmux),
        ("places", _places),
        ("root", lambda: _root(root)),
        ("metrics", lambda: _metrics(config)),
        ("gpu", _gpu),
        ("keys", _keys),
    ]
    if paid:
        asked.append(("paid", _paid))
    checks: list[Check] = []
    for name, ask in asked:
        try:
            checks += ask()
        except B100Error as error:
            checks.append(Check(name, False, clean_line(error.message), clean_line(error.hint)))
        except (OSError, subprocess.SubprocessError) as error:
            checks.append(Check(name, False, clean_line(str(error)), "see the message"))
    return checks


def _python() -> Iterator[Check]:
    found = f"Python {platform.python_version()} at {sys.executable}"
    yield Check("python", True, found)


def _version() -> Iterator[Check]:
    yield Check("version", True, f"b100 {__version__}")


def _settings(config: str | None) -> Iterator[Check]:
    loaded = settings.load_with_origins(config)
    changed = sum(origin.origin != "default" for origin in loaded.origins)
    there = "" if loaded.path.exists() else " (not there: defaults hold)"
    yield Check("settings", True, f"{loaded.path}{there}, {changed} changed")


def _tty() -> Iterator[Check]:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        yield Check(
            "tty",
            False,
            "stdin or stdout is not a terminal",
            "run b100 doctor without a pipe to check the terminal; b100 runs works in one",
        )
        return
    size = os.get_terminal_size(STDOUT)
    fits = size.columns >= 80 and size.lines >= 24
    yield Check(
        "tty",
        fits,
        f"{os.environ.get('TERM', 'no TERM')}, {size.columns}x{size.lines} cells",
        ""
        if fits
        else "make the window at least 80x24 cells (it may say its size wrong: stty size)",
    )
    yield _cell_size()


def _cell_size() -> Check:
    import fcntl
    import struct
    import termios

    answer = fcntl.ioctl(STDOUT, termios.TIOCGWINSZ, bytes(8))
    lines, columns, width, height = struct.unpack("HHHH", answer)
    if not (lines and columns and width and height):
        return Check(
            "cell-size",
            False,
            "the terminal does not report its size in pixels",
            "nothing to do for half blocks; sixel and iTerm pictures may be scaled",
        )
    return Check("cell-size", True, f"{width / columns:.1f} x {height / lines:.1f} pixels a cell")


def _graphics(config: str | None) -> Iterator[Check]:
    from b100tui.terminal.probe import probe_terminal

    wanted = settings.load(config).graphics
    facts = probe_terminal(graphics=wanted, wait=PROBE_SECONDS, output_fd=STDOUT)
    name = f" in {clean_line(facts.name)}" if facts.name else ""
    found = f"{GRAPHICS[facts.graphics]}{name}: {clean_line(facts.reason)}"
    yield Check(
        "graphics",
        facts.graphics != "text",
        found,
        "" if facts.graphics not in {"half", "text"} else "b100 help terminal says what is sharper",
    )
    yield colours_check(facts.colours)


def colours_check(depth: int) -> Check:
    """Return how many colours (2, 16, 256 or 2**24) the terminal has, with the fix for few."""
    if "NO_COLOR" in os.environ:
        return Check("colours", True, "off, because NO_COLOR is set", "unset NO_COLOR for colours")
    if depth >= TRUE_COLOUR:
        return Check("colours", True, "24-bit")
    term = os.environ.get("TERM") or "unset"
    if depth >= MANY_COLOURS:
        return Check(
            "colours",
            True,
            f"256 (TERM={term})",
            "export COLORTERM=truecolor if your terminal has 24-bit colour (SSH drops it)",
        )
    return Check(
        "colours",
        False,
        f"16 or fewer (TERM={term})",
        "set TERM=xterm-256color, inside tmux: set -g default-terminal tmux-256color",
    )


def _locale() -> Iterator[Check]:
    name = locale.setlocale(locale.LC_CTYPE, "") or "C"
    encoding = locale.getpreferredencoding(False)
    ok = encoding.lower().replace("-", "") == "utf8"
    fix = "" if ok else "export LC_ALL=C.UTF-8 (or another UTF-8 locale of yours)"
    yield Check("locale", ok, f"{name}, {encoding}", fix)


def _tmux() -> Iterator[Check]:
    if not os.environ.get("TMUX"):
        yield Check("tmux", True, "not inside tmux")
        return
    version = _tmux_says("-V")
    yield Check("tmux", True, version)
    passthrough = _tmux_says("show", "-gv", "allow-passthrough")
    yield Check(
        "tmux-passthrough",
        passthrough in {"on", "all"},
        f"allow-passthrough {passthrough or 'unknown'}",
        "" if passthrough in {"on", "all"} else "in tmux.conf: set -g allow-passthrough on",
    )
    features = _tmux_says("display", "-p", "#{client_termfeatures}")
    yield Check(
        "tmux-rgb",
        "RGB" in features,
        f"client features: {features or 'unknown'}",
        "" if "RGB" in features else "in tmux.conf: set -ga terminal-features ',*:RGB'",
    )


def _tmux_says(*words: str) -> str:
    done = subprocess.run(
        ["tmux", *words], capture_output=True, text=True, timeout=TMUX_SECONDS, check=False
    )
    return clean_line(done.stdout)


def _places() -> Iterator[Check]:
    for name, folder, variable in (
        ("cache", places.cache_home(), "B100_CACHE_DIR"),
        ("state", places.state_dir(), "B100_STATE_DIR"),
        ("config", places.config_dir(), "B100_CONFIG_DIR"),
    ):
        yield _place(name, folder, f"point {variable} at a folder that you may write")


def _place(name: str, folder: Path, fix: str) -> Check:
    standing = next(there for there in (folder, *folder.parents) if there.exists())
    if not os.access(standing, os.W_OK | os.X_OK):
        return Check(name, False, f"{folder} may not be written", fix)
    free = shutil.disk_usage(standing).free
    enough = free >= LEAST_FREE
    return Check(
        name, enough, f"{folder}, {free / 1e9:.1f} GB free", "" if enough else "free some space"
    )


def _root(given: str | None) -> Iterator[Check]:
    named = given or os.environ.get("B100_ROOT")
    root = places.resolve_root(named) if named else places.last_root()
    if root is None:
        yield Check("root", True, "none used yet", "b100 explore FOLDER, or b100 explore --demo")
        return
    yield Check("root", True, str(root))
    folder = places.workspace_dir(root)
    where = "inside the folder of runs" if folder.parent == root else "beside it: it is read-only"
    check = _place("workspace", folder, "point B100_DATA_DIR at a folder that you may write")
    yield Check(check.id, check.ok, f"{check.found}, {where}", check.fix)
    yield _index(root)


def _index(root: Path) -> Check:
    from b100tui.index.snapshot import read_first

    first = read_first(root)
    if first is None:
        return Check("index", True, "none yet", "the first command that needs one builds it")
    size = f"{first.total_runs} runs, {first.total_steps} steps, {first.total_metrics} metrics"
    return Check("index", True, f"generation {first.generation}: {size}")


def _metrics(config: str | None) -> Iterator[Check]:
    from b100tui.metrics.preflight import check
    from b100tui.metrics.registry import metrics

    python = settings.load(config).score.python
    answers = check([metric.id for metric in metrics()], python)
    groups: dict[str, list[bool]] = {}
    reasons: dict[tuple[str, str], int] = {}
    for metric in metrics():
        answer = answers[metric.id]
        groups.setdefault(metric.backend, []).append(answer.ready)
        if not answer.ready and metric.backend == "pyiqa":
            why = (clean_line(answer.reason), clean_line(answer.fix))
            reasons[why] = reasons.get(why, 0) + 1
    yield Check(
        "metrics",
        any(groups.get("probes", ())),
        ", ".join(f"{name} {sum(ready)} of {len(ready)}" for name, ready in groups.items()),
        "b100 metrics says what each of the others needs",
    )
    there = python or "this Python"
    if not reasons:
        yield Check("pyiqa", True, f"all its metrics are ready in {there}")
        return
    for (reason, fix), count in sorted(reasons.items(), key=lambda one: -one[1])[:MOST_REASONS]:
        # Without pyiqa the probes work all the same: a hint, not a failure.
        absent = "not installed" in reason and not python
        yield Check("pyiqa", absent, f"{count} of its metrics: {reason}", fix)


def _gpu() -> Iterator[Check]:
    import pynvml

    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        yield Check(
            "gpu",
            True,
            f"no NVIDIA GPU to see ({clean_line(str(error))})",
            "probes need none; learned metrics are slow without one",
        )
        return
    try:
        for index in range(pynvml.nvmlDeviceGetCount()):
            handle = pynvml.nvmlDeviceGetHandleByIndex(index)
            name = pynvml.nvmlDeviceGetName(handle)
            memory = pynvml.nvmlDeviceGetMemoryInfo(handle)
            found = f"{name}, {memory.free / 1e9:.0f} of {memory.total / 1e9:.0f} GB free"
            yield Check(f"gpu-{index}", True, found)
    except pynvml.NVMLError as error:
        yield Check("gpu", False, clean_line(str(error)), "run nvidia-smi and mend what it names")
    finally:
        pynvml.nvmlShutdown()


def _keys() -> Iterator[Check]:
    yield key_check(places.state_dir() / KEY_FILE)


def key_check(file: Path) -> Check:
    """Return where an API key comes from, never the key; a key file others can read fails."""
    found = [f"{name} is set" for name in KEY_VARIABLES if os.environ.get(name)]
    if len(found) > 1:
        found[-1] += f" too ({KEY_VARIABLES[0]} wins)"
    if file.is_file():
        mode = stat.S_IMODE(file.stat().st_mode)
        if mode & 0o077:
            return Check(
                "api-key",
                False,
                f"{file} can be read by others (mode {mode:04o})",
                f"chmod 600 {file}",
            )
        found.append(f"key file {file} is there")
    if found:
        return Check("api-key", True, "; ".join(found))
    return Check(
        "api-key",
        True,
        "none: exploring, probes and simulated runs need none",
        f"export GEMINI_API_KEY, or put it into {file} with mode 0600",
    )


def _paid() -> Iterator[Check]:
    from b100tui.editors.table import table
    from b100tui.engine.paid_check import paid_check

    done = paid_check(table().judge(ASKED_JUDGE), _confirmed)
    fix = "" if done.ok else "b100 help editing says where keys go and what a refusal means"
    if not sys.stdin.isatty():
        fix = "run b100 doctor --paid in a terminal: it asks for a yes first"
    yield Check("paid", done.ok, done.found, fix)


def _confirmed(most: float) -> bool:
    """Ask on stderr for a typed yes; without a terminal nobody can give one."""
    if not sys.stdin.isatty():
        return False
    question = f"Type yes to ask {ASKED_JUDGE} one question (at most ${most:.4f}): "
    print(question, end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() == "yes"
