"""The palette and its source: every action by name, those of later releases with their reason."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from textual.app import ComposeResult
from textual.command import CommandList, CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.events import Click
from textual.timer import Timer

from b100tui.tui.actions import GROUPS, Action
from b100tui.tui.screens.overlay import ClosesOnce

if TYPE_CHECKING:
    from b100tui.tui.app import Explorer


class ActionProvider(Provider):
    """Offers the registry; nothing else stands in the palette."""

    def _entries(self) -> list[tuple[str, Action, str]]:
        explorer = cast("Explorer", self.app)
        entries = []
        for action in explorer.actions:
            if action.typed or action.id == "app.palette":
                continue
            text = f"{GROUPS[action.group]}: {action.about}"
            note = f"{action.shown_keys}" + (f"  ({action.later})" if action.later else "")
            entries.append((text, action, note))
        return entries

    async def discover(self) -> Hits:
        """Yield every action before anything is typed."""
        for text, action, note in self._entries():
            yield DiscoveryHit(text, partial(self._run, action), help=note)

    async def search(self, query: str) -> Hits:
        """Yield the actions whose words match."""
        matcher = self.matcher(query)
        for text, action, note in self._entries():
            score = matcher.match(text)
            if score > 0:
                yield Hit(score, matcher.highlight(text), partial(self._run, action), help=note)

    def _run(self, action: Action) -> None:
        cast("Explorer", self.app).run_action_by_id(action.id)


class Rows(CommandList):
    """The palette's list, refilled between what is painted and what is clicked."""

    async def _on_click(self, event: Click) -> None:
        option = event.style.meta.get("option")
        if option is not None and option >= self.option_count:
            event.stop().prevent_default()  # Textual's own would look the missing row up


class Palette(CommandPalette, ClosesOnce[None]):
    """Textual's palette, which may be left while it still gathers what it offers.

    Its worker sets these after the list has gone, and the missing list would end the program.
    """

    def compose(self) -> ComposeResult:
        """Lay out Textual's palette with rows of our own."""
        for part in super().compose():
            yield Rows() if type(part) is CommandList else part

    def _watch__list_visible(self) -> None:
        if self.query(CommandList):
            super()._watch__list_visible()

    async def _watch__show_busy(self) -> None:
        if self.query(CommandList):
            await super()._watch__show_busy()

    def _gather_commands(self, *words: Any, **named: Any) -> Any:
        return super()._gather_commands(*words, **named) if self.query(CommandList) else None

    def set_timer(
        self, delay: float, callback: Callable[[], Any] | None = None, **named: Any
    ) -> Timer:
        """Start a timer whose call is dropped once the list has gone."""

        def guarded() -> Any:
            return callback() if callback is not None and self.query(CommandList) else None

        return super().set_timer(delay, guarded, **named)

    def _action_command_list(self, action: str) -> None:
        if any(found.scrollable_content_region for found in self.query(CommandList)):
            super()._action_command_list(action)  # a list without room has no lines to move in
