"""What the real service checks and what it charges, as the fake knows them: nothing of b100's."""

import base64
import io
from typing import Any

from PIL import Image

KEYS = {"test-key-0123456789abcdef"}
RETIRED = {"gemini-3-pro-image-preview", "gemini-3.1-flash-image-preview"}
_TEN = ("1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9")
# dollars a million tokens: input, text and thought, image; tokens a picture; input picture
PRICES = {
    "gemini-3-pro-image": (2.0, 12.0, 120.0, {"1K": 1120, "2K": 1120, "4K": 2000}, 560),
    "gemini-3.1-flash-image": (
        0.5,
        3.0,
        60.0,
        {"512": 747, "1K": 1120, "2K": 1680, "4K": 2520},
        1120,
    ),
    "gemini-3.5-flash": (0.5, 3.0, 0.0, {}, 1120),
}
RATIOS = {
    "gemini-3-pro-image": _TEN,
    "gemini-3.1-flash-image": (*_TEN, "1:4", "4:1", "1:8", "8:1"),
}
CONFIG_FIELDS = {
    *("temperature", "topP", "topK", "seed", "candidateCount", "maxOutputTokens"),
    *("responseModalities", "thinkingConfig", "imageConfig", "stopSequences"),
}
BODY_LIMIT = 100_000_000
_MIMES = {"JPEG": "image/jpeg", "PNG": "image/png", "WEBP": "image/webp"}


class Rejected(Exception):
    """An HTTP error in the service's own shape."""

    def __init__(self, code: int, status: str, message: str, details: list[Any] | None = None):
        super().__init__(message)
        self.code = code
        self.body = {
            "error": {
                "code": code,
                "message": message,
                "status": status,
                **({"details": details} if details else {}),
            }
        }


def either(told: dict[str, Any], camel: str) -> Any:
    """A field in either casing: the client mixes both."""
    snake = "".join(f"_{c.lower()}" if c.isupper() else c for c in camel)
    return told[camel] if camel in told else told.get(snake)


def blob_of(part: dict[str, Any]) -> tuple[bytes, str] | None:
    blob = either(part, "inlineData")
    if not isinstance(blob, dict):
        return None
    text = str(blob["data"]).replace("-", "+").replace("_", "/")
    return base64.b64decode(text + "=" * (-len(text) % 4)), str(either(blob, "mimeType"))


def check_key(key: str | None) -> None:
    if key is None:
        raise Rejected(403, "PERMISSION_DENIED", "Method doesn't allow unregistered callers.")
    if key not in KEYS:
        raise Rejected(
            400,
            "INVALID_ARGUMENT",
            "API key not valid. Please pass a valid API key.",
            [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}],
        )


def check_model(model: str, version: str) -> None:
    if model in RETIRED or model not in PRICES:
        raise Rejected(
            404,
            "NOT_FOUND",
            f"models/{model} is not found for API version {version}, or is not supported.",
        )


def check_request(model: str, body: dict[str, Any]) -> None:
    config = either(body, "generationConfig") or {}
    for name in config:
        camel = name.split("_")[0] + "".join(w.capitalize() for w in name.split("_")[1:])
        if camel not in CONFIG_FIELDS:
            raise _bad(f'Invalid JSON payload received. Unknown name "{name}"')
    temperature = config.get("temperature")
    if temperature is not None and not 0 <= temperature <= 2:
        raise _bad("temperature must be in [0, 2]")
    seed = config.get("seed")
    if seed is not None and not (isinstance(seed, int) and -(2**31) <= seed < 2**31):
        raise _bad("seed must be a 32-bit integer")
    image = either(config, "imageConfig") or {}
    size, ratio = either(image, "imageSize"), either(image, "aspectRatio")
    if size is not None and size not in PRICES[model][3]:
        raise _bad(f"image size {size} is not supported")
    if ratio is not None and ratio not in RATIOS.get(model, ()):
        raise _bad(f"aspect ratio {ratio} is not supported")
    for content in body.get("contents", ()):
        for part in content.get("parts", ()):
            found = blob_of(part)
            if found is not None:
                _check_picture(*found)


def _check_picture(data: bytes, mime: str) -> None:
    try:
        with Image.open(io.BytesIO(data)) as image:
            kind = _MIMES.get(image.format or "")
            image.load()
    except Exception as error:
        raise _bad("Unable to process input image.") from error
    if kind != mime:
        raise _bad(f"The mime type {mime} does not match the image")


def bill(model: str, usage: dict[str, Any]) -> float:
    """What the service charges for a reply, in dollars."""
    given, text, image, _, _ = PRICES[model]
    images = sum(
        part["tokenCount"]
        for part in usage.get("candidatesTokensDetails", ())
        if part["modality"] == "IMAGE"
    )
    words = usage.get("candidatesTokenCount", 0) - images + usage.get("thoughtsTokenCount", 0)
    return (usage.get("promptTokenCount", 0) * given + images * image + words * text) / 1e6


def _bad(message: str) -> Rejected:
    return Rejected(400, "INVALID_ARGUMENT", message)
