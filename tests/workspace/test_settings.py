import re
from pathlib import Path

import pytest

from b100tui.model.errors import UsageError
from b100tui.workspace import settings
from b100tui.workspace.places import config_dir


def write(text: str) -> Path:
    config_dir().mkdir(parents=True, exist_ok=True)
    path = config_dir() / "config.toml"
    path.write_text(text, encoding="utf-8")
    return path


def origin(key: str) -> str:
    return next(o.origin for o in settings.load_with_origins().origins if o.key == key)


def test_without_a_file_every_setting_has_its_default() -> None:
    assert settings.load() == settings.Settings()
    assert {o.origin for o in settings.load_with_origins().origins} == {"default"}


def test_the_reference_step_is_1_by_default() -> None:
    assert settings.load().reference == 1


def test_the_file_wins_over_the_default_and_its_line_is_named() -> None:
    path = write('# mine\ntheme = "light"\n\n[score]\npython = "/opt/py"\n')
    loaded = settings.load()
    assert (loaded.theme, loaded.score.python) == ("light", "/opt/py")
    assert origin("theme") == f"{path}:2"
    assert origin("score.python") == f"{path}:5"


def test_the_environment_wins_over_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    write('reference = 2\n[score]\npython = "a"\n')
    monkeypatch.setenv("B100_REFERENCE", "0")
    monkeypatch.setenv("B100_SCORE_PYTHON", "b")
    loaded = settings.load()
    assert (loaded.reference, loaded.score.python) == (0, "b")
    assert origin("reference") == "environment B100_REFERENCE"


def test_a_flag_wins_over_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("B100_THEME", "light")
    assert settings.load(flags={"theme": "ansi"}).theme == "ansi"
    assert settings.load(flags={"theme": None}).theme == "light"


def test_a_file_named_on_the_command_line_replaces_the_users_own(tmp_path: Path) -> None:
    write('theme = "light"\n')
    other = tmp_path / "other.toml"
    other.write_text('link = "slow"\n')
    loaded = settings.load(str(other))
    assert (loaded.theme, loaded.link) == ("dark", "slow")


def test_a_named_file_that_does_not_exist_is_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none\.toml does not exist"):
        settings.load(str(tmp_path / "none.toml"))


def test_an_unknown_key_names_file_line_and_the_nearest_key() -> None:
    path = write('\n\nthemes = "dark"\n')
    with pytest.raises(UsageError, match=re.escape(f"{path} line 3")) as caught:
        settings.load()
    assert "theme" in caught.value.hint


def test_an_unknown_key_inside_a_table_names_its_own_line() -> None:
    write('[score]\ndevice = "cpu"\npyton = "x"\n')
    with pytest.raises(UsageError, match=r"line 3: no setting 'score\.pyton'") as caught:
        settings.load()
    assert "score.python" in caught.value.hint


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('graphics = "ascii"', 1),
        ("\nreference = -1", 2),
        ('link = "quick"', 1),
        ('\n\nreference = "one"', 3),
        ("[editors.gemini]\ndeadline_seconds = 0", 2),
        ("score = 3", 1),
    ],
)
def test_a_value_that_does_not_fit_names_its_line(text: str, line: int) -> None:
    write(text)
    with pytest.raises(UsageError, match=f"line {line}:"):
        settings.load()


def test_broken_toml_names_the_file_and_the_line() -> None:
    path = write("theme = \n")
    with pytest.raises(UsageError, match=re.escape(str(path)) + r".*line 1"):
        settings.load()


def test_a_wrong_value_in_the_environment_names_the_variable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("B100_PROBES", "maybe")
    with pytest.raises(UsageError, match="environment B100_PROBES"):
        settings.load()


def test_an_editors_own_deadline_wins_over_the_common_one() -> None:
    write("deadline_seconds = 60\n[editors.gemini]\ndeadline_seconds = 300\n")
    loaded = settings.load()
    assert loaded.deadline("gemini") == 300
    assert loaded.deadline("command") == 60


def test_the_deadline_of_the_environment_holds_for_every_editor(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write('[editors."gemini-3.pro"]\ndeadline_seconds = 300\n')
    assert settings.load().deadline("gemini-3.pro") == 300
    monkeypatch.setenv("B100_DEADLINE_SECONDS", "2.5")
    assert settings.load().deadline("gemini-3.pro") == 2.5


def test_without_any_deadline_the_editor_decides() -> None:
    assert settings.load().deadline("gemini") is None


def test_the_template_holds_every_setting_and_changes_nothing() -> None:
    write(settings.template())
    assert settings.load() == settings.Settings()
    keys = {o.key.rpartition(".")[2] for o in settings.load_with_origins().origins}
    assert all(key in settings.template() for key in keys)


def test_a_template_line_works_once_uncommented() -> None:
    text = settings.template().replace('# theme = "dark"', 'theme = "light"')
    write(text.replace('# device = "auto"', 'device = "cpu"'))
    loaded = settings.load()
    assert (loaded.theme, loaded.score.device) == ("light", "cpu")


def test_a_keymap_is_kept_as_written() -> None:
    write('[keys]\n"step.next" = "l,right"\n')
    assert settings.load().keys == {"step.next": "l,right"}
