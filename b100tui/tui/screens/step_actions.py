"""The actions that move through the steps of a run."""

from textual.timer import Timer

from b100tui.tui.screens.base import ExplorerState

PLAY_SECONDS = 0.25
TEN = 10


class StepActions(ExplorerState):
    """Step, jump, play, reference."""

    def __init__(self, classes: str = "") -> None:
        super().__init__(classes)
        self._play_timer: Timer | None = None

    def do_step_back(self) -> None:
        """One step back."""
        self.go_to_step(self.position.step - 1)

    def do_step_on(self) -> None:
        """One step on."""
        self.go_to_step(self.position.step + 1)

    def do_step_back10(self) -> None:
        """Ten steps back."""
        self.go_to_step(self.position.step - TEN)

    def do_step_on10(self) -> None:
        """Ten steps on."""
        self.go_to_step(self.position.step + TEN)

    def do_step_first(self) -> None:
        """Go to the first step."""
        if self.trajectory:
            self.go_to_step(self.trajectory.first)

    def do_step_last(self) -> None:
        """Go to the last step and follow it."""
        if self.trajectory:
            self.go_to_step(self.trajectory.last)
            self.position.following = True
            self.show_position()

    def do_step_onset(self) -> None:
        """Go to the run's onset."""
        onset = self.trajectory.row.onset if self.trajectory else None
        if onset is None:
            self.say("no onset is known for this run")
        else:
            self.go_to_step(onset)

    def do_step_reference(self) -> None:
        """Make the shown step the reference."""
        step = self.trajectory.at.get(self.position.step) if self.trajectory else None
        if step is None or step.status != "ok":
            self.say("a step without a picture cannot be the reference", bad=True)
            return
        self.position.reference = step.step
        self.show_position()

    def do_step_play(self) -> None:
        """Start or stop playing."""
        if self.position.playing:
            self.stop_playing()
            self.show_position()
            return
        if self.trajectory is None:
            return
        if self.position.step >= self.trajectory.last:
            self.go_to_step(self.trajectory.first)
        self.position.playing = True
        self._play_timer = self.set_interval(PLAY_SECONDS, self.play_on)
        self.show_position()

    def play_on(self) -> None:
        """Take one step of the play; it ends at the last one."""
        if self.trajectory is None or self.position.step >= self.trajectory.last:
            self.stop_playing()
            self.show_position()
        else:
            self.go_to_step(self.position.step + 1)

    def stop_playing(self) -> None:
        """End the play."""
        self.position.playing = False
        if self._play_timer is not None:
            self._play_timer.stop()
            self._play_timer = None
