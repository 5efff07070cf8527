"""Takes a terminal's late answers out of what was typed: else they would become keys."""

import re

# DA1 and secondary DA, cell size, XTVERSION and other DCS, Kitty and other APC.
_REPLY = re.compile(r"\x1b\[[?>=][\d;]*c|\x1b\[6;\d+;\d+t|\x1b[P_][^\x1b]{0,4096}\x1b\\", re.DOTALL)
# The beginning of such an answer at the end of a read; the rest may be in the next one. A lone
# ESC or ESC [ is not held: that is a key, and Textual's parser waits for the rest itself.
_BEGUN = re.compile(r"\x1b(?:\[[?>=][\d;]*|\[6(?:;[\d;]*)?|[P_][^\x1b]{0,4096}\x1b?)\Z", re.DOTALL)


class ReplyFilter:
    """Splits input into what was typed and what the terminal answered (`taken`)."""

    def __init__(self) -> None:
        self.taken = ""
        self._held = ""

    def feed(self, text: str) -> str:
        """Return `text` without answers; the beginning of one is held until the next call."""
        text = self._held + text
        self._held = ""
        if "\x1b" not in text:
            return text
        for reply in _REPLY.findall(text):
            self.taken += reply
        text = _REPLY.sub("", text)
        begun = _BEGUN.search(text)
        if begun:
            self._held = begun[0]
            text = text[: begun.start()]
        return text

    def flush(self) -> str:
        """Return what is held: nothing followed, so it was typed."""
        held, self._held = self._held, ""
        return held

    def take(self) -> str:
        """Return the answers so far and forget them."""
        taken, self.taken = self.taken, ""
        return taken
