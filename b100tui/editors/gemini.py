"""Gemini image models (Nano Banana Pro and its siblings) through the google-genai client."""

import base64
from typing import Any

import msgspec

from b100tui.editors.gemini_client import GeminiClient
from b100tui.editors.gemini_reply import ANSWER, read_reply
from b100tui.editors.keys import Hider
from b100tui.editors.protocol import Capabilities, Outcome, Parameters, ReceivedImage, Turn
from b100tui.editors.table import Row

_READ_SECONDS = {"512": 120.0, "1K": 120.0, "2K": 180.0, "4K": 600.0}
_FLEX_SECONDS = 1200.0


class GeminiEditor:
    """One Gemini image model; one instance serves all runs, from many threads."""

    kind = "gemini"

    def __init__(self, name: str, row: Row, client: GeminiClient, price_table: str = "") -> None:
        self.name = name
        self.model = row.model
        self._row = row
        self._client = client
        self._price_table = price_table

    @property
    def capabilities(self) -> Capabilities:
        """What the model takes."""
        return self._row.capabilities

    def edit(self, image: bytes, mime: str, prompt: str, parameters: Parameters) -> Outcome:
        """Ask for one edit; the picture goes out as the bytes it is."""
        most = self._row.max_input_bytes
        size = len(image) + sum(len(turn.answer) for turn in parameters.history)
        if most is not None and size > most:
            return Outcome(
                failure="fatal_run",
                message=f"the request holds {size / 1e6:.0f} MB, the limit is {most / 1e6:.0f} MB",
                hint="a picture is never shrunk to fit: use a lower resolution, or multi sessions",
            )
        config = self._config(parameters)
        sent = msgspec.to_builtins(config)
        got = self._client.generate(
            self.model,
            _contents(image, mime, prompt, parameters.history),
            dict(config),
            read_seconds=self._read_seconds(parameters),
            deadline=parameters.deadline_seconds,
            cancelled=parameters.cancelled,
        )
        outcome = got if isinstance(got, Outcome) else read_reply(got, self._row.price)
        outcome = msgspec.structs.replace(
            outcome,
            endpoint=self._client.endpoint,
            api=self._client.api,
            tier=self._row.tier,
            price_table=self._price_table or None,
            sent=sent,
        )
        return hide(outcome, self._client.hider)

    def _config(self, parameters: Parameters) -> dict[str, Any]:
        """Return the client's config; what is not asked for is absent, never a default."""
        config: dict[str, Any] = {"response_modalities": ["TEXT", "IMAGE"]}
        if parameters.temperature is not None:
            config["temperature"] = parameters.temperature
        if parameters.seed is not None:
            config["seed"] = parameters.seed
        image = {
            "image_size": parameters.resolution,
            "aspect_ratio": parameters.aspect_ratio,
        }
        image = {name: value for name, value in image.items() if value is not None}
        if image:
            config["image_config"] = image
        thinking: dict[str, Any] = {"include_thoughts": self._row.include_thoughts}
        level = parameters.thinking or self._row.thinking
        if level is not None:
            thinking["thinking_level"] = level.upper()
        config["thinking_config"] = thinking
        if self._row.tier is not None:
            config["http_options"] = {"extra_body": {"serviceTier": self._row.tier}}
        return config

    def _read_seconds(self, parameters: Parameters) -> float:
        read = _READ_SECONDS.get(parameters.resolution or "1K", _READ_SECONDS["4K"])
        if self._row.tier == "flex":
            read = _FLEX_SECONDS
        deadline = parameters.deadline_seconds
        return read if deadline is None else min(read, deadline)


def _contents(image: bytes, mime: str, prompt: str, history: tuple[Turn, ...]) -> list[Any]:
    """Return the turns: a dialog shows the picture once, its answers after that."""
    if not history:
        return [{"role": "user", "parts": [_blob(image, mime), {"text": prompt}]}]
    turns: list[Any] = []
    for number, turn in enumerate(history):
        asked: list[Any] = [{"text": turn.prompt}]
        if number == 0:
            asked.insert(0, _blob(turn.image, turn.mime))
        turns.append({"role": "user", "parts": asked})
        turns.append({"role": "model", "parts": [_handed_back(part, turn) for part in turn.reply]})
    turns.append({"role": "user", "parts": [{"text": prompt}]})
    return turns


def _handed_back(part: dict[str, Any], turn: Turn) -> dict[str, Any]:
    if part.get("image") == ANSWER:
        given = _blob(turn.answer, turn.answer_mime)
    else:
        given = {"text": part.get("text") or ""}
        if part.get("thought"):
            given["thought"] = True
    signature = part.get("signature")
    if isinstance(signature, str):
        plain = signature.replace("-", "+").replace("_", "/")
        given["thought_signature"] = base64.b64decode(plain + "=" * (-len(plain) % 4))
    return given


def _blob(data: bytes, mime: str) -> dict[str, Any]:
    return {"inline_data": {"data": data, "mime_type": mime}}


def hide(outcome: Outcome, hider: Hider) -> Outcome:
    """Return `outcome` without any key; a picture that holds one is not handed on."""
    changed: dict[str, Any] = {}
    for name in outcome.__struct_fields__:
        value = getattr(outcome, name)
        if isinstance(value, str | dict | tuple) and name != "drafts":
            changed[name] = hider.value(value)
    image = outcome.image
    if image is not None and hider.is_in(image.data):
        return msgspec.structs.replace(
            outcome,
            **changed
            | {
                "image": None,
                "drafts": (),
                "failure": "fatal_run",
                "message": "the picture received holds the API key: it is not stored",
            },
        )
    if image is not None:
        changed["image"] = _named(image, hider)
    changed["drafts"] = tuple(
        _named(one, hider) for one in outcome.drafts if not hider.is_in(one.data)
    )
    return msgspec.structs.replace(outcome, **changed)


def _named(image: ReceivedImage, hider: Hider) -> ReceivedImage:
    declared = image.declared_mime
    return ReceivedImage(
        data=image.data, declared_mime=None if declared is None else hider.text(declared)
    )
