"""Makes the README's screenshots anew: `python -m tests.e2e.screenshots DEMO [NAME...]`.

DEMO is a folder that `b100 demo` wrote; an edit job is started in it for the picture of the jobs.
Needs Xvfb, xterm with sixel, xdotool and ImageMagick. Look at each picture before it is kept:
on a busy machine a screen may have been taken too early (--wait gives it more).
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image

FOLDER = Path(__file__).parent
RUN = "dongpo/replicate-2k-sim-pro/run-1"
# name -> keys from the explorer on, with the pauses that pictures and tables need
SHOTS: dict[str, tuple[str, ...]] = {
    "explore": (),
    "compare": ("v",),
    "heatmap": ("g", "Tab", "Tab"),
    "jobs": ("t",),
}
COLOURS = 256
XTERM = (
    *("xterm", "-ti", "vt340", "-geometry", "120x40+0+0", "-fa", "DejaVu Sans Mono", "-fs", "12"),
    *("-bg", "black", "-fg", "white", "+sb", "-b", "2"),
    *("-xrm", "*numColorRegisters: 256", "-xrm", "*maxGraphicSize: 4096x4096"),
)


@contextmanager
def display() -> Iterator[str]:
    """Run an X server without a screen; give its name."""
    read, write = os.pipe()
    words = ["Xvfb", "-displayfd", str(write), "-screen", "0", "1400x900x24", "-nolisten", "tcp"]
    server = subprocess.Popen(words, pass_fds=(write,), stderr=subprocess.DEVNULL)
    os.close(write)
    try:
        with os.fdopen(read) as told:
            yield f":{told.readline().strip()}"
    finally:
        server.terminate()
        server.wait()


def shoot(name: str, demo: Path, wait: float, environment: dict[str, str]) -> None:
    """Open the explorer, press the keys of `name`, keep the window as a small PNG."""
    explore = [sys.executable, "-m", "b100tui", "explore", str(demo), "--run", RUN, "--step", "14"]
    terminal = subprocess.Popen([*XTERM, "-e", *explore], env=environment)
    try:
        time.sleep(2 * wait)
        for key in SHOTS[name]:
            subprocess.run(["xdotool", "key", key], env=environment, check=True)
            time.sleep(wait)
        window = subprocess.run(
            ["xdotool", "search", "--class", "xterm"],
            env=environment,
            check=True,
            capture_output=True,
            text=True,
        ).stdout.split()[-1]
        with tempfile.TemporaryDirectory() as scratch:
            whole = Path(scratch) / "whole.png"
            subprocess.run(["import", "-window", window, str(whole)], env=environment, check=True)
            with Image.open(whole) as taken:
                small = taken.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
                small.save(FOLDER / f"{name}.png", optimize=True)
        print(f"{name}.png: {(FOLDER / f'{name}.png').stat().st_size / 1000:.0f} kB")
    finally:
        terminal.terminate()
        terminal.wait()


def edit_job(demo: Path) -> None:
    """Start a job that has something to show: new simulated runs of an initial image."""
    picture = next((demo / RUN).glob("step-000.*g"))
    words = [sys.executable, "-m", "b100tui", "edit", "new", str(picture), "--root", str(demo)]
    words += ["--editor", "simulate", "--steps", "100", "--repeats", "3", "--detach"]
    subprocess.run(words, check=True)


def main() -> None:
    """Make the pictures that are asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.e2e.screenshots")
    parser.add_argument("demo", type=Path)
    parser.add_argument("names", nargs="*", choices=[[], *SHOTS])
    parser.add_argument("--wait", type=float, default=6.0, help="seconds after each key")
    given = parser.parse_args()
    for program in ("Xvfb", "xterm", "xdotool", "import"):
        if shutil.which(program) is None:
            parser.error(f"{program} is not installed")
    names = given.names or list(SHOTS)
    with display() as name:
        for one in names:
            if one == "jobs":
                edit_job(given.demo)
            shoot(one, given.demo, given.wait, {**os.environ, "DISPLAY": name})


if __name__ == "__main__":
    main()
