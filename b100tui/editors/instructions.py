"""What a simulated editor understands of a prompt, and how it carries that out on pixels."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

import cv2
import numpy as np
from msgspec import Struct

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Pixels = NDArray[np.float32]

Action = Literal[
    "copy", "denoise", "mirror", "rotate", "monochrome", "recolour", "patches", "edges",
    "reconstruct", "add",
]  # fmt: skip


class Instruction(Struct, frozen=True):
    """One understood prompt; `thing` names what is to be added."""

    action: Action
    thing: str = ""


_WORDS: tuple[tuple[str, Action], ...] = (
    (r"\bmirror|\bflip", "mirror"),
    (r"\brotat|\bturn\b.*\bclockwise", "rotate"),
    (r"\bmonochrome|\bblack[- ]and[- ]white|\bgreyscale|\bgrayscale", "monochrome"),
    (r"\bcolouri[sz]e|\bcolori[sz]e|\bnatural colou?rs?\b", "recolour"),
    (r"\bcolou?r patches\b", "patches"),
    (r"\bedges?\b|\boutlines?\b", "edges"),
    (r"\breconstruct|\brestore the full", "reconstruct"),
    (r"\bnoise\b|\bgrain\b|\bdenois", "denoise"),
)
_ADD = re.compile(r"\badd (?:an?|one|another|one more)\s+([a-z][a-z' -]*?)(?: to\b|,|\.|$)", re.I)


def understand(prompt: str) -> Instruction:
    """Return what the simulated editor takes `prompt` to mean; a plain copy by default."""
    added = _ADD.search(prompt)
    if added:
        return Instruction("add", added.group(1).strip().lower())
    lowered = prompt.lower()
    for pattern, action in _WORDS:
        if re.search(pattern, lowered):
            return Instruction(action)
    return Instruction("copy")


def carry_out(
    pixels: "Pixels", instruction: Instruction, random: "np.random.Generator", step: int
) -> "Pixels":
    """Return `pixels` (H, W, 3; RGB, 0 to 255 as float32) after `instruction`."""
    if instruction.action == "add":
        from b100tui.editors.objects import add_object

        return np.asarray(add_object(pixels, instruction.thing, random, step), np.float32)
    change = _CHANGES.get(instruction.action)
    return pixels if change is None else change(pixels)


def _mirror(pixels: "Pixels") -> "Pixels":
    return np.ascontiguousarray(pixels[:, ::-1])


def _rotate(pixels: "Pixels") -> "Pixels":
    return np.ascontiguousarray(np.rot90(pixels, -1))


def _monochrome(pixels: "Pixels") -> "Pixels":
    grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY)
    return np.asarray(np.repeat(grey[:, :, None], 3, axis=2), np.float32)


def _reconstruct(pixels: "Pixels") -> "Pixels":
    smooth = cv2.GaussianBlur(pixels, (0, 0), 1.6)
    return np.asarray(pixels + 0.6 * (pixels - smooth), np.float32)


def _denoise(pixels: "Pixels") -> "Pixels":
    return np.asarray(cv2.bilateralFilter(pixels, 5, 14.0, 2.0), np.float32)


def _recolour(pixels: "Pixels") -> "Pixels":
    """Colour a grey picture by brightness: cool shadows, warm lights, as a guess would."""
    grey = np.asarray(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY), np.float32) / 255.0
    stops = np.array([0.0, 0.3, 0.6, 1.0])
    ramps = ([14, 92, 186, 252], [20, 78, 150, 246], [38, 70, 108, 232])
    guess = np.stack([np.interp(grey, stops, ramp) for ramp in ramps], axis=2)
    return np.asarray(0.35 * pixels + 0.65 * guess, np.float32)


def _patches(pixels: "Pixels") -> "Pixels":
    """Flatten into a few levels of a small picture, enlarged without smoothing."""
    height, width = pixels.shape[:2]
    small = cv2.resize(pixels, (max(1, width // 14), max(1, height // 14)), None, 0, 0, 3)
    large = cv2.resize(np.round(small / 24) * 24, (width, height), None, 0, 0, 0)
    return np.asarray(np.clip(large, 0, 255), np.float32)


def _edges(pixels: "Pixels") -> "Pixels":
    """Draw dark outlines over paled areas."""
    grey = cv2.GaussianBlur(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY), (0, 0), 1.0)
    slope = np.hypot(cv2.Sobel(grey, -1, 1, 0), cv2.Sobel(grey, -1, 0, 1))
    ink = np.clip(slope / 120.0, 0, 1)[:, :, None]
    return np.asarray((170 + pixels / 3) * (1 - ink) + 24 * ink, np.float32)


_CHANGES: "dict[Action, Callable[[Pixels], Pixels]]" = {
    "mirror": _mirror,
    "rotate": _rotate,
    "monochrome": _monochrome,
    "recolour": _recolour,
    "patches": _patches,
    "edges": _edges,
    "reconstruct": _reconstruct,
    "denoise": _denoise,
}
