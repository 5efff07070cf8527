"""Judges: text in, one word out; Gemini or anything that speaks OpenAI's chat completions."""

from collections.abc import Callable
from typing import Any, Protocol

from msgspec import Struct

from b100tui.editors.gemini_client import GeminiClient
from b100tui.editors.gemini_faults import unknown_answer
from b100tui.editors.gemini_reply import read_words
from b100tui.editors.http import HttpCaller
from b100tui.editors.keys import find_key, key_place
from b100tui.editors.prices import text_cost
from b100tui.editors.protocol import Outcome
from b100tui.editors.table import JudgeRow
from b100tui.model.errors import UsageError

_OPENAI = "https://api.openai.com/v1"
_READ_SECONDS = 120.0
_WORST_TEXT_TOKENS = 4_000
_CHARACTERS_A_TOKEN = 2.5  # fewer than English has, so that a reservation is on the safe side


class Said(Struct, frozen=True):
    """A judge's reply: its text, what it cost, and which model answered."""

    text: str
    usd: float
    model_version: str | None


class Judge(Protocol):
    """One judge model; used from many threads."""

    @property
    def model(self) -> str:
        """The model id that is requested."""
        ...

    def ask(
        self, prompt: str, *, deadline: float, cancelled: Callable[[], bool] | None
    ) -> "Said | Outcome":
        """Return the reply, or the failure that the call came to; never raises for faults."""
        ...


def worst_cost(row: JudgeRow, prompt: str) -> float:
    """Return the most dollars that one question may cost; 0 where the table has no price."""
    tokens = len(prompt) / _CHARACTERS_A_TOKEN
    return round((tokens * row.input + _WORST_TEXT_TOKENS * row.text) / 1e6, 9)


def open_judge(row: JudgeRow) -> Judge:
    """Return the judge of `row`; UsageError without a key or of an unknown kind."""
    if row.kind == "gemini":
        return GeminiJudge(row)
    if row.kind == "openai":
        return ChatJudge(row)
    raise UsageError(f"no judge of kind {row.kind!r}", "kinds: gemini, openai")


class GeminiJudge:
    """A Gemini text model as judge."""

    def __init__(self, row: JudgeRow) -> None:
        self.model = row.model
        self._row = row
        self._client = GeminiClient(base_url=row.base_url, key_variable=row.key_variable)

    def ask(
        self, prompt: str, *, deadline: float, cancelled: Callable[[], bool] | None
    ) -> Said | Outcome:
        """Ask once; no temperature and no token limit are sent, because thinking eats them."""
        got = self._client.generate(
            self.model,
            [{"role": "user", "parts": [{"text": prompt}]}],
            {"response_modalities": ["TEXT"]},
            read_seconds=min(_READ_SECONDS, deadline),
            deadline=deadline,
            cancelled=cancelled,
        )
        if isinstance(got, Outcome):
            return got
        shown = read_words(got)
        if shown is None:
            return unknown_answer("the judge's reply cannot be read")
        hider = self._client.hider
        return Said(
            hider.text(shown.text),
            text_cost(shown.usage, self._row.input, self._row.text),
            hider.value(shown.model_version),
        )


class ChatJudge:
    """Any endpoint with POST /chat/completions (vLLM, Ollama, OpenAI, gateways)."""

    def __init__(self, row: JudgeRow) -> None:
        self.model = row.model
        self._row = row
        key = find_key("openai", row.key_variable)
        if key is None and row.base_url is None:
            raise UsageError("no API key for the judge", key_place("openai", row.key_variable))
        self._http = HttpCaller(row.base_url or _OPENAI, key)

    def ask(
        self, prompt: str, *, deadline: float, cancelled: Callable[[], bool] | None
    ) -> Said | Outcome:
        """Ask once."""
        got = self._http.send(
            "POST",
            "/chat/completions",
            json={"model": self.model, "messages": [{"role": "user", "content": prompt}]},
            deadline=deadline,
            cancelled=cancelled,
        )
        if isinstance(got, Outcome):
            return got
        told: dict[str, Any] = got.json if isinstance(got.json, dict) else {}
        choices = told.get("choices")
        first = choices[0] if isinstance(choices, list) and choices else {}
        message = first.get("message") if isinstance(first, dict) else None
        text = message.get("content") if isinstance(message, dict) else None
        if not isinstance(text, str):
            return unknown_answer("the judge's reply holds no message")
        given = told.get("usage")
        usage = given if isinstance(given, dict) else {}
        counted = {
            "promptTokenCount": usage.get("prompt_tokens"),
            "candidatesTokenCount": usage.get("completion_tokens"),
        }
        version = told.get("model")
        return Said(
            self._http.hider.text(text),
            text_cost(counted, self._row.input, self._row.text),
            self._http.hider.text(version) if isinstance(version, str) else None,
        )
