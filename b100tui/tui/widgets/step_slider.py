"""The step slider: where in the run, with gaps, failures, onset and reference marked."""

from typing import ClassVar

from msgspec import Struct
from textual import events
from textual.message import Message
from textual.strip import Strip

from b100tui.tui.widgets.lines import Lines, Span


class SliderState(Struct, frozen=True):
    """What the slider draws. `typed` are digits that wait for Enter."""

    first: int = 0
    last: int = 0
    step: int = 0
    reference: int = 1
    missing: frozenset[int] = frozenset()
    failed: frozenset[int] = frozenset()
    onset: int | None = None
    marked: frozenset[int] = frozenset()
    planned: int | None = None
    playing: bool = False
    following: bool = False
    typed: str = ""


def track(state: SliderState, width: int) -> list[Span]:
    """Return the bar in `width` cells: marks by character first, by colour second.

    ● this step, ◇ reference, ▼ onset, ▲ marked, × unreadable or refused, ╌ missing, ━ passed,
    ─ ahead.
    """
    count = max(1, state.last - state.first)
    marks: dict[int, Span] = {}

    def cell(step: int) -> int:
        return (step - state.first) * (width - 1) // count

    here = cell(state.step)
    wide = [("━", "slider--passed") if at <= here else ("─", "slider--ahead")
            for at in range(width)]  # fmt: skip
    for step in sorted(state.missing):
        marks[cell(step)] = ("╌", "slider--missing")
    for step in sorted(state.failed):
        marks[cell(step)] = ("×", "slider--failed")
    for step in state.marked:
        if not state.first <= step <= state.last:
            continue  # marked before its picture was taken away
        marks[cell(step)] = ("▲", "slider--marked")
    if state.onset is not None and state.first <= state.onset <= state.last:
        marks[cell(state.onset)] = ("▼", "slider--onset")
    if state.first <= state.reference <= state.last:
        marks[cell(state.reference)] = ("◇", "slider--reference")
    marks[here] = ("●", "slider--knob")
    for at, span in marks.items():
        wide[at] = span
    joined: list[Span] = []
    for text, style in wide:
        if joined and joined[-1][1] == style:
            joined[-1] = (joined[-1][0] + text, style)
        else:
            joined.append((text, style))
    return joined


class StepSlider(Lines):
    """One line that shows the step and takes the mouse."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "slider--passed", "slider--ahead", "slider--missing", "slider--failed", "slider--onset",
        "slider--marked", "slider--reference", "slider--knob", "slider--number", "slider--typed",
    }  # fmt: skip

    class Moved(Message):
        """The mouse asks for a step."""

        def __init__(self, step: int) -> None:
            super().__init__()
            self.step = step

        def can_replace(self, message: Message) -> bool:
            """Only the newest place of a drag counts."""
            return isinstance(message, StepSlider.Moved)

    def __init__(self, **names: str | None) -> None:
        super().__init__(id=names.get("id"))
        self.state = SliderState()
        self._dragging = False

    def show(self, state: SliderState) -> None:
        """Draw `state`."""
        if state != self.state:
            self.state = state
            self.refresh()

    def label(self) -> str:
        """Return the words left of the bar."""
        state = self.state
        if state.typed:
            return f" go to {state.typed}▁ Enter "
        digits = len(str(state.last))
        mark = "▶" if state.playing else ("»" if state.following else " ")
        return f" {mark}{state.step:>{digits}}/{state.last} "

    def _bar(self) -> tuple[int, int]:
        left = len(self.label())
        return left, max(2, self.size.width - left - 2)

    def render_line(self, y: int) -> Strip:
        """Draw the line."""
        if y:
            return self.blank(self.size.width)
        _, width = self._bar()
        style = "slider--typed" if self.state.typed else "slider--number"
        return self.strip([(self.label(), style), *track(self.state, width)], self.size.width)

    def step_at(self, x: int) -> int:
        """Return the step under column `x`."""
        left, width = self._bar()
        share = max(0.0, min(1.0, (x - left) / max(1, width - 1)))
        return self.state.first + round(share * (self.state.last - self.state.first))

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Start a drag."""
        self._dragging = True
        self.capture_mouse()
        self.post_message(self.Moved(self.step_at(event.x)))

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Follow a drag."""
        if self._dragging:
            self.post_message(self.Moved(self.step_at(event.x)))

    def on_mouse_up(self) -> None:
        """End a drag."""
        self._dragging = False
        self.release_mouse()

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """The wheel goes back a step."""
        event.stop()
        self.post_message(self.Moved(max(self.state.first, self.state.step - 1)))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """The wheel goes on a step."""
        event.stop()
        self.post_message(self.Moved(min(self.state.last, self.state.step + 1)))
