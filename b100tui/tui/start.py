"""Starts the explorer on a folder: what it needs before the first paint, and nothing more."""

import gc
import os
import shutil
import sys
from collections.abc import MutableMapping
from pathlib import Path
from typing import TYPE_CHECKING

from b100tui.tui.remember import Place

if TYPE_CHECKING:
    from textual.driver import Driver

    from b100tui.index.rows import FirstPaint
    from b100tui.model.records import PictureRef
    from b100tui.terminal.facts import TerminalFacts
    from b100tui.terminal.speed import Speed
    from b100tui.tui.early import Curtain
    from b100tui.workspace.settings import Settings


def explore(
    root: Path,
    *,
    run: str | None = None,
    step: int | None = None,
    config: str | None = None,
    flags: dict[str, str | None] | None = None,
) -> int:
    """Show `root` until the person leaves; return the exit code.

    `flags` are settings given on the command line: theme, graphics, link, colours. Raises
    UsageError for settings that cannot be read.
    """
    gc.disable()  # imports make only garbage that stays; on again once the index is read
    from b100tui.workspace.settings import load

    settings = load(config, flags)
    if settings.colours == "none":
        os.environ["NO_COLOR"] = "1"
    from b100tui.index.snapshot import read_first
    from b100tui.terminal.probe import probe_terminal, tell_textual

    facts = probe_terminal(graphics=settings.graphics, colours=_depth(settings.colours))
    tell_textual(facts, os.environ)
    paint_sooner(os.environ)
    first = read_first(root)
    place = _place(root, run, step, settings.reference)
    from b100tui.tui.early import curtain

    with curtain() as raised:
        _draw_early(raised, root, facts, first, settings, place)
        return _run(root, facts, first, settings, place, config, raised)


def _draw_early(
    raised: "Curtain",
    root: Path,
    facts: "TerminalFacts",
    first: "FirstPaint | None",
    settings: "Settings",
    place: Place | None,
) -> None:
    from b100tui.tui.early import can_draw, early_frame, theme_colours

    if first is None or not can_draw(facts, first):
        return
    size = shutil.get_terminal_size((80, 24))
    wanted = place.run if place is not None else ""
    colours = theme_colours(settings.theme, facts)
    raised.draw(early_frame(first, root.name or str(root), size, wanted, colours))


def paint_sooner(environ: MutableMapping[str, str]) -> None:
    """Have Textual gather what changed for 8 ms, not 17: it paints only what a key changed.

    To be called before Textual is imported.
    """
    environ.setdefault("TEXTUAL_FPS", "120")


def _depth(colours: str) -> str:
    return {"none": "2"}.get(colours, colours)


def _place(root: Path, run: str | None, step: int | None, reference: int) -> Place | None:
    from b100tui.tui.remember import recall

    kept = recall(root)
    if run is None and step is None:
        return kept
    if run is None:
        return Place(kept.run if kept else "", step or 0, kept.reference if kept else reference)
    same = kept is not None and kept.run == run
    return Place(run, step if step is not None else (kept.step if same and kept else 1), reference)


def _open_picture(root: Path, ref: "PictureRef") -> "Path | bytes":
    from b100tui.sources import open_picture

    return open_picture(root, ref)


def _driver(facts: "TerminalFacts", speed: "Speed") -> "type[Driver] | None":
    """Return our driver; None leaves the choice to Textual where ours cannot work."""
    if sys.platform == "win32" or "TEXTUAL_DRIVER" in os.environ:
        return None
    from b100tui.tui.driver import Link

    Link.facts, Link.speed = facts, speed
    return Link


def _run(
    root: Path,
    facts: "TerminalFacts",
    first: "FirstPaint | None",
    settings: "Settings",
    place: Place | None,
    config: str | None,
    raised: "Curtain",
) -> int:
    from b100tui.terminal.pipeline import Pipeline
    from b100tui.terminal.speed import stated
    from b100tui.tui.app import Explorer
    from b100tui.tui.keymap import load_actions, load_screen_keys
    from b100tui.workspace.places import cache_dir, config_dir

    actions, problems = load_actions(config_dir(), settings.keys)
    screen_keys, faults = load_screen_keys(config_dir(), settings.keys)
    speed = stated(settings.link)
    pipeline = Pipeline(
        root,
        facts,
        preview_folder=cache_dir(root) / "previews",
        opener=_open_picture,
        rest=speed.rest,
        preview_bytes=settings.preview_cache_mb * 1_000_000,
    )
    app = Explorer(
        root,
        first=first,
        place=place,
        settings=settings,
        actions=actions,
        screen_keys=screen_keys,
        problems=problems + faults,
        facts=facts,
        pipeline=pipeline,
        config=config,
        opened=raised.lift,
        driver_class=_driver(facts, speed),
    )
    app.run()
    if app.parting_words:
        print(f"b100: the place was not kept: {app.parting_words}", file=sys.stderr)
    if app.crashed:
        log = app.crash or "nowhere: it cannot be written"
        print(f"b100: stopped on an unexpected error; the log is {log}", file=sys.stderr)
        return 1
    return app.return_code or 0
