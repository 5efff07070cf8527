"""OpenAI's images/edits over real HTTP against a stand-in."""

import base64
import json

import pytest

from b100tui.editors.openai import OpenAIEditor
from b100tui.editors.protocol import Outcome, Parameters
from b100tui.editors.table import Price, Row
from tests.engine.made import noisy
from tests.fakes.http import Answer, Asked, answering

PICTURE, MADE = noisy(), noisy(1)
KEY = "sk-test-0123456789abcdef"
USAGE = {"input_tokens": 1000, "output_tokens": 4000}


def good(**more: object) -> Answer:
    data = [{"b64_json": base64.b64encode(MADE).decode()}]
    return Answer(body=json.dumps({"data": data, "usage": USAGE} | more).encode())


def asked_with(answer: Answer, monkeypatch: pytest.MonkeyPatch) -> tuple[Outcome, list[Asked]]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    log: list[Asked] = []

    def serve(asked: Asked) -> Answer:
        log.append(asked)
        return answer

    with answering(serve) as url:
        price = Price(input=8.0, text=10.0, image=40.0)
        row = Row(kind="openai", model="gpt-image-2", base_url=url + "/v1", price=price)
        editor = OpenAIEditor("gpt-image-2", row)
        parameters = Parameters(extra={"quality": "high"}, deadline_seconds=240)
        return editor.edit(PICTURE, "image/png", "Copy it.", parameters), log


def test_the_bytes_go_out_as_they_are_and_come_back_as_they_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    outcome, log = asked_with(good(), monkeypatch)
    assert outcome.image is not None and outcome.image.data == MADE
    assert log[0].path == "/v1/images/edits"
    assert PICTURE in log[0].body
    assert b"gpt-image-2" in log[0].body and b"high" in log[0].body
    assert log[0].headers["authorization"] == f"Bearer {KEY}"


def test_the_cost_is_counted_by_the_tokens_used(monkeypatch: pytest.MonkeyPatch) -> None:
    outcome, _ = asked_with(good(), monkeypatch)
    assert outcome.cost_usd == pytest.approx(1000 * 8e-6 + 4000 * 40e-6)


@pytest.mark.parametrize(
    ("code", "message", "failure"),
    [
        (400, "rejected by our safety system (moderation_blocked)", "refused"),
        (400, "Unknown parameter", "fatal_run"),
        (401, "Incorrect API key provided: {key}", "fatal_all"),
        (429, "Rate limit reached", "wait"),
        (429, "You exceeded your quota: insufficient_quota", "fatal_all"),
        (500, "The server had an error", "backoff"),
    ],
)
def test_each_error_has_its_class_and_no_key(
    code: int, message: str, failure: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = json.dumps({"error": {"message": message.replace("{key}", KEY)}}).encode()
    outcome, _ = asked_with(Answer(code, body), monkeypatch)
    assert outcome.failure == failure
    assert KEY not in repr(outcome)


@pytest.mark.parametrize("body", [b"", b"{", b'{"data": []}', b'{"data": [{"b64_json": "!"}]}'])
def test_a_reply_without_a_picture_is_a_failure(
    body: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcome, _ = asked_with(Answer(body=body), monkeypatch)
    assert outcome.image is None and outcome.failure in {"backoff", "no_image"}
    assert outcome.possibly_billed


def test_a_named_wait_is_read_from_the_header(monkeypatch: pytest.MonkeyPatch) -> None:
    body = json.dumps({"error": {"message": "slow down"}}).encode()
    outcome, _ = asked_with(Answer(429, body, headers={"retry-after": "7"}), monkeypatch)
    assert outcome.retry_after_seconds == 7
