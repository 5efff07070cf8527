"""Where the person is in a run, and the rules of moving there. Pure."""

from msgspec import Struct

from b100tui.tui.trajectory import Trajectory


class Position(Struct):
    """The step shown, the reference it is compared with, and how the screen moves."""

    step: int = 0
    reference: int = 1
    typed: str = ""
    playing: bool = False
    following: bool = False

    def type_digit(self, digit: str) -> None:
        """Add a digit of a step number; more than six start over."""
        self.typed = (self.typed + digit)[-6:].lstrip("0") or "0"

    def take_typed(self) -> int | None:
        """Return the typed number and forget it; None when nothing is typed."""
        typed, self.typed = self.typed, ""
        return int(typed) if typed else None

    def go(self, trajectory: Trajectory, step: int) -> bool:
        """Go to `step`, clamped to the run; True when the step has changed.

        At the end of the run the position follows it as it grows; anywhere else it stays.
        """
        before = self.step
        self.step = trajectory.clamp(step)
        self.following = self.step == trajectory.last
        return self.step != before

    def grow(self, trajectory: Trajectory) -> bool:
        """Take the run as it is now: follow its new end, or stay; True when the step changed."""
        before = self.step
        self.step = trajectory.last if self.following else trajectory.clamp(self.step)
        return self.step != before

    def usable_reference(self, trajectory: Trajectory) -> int:
        """Return the reference inside this run: the chosen one, else the nearest that exists."""
        at = trajectory.at
        if self.reference in at and at[self.reference].status == "ok":
            return self.reference
        good = [step.step for step in trajectory.steps if step.status == "ok"]
        return min(good, key=lambda n: (abs(n - self.reference), n)) if good else trajectory.first
