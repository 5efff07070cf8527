"""The actions of the analysis screens, by screen: ids, keys, words; read as `actions` is."""

from b100tui.tui.actions import Action

_MOVE = "move"


def _moves(screen: str, *, sideways: str, along: str) -> tuple[Action, ...]:
    return (
        Action(f"{screen}.left", ("left", "h"), f"{sideways} left", "step", _MOVE, 1),
        Action(f"{screen}.right", ("right", "l"), f"{sideways} right", "step", _MOVE, 1),
        Action(f"{screen}.up", ("up", "k"), f"{along} up", "step", _MOVE, 1),
        Action(f"{screen}.down", ("down", "j"), f"{along} down", "step", _MOVE, 1),
    )


def _common(screen: str) -> tuple[Action, ...]:
    return (
        Action(f"{screen}.help", ("?",), "the keys of this screen", "app", "help", 3),
        Action(f"{screen}.back", ("escape", "q"), "back", "app", "back", 4),
    )


HEATMAP: tuple[Action, ...] = (
    Action("heatmap.lens", ("tab",), "next of Δ5, Δ10, Δ20, overlay count", "look", "Δ", 2),
    Action("heatmap.lens-back", ("shift+tab",), "the lens before", "look"),
    Action("heatmap.open", ("enter",), "the evidence for this cell", "act", "evidence", 3),
    *_moves("heatmap", sideways="one column", along="one row"),
    Action("heatmap.page-up", ("pageup",), "ten rows up", "step"),
    Action("heatmap.page-down", ("pagedown",), "ten rows down", "step"),
    Action("heatmap.first", ("home",), "first column", "step"),
    Action("heatmap.last", ("end",), "last column", "step"),
    Action("heatmap.sort", ("s",), "sort: as listed, failures, largest gap, name", "look",
           "sort", 4),
    Action("heatmap.turn", ("t",), "rows to columns", "look", "turn", 5),
    Action("heatmap.filter", ("/",), "filter: words, or conditions on runs", "look", "filter", 6),
    Action("heatmap.by", ("b",), "group by image, setting, recipe, editor, run", "look", "by", 7),
    Action("heatmap.unit", ("e",), "normalised points, or gap over its spread", "look",
           "effect", 9),
    Action("heatmap.metrics", ("p",), "metrics: with a direction, the paper's, all", "look",
           "metrics", 10),
    Action("heatmap.recipes", ("a",), "runs that replicate only, or every recipe", "look",
           "recipes", 11),
    Action("heatmap.lies", ("L",), "metrics that contradict the evidence", "act", "lies", 8),
    Action("heatmap.groups", ("G",), "two groups of runs side by side", "act", "groups", 8),
    *_common("heatmap"),
)  # fmt: skip

EVIDENCE: tuple[Action, ...] = (
    Action("evidence.left", ("left", "h"), "one step back", "step", "step", 1),
    Action("evidence.right", ("right", "l"), "one step on", "step", "step", 1),
    Action("evidence.lens", ("tab",), "next of the table's steps", "step", "Δ", 2),
    Action("evidence.run-back", ("[",), "previous run of the group", "run", "run", 3),
    Action("evidence.run-on", ("]",), "next run of the group", "run", "run", 3),
    Action("evidence.up", ("up", "k"), "words up", "run"),
    Action("evidence.down", ("down", "j"), "words down", "run"),
    Action("evidence.zoom-in", ("z",), "nearer, both pictures", "look", "zoom", 4),
    Action("evidence.zoom-out", ("Z",), "farther", "look"),
    Action("evidence.compare", ("v",), "side by side, difference, step alone", "look", "view", 5),
    Action("evidence.align", ("a",), "drift alignment on or off", "look", "align", 6),
    Action("evidence.go", ("enter",), "go to this run and step", "act", "go there", 7),
    *_common("evidence"),
)

LIES: tuple[Action, ...] = (
    Action("lies.open", ("enter",), "the pictures and the series", "act", "evidence", 2),
    Action("lies.up", ("up", "k"), "up", "step", _MOVE, 1),
    Action("lies.down", ("down", "j"), "down", "step", _MOVE, 1),
    Action("lies.page-up", ("pageup",), "ten up", "step"),
    Action("lies.page-down", ("pagedown",), "ten down", "step"),
    Action("lies.panel", ("tab",), "contradictions, first to notice, agreement", "look",
           "panel", 3),
    Action("lies.filter", ("/",), "filter the runs", "look", "filter", 4),
    *_common("lies"),
)  # fmt: skip

GROUPS: tuple[Action, ...] = (
    Action("groups.field", ("tab",), "the other field, the table", "look", "field", 1),
    Action("groups.up", ("up", "k"), "up", "step", _MOVE, 2),
    Action("groups.down", ("down", "j"), "down", "step", _MOVE, 2),
    Action("groups.page-up", ("pageup",), "ten up", "step"),
    Action("groups.page-down", ("pagedown",), "ten down", "step"),
    Action("groups.run", ("enter",), "compare", "act", "compare", 3),
    Action("groups.swap", ("x",), "change sides", "act", "swap", 4),
    *_common("groups"),
)

BLIND: tuple[Action, ...] = (
    Action("blind.back-one", ("left",), "the picture before", "step", "picture", 1),
    Action("blind.on", ("right",), "the next picture", "step", "picture", 1),
    Action("blind.zoom-in", ("+",), "nearer", "look", "zoom", 5),
    Action("blind.zoom-out", ("-",), "farther", "look", "zoom", 5),
    Action("blind.help", ("?",), "the keys of this screen", "app", "help", 3),
    Action("blind.back", ("escape",), "back a level, or leave", "app", "back", 21),
)

TABLES: tuple[tuple[Action, ...], ...] = (HEATMAP, EVIDENCE, LIES, GROUPS, BLIND)
