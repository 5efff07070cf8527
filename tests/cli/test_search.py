import json
from pathlib import Path

import pytest

from b100tui.cli.main import main
from tests.index.folder import add_step

RUN = "fog/replicate-2k/run-0"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    add_step(tmp_path, RUN, 0, sections=(("Final Check", "the plate is fine"),))
    add_step(tmp_path, RUN, 1, sections=(("Final Check", "the plate is grainy"),))
    return tmp_path


def test_json_has_the_keys_of_the_contract(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "--root", str(root), "plate grain*", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found.keys() >= {"query", "total", "seconds", "hits"}
    (hit,) = found["hits"]
    assert hit.keys() >= {"run", "step", "section", "title", "snippet", "score"}
    assert (found["total"], hit["run"], hit["step"], hit["section"]) == (1, RUN, 1, 0)


def test_jsonl_prints_one_hit_a_line(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "--root", str(root), "plate", "--jsonl"]) == 0
    hits = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert sorted((hit["run"], hit["step"]) for hit in hits) == [(RUN, 0), (RUN, 1)]


def test_a_filter_narrows(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "--root", str(root), "plate", "--filter", "step:0", "--json"]) == 0
    assert [hit["step"] for hit in json.loads(capsys.readouterr().out)["hits"]] == [0]


def test_an_unreadable_query_is_wrong_use(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "--root", str(root), 'plate "fine']) == 2
    told = capsys.readouterr()
    assert told.out == "" and "character 7" in told.err


def test_hits_are_shown_with_their_place(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "--root", str(root), "plate"]) == 0
    out = capsys.readouterr().out
    assert f"{RUN}@1  Final Check" in out and "2 hits" in out


@pytest.mark.parametrize("words", [["plate", "-grainy"], ["-grainy", "plate"], ["plate -grainy"]])
def test_a_word_with_a_dash_is_left_out(
    root: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    assert main(["search", "--root", str(root), *words, "--json"]) == 0
    assert [hit["step"] for hit in json.loads(capsys.readouterr().out)["hits"]] == [0]


def test_no_words_are_wrong_use(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "--root", str(root)]) == 2
    assert "no words" in capsys.readouterr().err


def test_an_unknown_option_is_no_word(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "--root", str(root), "plate", "--limt", "3"]) == 2
    assert "--limt" in capsys.readouterr().err
