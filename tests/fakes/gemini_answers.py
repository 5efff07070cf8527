"""What the fake answers with: pictures that drift a little, thoughts, drafts, token counts."""

import base64
import hashlib
import io
import math
import random
from typing import Any

import numpy as np
from PIL import Image

from tests.fakes.gemini_rules import PRICES, blob_of, either

_SIZES = [
    (1024, 1024), (848, 1264), (1264, 848), (896, 1200), (1200, 896), (928, 1152), (1152, 928),
    (768, 1376), (1376, 768), (1584, 672), (1408, 752), (752, 1408),
]  # fmt: skip
_FACTOR = {"512": 0.5, "1K": 1, "2K": 2, "4K": 4}
NOISE_WORDS = ("noise", "grain", "speckle")
THOUGHTS = (
    "**Taking Stock**\n\nI'm listing what sits where: a jug, three plums, a folded cloth.\n\n\n",
    "**Planning a Plain Copy**\n\nI'll keep the framing and light as given.\n\n\n",
    "**Signing Off**\n\nNothing seems out of place, so I'm done.\n\n\n",
)
NOTICED = "**Checking the Speckle**\n\nThe grain of the source is carried over.\n\n\n"


def size_for(
    width: int, height: int, size: str, ratio: str | None, scale: float
) -> tuple[int, int]:
    wanted = math.log(width / height)
    if ratio:
        across, down = map(int, ratio.split(":"))
        wanted = math.log(across / down)
    best = min(_SIZES, key=lambda one: abs(math.log(one[0] / one[1]) - wanted))
    factor = _FACTOR[size] * scale
    return max(8, round(best[0] * factor)), max(8, round(best[1] * factor))


def drifted(
    data: bytes, prompt: str, config: dict[str, Any], model: str, scale: float, fmt: str
) -> bytes:
    """The picture centre-cropped to the answer's size with a little grain and green."""
    image_config = either(config, "imageConfig") or {}
    seed = config.get("seed")
    digest = hashlib.sha256(
        data + f"{prompt}{seed}{config.get('temperature')}{model}".encode()
    ).digest()
    noise = np.random.default_rng(int.from_bytes(digest[:8], "big") if seed is not None else None)
    with Image.open(io.BytesIO(data)) as opened:
        picture = opened.convert("RGB")
    size = size_for(
        *picture.size,
        either(image_config, "imageSize") or "1K",
        either(image_config, "aspectRatio"),
        scale,
    )
    if picture.size != size:
        ratio = size[0] / size[1]
        width = min(picture.width, round(picture.height * ratio))
        height = min(picture.height, round(picture.width / ratio))
        x, y = (picture.width - width) // 2, (picture.height - height) // 2
        picture = picture.crop((x, y, x + width, y + height)).resize(size)
    pixels = np.asarray(picture, np.float32) + noise.normal(0, 1.5, (size[1], size[0], 3))
    pixels += np.array([-0.2, 0.3, -0.2])
    return encoded(Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8)), fmt)


def encoded(image: Image.Image, fmt: str) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, fmt, quality=90) if fmt == "JPEG" else image.save(buffer, fmt)
    return buffer.getvalue()


def last_image(body: dict[str, Any]) -> bytes | None:
    found = None
    for content in body["contents"]:
        for part in content.get("parts", ()):
            blob = blob_of(part)
            found = blob[0] if blob else found
    return found


def words_of(body: dict[str, Any]) -> str:
    return "\n".join(
        part["text"]
        for content in body["contents"]
        for part in content.get("parts", ())
        if isinstance(part.get("text"), str)
    )


def image_part(data: bytes, mime: str, *, thought: bool = False) -> dict[str, Any]:
    part: dict[str, Any] = {
        "inlineData": {"mimeType": mime, "data": base64.b64encode(data).decode()}
    }
    if thought:
        part["thought"] = True
    else:
        part["thoughtSignature"] = base64.b64encode(b"signed" + data[:9]).decode()
    return part


def answer(
    model: str, body: dict[str, Any], *, scale: float, fmt: str, chance: random.Random
) -> dict[str, Any]:
    """A whole good reply to a request for an edit."""
    config = either(body, "generationConfig") or {}
    thinking = either(config, "thinkingConfig") or {}
    data = drifted(last_image(body) or b"", words_of(body), config, model, scale, fmt)
    mime = "image/jpeg" if fmt == "JPEG" else "image/png"
    parts: list[dict[str, Any]] = []
    thought_tokens = 0
    if either(thinking, "includeThoughts"):
        thoughts = list(THOUGHTS)
        if chance.random() < 0.2:
            thoughts.insert(2, NOTICED)
        parts += [{"text": text, "thought": True} for text in thoughts]
        thought_tokens = sum(len(text.split()) for text in thoughts)
        if chance.random() < 0.3:
            draft = encoded(Image.new("RGB", (32, 16), (90, 140, 60)), "JPEG")
            parts.append(image_part(draft, "image/jpeg", thought=True))
    parts.append(image_part(data, mime))
    size = either(either(config, "imageConfig") or {}, "imageSize") or "1K"
    tokens = PRICES[model][3][size]
    asked = PRICES[model][4] + len(words_of(body).split())
    written = chance.randrange(0, 60)
    return {
        "candidates": [
            {"content": {"parts": parts, "role": "model"}, "finishReason": "STOP", "index": 0}
        ],
        "usageMetadata": {
            "promptTokenCount": asked,
            "candidatesTokenCount": tokens + written,
            "thoughtsTokenCount": thought_tokens,
            "totalTokenCount": asked + tokens + written + thought_tokens,
            "candidatesTokensDetails": [{"modality": "IMAGE", "tokenCount": tokens}],
        },
        "modelVersion": f"{model}-fake",
        "responseId": f"fake-{chance.getrandbits(64):016x}",
    }


def judged(model: str, body: dict[str, Any]) -> dict[str, Any]:
    """A judge's reply: yes where the summary names noise."""
    words = words_of(body)
    summary = words.rpartition("<<<")[2] or words
    said = "Yes." if any(word in summary.lower() for word in NOISE_WORDS) else "No."
    asked = len(words.split())
    return {
        "candidates": [
            {"content": {"parts": [{"text": said}], "role": "model"}, "finishReason": "STOP"}
        ],
        "usageMetadata": {
            "promptTokenCount": asked,
            "candidatesTokenCount": 2,
            "thoughtsTokenCount": 20,
            "totalTokenCount": asked + 22,
        },
        "modelVersion": f"{model}-fake",
        "responseId": "fake-judge",
    }
