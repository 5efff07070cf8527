"""Marking a step: level, mode, and a region or a note with it; the picture stays in view."""

from collections.abc import Callable
from typing import ClassVar, Literal

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input

from b100tui.model.errors import UsageError
from b100tui.report.marks import OWN, Level, Mode, mode_id, modes
from b100tui.tui.marking import OWN_KEY, Box, Placed, Wanted, mode_name, pressed
from b100tui.tui.screens.base import titled
from b100tui.tui.screens.overlay import Overlay
from b100tui.tui.widgets.lines import Span
from b100tui.tui.widgets.mark_keys import MarkKeys
from b100tui.tui.widgets.region_frame import SIDES, Edge, show_frame

Chosen = Wanted | Literal["blind"]


class MarkScreen(Overlay[Chosen]):
    """Gives back the wanted mark, or "blind" to mark without knowing the step, or None."""

    CSS_PATH = "../styles/marking.tcss"
    AUTO_FOCUS = None
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "shift(-1,0)", "region left", id="mark.left"),
        Binding("right", "shift(1,0)", "region right", id="mark.right"),
        Binding("up", "shift(0,-1)", "region up", id="mark.up"),
        Binding("down", "shift(0,1)", "region down", id="mark.down"),
        Binding("shift+left,less_than_sign", "grow(-2,0)", "narrower", id="mark.narrower"),
        Binding("shift+right,greater_than_sign", "grow(2,0)", "wider", id="mark.wider"),
        Binding("shift+up,minus", "grow(0,-1)", "lower", id="mark.lower"),
        Binding("shift+down,plus", "grow(0,1)", "higher", id="mark.higher"),
    ]

    def __init__(
        self, name: str, find: Callable[[], Placed | None], no_region: str, last: str = ""
    ) -> None:
        """`name` is RUN@STEP; `find` tells where its picture lies by now, None where a region
        would mean nothing: `no_region` says why; `last` is the mode before.
        """
        super().__init__()
        self._name = name
        self._find = find
        self._found: Placed | None = None
        self._no_region = no_region
        self._last = last
        self._modes = modes()
        self.level: Level | None = None
        self.note = ""
        self.box: Box | None = None
        self._lost = False  # a region was given up and nobody has answered that yet
        self._corner: tuple[int, int] | None = None

    def compose(self) -> ComposeResult:
        """The keys below the picture; the region's frame over it."""
        yield from (Edge(side) for side in SIDES)
        with Vertical(id="mark"):
            yield MarkKeys(self._modes, OWN_KEY, id="mark-keys")

    def on_mount(self) -> None:
        """Name the box."""
        titled(self.query_one("#mark"), f"Mark {self._name}", "Esc closes")
        self.show()

    def on_resize(self) -> None:
        """The picture has moved, or will once it is drawn anew."""
        self.call_after_refresh(self.show)

    def _place(self) -> Placed | None:
        """Return where the picture lies now; a region chosen while it lay elsewhere is given up."""
        placed = self._find()
        if self.box is not None and placed != self._found:
            self.box = self._corner = None
            self._lost = True
            self.notify("the picture has moved: R chooses the region again", severity="warning")
        self._found = placed
        return placed

    def show(self) -> None:
        """Draw what is chosen so far."""
        placed = self._place()
        spans: list[Span] = []
        if self._last:
            spans.append((f" m again: {mode_name(self._modes, self._last)}   ", "mark--state"))
        if self.box is not None and placed is not None:
            x, y, width, height = placed.region(self.box)
            spans.append((f" R region {width}x{height} at {x},{y}   ", "mark--state"))
            spans.append((" ←→↑↓ move it  < > - + size it   ", "mark--dim"))
        else:
            spans.append((" R region   ", "mark--dim"))
        spans.append((f" N note: {self.note}   " if self.note else " N note   ", "mark--dim"))
        spans.append((" B blind: step hidden", "mark--dim"))
        self.query_one(MarkKeys).show(self.level, spans)
        show_frame(self.query(Edge), self.box)
        self._make_way()

    def _make_way(self) -> None:
        """Let the keys lie above where the region would otherwise go under them."""
        keys = self.query_one("#mark").region
        if self.box is None:
            self.remove_class("-above")
        elif keys.height:
            covered = self.box[1] + self.box[3] > self.size.height - keys.height
            self.set_class(covered, "-above")

    # Keys

    def on_key(self, event: events.Key) -> None:
        """Digits choose the level, letters the mode."""
        if self._take(event.character or ""):
            event.stop()

    def _take(self, key: str) -> bool:
        """Do what a character means here; False where it means nothing."""
        found = pressed(self._modes, self.level, key)
        if isinstance(found, Mode):
            self._done(found.id)
        elif self.level == "tag" and key == OWN_KEY:
            self._ask(Input(placeholder="your own tag: a word, then Enter", id="mark-tag"))
        elif found is not None:
            self.level = found
            self.show()
        elif key == "m" and self._last and self.level is None:
            self._done(self._last)
        elif key == "R":
            self._turn_region()
        elif key == "N":
            self._ask_note()
        elif key == "B":
            self.dismiss("blind")
        else:
            return False
        return True

    def _done(self, mode: str) -> None:
        placed = self._place()
        if self._lost:
            self._lost = False  # the next key marks, by then knowing that there is no region
            self.show()
            return
        region = placed.region(self.box) if self.box is not None and placed is not None else None
        self.dismiss(Wanted(mode=mode, region=region, note=self.note))

    def action_close(self) -> None:
        """Go back one level: note, level, region; then close."""
        if self.query(Input):
            self.query(Input).remove()
        elif self.level is not None:
            self.level = None
            self.show()
        elif self.box is not None:
            self.box = None
            self.show()
        else:
            self.dismiss(None)

    # Region

    def _turn_region(self) -> None:
        placed = self._place()
        if placed is None:
            self.notify(self._no_region, severity="warning", markup=False)
            return
        below = self.query_one("#mark").region.y
        self._lost = False
        self.box = None if self.box is not None else placed.first_box(below)
        self.show()

    def action_shift(self, right: int, down: int) -> None:
        """Move the region by cells."""
        placed = self._place()
        if self.box is not None and placed is not None:
            x, y, width, height = self.box
            self.box = placed.inside((x + right, y + down, width, height))
            self.show()

    def action_grow(self, wider: int, higher: int) -> None:
        """Change the region's size by cells."""
        placed = self._place()
        if self.box is not None and placed is not None:
            x, y, width, height = self.box
            self.box = placed.inside((x, y, width + wider, height + higher))
            self.show()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Begin a region where the picture is."""
        placed = self._place()
        if placed is None:
            return
        x, y, width, height = placed.cells
        if x <= event.screen_x < x + width and y <= event.screen_y < y + height:
            self._corner = (event.screen_x, event.screen_y)
            self._lost = False

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Draw the region out."""
        placed = self._place()
        if self._corner is not None and placed is not None:
            self.box = placed.between(self._corner, (event.screen_x, event.screen_y))
            self.show()

    def on_mouse_up(self) -> None:
        """The region stands."""
        self._corner = None

    # Note

    def _ask_note(self) -> None:
        self._ask(Input(self.note, placeholder="a note, then Enter", id="mark-note"))

    def _ask(self, field: Input) -> None:
        if self.query(Input):
            return
        field.compact = True
        self.query_one("#mark").mount(field)
        field.focus()

    @on(Input.Submitted, "#mark-note")
    def _noted(self, event: Input.Submitted) -> None:
        event.stop()
        self.note = event.value.strip()
        self._asked(event.input)

    @on(Input.Submitted, "#mark-tag")
    def _tagged(self, event: Input.Submitted) -> None:
        event.stop()
        word = event.value.strip().removeprefix(OWN)
        if not word:
            self._asked(event.input)
            return
        try:
            self._done(mode_id(OWN + word))
        except UsageError:
            fix = "a tag is letters, digits and hyphens, 40 at most"
            self.notify(fix, severity="warning", markup=False)

    def _asked(self, field: Input) -> None:
        field.remove()
        self.set_focus(None)
        self.show()
