import json
import os
from pathlib import Path

import pytest

from b100tui.cli import doctor_checks
from b100tui.cli.main import main
from b100tui.editors.table import table
from b100tui.engine.ledger import Ledger
from b100tui.engine.paid_check import paid_check
from b100tui.terminal.facts import colour_depth
from b100tui.workspace.places import config_dir, remember_root, state_dir
from tests.cli.calls import b100
from tests.engine.made import served


def checks(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, dict[str, object]]:
    assert main(["doctor", "--json", *words]) == 0
    return {check["id"]: check for check in json.loads(capsys.readouterr().out)["checks"]}


def test_every_check_says_what_was_found_and_a_failed_one_the_fix(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = checks(capsys)
    assert {"python", "version", "settings", "locale", "cache", "state", "api-key"} <= set(found)
    assert all(set(check) == {"id", "ok", "found", "fix"} for check in found.values())
    assert all(check["found"] for check in found.values())
    assert all(check["fix"] for check in found.values() if not check["ok"])


def test_for_people_each_check_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 0
    assert "ok  python" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["GOOGLE_API_KEY", "GEMINI_API_KEY"])
def test_a_key_is_told_by_its_place_and_never_printed(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(name, "not-a-real-key-4711")
    main(["doctor"])
    out, err = capsys.readouterr()
    assert f"{name} is set" in out
    assert "4711" not in out + err


def test_a_key_file_that_others_can_read_fails(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("not-a-real-key")
    file.chmod(0o644)
    check = doctor_checks.key_check(file)
    assert not check.ok
    assert check.fix == f"chmod 600 {file}"


def test_a_private_key_file_is_fine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in doctor_checks.KEY_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    file = tmp_path / "key"
    file.write_text("not-a-real-key")
    file.chmod(0o600)
    assert doctor_checks.key_check(file).ok
    assert "not-a-real-key" not in doctor_checks.key_check(file).found


def test_without_a_key_the_doctor_is_content(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in doctor_checks.KEY_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    check = checks(capsys)["api-key"]
    assert check["ok"]
    assert str(state_dir()) in str(check["fix"])


def test_broken_settings_cost_their_own_check_only(capsys: pytest.CaptureFixture[str]) -> None:
    config_dir().mkdir()
    (config_dir() / "config.toml").write_text("refrence = 2\n")
    found = checks(capsys)
    assert not found["settings"]["ok"]
    assert "reference" in str(found["settings"]["fix"])
    assert found["python"]["ok"]


def test_the_last_root_and_its_workspace_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    remember_root(tmp_path)
    found = checks(capsys)
    assert found["root"]["found"] == str(tmp_path)
    assert str(tmp_path / ".b100") in str(found["workspace"]["found"])


def test_the_index_of_the_last_root_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    remember_root(tmp_path)
    assert checks(capsys)["index"]["found"] == "none yet"


def test_the_probes_are_ready_and_what_else_is_there_is_counted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    check = checks(capsys)["metrics"]
    assert check["ok"]
    assert "probes" in str(check["found"])
    assert "pyiqa" in str(check["found"])


def test_without_a_terminal_there_are_no_pictures_and_the_reason_is_told() -> None:
    found = json.loads(b100("doctor", "--json").stdout)["checks"]
    (check,) = (check for check in found if check["id"] == "graphics")
    assert not check["ok"]
    assert "not a terminal" in check["found"]


def test_a_root_that_vanished_is_a_failed_check(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = checks(capsys, "--root", str(tmp_path / "gone"))
    assert not found["root"]["ok"]
    assert "does not exist" in str(found["root"]["found"])


def test_a_cache_below_a_file_fails_with_the_variable_to_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("B100_CACHE_DIR", str(tmp_path / "file" / "cache"))
    check = checks(capsys)["cache"]
    assert not check["ok"]
    assert "B100_CACHE_DIR" in str(check["fix"])


def test_a_locale_without_utf8_fails_with_the_fix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_checks.locale, "getpreferredencoding", lambda _: "ANSI_X3.4-1968")
    (check,) = doctor_checks._locale()
    assert not check.ok
    assert "C.UTF-8" in check.fix


@pytest.mark.parametrize(
    ("environment", "ok", "found"),
    [
        ({"COLORTERM": "truecolor", "TERM": "xterm"}, True, "24-bit"),
        ({"TERM": "xterm-256color"}, True, "256"),
        ({"TERM": "xterm"}, False, "16 or fewer"),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, True, "off"),
    ],
)
def test_colours_follow_the_environment(
    environment: dict[str, str], ok: bool, found: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("COLORTERM", "TERM", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    check = doctor_checks.colours_check(colour_depth(os.environ))
    assert check.ok is ok
    assert check.found.startswith(found)


def test_inside_tmux_passthrough_and_rgb_are_asked_of_tmux(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answers = {"-V": "tmux 3.4", "show": "off", "display": "256,RGB,title"}
    monkeypatch.setenv("TMUX", "/tmp/tmux-0/default,1,0")
    monkeypatch.setattr(doctor_checks, "_tmux_says", lambda *words: answers[words[0]])
    found = {check.id: check for check in doctor_checks._tmux()}
    assert not found["tmux-passthrough"].ok
    assert "allow-passthrough on" in found["tmux-passthrough"].fix
    assert found["tmux-rgb"].ok


def test_a_paid_call_needs_a_typed_yes(capsys: pytest.CaptureFixture[str]) -> None:
    with served() as fake:
        check = checks(capsys, "--paid")["paid"]
        assert fake.calls("gemini-3.5-flash") == 0
    assert not check["ok"]
    assert "nothing was spent" in str(check["found"])
    assert "terminal" in str(check["fix"])


def test_a_paid_call_that_was_confirmed_is_in_the_ledger() -> None:
    with served() as fake:
        row = table().judge("gemini-3-flash")
        done = paid_check(row, lambda most: 0 < most < 0.05)
        assert fake.calls("gemini-3.5-flash") == 1
    assert done.ok, done.found
    assert Ledger().totals().spent == pytest.approx(done.usd)


def test_a_paid_call_that_was_not_confirmed_is_not_sent() -> None:
    with served() as fake:
        done = paid_check(table().judge("gemini-3-flash"), lambda most: False)
        assert fake.calls("gemini-3.5-flash") == 0
    assert not done.ok
    assert Ledger().totals().spent == 0


def test_a_paid_check_without_a_key_says_where_keys_go(
    capsys: pytest.CaptureFixture[str],
) -> None:
    check = checks(capsys, "--paid")["paid"]
    assert "key" in str(check["found"])


def test_another_interpreter_for_scores_is_asked(capsys: pytest.CaptureFixture[str]) -> None:
    config_dir().mkdir(parents=True, exist_ok=True)
    (config_dir() / "config.toml").write_text('[score]\npython = "/nowhere/python"\n')
    check = checks(capsys)["pyiqa"]
    assert not check["ok"]
    assert "/nowhere/python cannot be started" in str(check["found"])
