"""What a picture widget tells: shown, failed; and what its worker threads hand over."""

from typing import TYPE_CHECKING

from textual.message import Message

from b100tui.terminal.pipeline import Delivery

if TYPE_CHECKING:
    from b100tui.tui.widgets.picture import PictureView


class Shown(Message, namespace="picture_view"):
    """A picture went out: `protocol`, `bytes` on the link, `ms` since it was asked for."""

    def __init__(self, view: "PictureView", protocol: str, size: int, ms: float) -> None:
        super().__init__()
        self.view = view
        self.protocol = protocol
        self.bytes = size
        self.ms = ms

    @property
    def control(self) -> "PictureView":
        """The view, so that handlers can select by it."""
        return self.view


class Failed(Message, namespace="picture_view"):
    """The wanted picture cannot be shown; `reason` is clean and in words."""

    def __init__(self, view: "PictureView", reason: str) -> None:
        super().__init__()
        self.view = view
        self.reason = reason

    @property
    def control(self) -> "PictureView":
        """The view, so that handlers can select by it."""
        return self.view


class Delivered(Message, bubble=False, namespace="picture_view"):
    """A worker thread made something."""

    def __init__(self, delivery: Delivery) -> None:
        super().__init__()
        self.delivery = delivery
