"""Which editors there are, whether each can run here, and how one is opened."""

import importlib.util
import os
import shutil
from collections.abc import Callable

from msgspec import Struct

from b100tui.editors.keys import find_key, key_place
from b100tui.editors.protocol import Editor
from b100tui.editors.schedule import derive_seed, draw_schedule, profiles
from b100tui.editors.table import JudgeRow, Row, Table
from b100tui.model.errors import UsageError
from b100tui.model.records import RunPlan
from b100tui.model.text import clean_line

# A schedule is drawn for this many steps, so that continuing a run does not change its past.
_DRAWN_STEPS = 1000
_MOST_SHARE = 100.0


class Availability(Struct, frozen=True, kw_only=True):
    """Whether an editor can run here, and if not why and what to do."""

    id: str
    name: str
    kind: str
    model: str
    ready: bool
    reason: str = ""
    fix: str = ""
    note: str = ""


def open_editor(name: str, row: Row, plan: RunPlan) -> Editor:
    """Return editor `name` ready for the run of `plan`; no network and no weights yet.

    Raises UsageError when it cannot run here, with the fix.
    """
    if row.kind not in _OPENERS:
        raise UsageError(f"editor {name}: no kind {row.kind!r}", f"kinds: {', '.join(_OPENERS)}")
    return _OPENERS[row.kind](name, row, plan)


def _simulate(name: str, row: Row, plan: RunPlan) -> Editor:
    from b100tui.editors.simulate import SimulatedEditor

    profile = name if name in profiles() else "sim-pro"
    seed = plan.parameters.get("schedule_seed", 0)
    schedule = draw_schedule(
        profile,
        derive_seed("edit", seed, plan.run),
        plan.run,
        _DRAWN_STEPS,
        strength=_share(plan, "strength", 1.0),
        plain_copy=plan.recipe.startswith("replicate"),
    )
    scale = _share(plan, "scale", plan.parameters.get("scale", 1.0))
    return SimulatedEditor(schedule, scale=scale, reasons=profile in {"sim-pro", "sim-steady"})


def _share(plan: RunPlan, name: str, usual: object) -> float:
    """Return a setting of the simulated editor; UsageError where it is no number from 0 to 100."""
    extra = plan.parameters.get("extra")
    given = extra.get(name, usual) if isinstance(extra, dict) else usual
    try:
        found = float(str(given))
    except ValueError:
        found = -1.0
    if not 0.0 <= found <= _MOST_SHARE:
        raise UsageError(
            f"{name} {clean_line(str(given))!r} of the simulated editor",
            f"a number from 0 to {_MOST_SHARE:g}, 1 as it is",
        )
    return found


def _gemini(name: str, row: Row, plan: RunPlan) -> Editor:
    from b100tui.editors.gemini import GeminiEditor
    from b100tui.editors.gemini_client import GeminiClient

    client = GeminiClient(
        base_url=row.base_url,
        key_variable=row.key_variable,
        vertex=row.vertex,
        project=row.project,
        location=row.location,
    )
    return GeminiEditor(name, row, client, plan.versions.get("prices", ""))


def _command(name: str, row: Row, plan: RunPlan) -> Editor:
    from b100tui.editors.command import CommandEditor

    return CommandEditor(name, row)


def _openai(name: str, row: Row, plan: RunPlan) -> Editor:
    from b100tui.editors.openai import OpenAIEditor

    return OpenAIEditor(name, row, plan.versions.get("prices", ""))


def _comfyui(name: str, row: Row, plan: RunPlan) -> Editor:
    from b100tui.editors.comfyui import ComfyEditor

    return ComfyEditor(name, row)


def _diffusers(name: str, row: Row, plan: RunPlan) -> Editor:
    from b100tui.editors.diffusers import DiffusersEditor

    return DiffusersEditor(name, row)


_OPENERS: dict[str, Callable[[str, Row, RunPlan], Editor]] = {
    "simulate": _simulate,
    "gemini": _gemini,
    "command": _command,
    "diffusers": _diffusers,
    "openai": _openai,
    "comfyui": _comfyui,
}


def other_endpoint(row: Row) -> str | None:
    """Return the host that stands in for the provider's own, None for the provider itself.

    "loopback" means this machine: what answers there is a fake or a gateway.
    """
    if row.kind not in {"gemini", "openai"}:
        return None
    from b100tui.editors.gemini_client import base_url_of, is_loopback, split_url

    url = base_url_of(row.base_url, row.vertex) if row.kind == "gemini" else row.base_url
    if url is None:
        return None
    return "loopback" if is_loopback(url) else split_url(url).hostname


def is_simulated_judge(row: JudgeRow) -> bool:
    """Say whether a Gemini judge is a fake service on this machine."""
    from b100tui.editors.gemini_client import base_url_of, is_loopback

    return row.kind == "gemini" and is_loopback(base_url_of(row.base_url, False))


def availability(table: Table) -> list[Availability]:
    """Return every editor with whether it can run here."""
    found = []
    for id, row in table.editors.items():
        reason, fix = _missing(row)
        found.append(
            Availability(
                id=id,
                name=row.title or id,
                kind=row.kind,
                model=row.model,
                ready=not reason,
                reason=reason,
                fix=fix,
                note=row.note,
            )
        )
    return found


def _missing(row: Row) -> tuple[str, str]:
    if row.kind in {"gemini", "openai"}:
        if row.vertex or find_key(row.kind, row.key_variable) is not None:
            return "", ""
        return "no API key", key_place(row.kind, row.key_variable)
    if row.kind == "diffusers" and not row.command:
        gone = [name for name in ("torch", "diffusers", "transformers") if not _there(name)]
        return (f"needs {', '.join(gone)}", "pip install '.[local]'") if gone else ("", "")
    if row.kind == "command":
        program = row.command[0] if row.command else ""
        if not program or shutil.which(os.path.expanduser(program)) is None:
            return f"no program {program!r}", 'set command = ["PROGRAM", ...] in editors.toml'
    if row.kind == "comfyui" and not os.path.isfile(os.path.expanduser(row.workflow)):
        return "no workflow file", 'set workflow = "FILE.json" in your editors.toml'
    return "", ""


def _there(package: str) -> bool:
    return importlib.util.find_spec(package) is not None
