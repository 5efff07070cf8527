"""Whether metrics can run, in this interpreter or in another one, without importing backends.

Run as `python -m b100tui.metrics.preflight NAME...` it answers for the interpreter it runs in.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import msgspec
from msgspec import Struct

from b100tui.metrics import registry
from b100tui.metrics.weights import fault_of
from b100tui.model.metric import Metric
from b100tui.model.text import clean_line

_EXTRA = "pip install '.[score]', or set [score] python to an interpreter that has it"
# backend -> the modules it needs, each with the words when it is absent
_NEEDS: dict[str, dict[str, str]] = {
    "probes": {},
    "entry": {},
    "endpoint": {"httpx": "httpx is not installed"},
    "command": {},
    "pyiqa": {"torch": "torch is not installed", "pyiqa": "pyiqa is not installed"},
}
_CLIP = frozenset({"clipiqa", "liqe", "liqe_mix", "qualiclip", "maclip"})
_WAITING = {"changed_share": "needs drift alignment, which scoring does not do yet"}
_NO_NUMBER = "b100 scores import FILE takes values made elsewhere"
_SECONDS = 60.0
_HALF_BYTES = 2e6  # bytes of a million parameters in half precision, as large models are kept


class Availability(Struct, frozen=True):
    """Whether a metric can run here; if not, why, and what to do."""

    ready: bool
    reason: str = ""
    fix: str = ""


def availability(of: Metric) -> Availability:
    """Say whether `of` can run in this interpreter, without importing its backend."""
    if of.id in _WAITING:
        return Availability(False, _WAITING[of.id], "use the other probes")
    if of.backend not in _NEEDS:
        return Availability(False, f"no backend computes {of.id}", _NO_NUMBER)
    for module, reason in _NEEDS[of.backend].items():
        if find_spec(module) is None:
            return Availability(False, f"{reason} (the score extra)", _EXTRA)
    options = registry.row(of.id).options
    if of.backend in {"command", "endpoint"}:
        return _external(of, options)
    if of.backend == "pyiqa":
        return _pyiqa(of)
    return Availability(True)


def check(names: Sequence[str], python: str = "") -> dict[str, Availability]:
    """Return the availability of each metric in the interpreter `python` (empty: this one).

    An interpreter that cannot answer makes all but the probes unavailable, with the reason.
    """
    if not python or _is_this(python):
        return {name: availability(registry.metric(name)) for name in names}
    foreign = [name for name in names if registry.metric(name).backend not in {"probes", "entry"}]
    answers = _asked(python, foreign) if foreign else {}
    return {
        name: answers[name] if name in answers else availability(registry.metric(name))
        for name in names
    }


def environment(python: str) -> dict[str, str]:
    """Return the environment in which another interpreter finds this very b100."""
    if not python or _is_this(python):
        return dict(os.environ)
    here = str(Path(__file__).resolve().parents[2])
    path = os.environ.get("PYTHONPATH", "")
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (here, path)))}


def _is_this(python: str) -> bool:
    return os.path.abspath(python) == os.path.abspath(sys.executable)


def _asked(python: str, names: Sequence[str]) -> dict[str, Availability]:
    fix = "mend [score] python in the settings: b100 config edit"
    try:
        done = subprocess.run(
            [python, "-m", "b100tui.metrics.preflight", *names],
            capture_output=True,
            timeout=_SECONDS,
            env=environment(python),
            stdin=subprocess.DEVNULL,
            check=False,
        )
        line = done.stdout.splitlines()[-1] if done.stdout else b""
        return msgspec.json.decode(line, type=dict[str, Availability])
    except (OSError, subprocess.TimeoutExpired) as error:
        reason = f"{python} cannot be started: {error}"
    except msgspec.MsgspecError:
        words = done.stderr.decode("utf-8", "replace").strip().splitlines()
        reason = f"{python} cannot run b100: {clean_line(words[-1]) if words else 'no answer'}"
        fix = "install msgspec, numpy, pillow, pyvips, opencv and filelock there, or b100 itself"
    return {name: Availability(False, reason, fix) for name in names}


def _pyiqa(of: Metric) -> Availability:
    if of.id in _CLIP and find_spec("pkg_resources") is None:
        return Availability(
            False, "setuptools 81 or newer lacks pkg_resources", "pip install 'setuptools<81'"
        )
    if of.id == "maclip" and not has_cuda():
        return Availability(False, "needs an NVIDIA GPU", _NO_NUMBER)
    faults = [fault for weight in registry.weights(of.id) if (fault := fault_of(weight))]
    if faults:
        return Availability(False, "; ".join(faults), f"b100 metrics fetch {of.id}")
    needed = float(registry.row(of.id).options.get("params_m", 0)) * _HALF_BYTES
    there = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if needed > there and not has_cuda():
        reason = f"its weights take {needed / 1e9:.0f} GB, the machine has {there / 1e9:.0f}"
        return Availability(False, reason, "score on a machine with a GPU: b100 help jobs")
    return Availability(True)


def _external(of: Metric, options: dict[str, object]) -> Availability:
    own = registry.own_file()
    if of.backend == "endpoint":
        if options.get("url"):
            return Availability(True)
        return Availability(
            False,
            "no endpoint is set",
            f'serve it (vLLM) and put [metric.{of.id}] url = "http://HOST:8000/v1" into {own}',
        )
    command = options.get("command")
    if options.get("url"):
        return Availability(True)
    if not command:
        return Availability(
            False,
            "no command or URL is set",
            f'put [metric.{of.id}] command = ["PROGRAM"] into {own}; b100 help metrics',
        )
    program = str(command[0]) if isinstance(command, list) and command else str(command)
    if shutil.which(program) is None:
        return Availability(False, f"{program} is not a program here", f"mend {own}")
    return Availability(True)


def has_cuda() -> bool:
    """Say whether an NVIDIA GPU can be there, without importing torch."""
    return os.environ.get("CUDA_VISIBLE_DEVICES") != "" and any(
        os.path.exists(device) for device in ("/dev/nvidiactl", "/dev/dxg")
    )


def main(names: Sequence[str]) -> int:
    """Print one JSON object: the availability of each metric by id."""
    answers = {name: availability(registry.metric(name)) for name in names}
    sys.stdout.write(msgspec.json.encode(answers).decode() + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
