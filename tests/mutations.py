"""Seeded mutations of bytes: flips, cuts, repeats, splices and hostile numbers.

B100_FUZZ multiplies how many a test tries (default 1).
"""

import os
import random
from collections.abc import Iterator

SHARE = float(os.environ.get("B100_FUZZ", "1"))
_BLOCKS = (
    b"\0", b"\xff" * 4, b"\x7f\xff\xff\xff", b"\x80\0\0\0", b"1e999", b"-1", b"NaN", b"null",
    b'"', b"{", b"]", b"\n", b"\r\n", b",", b"\x1b[31m", b"\x1b]52;c;cm0=\x07", b"\xe2\x80\xae",
    b"9" * 40, b"[" * 60, b"../../", b"=cmd|' /C calc'!A0",
)  # fmt: skip


def times(count: int) -> int:
    """Return how many mutations to try."""
    return max(1, int(count * SHARE))


def mutated(data: bytes, count: int, seed: int) -> Iterator[bytes]:
    """Yield `count` mutations of `data`, each of one to four random changes."""
    dice = random.Random(seed)
    for _ in range(times(count)):
        changed = bytearray(data)
        for _ in range(dice.randrange(1, 5)):
            _change(changed, dice)
        yield bytes(changed)


def _change(data: bytearray, dice: random.Random) -> None:
    at = dice.randrange(len(data) + 1)
    deed = dice.randrange(6)
    if deed == 0 and at < len(data):
        data[at] ^= 1 << dice.randrange(8)
    elif deed == 1 and at < len(data):
        data[at] = dice.randrange(256)
    elif deed == 2:
        del data[at : at + dice.randrange(1, 20)]
    elif deed == 3:
        data[at:at] = dice.choice(_BLOCKS)
    elif deed == 4:
        block = dice.choice(_BLOCKS)
        data[at : at + len(block)] = block
    else:
        data[at:at] = data[at : at + dice.randrange(1, 40)]
        if dice.random() < 0.2:
            del data[at:]
