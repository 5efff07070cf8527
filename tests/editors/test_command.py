"""Any program as an editor: what it is given, and what its end means."""

import sys
import threading
from pathlib import Path

import pytest

from b100tui.editors.command import CommandEditor
from b100tui.editors.protocol import Outcome, Parameters
from b100tui.editors.table import Row
from b100tui.model.errors import UsageError
from tests.engine.made import noisy

PICTURE = noisy()


def ran(code: str, prompt: str = "copy", **asked: object) -> Outcome:
    words = ("{input}", "{output}", "{prompt}", "{seed}", "{size}", "{thoughts}")
    row = Row(kind="command", model="x", command=(sys.executable, "-c", code, *words))
    parameters = Parameters(**asked)  # type: ignore[arg-type]
    return CommandEditor("mine", row).edit(PICTURE, "image/png", prompt, parameters)


COPY = "import sys, shutil; shutil.copy(sys.argv[1], sys.argv[2])"


def test_the_program_gets_the_bytes_and_its_bytes_come_back() -> None:
    outcome = ran(COPY)
    assert outcome.image is not None and outcome.image.data == PICTURE


def test_every_place_is_filled_once_and_a_prompt_stays_a_prompt() -> None:
    code = COPY + "; open(sys.argv[6], 'w').write('|'.join(sys.argv[3:6]))"
    outcome = ran(code, prompt="draw {input} twice", seed=7, resolution="2K")
    assert outcome.thoughts == ("draw {input} twice|7|2K",)


@pytest.mark.parametrize(
    ("code", "failure"),
    [
        ("raise SystemExit(75)", "backoff"),
        ("raise SystemExit(69)", "unavailable"),
        ("raise SystemExit(77)", "refused"),
        ("raise SystemExit(3)", "fatal_run"),
        ("import os; os.abort()", "fatal_run"),
        ("pass", "no_image"),
    ],
)
def test_each_end_has_its_class(code: str, failure: str) -> None:
    assert ran(code).failure == failure


def test_the_last_words_of_the_program_are_told_without_secrets(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MY_API_KEY", "abcdef-secret")
    code = "import os, sys; sys.exit('cannot log in with ' + os.environ['MY_API_KEY'])"
    message = ran(code).message
    assert "cannot log in" in message and "abcdef-secret" not in message


def test_a_program_that_does_not_end_is_ended_with_its_children() -> None:
    code = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'while True: pass'])"
    outcome = ran(code, deadline_seconds=0.5)
    assert outcome.failure == "backoff" and "0.5 s" in outcome.message


def test_a_person_can_abort_it() -> None:
    abort = threading.Event()
    threading.Timer(0.3, abort.set).start()
    assert ran("while True: pass", cancelled=abort.is_set).failure == "cancelled"


def test_a_program_that_is_not_there_is_unavailable(tmp_path: Path) -> None:
    row = Row(kind="command", model="x", command=(str(tmp_path / "no"), "{input}", "{output}"))
    outcome = CommandEditor("mine", row).edit(PICTURE, "image/png", "p", Parameters())
    assert outcome.failure == "unavailable"


def test_a_command_without_places_is_refused() -> None:
    with pytest.raises(UsageError, match="input"):
        CommandEditor("mine", Row(kind="command", model="x", command=("true",)))
