"""Every action of the explorer, once: its id, keys, words, group, and what it runs.

Bindings, footer, help screen, palette and the user's keymap all read this table. It imports
nothing of Textual. A key stands in it once: no key means two things on one screen.
"""

from collections.abc import Iterable, Mapping
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

Group = Literal["step", "run", "look", "compare", "act", "app"]
GROUPS: dict[Group, str] = {
    "step": "Steps",
    "run": "Runs and panels",
    "look": "Looking",
    "compare": "Comparing",
    "act": "Acting",
    "app": "Program",
}
PANELS = ("runs", "picture", "metrics", "reasoning", "facts")
DIGITS = tuple("0123456789")


class Action(Struct, frozen=True):
    """One action. `later` is why it cannot be used in this release; empty when it can.

    `short` is its word in the footer, `rank` its place there (0: never), `panels` the panels
    whose help names it first. `typed` actions read their keys themselves (digits).
    """

    id: str
    keys: tuple[str, ...]
    about: str
    group: Group
    short: str = ""
    rank: int = 0
    later: str = ""
    panels: tuple[str, ...] = ()
    typed: bool = False

    @property
    def handler(self) -> str:
        """Name of the screen's method that runs it."""
        return "do_" + self.id.replace(".", "_").replace("-", "_")

    @property
    def shown_keys(self) -> str:
        """The keys as a person reads them."""
        if self.typed:
            return "0-9"
        return " ".join(key_name(key) for key in self.keys)


ACTIONS: tuple[Action, ...] = (
    Action("step.back", ("left",), "previous step", "step", "step", 1),
    Action("step.on", ("right",), "next step", "step", "step", 1),
    Action("step.back10", ("pageup",), "ten steps back", "step", "±10", 2),
    Action("step.on10", ("pagedown",), "ten steps on", "step", "±10", 2),
    Action("step.first", ("home",), "first step", "step"),
    Action("step.last", ("end",), "last step; follows a run that still grows", "step"),
    Action("step.typed", DIGITS, "type a step number, then Enter", "step", typed=True),
    Action("step.onset", ("o",), "go to the onset, where the run breaks", "step", "onset", 8),
    Action("step.play", ("p",), "play or pause", "step", "play", 11),
    Action("step.reference", ("r",), "make this step the reference", "step", "reference", 9),
    Action("run.up", ("up",), "up in the focused panel", "run"),
    Action("run.down", ("down",), "down in the focused panel", "run"),
    Action("run.page-up", ("ctrl+u",), "a page up in the focused panel", "run"),
    Action("run.page-down", ("ctrl+d",), "a page down in the focused panel", "run"),
    Action(
        "run.enter",
        ("enter",),
        "go to the typed step; open or close a group",
        "run",
        panels=("runs",),
    ),
    Action("run.previous", ("[",), "previous run, same step", "run", "run", 3),
    Action("run.next", ("]",), "next run, same step", "run", "run", 3),
    Action("run.filter", ("/",), "filter the runs", "run", "filter", 5, panels=("runs",)),
    Action("run.all", ("*",), "open or close all groups", "run", panels=("runs",)),
    Action("panel.next", ("tab",), "next panel", "run"),
    Action("panel.previous", ("shift+tab",), "previous panel", "run"),
    Action(
        "look.full", ("f",), "picture on the full screen", "look", "full", 10, panels=("picture",)
    ),
    Action("look.zoom-in", ("z",), "zoom in: 1:1 to 8:1", "look", "zoom", 8, panels=("picture",)),
    Action("look.zoom-out", ("Z",), "zoom out", "look", panels=("picture",)),
    Action("look.pan-left", ("h",), "while zoomed: see what lies left; split line left", "look"),
    Action("look.pan-down", ("j",), "while zoomed: see what lies below; else down", "look"),
    Action("look.pan-up", ("k",), "while zoomed: see what lies above; else up", "look"),
    Action("look.pan-right", ("l",), "while zoomed: see what lies right; split line right", "look"),
    Action(
        "look.keep", ("b",), "keep this loupe across steps and runs", "look", panels=("picture",)
    ),
    Action("look.residual", ("n",), "noise residual", "look", panels=("picture",)),
    Action(
        "look.channel", ("i",), "channels, luma, saturation, contrast", "look", panels=("picture",)
    ),
    Action("look.back", ("escape",), "back one level", "look"),
    Action(
        "compare.flicker",
        ("space",),
        "flicker between reference and this step",
        "compare",
        "flicker",
        4,
        panels=("picture",),
    ),
    Action("compare.side", ("v",), "side by side, then split line", "compare", panels=("picture",)),
    Action(
        "compare.difference",
        ("d",),
        "difference to the reference: absolute, signed",
        "compare",
        "diff",
        4,
        panels=("picture",),
    ),
    Action("compare.gain-up", ("+",), "more gain", "compare"),
    Action("compare.gain-down", ("-",), "less gain", "compare"),
    Action("compare.align", ("a",), "drift alignment", "compare", panels=("picture",)),
    Action("compare.pin", ("R",), "compare every run with this picture", "compare"),
    Action("compare.sheet", ("c",), "contact sheet of all steps", "compare"),
    Action("compare.matrix", ("x",), "matrix of steps and runs", "compare"),
    Action(
        "act.search",
        ("s",),
        "search prompts and reasoning",
        "act",
        "search",
        6,
        panels=("reasoning",),
    ),
    Action("act.heatmap", ("g",), "gap heatmap", "act", "gaps", 5, panels=("metrics",)),
    Action("act.lies", ("L",), "metrics that contradict the evidence", "act"),
    Action("act.groups", ("G",), "two groups of runs side by side", "act"),
    Action("act.mark", ("m",), "mark a failure mode", "act", "mark", 6, panels=("picture",)),
    Action("act.unmark", ("u",), "take the last mark back", "act"),
    Action("act.edit", ("e",), "make new steps from here", "act", "edit", 8),
    Action("act.score", ("S",), "score runs", "act", "score", 8, panels=("metrics",)),
    Action(
        "act.judge",
        ("J",),
        "ask a judge about the reasoning",
        "act",
        panels=("reasoning",),
    ),
    Action("act.jobs", ("t",), "jobs: progress, failures, pause, retry", "act", "jobs", 8),
    Action("act.write", ("w",), "write a strip or an export", "act"),
    Action(
        "act.copy", ("y",), "copy RUN@STEP to the clipboard", "act", "copy", 12, panels=("facts",)
    ),
    Action("app.palette", ("ctrl+p", ":"), "every action by name", "app", "actions", 13),
    Action("app.help", ("?",), "help for the focused panel", "app", "help", 7),
    Action("app.theme", ("T",), "next theme", "app"),
    Action("app.quit", ("q",), "quit; jobs go on", "app", "quit", 14),
)

_NAMES = {
    "left": "←", "right": "→", "up": "↑", "down": "↓", "pageup": "PgUp", "pagedown": "PgDn",
    "home": "Home", "end": "End", "space": "Space", "enter": "Enter", "escape": "Esc",
    "tab": "Tab", "shift+tab": "Shift+Tab", "ctrl+p": "Ctrl+P",
    "ctrl+u": "Ctrl+U", "ctrl+d": "Ctrl+D",
}  # fmt: skip


def key_name(key: str) -> str:
    """Return how a person calls `key`."""
    return _NAMES.get(key, key)


def with_keymap(
    actions: Iterable[Action], keymap: Mapping[str, tuple[str, ...]]
) -> tuple[tuple[Action, ...], list[str]]:
    """Return `actions` with the user's keys, and what was wrong with the keymap, in words.

    A key given to one action is taken from the one that has it by default; a key that the
    keymap gives to two actions goes to the first.
    """
    known = {action.id: action for action in actions}
    problems: list[str] = []
    owner: dict[str, str] = {}
    chosen: dict[str, tuple[str, ...]] = {}
    for name, keys in keymap.items():
        if name not in known:
            problems.append(f"no action {name!r}{_nearest(name, known)}")
            continue
        if known[name].typed:
            problems.append(f"{name}: its keys are fixed")
            continue
        taken = [key for key in keys if key in owner or key in DIGITS]
        for key in taken:
            problems.append(f"{name}: key {key!r} already means {owner.get(key, 'step.typed')}")
        chosen[name] = tuple(key for key in keys if key not in taken)
        owner.update((key, name) for key in chosen[name])
    result = []
    for action in known.values():
        if action.id in chosen:
            result.append(replace(action, keys=chosen[action.id]))
        else:
            left = tuple(key for key in action.keys if key not in owner)
            result.append(replace(action, keys=left))
    return tuple(result), problems


def with_keys(
    actions: tuple[Action, ...], keys: Mapping[str, tuple[str, ...]]
) -> tuple[Action, ...]:
    """Return `actions` with the keys that `keys` gives them by id."""
    return tuple(replace(action, keys=keys.get(action.id, action.keys)) for action in actions)


def _nearest(name: str, known: Mapping[str, Action]) -> str:
    import difflib

    near = difflib.get_close_matches(name, known, 1)
    return f"; did you mean {near[0]!r}?" if near else ""
