"""The Gemini adapter: what is sent, how replies are read, which class each fault has."""

import base64
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from b100tui.editors.gemini import GeminiEditor, hide
from b100tui.editors.gemini_client import GeminiClient, is_loopback
from b100tui.editors.gemini_faults import api_fault, until_midnight
from b100tui.editors.gemini_reply import read_reply
from b100tui.editors.keys import Hider
from b100tui.editors.prices import edit_cost, usage_cost
from b100tui.editors.protocol import Outcome, Parameters, ReceivedImage
from b100tui.editors.table import Price, table
from tests.engine.made import KEY, noisy, served
from tests.fakes.gemini import config_of

PICTURE = noisy(kind="JPEG")
PRICE = Price(input=2.0, text=12.0, image=120.0)


def part(
    data: bytes, *, thought: bool = False, snake: bool = False, url_safe: bool = False
) -> dict:
    encode = base64.urlsafe_b64encode if url_safe else base64.b64encode
    text = encode(data).decode().rstrip("=" if url_safe else "")
    blob = {"mime_type" if snake else "mimeType": "image/png", "data": text}
    return {"inline_data" if snake else "inlineData": blob, "thought": thought}


def reply(*parts: dict, finish: str = "STOP", **more: object) -> Outcome:
    candidate = {"content": {"parts": list(parts)}, "finishReason": finish}
    return read_reply(json.dumps({"candidates": [candidate]} | more), PRICE)


def sent(name: str = "nano-banana-pro", **asked: object) -> tuple[dict, str, Outcome]:
    with served() as fake:
        row = table().editor(name)
        editor = GeminiEditor(name, row, GeminiClient(base_url=row.base_url))
        parameters = Parameters(**{"deadline_seconds": 240.0} | asked)  # type: ignore[arg-type]
        outcome = editor.edit(PICTURE, "image/jpeg", "Copy.", parameters)
        return fake.log[-1], fake.log[-1]["path"], outcome


def test_the_request_has_the_bytes_the_words_and_only_what_was_asked() -> None:
    logged, path, outcome = sent(resolution="2K")
    assert path == "/v1/models/gemini-3-pro-image:generateContent"
    image, words = logged["body"]["contents"][0]["parts"]
    blob = image["inlineData"]
    data = blob["data"].replace("-", "+").replace("_", "/")
    assert base64.b64decode(data + "=" * (-len(data) % 4)) == PICTURE
    assert words == {"text": "Copy."}
    config = config_of(logged)
    assert set(config) == {"responseModalities", "thinkingConfig", "imageConfig"}
    assert config["imageConfig"] == {"imageSize": "2K"}
    assert outcome.image is not None


def test_seed_and_temperature_of_zero_are_sent() -> None:
    config = config_of(sent(seed=0, temperature=0.0)[0])
    assert (config["seed"], config["temperature"]) == (0, 0.0)


def test_the_fast_editor_asks_for_minimal_thinking_and_no_thoughts() -> None:
    thinking = config_of(sent("nano-banana-2-fast")[0])["thinkingConfig"]
    values = {name.replace("_", "").lower(): value for name, value in thinking.items()}
    assert values == {"includethoughts": False, "thinkinglevel": "MINIMAL"}


def test_provenance_names_the_answering_model_the_api_and_the_host() -> None:
    outcome = sent()[2]
    assert outcome.model_version == "gemini-3-pro-image-fake"
    assert outcome.endpoint is not None and outcome.endpoint.startswith("127.0.0.1:")
    assert outcome.api is not None and "google-genai" in outcome.api
    assert "image_config" not in outcome.sent


@pytest.mark.parametrize("snake", [True, False])
@pytest.mark.parametrize("url_safe", [True, False])
def test_both_casings_and_both_alphabets_are_read(snake: bool, url_safe: bool) -> None:
    outcome = reply(part(PICTURE, snake=snake, url_safe=url_safe))
    assert outcome.image is not None and outcome.image.data == PICTURE


def test_the_answer_is_the_last_image_that_is_no_thought() -> None:
    first, last, draft = noisy(1), noisy(2), noisy(3)
    outcome = reply(part(draft, thought=True), part(first), part(last), part(draft, thought=True))
    assert outcome.image is not None and outcome.image.data == last
    assert {one.data for one in outcome.drafts} == {draft, first}


def test_thoughts_are_kept_raw_and_apart_from_words() -> None:
    thought = {"text": "**A**\n\nI see.\n\n\n", "thought": True}
    outcome = reply(thought, {"text": "Here it is."}, part(PICTURE))
    assert outcome.thoughts == ("**A**\n\nI see.\n\n\n",)


def test_the_raw_reply_is_kept_without_image_data() -> None:
    outcome = reply(part(PICTURE), surprise={"new": 1})
    assert outcome.raw is not None and outcome.raw["surprise"] == {"new": 1}
    assert base64.b64encode(PICTURE).decode()[:200] not in json.dumps(outcome.raw)
    assert '"bytes"' in json.dumps(outcome.raw)


@pytest.mark.parametrize("body", ["", "null", "{}", "[]", "{", "<html>", '{"candidates": []}'])
def test_a_reply_that_says_nothing_may_have_been_billed(body: str) -> None:
    outcome = read_reply(body, PRICE)
    assert (outcome.failure, outcome.possibly_billed) == ("backoff", True)


@pytest.mark.parametrize(
    ("finish", "failure"),
    [
        *[(name, "refused") for name in ("SAFETY", "IMAGE_SAFETY", "RECITATION", "BLOCKLIST")],
        *[(name, "refused") for name in ("PROHIBITED_CONTENT", "SPII", "IMAGE_RECITATION")],
        *[(name, "refused") for name in ("IMAGE_PROHIBITED_CONTENT", "MODEL_ARMOR")],
        *[(name, "no_image") for name in ("NO_IMAGE", "IMAGE_OTHER", "OTHER", "MAX_TOKENS")],
        *[(name, "no_image") for name in ("MALFORMED_RESPONSE", "NEVER_HEARD_OF", "STOP")],
        ("PUP_LIMITED_DISABLED", "fatal_all"),
    ],
)
def test_each_finish_reason_has_its_class(finish: str, failure: str) -> None:
    assert reply(finish=finish).failure == failure


def test_a_finish_message_is_kept() -> None:
    body = {"candidates": [{"finishReason": "IMAGE_SAFETY", "finishMessage": "Withheld."}]}
    outcome = read_reply(json.dumps(body), PRICE)
    assert (outcome.finish_message, outcome.message) == ("Withheld.", "Withheld.")


def test_a_real_sample_of_usage_costs_what_it_cost() -> None:
    usage = {
        "promptTokenCount": 575,
        "candidatesTokenCount": 2340,
        "thoughtsTokenCount": 230,
        "candidatesTokensDetails": [{"modality": "IMAGE", "tokenCount": 2000}],
    }
    expected = (2000 * 120 + (340 + 230) * 12 + 575 * 2) / 1e6
    assert usage_cost(PRICE, usage) == pytest.approx(expected)


def test_usage_without_details_is_read_the_dearer_way() -> None:
    assert usage_cost(PRICE, {"candidatesTokenCount": 1000}) == pytest.approx(0.12)
    assert usage_cost(PRICE, {}) is None


def test_an_image_at_1k_and_2k_costs_the_same_on_pro() -> None:
    row = table().editor("nano-banana-pro")
    assert edit_cost(row, "1K") == edit_cost(row, "2K")
    assert edit_cost(row, "2K").low == pytest.approx(0.1344 + 760 * 2e-6)
    assert edit_cost(row, "2K").worst >= 0.24 + 3000 * 12e-6


@pytest.mark.parametrize(
    ("code", "status", "message", "failure"),
    [
        (400, "INVALID_ARGUMENT", "bad size", "fatal_run"),
        (400, "FAILED_PRECONDITION", "billing", "fatal_all"),
        (400, "INVALID_ARGUMENT", "API key not valid. Pass another.", "fatal_all"),
        (401, "UNAUTHENTICATED", "", "fatal_all"),
        (403, "PERMISSION_DENIED", "", "fatal_all"),
        (404, "NOT_FOUND", "", "fatal_all"),
        (413, None, "too large", "fatal_run"),
        (429, "RESOURCE_EXHAUSTED", "", "wait"),
        *[(code, None, "", "backoff") for code in (408, 500, 502, 503, 504)],
    ],
)
def test_each_status_has_its_class(
    code: int, status: str | None, message: str, failure: str
) -> None:
    outcome = api_fault(code, status, None, message, {})
    assert outcome.failure == failure
    assert not outcome.possibly_billed


def test_retry_info_wins_over_the_header() -> None:
    details = {"error": {"details": [{"retryDelay": "2.5s"}]}}
    assert api_fault(429, None, details, "", {"retry-after": "9"}).retry_after_seconds == 2.5
    assert api_fault(429, None, None, "", {"retry-after": "9"}).retry_after_seconds == 9
    assert api_fault(429, None, None, "", {}).retry_after_seconds is None


def test_a_daily_quota_waits_for_midnight_in_california() -> None:
    assert until_midnight(datetime(2026, 12, 1, 7, 0, tzinfo=UTC)) == 3605
    assert until_midnight(datetime(2026, 7, 1, 6, 0, tzinfo=UTC)) == 3605  # summer time there
    violation = {"quotaId": "GenerateRequestsPerDayPerProjectPerModel"}
    details = {"error": {"details": [{"violations": [violation]}]}}
    wait = api_fault(429, None, details, "", {}).retry_after_seconds
    assert wait is not None and 0 < wait <= 25 * 3600


def test_a_spend_limit_waits_for_its_window() -> None:
    outcome = api_fault(429, None, None, "The spend limit is reached", {})
    assert outcome.retry_after_seconds == 600


def test_a_key_inside_a_picture_keeps_the_picture_out() -> None:
    image = ReceivedImage(data=PICTURE + KEY.encode())
    outcome = hide(Outcome(image=image), Hider(KEY))
    assert (outcome.image, outcome.failure) == (None, "fatal_run")


def test_a_request_over_the_limit_is_not_shrunk_but_refused() -> None:
    with served() as fake:
        row = table().editor("nano-banana-pro")
        editor = GeminiEditor("x", row, GeminiClient(base_url=row.base_url))
        outcome = editor.edit(bytes(80_000_000), "image/png", "Copy.", Parameters())
        assert fake.calls() == 0
    assert outcome.failure == "fatal_run" and "never shrunk" in outcome.hint


@pytest.mark.parametrize(
    ("url", "here"),
    [
        ("http://127.0.0.1:80", True),
        ("http://localhost", True),
        ("http://[::1]:9", True),
        ("https://generativelanguage.googleapis.com", False),
        (None, False),
    ],
)
def test_this_machine_is_told_from_the_provider(url: str | None, here: bool) -> None:
    assert is_loopback(url) is here


def test_vertex_has_its_own_path_and_version() -> None:
    with served() as fake:
        row = table().editor("nano-banana-pro")
        client = GeminiClient(base_url=fake.url, vertex=True)
        editor = GeminiEditor("x", row, client)
        outcome = editor.edit(PICTURE, "image/jpeg", "Copy.", Parameters(deadline_seconds=240.0))
        path = fake.log[-1]["path"]
    assert path == "/v1beta1/publishers/google/models/gemini-3-pro-image:generateContent"
    assert outcome.image is not None


def test_vertex_without_credentials_stops_everything_and_costs_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "none.json"))
    client = GeminiClient(base_url="http://127.0.0.1:9", vertex=True, project="p", location="l")
    editor = GeminiEditor("x", table().editor("nano-banana-pro"), client)
    outcome = editor.edit(PICTURE, "image/jpeg", "Copy.", Parameters(deadline_seconds=240.0))
    assert (outcome.failure, outcome.possibly_billed) == ("fatal_all", False)
