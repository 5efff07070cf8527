import json

import pytest

from b100tui.cli.main import main
from b100tui.workspace.places import config_dir


def test_editors_are_listed_with_what_is_missing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GEMINI_API_KEY", raising=False)
    monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
    assert main(["editors", "--json"]) == 0
    told = {one["id"]: one for one in json.loads(capsys.readouterr().out)}
    assert told["sim-pro"]["ready"]
    assert not told["nano-banana-pro"]["ready"]
    assert "GEMINI_API_KEY" in told["nano-banana-pro"]["fix"]
    assert {"id", "name", "ready", "reason", "fix"} <= set(told["sim-pro"])


def test_the_users_file_adds_and_overrides(capsys: pytest.CaptureFixture[str]) -> None:
    config_dir().mkdir(parents=True)
    (config_dir() / "editors.toml").write_text(
        '[editors.nano-banana-pro]\nmodel = "gemini-4"\n'
        '[editors.mine]\nkind = "command"\nmodel = "x"\ncommand = ["true"]\n'
    )
    assert main(["editors", "--json"]) == 0
    told = {one["id"]: one for one in json.loads(capsys.readouterr().out)}
    assert told["nano-banana-pro"]["model"] == "gemini-4"
    assert told["nano-banana-pro"]["name"] == "Nano Banana Pro"
    assert told["mine"]["ready"]


def test_a_broken_file_of_the_user_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    config_dir().mkdir(parents=True)
    (config_dir() / "editors.toml").write_text("[editors.x]\nkindd = 1\n")
    assert main(["editors"]) == 2
    assert "editors.toml" in capsys.readouterr().err
