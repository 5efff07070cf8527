"""OpenAI's images/edits: multipart in, base64 out; no seed and no temperature exist there."""

import base64
import binascii
from typing import Any

import msgspec

from b100tui.editors.gemini import hide
from b100tui.editors.gemini_faults import unknown_answer
from b100tui.editors.http import HttpCaller
from b100tui.editors.keys import find_key, key_place
from b100tui.editors.prices import usage_cost
from b100tui.editors.protocol import Capabilities, Outcome, Parameters, ReceivedImage
from b100tui.editors.table import Row
from b100tui.model.errors import UsageError

_BASE_URL = "https://api.openai.com/v1"
_SUFFIX = {"image/png": "png", "image/jpeg": "jpg", "image/webp": "webp"}
_REFUSED = ("moderation", "safety system", "content_policy")
_NO_MONEY = "insufficient_quota"


class OpenAIEditor:
    """One image model behind POST /images/edits; used from many threads."""

    kind = "openai"

    def __init__(self, name: str, row: Row, price_table: str = "") -> None:
        self.name = name
        self.model = row.model
        self._row = row
        self._price_table = price_table
        key = find_key("openai", row.key_variable)
        if key is None and row.base_url is None:
            raise UsageError("no OpenAI API key", key_place("openai", row.key_variable))
        self._http = HttpCaller(row.base_url or _BASE_URL, key)

    @property
    def capabilities(self) -> Capabilities:
        """What the model takes."""
        return self._row.capabilities

    def edit(self, image: bytes, mime: str, prompt: str, parameters: Parameters) -> Outcome:
        """Ask for one edit; size and quality come from options, unset is the service's own."""
        fields: dict[str, Any] = {"model": self.model, "prompt": prompt}
        fields |= {**self._row.options, **parameters.extra}
        got = self._http.send(
            "POST",
            "/images/edits",
            data={name: str(value) for name, value in fields.items()},
            files={"image": (f"input.{_SUFFIX.get(mime, 'png')}", image, mime)},
            deadline=parameters.deadline_seconds,
            cancelled=parameters.cancelled,
        )
        outcome = _class_of(got) if isinstance(got, Outcome) else self._read(got.json)
        outcome = msgspec.structs.replace(
            outcome,
            endpoint=self._http.endpoint,
            api="v1/images/edits",
            price_table=self._price_table or None,
            sent={name: value for name, value in fields.items() if name != "prompt"},
        )
        return hide(outcome, self._http.hider)

    def _read(self, told: Any) -> Outcome:
        if not isinstance(told, dict):
            return unknown_answer("the reply is empty")
        usage = _usage(told.get("usage"))
        cost = usage_cost(self._row.price, usage) if self._row.price else None
        if self._row.usd_per_image is not None:
            cost = self._row.usd_per_image
        data = told.get("data")
        images = [one for one in data if isinstance(one, dict)] if isinstance(data, list) else []
        common: dict[str, Any] = {
            "usage": usage,
            "cost_usd": cost,
            "response_id": told.get("id") if isinstance(told.get("id"), str) else None,
            "raw": {name: value for name, value in told.items() if name != "data"},
        }
        if not images or not isinstance(images[-1].get("b64_json"), str):
            return Outcome(
                failure="no_image",
                message="no image in the reply",
                possibly_billed=cost is None,
                **common,
            )
        try:
            data = base64.b64decode(images[-1]["b64_json"], validate=True)
        except (binascii.Error, ValueError):
            return Outcome(
                failure="backoff",
                message="the picture in the reply is broken base64",
                possibly_billed=cost is None,
                **common,
            )
        revised = images[-1].get("revised_prompt")
        warnings = ("the service rewrote the prompt",) if revised else ()
        return Outcome(image=ReceivedImage(data=data), warnings=warnings, **common)


def _class_of(outcome: Outcome) -> Outcome:
    """Tell refusals and an empty account from other errors of the same code."""
    lowered = outcome.message.lower()
    if outcome.failure == "fatal_run" and any(word in lowered for word in _REFUSED):
        return msgspec.structs.replace(outcome, failure="refused")
    if outcome.failure == "wait" and (_NO_MONEY in lowered or "billing" in lowered):
        return msgspec.structs.replace(outcome, failure="fatal_all")
    return outcome


def _usage(told: Any) -> dict[str, Any]:
    """Return token counts in the names that all sidecars use."""
    if not isinstance(told, dict):
        return {}
    output = told.get("output_tokens")
    return {
        "promptTokenCount": told.get("input_tokens"),
        "candidatesTokenCount": output,
        "candidatesTokensDetails": [{"modality": "IMAGE", "tokenCount": output}],
        "as_sent": told,
    }
