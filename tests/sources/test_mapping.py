import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from b100tui.model.errors import LayoutError
from b100tui.sources import read_step, scan_folder, write_mapping
from b100tui.sources.mapping import KEYS, Mapping, parse_mapping
from tests.shared_data import shared
from tests.sources.made import PNG, named, numbers, own_run, picture, put, reasons

PATTERN = r"(?P<image>[^/]+)/(?P<task>[^/]+)/r(?P<run>\d+)/s(?P<step>\d+)\.(?:png|webp)"


def mapped(root: Path, text: str) -> Path:
    put(root, ".b100/mapping.toml", data=text.encode())
    return root


def dataset(root: Path) -> None:
    put(root, *(f"cat/fog/r{k}/s{n}.png" for k in (1, 2) for n in range(1, 4)))


def test_named_groups_name_the_runs(tmp_path: Path) -> None:
    dataset(tmp_path)
    scan = scan_folder(mapped(tmp_path, f"image = '{PATTERN}'\nlabels = {{ model = 'pro' }}"))
    assert scan.layout == "mapping"
    run = named(scan, "cat/fog/r2").run
    assert (run.image, run.recipe, run.setting, run.repeat) == ("cat", "fog", "fog", 2)
    assert (run.model, run.labels) == ("pro", {"model": "pro"})
    assert numbers(named(scan, "cat/fog/r1")) == [1, 2, 3]


def test_given_mapping_wins_over_the_workspace(tmp_path: Path) -> None:
    dataset(tmp_path)
    other = tmp_path / "other.toml"
    other.write_text(f"image = '{PATTERN}'")
    scan = scan_folder(mapped(tmp_path, "image = '(?P<step>x)'"), other)
    assert len(scan.runs) == 2


def test_further_groups_are_labels(tmp_path: Path) -> None:
    put(tmp_path, *(f"cat_t{t}_{n}.png" for t in ("0", "0.4") for n in range(3)))
    text = r"image = '(?P<image>\w+?)_t(?P<temperature>[\d.]+)_(?P<step>\d+)\.png'"
    labels = [source.run.labels for source in scan_folder(mapped(tmp_path, text)).runs]
    assert labels == [{"temperature": "0"}, {"temperature": "0.4"}]


def test_files_outside_the_pattern_are_listed_and_never_guessed(tmp_path: Path) -> None:
    dataset(tmp_path)
    put(tmp_path, *(f"else/step_{n}.png" for n in range(5)))
    scan = scan_folder(mapped(tmp_path, f"image = '{PATTERN}'"))
    assert len(scan.runs) == 2
    assert reasons(scan)["else/step_0.png"] == "does not match the mapping"


def test_origin_gives_step_0(tmp_path: Path) -> None:
    dataset(tmp_path)
    put(tmp_path, "initial/cat.jpeg")
    text = f"image = '{PATTERN}'\norigin = 'initial/{{image}}.*'"
    scan = scan_folder(mapped(tmp_path, text))
    assert [source.steps[0].picture.path for source in scan.runs] == ["initial/cat.jpeg"] * 2
    assert not reasons(scan)


def test_prefer_decides_between_formats(tmp_path: Path) -> None:
    dataset(tmp_path)
    put(tmp_path, "cat/fog/r1/s2.webp")
    scan = scan_folder(mapped(tmp_path, f"image = '{PATTERN}'\nprefer = ['webp', 'png']"))
    (same,) = named(scan, "cat/fog/r1").duplicates
    assert same.chosen.endswith(".webp")


def test_reasoning_template_joins_texts(tmp_path: Path) -> None:
    dataset(tmp_path)
    put(tmp_path, "cat/fog/r1/s2_why.md", data=b"**Look**\nat fog")
    text = f"image = '{PATTERN}'\nreasoning = '{{dir}}/s{{step}}*.(txt|md)'"
    source = named(scan_folder(mapped(tmp_path, text)), "cat/fog/r1")
    steps = [read_step(tmp_path, source.run, step) for step in source.steps]
    assert [[section.title for section in step.sections] for step in steps] == [[], ["Look"], []]


def test_prompts_join_by_their_key(tmp_path: Path) -> None:
    dataset(tmp_path)
    put(tmp_path, "prompts.csv", data=b"task,step,words\nfog,2,more fog\nsun,2,sun\n")
    text = (
        f"image = '{PATTERN}'\n"
        "prompts = { file = 'prompts.csv', key = ['task', 'step'], column = 'words' }"
    )
    scan = scan_folder(mapped(tmp_path, text))
    assert [[step.prompt for step in source.steps] for source in scan.runs] == [
        [None, "more fog", None]
    ] * 2
    assert "1 rows join no step by task, step, the first in line 3" in reasons(scan)["prompts.csv"]


@pytest.mark.parametrize(
    ("shape", "table"),
    [
        (
            "long",
            "image,task,run,step,metric,value\ncat,fog,2,3,BRISQUE,31.5\ncat,fog,2,3,niqe,4\n",
        ),
        ("wide", "image;task;run;step;BRISQUE;niqe\ncat;fog;2;3;31,5;4\n"),
    ],
)
def test_scores_join_in_both_shapes(tmp_path: Path, shape: str, table: str) -> None:
    dataset(tmp_path)
    put(tmp_path, "scores.csv", data=table.encode())
    text = f"image = '{PATTERN}'\nscores = {{ file = 'scores.csv', shape = '{shape}' }}"
    scan = scan_folder(mapped(tmp_path, text))
    told = {
        (source.run.run, step.step): step.scores
        for source in scan.runs
        for step in source.steps
        if step.scores
    }
    assert told == {("cat/fog/r2", 3): {"brisque": 31.5, "niqe": 4.0}}


def test_named_table_that_is_not_there_is_listed(tmp_path: Path) -> None:
    dataset(tmp_path)
    scan = scan_folder(mapped(tmp_path, f"image = '{PATTERN}'\nscores = {{ file = '../x.csv' }}"))
    assert "not there" in reasons(scan)["../x.csv"]


def test_mapping_names_runs_of_b100_without_losing_them(tmp_path: Path) -> None:
    own_run(tmp_path, "moss/plain/run-1", 2, parent="x")
    text = r"image = '(?P<image>\w+)/(?P<setting>\w+)/run-(?P<run>\d)/step-(?P<step>\d+)\.jpg'"
    (source,) = scan_folder(mapped(tmp_path, text)).runs
    assert source.run.parent == "x"
    assert all(step.sidecar for step in source.steps)


@pytest.mark.parametrize(
    ("text", "words", "hint"),
    [
        (
            "image = 'a(?P<step>b)'\n\nreasonig = 'x'",
            "m.toml line 3: unknown key 'reasonig'",
            "reas",
        ),
        ("\nimage = 'a(?P<step>'", "m.toml line 2: image is no regular expression", "re"),
        ("image = 'abc'", "m.toml line 1: image does not name the step", "step"),
        ("labels = { a = 'b' }", "m.toml: no pattern", "image"),
        ("image = 'x", "m.toml: .*line 1", "quotes"),
        ("\nimage = x", "m.toml: .*line 2", "quotes"),
        ("image = 5", "m.toml line 1: image has to be", "image"),
        (
            "image = '(?P<step>1)'\nscores = { file = 'a', shpe = 'long' }",
            "m.toml line 2: unknown key 'shpe'",
            "shape",
        ),
        (
            "image = '(?P<step>1)'\nscores = { file = 'a', shape = 'tall' }",
            "m.toml line 2: .*'tall'",
            "long",
        ),
        ("image = '(?P<step>1)'\nroot = '../x'", "m.toml line 2: root leads outside", "inside"),
        ("[[runs]]\nrun = 'a'", "files is missing", "files"),
        ("image = '(?P<step>1)'\nlabels = { a = [1] }", "m.toml line 2: a has to be", "a = "),
    ],
)
def test_errors_name_file_line_and_fix(text: str, words: str, hint: str) -> None:
    with pytest.raises(LayoutError, match=words) as caught:
        parse_mapping(text, "m.toml")
    assert hint in caught.value.hint


def written(root: Path) -> None:
    """The written mapping reads the folder as the guess did."""
    guess = scan_folder(root)
    mapping = root.parent / "written.toml"
    mapping.write_text(write_mapping(root), encoding="utf-8")
    again = scan_folder(root, mapping)
    assert again.layout == "mapping"

    def facts(scan: object) -> list[object]:
        return [
            (s.run.run, s.run.image, s.run.setting, s.run.repeat, s.steps, s.duplicates)
            for s in scan.runs  # type: ignore[attr-defined]
        ]

    assert facts(again) == facts(guess)


@pytest.mark.parametrize(
    "names",
    [
        [f"moss/rep/run_{k}/step_{n:03}.png" for k in (1, 2) for n in range(4)],
        [f"out/{name}_step_{n}.png" for name in ("cat", "dog") for n in range(3)],
        [f"a+b (c)/x.y_step_{n}.png" for n in range(3)] + ["a+b (c)/x.y_step_2.webp"],
        [f"cat/loop/cat_step_{n}.png" for n in range(1, 4)] + ["initial/cat.png"],
        [f"d/2025-03-0{n}_output.png" for n in range(1, 5)],
        [f"it's/step_{n}.png" for n in range(3)],
        [f"step_{n}_seed_{n * 977}.png" for n in range(5)],
        [f"cat/step_{n}/out.png" for n in range(4)],
        [f"r/round_{n}.jpg" for n in range(4)] + ["r/round_2_v2.jpg"],
        [f"od\x1b[1md\n#*/[b]'\"\\_step_{n}.png" for n in range(3)],
        [f"caf\udce9/step_{n}.png" for n in range(3)],
    ],
)
def test_written_mapping_reads_as_the_guess_did(tmp_path: Path, names: list[str]) -> None:
    root = tmp_path / "root"
    put(root, *names)
    written(root)


def test_one_pattern_is_written_for_folders_of_one_form(tmp_path: Path) -> None:
    put(tmp_path, *(f"{i}/rep/run_{k}/s_{n}.png" for i in "ab" for k in (1, 2) for n in range(4)))
    text = write_mapping(tmp_path)
    line = next(line for line in text.splitlines() if line.startswith("image"))
    assert line == (
        r"image = '(?P<image>[^/]+)/(?P<setting>rep)/run_(?P<run>\d+)/s_(?P<step>\d+)\.(?i:png)'"
    )
    assert "[[runs]]" not in text


def test_written_mapping_of_real_trajectories_reads_them() -> None:
    root = shared("real/reed-vae-steps")
    rules = parse_mapping(write_mapping(root), "m")
    assert [rule.fixed["run"] for rule in rules.rules] == ["eiffel_reed", "eiffel_vanilla"]


def test_nothing_guessed_is_nothing_to_write(tmp_path: Path) -> None:
    put(tmp_path, "a.png", data=PNG)
    with pytest.raises(LayoutError, match="no run"):
        write_mapping(tmp_path)


def test_sizes_play_no_part(tmp_path: Path) -> None:
    put(tmp_path, "s1.png", data=picture("png", (3, 3)))
    put(tmp_path, "s2.png", data=picture("png", (9, 3)))
    (source,) = scan_folder(mapped(tmp_path, r"image = 's(?P<step>\d+)\.png'")).runs
    assert numbers(source) == [1, 2]


def test_prompts_in_a_json_list_are_read(tmp_path: Path) -> None:
    dataset(tmp_path)
    put(tmp_path, "prompts.json", data=b'[{"run": 1, "step": 2, "prompt": "again"}]')
    scan = scan_folder(
        mapped(tmp_path, f"image = '{PATTERN}'\nprompts = {{file = 'prompts.json'}}")
    )
    assert [step.prompt for step in named(scan, "cat/fog/r1").steps] == [None, "again", None]


def test_root_of_a_mapping_is_where_its_paths_begin(tmp_path: Path) -> None:
    put(tmp_path, *(f"data/s{n}.png" for n in range(3)), "s9.png")
    text = "root = 'data'\nimage = 's(?P<step>[0-9])[.]png'"
    scan = scan_folder(mapped(tmp_path, text))
    assert [numbers(source) for source in scan.runs] == [[0, 1, 2]]
    assert reasons(scan) == {"s9.png": "does not match the mapping"}


VALUES = st.sampled_from(
    ["'x'", "5", "true", "[]", "[1]", "['a']", "{}", "{ file = 'x' }", "{ a = [] }", "1979-05-27"]
)


@given(st.dictionaries(st.sampled_from([*KEYS, "other"]), VALUES))
def test_wrong_types_are_named_errors(told: dict[str, str]) -> None:
    text = "".join(f"{key} = {value}\n" for key, value in told.items())
    try:
        found = parse_mapping(text + "[[runs]]\nfiles = '(?P<step>1)'\n", "m.toml")
    except LayoutError as error:
        assert error.message.startswith("m.toml")
        assert error.hint
    else:
        assert isinstance(found, Mapping)


def test_the_mapping_that_the_readme_shows_reads_what_it_describes(tmp_path: Path) -> None:
    readme = Path(__file__).resolve().parents[2] / "README.md"
    blocks = re.findall(r"```toml\n(.*?)```", readme.read_text(encoding="utf-8"), re.DOTALL)
    (block,) = (one for one in blocks if one.startswith("image = "))
    put(tmp_path, *(f"moss/replicate/run_2/step_{n}.png" for n in (1, 2)), "initial/moss.jpg")
    put(tmp_path, "moss/replicate/run_2/step_2_reasoning.md", data=b"**A**\n\nb")
    put(tmp_path, "prompts.csv", data=b"task,step,prompt\nreplicate,2,again\n")
    put(
        tmp_path,
        "scores.csv",
        data=b"image,task,run,step,metric,value\nmoss,replicate,2,2,BRISQUE,7\n",
    )
    (tmp_path / "banana100.toml").write_text(block)
    (source,) = scan_folder(tmp_path, tmp_path / "banana100.toml").runs
    assert (source.run.image, source.run.recipe, source.run.repeat) == ("moss", "replicate", 2)
    assert source.steps[0].picture.path == "initial/moss.jpg"
    last = source.steps[2]
    assert (last.prompt, last.scores) == ("again", {"brisque": 7.0})
    assert last.reasoning == "moss/replicate/run_2/step_2_reasoning.md"
    assert source.run.labels["resolution"] == "2K"
