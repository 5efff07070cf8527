"""The mouse on a picture: dragging moves what is seen, the wheel zooms."""

from textual import events
from textual.message import Message
from textual.widget import Widget


class Dragged(Message, namespace="picture_view"):
    """The picture was dragged by `columns` and `rows` cells."""

    def __init__(self, view: Widget, columns: int, rows: int) -> None:
        super().__init__()
        self.view = view
        self.columns = columns
        self.rows = rows

    @property
    def control(self) -> Widget:
        """The view, so that handlers can select by it."""
        return self.view


class Wheeled(Message, namespace="picture_view"):
    """The wheel was turned over the picture: `by` is +1 (towards the screen) or -1."""

    def __init__(self, view: Widget, by: int) -> None:
        super().__init__()
        self.view = view
        self.by = by

    @property
    def control(self) -> Widget:
        """The view, so that handlers can select by it."""
        return self.view


class MouseOver(Widget):
    """A widget that tells drags and the wheel."""

    _held: tuple[int, int] | None = None

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Take hold of the picture."""
        self._held = (event.screen_x, event.screen_y)
        self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Tell how far it was dragged since the last move."""
        if self._held is None:
            return
        columns, rows = event.screen_x - self._held[0], event.screen_y - self._held[1]
        if columns or rows:
            self._held = (event.screen_x, event.screen_y)
            self.post_message(Dragged(self, columns, rows))

    def on_mouse_up(self) -> None:
        """Let go."""
        self._held = None
        self.release_mouse()

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Nearer."""
        event.stop()
        self.post_message(Wheeled(self, 1))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Farther."""
        event.stop()
        self.post_message(Wheeled(self, -1))
