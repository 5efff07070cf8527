"""ComfyUI over real HTTP against a stand-in: upload, queue, poll, fetch."""

import json
from pathlib import Path
from typing import Any

import pytest

from b100tui.editors.comfyui import ComfyEditor
from b100tui.editors.protocol import Outcome, Parameters
from b100tui.editors.table import Row
from b100tui.model.errors import UsageError
from tests.engine.made import noisy
from tests.fakes.http import Answer, Asked, answering

PICTURE, MADE = noisy(), noisy(1)
WORKFLOW = {
    "1": {"class_type": "LoadImage", "inputs": {"image": "{input}"}},
    "2": {"class_type": "Text", "inputs": {"text": "edit: {prompt}", "n": 3}},
    "3": {"class_type": "Sampler", "inputs": {"seed": "{seed}", "model": ["1", 0]}},
}


class Comfy:
    """Queues one job; it is ready at the third look."""

    def __init__(self, entry: dict[str, Any], looks: int = 2) -> None:
        self.entry, self.looks = entry, looks
        self.workflow: dict[str, Any] = {}
        self.paths: list[str] = []

    def __call__(self, asked: Asked) -> Answer:
        path = asked.path.partition("?")[0]
        self.paths.append(path)
        if path == "/upload/image":
            assert PICTURE in asked.body
            return _json({"name": "up.png", "subfolder": "sub", "type": "input"})
        if path == "/prompt":
            self.workflow = json.loads(asked.body)["prompt"]
            return _json({"prompt_id": "job-1"})
        if path == "/history/job-1":
            self.looks -= 1
            return _json({"job-1": self.entry} if self.looks <= 0 else {})
        if path == "/view":
            assert "filename=out.png" in asked.path
            return Answer(body=MADE, kind="image/png")
        return _json({})


def _json(value: Any) -> Answer:
    return Answer(body=json.dumps(value).encode())


def output(kind: str = "output") -> dict[str, Any]:
    image = {"filename": "out.png", "subfolder": "", "type": kind}
    return {"status": {"status_str": "success"}, "outputs": {"9": {"images": [image]}}}


def ran(comfy: Comfy, tmp_path: Path, **asked: object) -> Outcome:
    path = tmp_path / "flow.json"
    path.write_text(json.dumps(WORKFLOW))
    with answering(comfy) as url:
        row = Row(kind="comfyui", model="workflow", workflow=str(path), base_url=url)
        editor = ComfyEditor("comfyui", row)
        parameters = Parameters(**{"deadline_seconds": 240.0} | asked)  # type: ignore[arg-type]
        return editor.edit(PICTURE, "image/png", "Say {seed}", parameters)


def test_the_workflow_is_filled_and_its_picture_fetched(tmp_path: Path) -> None:
    comfy = Comfy(output())
    outcome = ran(comfy, tmp_path, seed=5)
    assert outcome.image is not None and outcome.image.data == MADE
    assert comfy.workflow["1"]["inputs"]["image"] == "sub/up.png"
    assert comfy.workflow["2"]["inputs"] == {"text": "edit: Say {seed}", "n": 3}
    assert comfy.workflow["3"]["inputs"] == {"seed": 5, "model": ["1", 0]}


def test_an_unset_seed_is_a_new_one_and_is_told(tmp_path: Path) -> None:
    comfy = Comfy(output())
    outcome = ran(comfy, tmp_path)
    assert outcome.sent["seed"] == comfy.workflow["3"]["inputs"]["seed"]


def test_a_preview_is_no_answer(tmp_path: Path) -> None:
    assert ran(Comfy(output("temp")), tmp_path).failure == "no_image"


def test_an_error_of_a_node_is_told(tmp_path: Path) -> None:
    told = {"node_type": "KSampler", "exception_message": "out of memory"}
    entry = {"status": {"status_str": "error", "messages": [["execution_error", told]]}}
    outcome = ran(Comfy(entry), tmp_path)
    assert (outcome.failure, outcome.message) == ("fatal_run", "KSampler: out of memory")


def test_a_job_past_its_deadline_is_interrupted(tmp_path: Path) -> None:
    comfy = Comfy(output(), looks=10_000)
    outcome = ran(comfy, tmp_path, deadline_seconds=0.4)
    assert outcome.failure == "backoff"
    assert comfy.paths[-1] == "/interrupt"


def test_a_server_that_is_not_there_is_tried_again(tmp_path: Path) -> None:
    path = tmp_path / "flow.json"
    path.write_text(json.dumps(WORKFLOW))
    row = Row(kind="comfyui", model="m", workflow=str(path), base_url="http://127.0.0.1:9")
    outcome = ComfyEditor("comfyui", row).edit(PICTURE, "image/png", "p", Parameters())
    assert (outcome.failure, outcome.possibly_billed) == ("backoff", False)


def test_a_workflow_without_places_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "flow.json"
    path.write_text("{}")
    with pytest.raises(UsageError, match="input"):
        ComfyEditor("c", Row(kind="comfyui", model="m", workflow=str(path)))
