"""ComfyUI over HTTP: upload, queue the workflow, poll its history, fetch the picture.

The workflow is a file in API format with "{input}", "{prompt}" and, if wanted, "{seed}" in the
values of its nodes.
"""

import os
import random
import time
import uuid
from pathlib import Path
from typing import Any

import msgspec

from b100tui.editors.gemini_faults import unknown_answer
from b100tui.editors.http import HttpCaller
from b100tui.editors.protocol import Capabilities, Outcome, Parameters, ReceivedImage
from b100tui.editors.table import Row
from b100tui.model.errors import UNPARSABLE, UsageError, parse_fault
from b100tui.model.text import clean_line

_SUFFIX = {"image/png": "png", "image/jpeg": "jpg", "image/webp": "webp"}
_POLL_SECONDS = 0.25
_CALL_SECONDS = 60.0
_SAID = 300


class ComfyEditor:
    """One workflow on one ComfyUI; jobs queue there."""

    kind = "comfyui"

    def __init__(self, name: str, row: Row) -> None:
        self.name = name
        self._row = row
        path = Path(os.path.expanduser(row.workflow))
        try:
            self._workflow: Any = msgspec.json.decode(path.read_bytes())
        except (OSError, *UNPARSABLE) as error:
            why = error.strerror if isinstance(error, OSError) else parse_fault(error)
            raise UsageError(
                f"editor {name}: workflow {path}: {why}", "export it as API format (JSON)"
            ) from error
        text = msgspec.json.encode(self._workflow).decode()
        if "{input}" not in text or "{prompt}" not in text:
            raise UsageError(
                f"{path} has no {{input}} and {{prompt}}",
                "write them into the LoadImage node and the prompt node",
            )
        self.model = row.model if row.model != "workflow" else path.stem
        self._http = HttpCaller(row.base_url or "http://127.0.0.1:8188")

    @property
    def capabilities(self) -> Capabilities:
        """What the row says the workflow takes."""
        return self._row.capabilities

    def edit(self, image: bytes, mime: str, prompt: str, parameters: Parameters) -> Outcome:
        """Run the workflow once; a workflow without a seed place ignores the seed."""
        begin = time.monotonic()
        name = f"b100-{uuid.uuid4().hex}.{_SUFFIX.get(mime, 'png')}"
        up = self._http.send(
            "POST",
            "/upload/image",
            files={"image": (name, image, mime)},
            data={"type": "input", "overwrite": "true"},
            deadline=_CALL_SECONDS,
            cancelled=parameters.cancelled,
        )
        if isinstance(up, Outcome):
            return _free(up)
        told = up.json if isinstance(up.json, dict) else {}
        folder = told.get("subfolder")
        stored = str(told.get("name") or name)
        stored = f"{folder}/{stored}" if folder else stored
        # Equal workflows are answered from its cache: an unset seed still has to be a new one.
        seed = parameters.seed if parameters.seed is not None else random.getrandbits(31)
        values = {"{input}": stored, "{prompt}": prompt, "{seed}": seed}
        queued = self._http.send(
            "POST",
            "/prompt",
            json={"prompt": _filled(self._workflow, values), "client_id": "b100"},
            deadline=_CALL_SECONDS,
            cancelled=parameters.cancelled,
        )
        if isinstance(queued, Outcome):
            return _free(queued)
        id = queued.json.get("prompt_id") if isinstance(queued.json, dict) else None
        if not isinstance(id, str):
            return unknown_answer("ComfyUI gave the job no id")
        outcome = self._await(id, parameters, begin)
        return msgspec.structs.replace(outcome, sent={"seed": seed, "prompt_id": id})

    def _await(self, id: str, parameters: Parameters, begin: float) -> Outcome:
        deadline = parameters.deadline_seconds
        while True:
            told = self._http.send("GET", f"/history/{id}", deadline=_CALL_SECONDS)
            if isinstance(told, Outcome):
                return _free(told)
            entry = told.json.get(id) if isinstance(told.json, dict) else None
            if isinstance(entry, dict):
                return self._fetch(id, entry)
            if parameters.cancelled is not None and parameters.cancelled():
                self._http.send("POST", "/interrupt", deadline=_CALL_SECONDS)
                return Outcome(failure="cancelled", message="aborted")
            if deadline is not None and time.monotonic() - begin > deadline:
                self._http.send("POST", "/interrupt", deadline=_CALL_SECONDS)
                return Outcome(failure="backoff", message=f"not ready within {deadline:g} s")
            time.sleep(_POLL_SECONDS)

    def _fetch(self, id: str, entry: dict[str, Any]) -> Outcome:
        status = entry.get("status") if isinstance(entry.get("status"), dict) else {}
        if isinstance(status, dict) and status.get("status_str") == "error":
            return Outcome(failure="fatal_run", message=_error_of(status))
        outputs = entry.get("outputs")
        images = [
            image
            for node in (outputs.values() if isinstance(outputs, dict) else ())
            if isinstance(node, dict) and isinstance(node.get("images"), list)
            for image in node["images"]
            if isinstance(image, dict) and image.get("type") == "output"
        ]
        if not images:
            return Outcome(failure="no_image", message="the workflow saved no picture")
        where = {name: str(images[-1].get(name, "")) for name in ("filename", "subfolder", "type")}
        got = self._http.send("GET", "/view", params=where, deadline=_CALL_SECONDS)
        if isinstance(got, Outcome):
            return _free(got)
        return Outcome(
            image=ReceivedImage(data=got.body),
            response_id=id,
            endpoint=self._http.endpoint,
            api="comfyui",
        )


def _filled(value: Any, values: dict[str, Any]) -> Any:
    """Fill the places of a workflow; a value that is one place whole keeps the type."""
    if isinstance(value, dict):
        return {name: _filled(inner, values) for name, inner in value.items()}
    if isinstance(value, list):
        return [_filled(inner, values) for inner in value]
    if not isinstance(value, str):
        return value
    if value in values:
        return values[value]
    for place in ("{input}", "{seed}"):
        value = value.replace(place, str(values[place]))
    return value.replace("{prompt}", values["{prompt}"])


def _error_of(status: dict[str, Any]) -> str:
    messages = status.get("messages")
    for message in messages if isinstance(messages, list) else ():
        if isinstance(message, list) and len(message) == 2 and message[0] == "execution_error":
            told = message[1] if isinstance(message[1], dict) else {}
            said = f"{told.get('node_type', '')}: {told.get('exception_message', '')}"
            return clean_line(said)[:_SAID]
    return "the workflow failed"


def _free(outcome: Outcome) -> Outcome:
    """A ComfyUI bills nobody, and one that is not there is not waited for as an account."""
    failure = outcome.failure
    if failure == "fatal_all":
        failure = "fatal_run"
    return msgspec.structs.replace(outcome, possibly_billed=False, failure=failure)
