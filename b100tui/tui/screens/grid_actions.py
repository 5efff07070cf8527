"""The actions that open many pictures at once: contact sheet and matrix."""

from msgspec.structs import replace

from b100tui.model.records import Step
from b100tui.terminal.targets import ViewSpec
from b100tui.tui.screens.look_actions import LookActions


class GridActions(LookActions):
    """Contact sheet and matrix, looked at as the picture is."""

    def do_compare_sheet(self) -> None:
        """Show every step of the run at once."""
        from b100tui.tui.screens.grid import SheetScreen

        trajectory = self.trajectory
        if trajectory is None or not trajectory.steps:
            return
        reference = self.position.usable_reference(trajectory)
        onset = trajectory.row.onset

        def told(step: Step) -> str:
            if step.status != "ok":
                return step.status
            words = ["ref"] if step.step == reference else []
            words += ["onset"] if step.step == onset else []
            return " ".join(words)

        at = max(self.position.step - trajectory.first, 0)
        self.app.push_screen(
            SheetScreen(
                self.explorer.pipeline,
                self._tile_view(),
                trajectory.row.run,
                trajectory.steps,
                min(at, len(trajectory.steps) - 1),
                told,
            ),
            self._tile_chosen,
        )

    def do_compare_matrix(self) -> None:
        """Show the listed runs below each other, steps across."""
        from b100tui.tui.screens.grid import USUAL_ASPECT, MatrixScreen

        trajectory, catalogue = self.trajectory, self.catalogue
        if trajectory is None or catalogue is None:
            self.say("the index is not ready yet")
            return
        tree, wanted = self.runs.tree_of_runs, self.runs.wanted
        listed = tree.rows if wanted is None else [tree.rows[n] for n in wanted]
        size = next(((s.width, s.height) for s in trajectory.steps if s.width and s.height), None)
        self.app.push_screen(
            MatrixScreen(
                self.explorer.pipeline,
                self._tile_view(),
                listed,
                catalogue.steps,
                (trajectory.row.run, self.position.step),
                size[0] / size[1] if size and size[0] and size[1] else USUAL_ASPECT,
            ),
            self._tile_chosen,
        )

    def _tile_view(self) -> ViewSpec:
        """Return the present look for tiles: nothing beside, no alignment."""
        return replace(self.look, compare="", difference="", align=False).view(None)

    def _tile_chosen(self, place: tuple[str, int] | None) -> None:
        if place is not None:
            self.jump(*place)
