"""VisualQuality-R1 through a fake endpoint on loopback."""

import base64
import io
import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from b100tui.metrics import registry
from b100tui.metrics.endpoint import PLAIN, QUESTION, THINKING, Endpoint, parsed
from b100tui.metrics.protocol import Failure, Measured, Outcome, Pixels
from b100tui.scoring.plan import choose_metrics
from tests.metrics.server import Answer, Reply, serve
from tests.scoring.pictures import drawn_run, records, score_all

NAME = "visualquality_r1"
PIXELS: Pixels = np.random.default_rng(3).integers(0, 256, (20, 30, 3), dtype=np.uint8)


def chat(text: str) -> Reply:
    body = {"choices": [{"message": {"role": "assistant", "content": text}}]}
    return 200, {"Content-Type": "application/json"}, json.dumps(body).encode()


def set_up(url: str, **options: object) -> None:
    own = registry.own_file()
    own.parent.mkdir(parents=True, exist_ok=True)
    lines = [f"[metric.{NAME}]", f'url = "{url}/v1"']
    lines += [f"{key} = {json.dumps(value)}" for key, value in options.items()]
    own.write_text("\n".join(lines))


def asked(answer: Answer, **options: object) -> Outcome:
    with serve(answer) as url:
        set_up(url, **options)
        return Endpoint().measure((NAME,), PIXELS, None)[NAME]


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("<answer>3.52</answer>", 3.52),
        ("<think>maybe <answer>1</answer></think> <answer> 4 </answer>", 4.0),
        ("<answer>-0.25</answer>", -0.25),
        ("<answer>score: 2.5 of 5</answer>", 2.5),
        (" 3.10\n", 3.10),
    ],
)
def test_the_last_answer_is_taken_and_a_minus_sign_kept(reply: str, value: float) -> None:
    assert parsed(reply) == value


@pytest.mark.parametrize("reply", ["", "good", "<answer>very good</answer>", "I say 3", "<answer>"])
def test_a_reply_without_a_number_is_a_failure_never_an_invention(reply: str) -> None:
    outcome = parsed(reply)
    assert isinstance(outcome, Failure)
    assert outcome.error == "unparsed"


def test_the_question_is_the_published_one_and_the_picture_is_lossless() -> None:
    seen: list[tuple[str, dict[str, object], dict[str, str]]] = []

    def answer(path: str, body: bytes, headers: dict[str, str]) -> Reply:
        seen.append((path, json.loads(body), headers))
        return chat("<answer>3.5</answer>")

    assert asked(answer) == 3.5
    ((path, body, headers),) = seen
    assert path == "/v1/chat/completions"
    assert body["temperature"] == 0
    assert "Authorization" not in headers
    picture, text = body["messages"][0]["content"]  # type: ignore[index]
    assert text == {"type": "text", "text": QUESTION + PLAIN}
    data = base64.b64decode(picture["image_url"]["url"].removeprefix("data:image/png;base64,"))
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(data))), PIXELS)


def test_thinking_asks_for_thoughts() -> None:
    seen: list[bytes] = []

    def answer(path: str, body: bytes, headers: dict[str, str]) -> Reply:
        seen.append(body)
        return chat("<think>hm</think><answer>2</answer>")

    assert asked(answer, thinking=True) == 2.0
    assert json.loads(seen[0])["messages"][0]["content"][1]["text"] == QUESTION + THINKING


def test_samples_are_seeded_and_give_mean_and_spread() -> None:
    def answer(path: str, body: bytes, headers: dict[str, str]) -> Reply:
        return chat(f"<answer>{1.0 + json.loads(body)['seed']}</answer>")

    outcome = asked(answer, samples=3)
    assert outcome == Measured(2.0, "mean of 3 samples, sd 1")


def test_one_sample_without_a_number_fails_them_all() -> None:
    def answer(path: str, body: bytes, headers: dict[str, str]) -> Reply:
        return chat("<answer>3</answer>" if json.loads(body)["seed"] == 0 else "no idea")

    outcome = asked(answer, samples=2)
    assert isinstance(outcome, Failure)
    assert outcome.error == "unparsed"


def test_the_key_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "not-told")
    seen: list[str] = []

    def answer(path: str, body: bytes, headers: dict[str, str]) -> Reply:
        seen.append(headers["Authorization"])
        return chat("<answer>3</answer>")

    asked(answer, key_env="MY_KEY")
    assert seen == ["Bearer not-told"]


def test_a_server_fault_is_tried_once_more() -> None:
    left = [(503, {}, b""), chat("<answer>3</answer>")]
    assert asked(lambda path, body, headers: left.pop(0)) == 3.0


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        ((500, {}, b"boom"), "refused"),
        ((401, {}, b"who are you"), "refused"),
        ((200, {}, b"{}"), "unparsed"),
        ((200, {}, b"<html>"), "unparsed"),
        ((200, {}, b'{"choices": [{"message": {"content": null}}]}'), "unparsed"),
    ],
)
def test_other_answers_are_named_failures(reply: Reply, error: str) -> None:
    outcome = asked(lambda path, body, headers: reply)
    assert isinstance(outcome, Failure)
    assert outcome.error == error


def test_no_server_is_unreachable() -> None:
    with serve(lambda path, body, headers: chat("")) as url:
        pass
    set_up(url)
    outcome = Endpoint().measure((NAME,), PIXELS, None)[NAME]
    assert isinstance(outcome, Failure)
    assert outcome.error == "unreachable"


def test_the_version_knows_model_prompt_and_sampling_but_not_the_address() -> None:
    set_up("http://one.example")
    one = Endpoint().version_parts(NAME)
    set_up("http://another.example")
    assert Endpoint().version_parts(NAME) == one
    set_up("http://one.example", samples=3)
    assert Endpoint().version_parts(NAME) != one
    assert "one.example" not in json.dumps(one)


def test_it_is_scored_like_any_other_metric(tmp_path: Path) -> None:
    with serve(lambda path, body, headers: chat("<answer>4.25</answer>")) as url:
        set_up(url)
        ready, unavailable = choose_metrics(NAME)
        assert ([metric.id for metric in ready], unavailable) == ([NAME], {})
        report = score_all(tmp_path, drawn_run(tmp_path, 5), NAME, "lab_l")
    assert (report.done, report.failed) == (10, {})
    assert {r.value for r in records(tmp_path) if r.metric == NAME} == {4.25}
