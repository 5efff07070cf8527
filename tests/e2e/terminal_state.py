"""What a program has done to its terminal so far: modes, pictures, and whether it broke."""

import re

_MODE = re.compile(rb"\x1b\[\?([0-9;]+)([hl])")
_KEYBOARD = re.compile(rb"\x1b\[([<>])[0-9]*u")
_KITTY = re.compile(rb"\x1b_G([^;\x1b]*)[;\x1b]")
_SEEN = re.compile(rb"|".join(one.pattern for one in (_MODE, _KEYBOARD, _KITTY)))
_TRACEBACK = b"Traceback (most recent call last)"
# What is on before a program starts, by DEC private mode: line wrap and cursor.
_ON_BEFORE = {7, 25}
_LONGEST = 4096


class TerminalState:
    """Reads everything a program writes, in pieces of any size, and keeps only what counts."""

    def __init__(self) -> None:
        self._modes = dict.fromkeys(_ON_BEFORE, True)
        self._keyboard = 0
        self.kitty: set[bytes] = set()
        """The ids of Kitty pictures that were sent up and not freed again."""
        self.most_kitty = 0
        self.broke = False
        """Whether a traceback was written."""
        self._rest = self._told = b""

    def feed(self, data: bytes) -> None:
        whole = self._rest + data
        done = 0
        for found in _SEEN.finditer(whole):
            done = found.end()
            text = found[0]
            if mode := _MODE.fullmatch(text):
                for number in mode[1].split(b";"):
                    self._modes[int(number)] = mode[2] == b"h"
            elif keyboard := _KEYBOARD.fullmatch(text):
                self._keyboard += 1 if keyboard[1] == b">" else -1
            elif kitty := _KITTY.fullmatch(text):
                self._picture(kitty[1])
        begin = whole.rfind(b"\x1b")
        unfinished = done <= begin and len(whole) - begin < _LONGEST
        self._rest = whole[begin:] if unfinished else b""
        told = self._told + data
        self.broke = self.broke or _TRACEBACK in told
        self._told = told[-len(_TRACEBACK) :]

    def _picture(self, command: bytes) -> None:
        keys = dict(pair.split(b"=", 1) for pair in command.split(b",") if b"=" in pair)
        if keys.get(b"a") in {b"t", b"T"} and b"i" in keys:
            self.kitty.add(keys[b"i"])
        if keys.get(b"a") == b"d":
            self.kitty.discard(keys.get(b"i", b""))
        self.most_kitty = max(self.most_kitty, len(self.kitty))

    def left_on(self) -> set[int]:
        """Return the DEC private modes that are not as they were before the program.

        Among them 25 cursor, 7 line wrap, 1000 to 1016 mouse, 1004 focus, 1049 alternate
        screen, 2004 bracketed paste, 2026 held output.
        """
        return {mode for mode, on in self._modes.items() if on != (mode in _ON_BEFORE)}

    def left(self) -> list[str]:
        """Return in words all that is not as before."""
        found = [f"mode {mode} is changed" for mode in sorted(self.left_on())]
        if self._keyboard:
            found.append(f"keyboard protocol pushed {self._keyboard} times")
        found += [f"picture {number.decode()} is not freed" for number in sorted(self.kitty)]
        if self.broke:
            found.append("a traceback was written")
        return found
