import base64
from pathlib import Path
from typing import Any

import pytest

from b100tui.model.records import PictureRef
from b100tui.sources import open_picture, scan_folder
from tests.sources.layouts.written import jpeg, json_file, notes, steps_of, the_run
from tests.sources.made import PNG, put


def inline(data: bytes) -> dict[str, str]:
    return {"data": base64.b64encode(data).decode(), "mimeType": "image/png"}


def user(text: str = "", **more: object) -> dict[str, Any]:
    return {"role": "user", **({"text": text} if text else {}), **more}


def model(text: str = "", **more: object) -> dict[str, Any]:
    return {"role": "model", **({"text": text} if text else {}), **more}


def export(*chunks: object) -> dict[str, object]:
    settings = {"model": "models/gemini-3-pro-image", "temperature": 0.4, "safetySettings": []}
    return {"runSettings": settings, "systemInstruction": {}, "chunkedPrompt": {"chunks": chunks}}


CHAT = export(
    user("replicate this"),
    user(inlineImage=inline(PNG)),
    model("**Look**\n\nat the plate", isThought=True),
    model(inlineImage=inline(jpeg(1)), isThought=True),
    model(inlineImage=inline(jpeg(2))),
    user("again"),
    model(inlineImage=inline(jpeg(3)), finishReason="STOP"),
)


def test_a_model_turn_with_a_picture_is_a_step_and_thought_pictures_are_not(
    tmp_path: Path,
) -> None:
    json_file(tmp_path / "chat.json", CHAT)
    scan = scan_folder(tmp_path)
    (source,) = scan.runs
    read = steps_of(tmp_path, source)
    assert [(s.step, s.prompt) for s in read] == [(0, None), (1, "replicate this"), (2, "again")]
    assert [open_picture(tmp_path, s.picture) for s in source.steps] == [PNG, jpeg(2), jpeg(3)]
    assert [(s.title, s.text) for s in read[1].sections] == [("Look", "at the plate")]
    assert (source.run.model, source.run.parameters) == (
        "gemini-3-pro-image",
        {"temperature": 0.4},
    )
    assert notes(scan) == ["1 picture is part of the thoughts, not steps"]


def test_a_bare_list_of_chunks_is_a_chat_too(tmp_path: Path) -> None:
    json_file(tmp_path / "chat.json", CHAT["chunkedPrompt"]["chunks"])  # type: ignore[index]
    assert [step.step for step in the_run(tmp_path).steps] == [0, 1, 2]


def test_an_export_without_an_ending_is_read_as_drive_keeps_it(tmp_path: Path) -> None:
    json_file(tmp_path / "My chat", CHAT)
    source = the_run(tmp_path)
    assert [step.status for step in steps_of(tmp_path, source)] == ["ok"] * 3
    assert source.run.run == "My chat"


def test_a_drive_picture_is_found_by_its_id_else_the_step_is_missing(tmp_path: Path) -> None:
    put(tmp_path, "download-1AbCdEfGhIjK.png")
    chat = export(
        user("one"),
        model(driveImage={"id": "1AbCdEfGhIjK"}),
        user("two"),
        model(driveImage={"id": "2XxXxXxXxXxX"}),
    )
    json_file(tmp_path / "chat.json", chat)
    first, second = steps_of(tmp_path, the_run(tmp_path))
    assert (first.status, first.prompt) == ("ok", "one")
    assert (second.status, second.prompt) == ("missing", "two")
    assert "2XxXxXxXxXxX" in str(second.reason)


def test_a_turn_that_ends_in_an_error_is_a_refused_step(tmp_path: Path) -> None:
    chat = export(
        user("one", inlineImage=inline(PNG)),
        model(errorMessage="An internal error has occurred."),
        user("two"),
        model(inlineImage=inline(jpeg(4))),
    )
    json_file(tmp_path / "chat.json", chat)
    read = steps_of(tmp_path, the_run(tmp_path))
    assert [(step.status, step.prompt) for step in read] == [
        ("ok", None),
        ("refused", "one"),
        ("ok", "two"),
    ]


def test_an_answer_in_words_leaves_its_prompt_and_thoughts_to_the_next_picture(
    tmp_path: Path,
) -> None:
    chat = export(
        user("make it red"),
        model("thinking", isThought=True),
        model("Shall I?"),
        user("yes"),
        model(inlineImage=inline(jpeg(5))),
    )
    json_file(tmp_path / "chat.json", chat)
    (step,) = steps_of(tmp_path, the_run(tmp_path))
    assert (step.step, step.prompt) == (1, "make it red\nyes")
    assert step.sections[0].text == "thinking"


def test_an_api_answer_with_candidates_is_read(tmp_path: Path) -> None:
    parts = [{"text": "**A**\n\nb", "thought": True}, {"inlineData": inline(jpeg(6))}]
    answer = {"candidates": [{"content": {"role": "model", "parts": parts}}], "modelVersion": "m"}
    json_file(tmp_path / "answer.json", answer)
    source = the_run(tmp_path)
    assert open_picture(tmp_path, source.steps[0].picture) == jpeg(6)
    assert source.steps[0].sections[0].title == "A"


def test_a_history_of_contents_is_read(tmp_path: Path) -> None:
    history = [
        {"role": "user", "parts": [{"text": "go"}, {"inline_data": inline(PNG)}]},
        {"role": "model", "parts": [{"inline_data": inline(jpeg(7))}]},
    ]
    json_file(tmp_path / "history.json", {"contents": history})
    assert [step.prompt for step in the_run(tmp_path).steps] == [None, "go"]


def test_a_chat_of_words_alone_is_listed_and_other_json_is_left_alone(tmp_path: Path) -> None:
    turns = [{"role": "user", "content": "hi"}, {"role": "model", "content": "yes"}]
    json_file(tmp_path / "chat.json", {"title": "t", "data": turns})
    json_file(tmp_path / "other.json", {"role": 1, "content": 2, "data": [1]})
    scan = scan_folder(tmp_path)
    reasons = {left.path: left.reason for left in scan.unused}
    assert reasons["chat.json"] == "a chat without pictures"
    assert reasons["other.json"] == "not a picture and not read as a record"


@pytest.mark.parametrize("text", ["{", '{"runSettings": ', '{"chunkedPrompt": [1'])
def test_a_broken_export_is_named_with_its_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "chat.json").write_text('{"chunkedPrompt": \n\n' + text)
    (left,) = scan_folder(tmp_path).unreadable
    assert left.path == "chat.json"
    assert left.reason.startswith("line 3:")


def test_a_picture_that_is_no_base64_costs_its_step(tmp_path: Path) -> None:
    chat = export(user("x"), model(inlineImage={"data": "%%%", "mimeType": "image/png"}))
    json_file(tmp_path / "chat.json", chat)
    (step,) = steps_of(tmp_path, the_run(tmp_path))
    assert step.status == "unreadable"
    assert "no base64" in str(step.reason)


def test_a_place_that_is_gone_is_a_picture_error(tmp_path: Path) -> None:
    json_file(tmp_path / "chat.json", CHAT)
    from b100tui.model.errors import PictureError

    with pytest.raises(PictureError, match="no picture at chunks/9"):
        open_picture(tmp_path, PictureRef("chat.json", "chunks/9"))


@pytest.mark.parametrize("turn", [user, model])
def test_the_words_of_a_turn_that_ends_in_an_error_are_kept(tmp_path: Path, turn: Any) -> None:
    said = {"text": "I cannot go on."} if turn is model else {}
    chat = export(
        user("one", inlineImage=inline(PNG)),
        turn(**said, errorMessage="An internal error has occurred."),
        user("two"),
        model(inlineImage=inline(jpeg(4))),
    )
    json_file(tmp_path / "chat.json", chat)
    read = steps_of(tmp_path, the_run(tmp_path))
    words = "An internal error has occurred." + (" I cannot go on." if said else "")
    assert [(step.status, step.reason) for step in read] == [
        ("ok", None),
        ("refused", words),
        ("ok", None),
    ]
    assert not [left for left in notes(scan_folder(tmp_path)) if "no known form" in left]
