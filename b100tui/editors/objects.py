"""Objects that a simulated editor adds to a table: fruit as shaded ellipsoids."""

import hashlib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    import numpy as np

# Where things may stand, as shares of the picture: the board of the table scene.
_LEFT, _RIGHT, _TOP, _BOTTOM = 0.16, 0.84, 0.60, 0.86


@cache
def _looks() -> dict[str, Any]:
    text = files("b100tui.editors").joinpath("objects.toml").read_bytes()
    looks: dict[str, Any] = msgspec.toml.decode(text)
    return looks


def add_object(pixels: Any, thing: str, random: "np.random.Generator", step: int) -> Any:
    """Return `pixels` (H, W, 3; 0 to 255, float32) with one `thing` set on the table."""
    import numpy as np

    height, width = pixels.shape[:2]
    look = _look(thing)
    depth = float(random.uniform(0.0, 1.0))
    x = width * float(random.uniform(_LEFT + 0.04 * (1 - depth), _RIGHT - 0.04 * (1 - depth)))
    y = height * (_TOP + (_BOTTOM - _TOP) * depth)
    radius = height * look["size"] * (0.75 + 0.45 * depth)
    return np.asarray(_ellipsoid(pixels, x, y, radius, look), np.float32)


def _look(thing: str) -> dict[str, Any]:
    """Return colour, size and shape of `thing`; unknown things get theirs from their name."""
    looks = _looks()
    for name, look in looks.items():
        if name in thing:
            return {"stretch": 1.0, "size": 0.055, "stem": True, **look}
    digest = hashlib.sha256(thing.encode()).digest()
    palette = [(196, 60, 40), (232, 150, 40), (226, 200, 70), (96, 140, 60), (112, 52, 110)]
    return {
        "colour": palette[digest[0] % len(palette)],
        "size": 0.035 + 0.03 * digest[1] / 255,
        "stretch": 0.8 + 0.7 * digest[2] / 255,
        "stem": digest[3] % 2 == 0,
    }


def _ellipsoid(pixels: Any, x: float, y: float, radius: float, look: dict[str, Any]) -> Any:
    """Paint a lit ellipsoid standing at (x, y) with a contact shadow and, if asked, a stem."""
    import numpy as np

    height, width = pixels.shape[:2]
    rows, columns = np.mgrid[0:height, 0:width].astype(np.float32)
    wide = radius * look["stretch"]
    out = pixels.copy()
    shadow = np.exp(-(((columns - x - 0.35 * wide) / (1.2 * wide)) ** 2) * 1.6)
    shadow *= np.exp(-(((rows - y - 0.85 * radius) / (0.32 * radius)) ** 2) * 1.6)
    out *= 1 - 0.55 * shadow[:, :, None]
    u, v = (columns - x) / wide, (rows - y) / radius
    inside = u * u + v * v
    cover = np.clip((1.0 - inside) * radius / 2.2, 0, 1)
    depth = np.sqrt(np.clip(1 - inside, 0, 1))
    light = np.clip(-0.45 * u - 0.62 * v + 0.64 * depth, 0, 1)
    shine = np.clip(-0.50 * u - 0.55 * v + 0.67 * depth, 0, 1) ** 34
    body = np.array(look["colour"], np.float32) * (0.30 + 0.85 * light[:, :, None])
    body += 150 * shine[:, :, None]
    streak = 1 + 0.07 * np.sin(9 * np.arctan2(v, u) + 3 * inside)
    out = out * (1 - cover[:, :, None]) + body * streak[:, :, None] * cover[:, :, None]
    if look["stem"]:
        bend = (columns - x) - 0.18 * (y - 0.82 * radius - rows)
        stem = np.exp(-((bend / max(1.0, 0.07 * radius)) ** 2))
        stem *= (rows < y - 0.78 * radius) & (rows > y - 1.35 * radius)
        out = out * (1 - stem[:, :, None]) + np.array((70, 48, 26), np.float32) * stem[:, :, None]
    return np.clip(out, 0, 255)
