"""Textual's memory of a widget's two backgrounds, without the widget's lines.

`StylesCache.get_inner_outer` takes `cls` and was meant as a class method, but is an
`lru_cache` on a plain one: its 1024 entries each hold a `StylesCache`, and with it all lines
of a widget that may long have gone, tens of kilobytes each where it showed a picture.
"""

from functools import lru_cache

from textual._styles_cache import StylesCache
from textual.color import Color
from textual.style import Style


def forget_widgets() -> None:
    """Have Textual remember backgrounds by their colours alone; once is enough."""
    kept = vars(StylesCache).get("get_inner_outer")
    found = getattr(kept, "__wrapped__", None)
    if found is None or isinstance(kept, staticmethod | classmethod):
        return  # mended in Textual, or by an earlier call

    @lru_cache(1024)
    def inner_outer(base_background: Color, background: Color) -> tuple[Style, Style]:
        both: tuple[Style, Style] = found(StylesCache, base_background, background)
        return both

    StylesCache.get_inner_outer = staticmethod(inner_outer)  # type: ignore[method-assign, assignment]
