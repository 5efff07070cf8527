"""Calls that were put off until after a refresh: done once, and only for those still there.

Textual keeps them with the screen on top, whoever made them. By the time they are due their
maker may have gone, and that screen too.
"""

from functools import partial
from typing import Any, TypeVar

from textual._callback import invoke
from textual.dom import DOMNode
from textual.screen import Screen

Result = TypeVar("Result")


class PutsOff(Screen[Result]):
    """A screen that calls back only those that are still there."""

    @property
    def keys_at_once(self) -> bool:
        """Whether every key is one of the screen's bindings now, so that none need be handed on."""
        return False

    async def _invoke_and_clear_callbacks(self) -> None:
        """Do what was put off, as Textual does, but not for parts or screens that have gone."""
        callbacks, self._callbacks = self._callbacks, []
        for callback, sender in callbacks:
            if is_here(sender) and is_here(_whose(callback)):
                with sender._context():
                    await invoke(callback)


def _whose(callback: Any) -> Any:
    """Return whose method `callback` is: what a key made counts as put off by the program."""
    while isinstance(callback, partial):
        callback = callback.func
    return getattr(callback, "__self__", None)


def is_here(sender: Any) -> bool:
    """Return whether `sender` still stands in the program, on a screen that has not been left."""
    if not isinstance(sender, DOMNode):
        return True
    if not sender.is_attached or sender._pruning or sender._closing or sender._closed:
        return False
    screens = [node for node in sender.ancestors_with_self if isinstance(node, Screen)]
    return all(screen in sender.app.screen_stack for screen in screens)


def hand_over(leaving: Screen[Any], to: Screen[Any]) -> None:
    """Give what was put off until `leaving` is refreshed to the screen that is on top now."""
    for callback, sender in leaving._callbacks:
        to._invoke_later(callback, sender)
    leaving._callbacks.clear()
