"""Blind marking: the pictures of a run in an order that gives nothing away, no step told."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from msgspec.structs import replace
from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical

from b100tui.model.records import MarkRecord, Step
from b100tui.report.marks import Level, Mode, blind_order, modes
from b100tui.terminal.pipeline import Pipeline
from b100tui.terminal.targets import Target
from b100tui.tui.actions import Action, with_keys
from b100tui.tui.analysis_keys import BLIND
from b100tui.tui.look import Look
from b100tui.tui.marking import Wanted, mode_name, pressed
from b100tui.tui.screens.analysis import bindings_of
from b100tui.tui.screens.overlay import ClosesOnce
from b100tui.tui.widgets.bars import KeyLine, StatusLine
from b100tui.tui.widgets.lines import Span
from b100tui.tui.widgets.mark_keys import MarkKeys
from b100tui.tui.widgets.picture import PictureView

Write = Callable[[int, Wanted], None]
Unwrite = Callable[[], None]


class BlindScreen(ClosesOnce[None]):
    """Shows pictures without their steps and has marks written as blind ones."""

    CSS_PATH = "../styles/marking.tcss"
    AUTO_FOCUS = None
    BINDINGS: ClassVar[list[BindingType]] = bindings_of(BLIND)

    def __init__(
        self,
        pipeline: Pipeline | None,
        steps: Sequence[Step],
        seed: int,
        write: Write,
        take_back: Unwrite,
    ) -> None:
        """`write` and `take_back` return at once; `noted` is told when a record is on disk."""
        super().__init__()
        self._pipeline = pipeline
        good = {step.step: step for step in steps if step.status == "ok" and step.picture}
        self.order = blind_order(good, seed)
        self._line = tuple(
            Target(good[number].picture, f"picture {place}")
            for place, number in enumerate(self.order, 1)
        )
        self._write = write
        self._take_back = take_back
        self._modes = modes()
        self.at = 0
        self.level: Level | None = None
        self.look = Look()
        self._marked: dict[int, list[MarkRecord]] = {}

    @property
    def _keys(self) -> tuple[Action, ...]:
        return with_keys(BLIND, getattr(self.app, "screen_keys", {}))

    def compose(self) -> ComposeResult:
        """The picture above the keys."""
        yield StatusLine(id="blind-status")
        with Vertical(id="blind-picture"):
            yield PictureView(id="blind-view")
        yield MarkKeys(self._modes, id="blind-keys")
        yield KeyLine(self._keys, id="blind-line")

    def on_mount(self) -> None:
        """Show the first picture."""
        self.query_one(PictureView).attach(self._pipeline)
        self.show()

    def show(self) -> None:
        """Draw the picture in hand and what was marked on it."""
        left: list[Span] = [
            (" b100 ", "status--brand"),
            (f" blind marking: picture {self.at + 1} of {len(self._line)} ", "status--root"),
        ]
        right: list[Span] = [("order shuffled, step hidden ", "status--dim")]
        self.query_one("#blind-status", StatusLine).show(left=left, right=right)
        here = self._marked.get(self.at, [])
        names = ", ".join(mode_name(self._modes, one.mode) for one in here)
        state: list[Span] = [(f" marked: {names}   " if names else " no mark   ", "mark--state")]
        if any(self._marked.values()):
            state.append((" Backspace takes the last one back", "mark--dim"))
        self.query_one(MarkKeys).show(self.level, state)
        if self._line:
            view = self.look.view(None)
            line = tuple(replace(target, view=view) for target in self._line)
            self.query_one(PictureView).show(line[self.at], line, self.at)

    def noted(self, record: MarkRecord) -> None:
        """Take a record that was written: a mark, or the taking back of one."""
        if record.step not in self.order:
            return
        at = self.order.index(record.step)
        kept = [one for one in self._marked.get(at, []) if one.id != record.id]
        self._marked[at] = kept if record.undo else [*kept, record]
        self.show()

    # Keys

    def action_run(self, name: str) -> None:
        """Run the action with this id."""
        self.act(next(one for one in BLIND if one.id == name))

    def act(self, action: Action) -> None:
        """Run an action."""
        getattr(self, "do_" + action.id.split(".", 1)[1].replace("-", "_"))()

    @on(KeyLine.Chosen)
    def _key_clicked(self, event: KeyLine.Chosen) -> None:
        event.stop()
        self.act(event.action)

    def on_key(self, event: events.Key) -> None:
        """Digits choose the level, letters the mode, Backspace takes back."""
        if event.key == "backspace":
            event.stop()
            self._take_back()
            return
        found = pressed(self._modes, self.level, event.character or "")
        if isinstance(found, Mode):
            event.stop()
            self.level = None
            self._write(self.order[self.at], Wanted(mode=found.id))
            self.show()
        elif found is not None:
            event.stop()
            self.level = found
            self.show()

    def _go(self, by: int) -> None:
        self.at = max(0, min(len(self._line) - 1, self.at + by))
        self.level = None
        self.show()

    def do_on(self) -> None:
        """The next picture."""
        self._go(1)

    def do_back_one(self) -> None:
        """The picture before."""
        self._go(-1)

    def do_zoom_in(self) -> None:
        """Nearer."""
        self.look = self.look.zoomed(1)
        self.show()

    def do_zoom_out(self) -> None:
        """Farther."""
        self.look = self.look.zoomed(-1)
        self.show()

    def do_help(self) -> None:
        """Show this screen's keys."""
        from b100tui.tui.screens.help import HelpScreen

        self.app.push_screen(HelpScreen(self._keys, "blind"))

    def do_back(self) -> None:
        """Leave the level in hand, or the screen."""
        if self.level is not None:
            self.level = None
            self.show()
        else:
            self.dismiss(None)

    def on_screen_suspend(self) -> None:
        """Something lies over the picture now."""
        self.query_one(PictureView).cover_changed()

    def on_screen_resume(self) -> None:
        """The picture may be bare again."""
        self.query_one(PictureView).cover_changed()
