"""The actions of the program itself: help, palette, search, copy, theme, full screen, quit."""

import os

from b100tui.tui.clipboard import osc52
from b100tui.tui.screens.base import ExplorerState


class AppActions(ExplorerState):
    """What does not belong to a step or a run."""

    def do_app_help(self) -> None:
        """Open the help for the focused panel."""
        from b100tui.tui.screens.help import HelpScreen

        self.app.push_screen(HelpScreen(self.explorer.actions, self.panel_name()))

    def panel_name(self) -> str:
        """Return the focused panel's name in the registry."""
        panel = getattr(self, "panel", lambda: "runs")()
        return {"picture-box": "picture"}.get(panel, panel)

    def do_app_palette(self) -> None:
        """Open the list of all actions by name."""
        self.app.action_command_palette()

    def do_app_theme(self) -> None:
        """Take the next theme."""
        self.say(f"theme {self.explorer.next_theme()}")

    def do_app_quit(self) -> None:
        """Leave; the place is remembered, jobs go on."""
        self.explorer.leave()

    def do_look_full(self) -> None:
        """Give the picture the whole screen, or take it back."""
        self.set_class(not self.has_class("-full"), "-full")

    def do_act_copy(self) -> None:
        """Put RUN@STEP on the clipboard and say where the picture lies."""
        if self.trajectory is None:
            return
        name = f"{self.trajectory.row.run}@{self.position.step}"
        step = self.trajectory.at.get(self.position.step)
        path = ""
        if step is not None and step.picture is not None:
            path = str(self.explorer.root / step.picture.path)
        sequence = osc52(name, tmux=bool(os.environ.get("TMUX")))
        self.explorer.write_to_terminal(sequence)
        self.say(f"copied {name}" + (f"; its picture is {path}" if path else ""))

    def do_act_search(self) -> None:
        """Search prompts and reasoning."""
        from b100tui.tui.screens.search import SearchScreen

        if self.catalogue is None:
            self.say("the index is not ready yet")
            return
        self.app.push_screen(SearchScreen(self.catalogue, self.explorer.last_query), self._found)

    def _found(self, chosen: tuple[str, int, str] | None) -> None:
        if chosen is None:
            return
        run, step, query = chosen
        self.explorer.last_query = query
        words = query.replace('"', " ").replace("*", " ").lower().split()
        self.words = tuple(w for w in words if ":" not in w and not w.startswith("-"))
        self.jump(run, step)

    def jump(self, run: str, step: int) -> None:
        """Go to a run and step; the screen's run part knows how."""
        self.position.step = step
        runs = self.runs
        if self.trajectory is not None and self.trajectory.row.run == run:
            self.position.step = -1
            self.go_to_step(step)
        elif not runs.go_to_run(run):
            self.clear_filter()
            runs.go_to_run(run)

    def do_look_back(self) -> None:
        """Go back one level: filter while it is typed, digits, play, flicker, looks, ..."""
        if self.filtering and self.clear_filter():
            return
        if self.position.typed:
            self.position.typed = ""
        elif self.position.playing:
            self.stop_playing()
        elif self.stop_flicker() or self.look_back():
            pass
        elif self.has_class("-full"):
            self.remove_class("-full")
        elif self.clear_filter():
            return
        elif self.words:
            self.words = ()
        self.show_position()

    @property
    def filtering(self) -> bool:
        """Whether a filter is being typed; the run part knows."""
        raise NotImplementedError

    def clear_filter(self) -> bool:
        """Take the filter away; the run part does."""
        raise NotImplementedError

    def stop_playing(self) -> None:
        """End the play; the step part does."""
        raise NotImplementedError

    def stop_flicker(self) -> bool:
        """End the flicker; the look part does."""
        raise NotImplementedError

    def look_back(self) -> bool:
        """Take one level of looking back; the look part does."""
        raise NotImplementedError
