"""Every way in which a call to the fake can go wrong, by name."""

import io
import json
from typing import Any, NamedTuple

from PIL import Image

from tests.fakes.gemini_answers import encoded, image_part
from tests.fakes.gemini_rules import Rejected

_RETRY_INFO = "type.googleapis.com/google.rpc.RetryInfo"
_QUOTA = "type.googleapis.com/google.rpc.QuotaFailure"
STATUS = {
    400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND",
    408: "CANCELLED", 429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 502: "UNAVAILABLE",
    503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED",
}  # fmt: skip
# Faults after which the service has charged although no picture can be used.
CHARGED = ("truncated_json", "broken_base64", "cut", "reset", "drip", "stall", "empty", "null")
TRANSIENT = (
    *("500", "502", "503", "504", "408", "429", "html502", *CHARGED),
    *("truncated_image", "blank"),
)
NO_IMAGE = ("NO_IMAGE", "IMAGE_OTHER", "text_only", "drafts_only", "no_content")
REFUSALS = ("IMAGE_SAFETY", "PROHIBITED_CONTENT", "RECITATION", "prompt_block", "refused_picture")
ODD_BUT_GOOD = ("two_images", "unknown_finish", "wrong_size", "other_version", "no_usage",
                "mislabel", "thought_last")  # fmt: skip


class Fault(NamedTuple):
    kind: str
    more: dict[str, Any]

    def reject(self) -> None:
        """Answer with an HTTP error where the fault is one: nothing is made or charged."""
        if self.kind == "html502":
            error = Rejected(502, "", "")
            error.html = True
            raise error
        if self.kind == "echo_key":
            raise Rejected(400, "INVALID_ARGUMENT", "the key {key} is not welcome here")
        if self.kind == "daily_quota":
            violation = {"quotaId": "GenerateRequestsPerDayPerProjectPerModel"}
            raise Rejected(
                429,
                STATUS[429],
                "You exceeded your current quota.",
                [{"@type": _QUOTA, "violations": [violation]}],
            )
        if self.kind == "spend_limit":
            raise Rejected(429, STATUS[429], "The spend limit of this window is reached.")
        if self.kind == "precondition":
            raise Rejected(400, "FAILED_PRECONDITION", "User location is not supported.")
        if not self.kind.isdigit():
            return
        details = []
        if "retry_info" in self.more:
            details.append({"@type": _RETRY_INFO, "retryDelay": self.more["retry_info"]})
        code = int(self.kind)
        error = Rejected(code, STATUS[code], f"staged fault {code}", details)
        if "retry_after" in self.more:
            error.retry_after = self.more["retry_after"]
        raise error


def spoil(reply: dict[str, Any], fault: Fault) -> dict[str, Any]:
    """The good reply with the fault in it."""
    kind = fault.kind
    if kind in {"empty", "null", "truncated_json"}:
        text = {"empty": "", "null": "null", "truncated_json": json.dumps(reply)[:-40]}[kind]
        return {"__body": text, "__usage": reply["usageMetadata"]}
    if kind in {"NO_IMAGE", "IMAGE_OTHER", "no_content", "text_only", *REFUSALS}:
        _withhold(reply, kind)
    elif kind == "other_version":
        reply["modelVersion"] = "gemini-quietly-rerouted"
    elif kind == "no_usage":
        reply["__usage"] = reply.pop("usageMetadata")
    elif kind == "unknown_finish":
        reply["candidates"][0]["finishReason"] = "BRAND_NEW_REASON"
    elif kind == "echo_in_reply":
        parts = reply["candidates"][0]["content"]["parts"]
        parts.insert(0, {"text": "**Key {key}**\n\nYour key is {key}.", "thought": True})
        reply["modelVersion"] = "model-{key}"
        reply["candidates"][0]["finishMessage"] = "with {key}"
    else:
        _spoil_picture(reply["candidates"][0]["content"]["parts"], kind)
    return reply


def _withhold(reply: dict[str, Any], kind: str) -> None:
    """No picture is handed over, or one that a filter names: only the thinking is charged."""
    candidate = reply["candidates"][0]
    if kind == "prompt_block":
        reply.pop("candidates")
        reply["promptFeedback"] = {"blockReason": "PROHIBITED_CONTENT"}
    elif kind == "text_only":
        text = "I cannot draw that, but here is a description."
        candidate["content"]["parts"] = [{"text": text}]
    elif kind == "refused_picture":
        candidate["finishReason"] = "IMAGE_SAFETY"
        return
    else:
        candidate.pop("content")
        if kind != "no_content":
            candidate["finishReason"] = kind
            candidate["finishMessage"] = f"Unable to show the generated image: {kind}."
    usage = reply["usageMetadata"]
    usage["candidatesTokenCount"] = 0
    usage["candidatesTokensDetails"] = []


def _spoil_picture(parts: list[dict[str, Any]], kind: str) -> None:
    if kind == "broken_base64":
        parts[-1]["inlineData"]["data"] = "!!not base64!!"
    elif kind == "drafts_only":
        parts[-1] = image_part(_draft(), "image/jpeg", thought=True)
    elif kind == "two_images":
        parts.insert(-1, image_part(_draft(), "image/jpeg"))
    elif kind == "thought_last":
        parts.append(image_part(_draft(), "image/jpeg", thought=True))
    elif kind == "wrong_size":
        parts[-1] = image_part(_noisy((140, 76)), "image/jpeg")
    elif kind == "mislabel":
        parts[-1]["inlineData"]["mimeType"] = "image/png"
    elif kind == "blank":
        parts[-1] = image_part(encoded(Image.new("RGB", (88, 47)), "PNG"), "image/png")
    elif kind == "truncated_image":
        whole = _noisy((88, 47))
        parts[-1] = image_part(whole[: len(whole) * 2 // 3], "image/jpeg")


def _draft() -> bytes:
    return encoded(Image.new("RGB", (32, 16), (90, 140, 60)), "JPEG")


def _noisy(size: tuple[int, int]) -> bytes:
    picture = Image.effect_noise(size, 80).convert("RGB")
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=90)
    return buffer.getvalue()
