"""Reads a Gemini reply as it came: the answer, the thoughts, the drafts, or why there is none.

The JSON is read here and not by the client's own types: those drop finish messages and unknown
fields, and lose a whole reply for one broken picture.
"""

import base64
import binascii
import hashlib
import json
from typing import Any

import msgspec
from msgspec import Struct

from b100tui.editors.gemini_faults import refusal_class, unknown_answer
from b100tui.editors.prices import usage_cost
from b100tui.editors.protocol import FailureClass, Outcome, ReceivedImage
from b100tui.editors.table import Price
from b100tui.model.errors import UNPARSABLE
from b100tui.model.text import clean_line

_SAID = 400
_URL_SAFE = str.maketrans("-_", "+/")
ANSWER = "@answer"  # stands for the picture of the turn in parts that are handed back


class _Seen:
    """The parts of one candidate, sorted."""

    def __init__(self) -> None:
        self.images: list[ReceivedImage] = []
        self.drafts: list[ReceivedImage] = []
        self.thoughts: list[Any] = []
        self.words: list[str] = []
        self.reply: list[dict[str, Any]] = []
        self.broken = 0


def read_reply(body: str, price: Price | None) -> Outcome:
    """Return what the reply `body` (JSON text) comes to; never raises."""
    try:
        return _read(json.loads(body) if body.strip() else None, price)
    except (ValueError, RecursionError):
        return unknown_answer("the reply is no JSON: it was cut or garbled")


def _read(told: Any, price: Price | None) -> Outcome:
    if isinstance(told, list) and len(told) == 1:
        told = told[0]
    if not isinstance(told, dict) or not told:
        return unknown_answer("the reply is empty")
    usage = _dict(_either(told, "usageMetadata", "usage_metadata"))
    common: dict[str, Any] = {
        "model_version": _text(_either(told, "modelVersion", "model_version")),
        "response_id": _text(_either(told, "responseId", "response_id")),
        "usage": usage,
        "cost_usd": usage_cost(price, usage) if price else None,
        "raw": _without_data(told),
    }
    candidate = next((one for one in _list(told.get("candidates")) if isinstance(one, dict)), None)
    if candidate is None:
        return _no_candidate(told, common)
    return _of_candidate(candidate, common)


def _no_candidate(told: dict[str, Any], common: dict[str, Any]) -> Outcome:
    feedback = _dict(_either(told, "promptFeedback", "prompt_feedback"))
    reason = _text(_either(feedback, "blockReason", "block_reason"))
    if reason:
        message = _text(_either(feedback, "blockReasonMessage", "block_reason_message")) or ""
        return Outcome(
            failure="refused",
            message=f"the prompt was blocked: {clean_line(message)[:_SAID]}".rstrip(": "),
            finish_reason=reason,
            finish_message=message or None,
            **_settled(common),
        )
    return Outcome(
        failure="backoff",
        message="the reply has no candidate",
        possibly_billed=common["cost_usd"] is None,
        **common,
    )


def _of_candidate(candidate: dict[str, Any], common: dict[str, Any]) -> Outcome:
    finish = _text(_either(candidate, "finishReason", "finish_reason")) or ""
    message = _text(_either(candidate, "finishMessage", "finish_message"))
    seen = _Seen()
    for part in _list(_dict(candidate.get("content")).get("parts")):
        if isinstance(part, dict):
            _sort(part, seen)
    common |= {
        "finish_reason": finish or None,
        "finish_message": message,
        "thoughts": tuple(seen.thoughts),
    }
    failure = refusal_class(finish)
    if failure is None and seen.images:
        warnings = []
        if len(seen.images) > 1:
            warnings.append(f"{len(seen.images)} images returned: the last was taken")
        if finish not in {"STOP", ""}:
            warnings.append(f"finish reason {clean_line(finish)}")
        if common["cost_usd"] is None:
            warnings.append("usage missing: counted at the reserved price")
        return Outcome(
            image=seen.images[-1],
            drafts=tuple(seen.drafts + seen.images[:-1]),
            reply=tuple(seen.reply),
            warnings=tuple(warnings),
            **common,
        )
    return _without_image(finish, message, failure, seen, common)


def _without_image(
    finish: str,
    message: str | None,
    failure: FailureClass | None,
    seen: _Seen,
    common: dict[str, Any],
) -> Outcome:
    said = clean_line(message or " ".join(seen.words))[:_SAID]
    if failure is None and seen.broken:
        failure, said = "backoff", "the picture in the reply is broken base64"
    if not said:
        said = "only thought images came, no answer" if seen.drafts else "no image in the reply"
    return Outcome(
        failure=failure or "no_image",
        message=said,
        # What a safety filter kept back still shows as a draft only, never as an answer.
        drafts=tuple(seen.drafts),
        **_settled(common),
    )


def _settled(common: dict[str, Any]) -> dict[str, Any]:
    """A reply without usage and without a picture costs nothing that is known: say possibly."""
    return common | {"possibly_billed": common["cost_usd"] is None}


def _sort(part: dict[str, Any], seen: _Seen) -> None:
    thought = bool(part.get("thought"))
    blob = _dict(_either(part, "inlineData", "inline_data"))
    text = part.get("text")
    signature = _either(part, "thoughtSignature", "thought_signature")
    if isinstance(blob.get("data"), str):
        image = _image(blob)
        if image is None:
            seen.broken += 0 if thought else 1
        elif thought:
            seen.drafts.append(image)
        else:
            seen.images.append(image)
            for kept in seen.reply:
                if kept.get("image") == ANSWER:
                    kept["image"] = None
            seen.reply.append({"image": ANSWER, "signature": signature})
    elif isinstance(text, str):
        if thought:
            seen.thoughts.append(text)
        elif text.strip():
            seen.words.append(text)
        seen.reply.append({"text": text, "thought": thought, "signature": signature})


def _image(blob: dict[str, Any]) -> ReceivedImage | None:
    received = _bytes(blob["data"])
    if received is None:
        return None
    return ReceivedImage(data=received, declared_mime=_text(_either(blob, "mimeType", "mime_type")))


def _without_data(value: Any) -> Any:
    """Return the reply with pictures and signatures replaced by their hash and length."""
    if isinstance(value, list):
        return [_without_data(one) for one in value]
    if not isinstance(value, dict):
        return value
    kept = {}
    for name, inner in value.items():
        if name in {"data", "thoughtSignature", "thought_signature"} and isinstance(inner, str):
            data = _bytes(inner)
            kept[name] = (
                {"broken_base64_characters": len(inner)}
                if data is None
                else {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
            )
        else:
            kept[name] = _without_data(inner)
    return kept


def _bytes(text: str) -> bytes | None:
    """Decode base64 in either alphabet, padded or not."""
    plain = text.translate(_URL_SAFE)
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None


class Shown(Struct, frozen=True):
    """What a judge needs of a text-only reply."""

    text: str
    usage: dict[str, Any]
    finish: str
    model_version: str | None


def read_words(body: str) -> Shown | None:
    """Return the plain text of a reply without pictures, None where it cannot be read."""
    try:
        told = msgspec.json.decode(body)
    except UNPARSABLE:
        return None
    if not isinstance(told, dict):
        return None
    candidate = next((one for one in _list(told.get("candidates")) if isinstance(one, dict)), {})
    words = [
        part["text"]
        for part in _list(_dict(candidate.get("content")).get("parts"))
        if isinstance(part, dict) and isinstance(part.get("text"), str) and not part.get("thought")
    ]
    return Shown(
        "".join(words),
        _dict(_either(told, "usageMetadata", "usage_metadata")),
        _text(_either(candidate, "finishReason", "finish_reason")) or "",
        _text(_either(told, "modelVersion", "model_version")),
    )


def _either(told: dict[str, Any], camel: str, snake: str) -> Any:
    return told[camel] if camel in told else told.get(snake)


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
