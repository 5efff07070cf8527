import pytest

from b100tui.workspace.crash import KEPT, record_crash, without_secrets
from b100tui.workspace.places import state_dir


def crash(message: str) -> str:
    try:
        raise ValueError(message)
    except ValueError as error:
        path = record_crash(error, ["runs", "--json"])
    assert path is not None
    assert path.stat().st_mode & 0o777 == 0o600
    return path.read_text()


def test_the_log_holds_command_versions_and_traceback() -> None:
    text = crash("odd")
    assert "command: b100 runs --json" in text
    assert "Python 3." in text
    assert "ValueError: odd" in text


def test_the_log_cannot_drive_a_terminal() -> None:
    assert "\x1b" not in crash("\x1b]0;title\x07")


@pytest.mark.parametrize(
    "text",
    ["AIza" + "x" * 35, "sk-" + "y" * 24, "Authorization: Bearer " + "z" * 12, "u?key=abc123&a=1"],
)
def test_keys_are_known_by_their_shape(text: str) -> None:
    cleaned = without_secrets(f"calling {text} failed")
    assert "[secret]" in cleaned
    assert not any(part in cleaned for part in ("xxxx", "yyyy", "zzzz", "abc123"))


def test_a_key_of_the_environment_or_the_key_file_is_known_by_its_value(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MY_SERVICE_TOKEN", "plain-looking")
    state_dir().mkdir()
    (state_dir() / "key").write_text("from-the-file\n")
    assert without_secrets("a plain-looking and from-the-file") == "a [secret] and [secret]"


def test_the_key_file_of_another_kind_of_editor_is_known_too() -> None:
    state_dir().mkdir()
    (state_dir() / "key-openai").write_text("of-the-other\n")
    assert without_secrets("sent of-the-other") == "sent [secret]"


def test_only_the_newest_logs_are_kept() -> None:
    folder = state_dir() / "log"
    folder.mkdir(parents=True)
    for number in range(KEPT + 5):
        (folder / f"20000101T0000{number:02}-1.log").write_text("old")
    crash("new")
    kept = sorted(path.name for path in folder.iterdir())
    assert len(kept) == KEPT
    assert "20000101T000000-1.log" not in kept
