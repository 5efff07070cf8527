"""Whatever a manifest holds in whatever place: the scan ends, and every step reads or says why."""

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from b100tui.sources import read_step, scan_folder
from b100tui.sources.comfy_graph import graph_of_workflow, graph_says, loaded
from b100tui.sources.embedded import embedded_text
from b100tui.sources.generated import picture_says
from tests.sources.layouts.written import png_with
from tests.sources.made import put

KEYS = st.sampled_from(
    [
        *("run", "step", "path", "file_name", "sections", "scores", "labels", "archive", "member"),
        *("files", "id", "url", "metadata_edit_turn_prompts", "original_input_image"),
        *("input", "output", "mask", "instruction", "turn1", "turn2"),
        *("steps", "step_index", "action", "prompt", "image", "verifier_scores", "source_image"),
        *(
            "chunkedPrompt",
            "chunks",
            "runSettings",
            "role",
            "text",
            "isThought",
            "parts",
            "content",
        ),
        *(
            "inlineImage",
            "driveImage",
            "data",
            "candidates",
            "errorMessage",
            "finishReason",
            "model",
        ),
    ]
)
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 12),
    st.floats(allow_nan=False),
    st.sampled_from(
        [
            *(
                "0.png",
                "1.png",
                "../x.png",
                "https://x.invalid/1.png",
                "/lab/out/1.png",
                "gone.png",
            ),
            *(
                "user",
                "model",
                "edit_turn1",
                "edit_turn-1",
                "final_image",
                "a\x1b[31mb",
                "",
                "**A**",
            ),
            "data:image/png;base64,iVBO",
        ]
    ),
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, min_size=1, max_size=6)
    ),
    max_leaves=30,
)


def shaped(**fields: Any) -> st.SearchStrategy[dict[str, Any]]:
    """An object with these keys, each a value of the right kind or of any."""
    return st.fixed_dictionaries({key: kind | VALUES for key, kind in fields.items()})


FILES = st.lists(shaped(id=LEAVES, url=LEAVES), max_size=4)
TURNS = st.lists(shaped(input=LEAVES, output=LEAVES, instruction=LEAVES), max_size=3)
STEPS = st.lists(shaped(step_index=LEAVES, image=LEAVES, verifier_scores=VALUES), max_size=4)
CHUNKS = st.lists(shaped(role=LEAVES, text=LEAVES, inlineImage=VALUES, parts=VALUES), max_size=4)
SHAPES = st.one_of(
    shaped(files=FILES, metadata_edit_turn_prompts=st.lists(LEAVES)),
    st.dictionaries(st.sampled_from("789"), TURNS, max_size=3),
    shaped(trajectory_id=LEAVES, steps=STEPS),
    shaped(chunkedPrompt=shaped(chunks=CHUNKS), runSettings=VALUES),
    shaped(run=LEAVES, step=LEAVES, path=LEAVES, sections=VALUES, scores=VALUES, labels=VALUES),
    st.dictionaries(st.sampled_from("12"), shaped(id=LEAVES, turn1=LEAVES, turn2=LEAVES)),
)
NAMES = st.sampled_from(
    ["steps.jsonl", "metadata.jsonl", "edit_sessions.json", "chat.json", "t.json", "chat"]
)
SEEDS: list[Any] = [
    {"files": [], "metadata_edit_turn_prompts": []},
    {"7": [{"input": 1, "output": 2, "instruction": 3}]},
    {"steps": [{"step_index": 0, "image": "0.png"}], "trajectory_id": []},
    {"chunkedPrompt": {"chunks": [{"role": "model", "inlineImage": {"data": 5}}]}},
    {"candidates": [{"content": {"parts": [{"inlineData": None}]}}]},
    {"1": {"id": 5, "turn1": [], "turn2": {}}},
    {"run": "r", "step": 0, "path": {"a": 1}},
]


def hold(root: Path, files: dict[str, str]) -> None:
    put(root, "0.png", "1.png")
    for name, text in files.items():
        (root / name).write_text(text)
    scan = scan_folder(root)
    for source in scan.runs:
        numbers = [step.step for step in source.steps]
        assert numbers == sorted(set(numbers))
        assert numbers[0] >= 0
        for step in source.steps:
            read = read_step(root, source.run, step)
            assert read.status == "ok" or read.reason
            assert "\x1b" not in f"{read.reason}{read.prompt}{read.sections}{source.run.run}"


@settings(max_examples=150)
@given(st.dictionaries(NAMES, SHAPES | VALUES, min_size=1, max_size=3))
def test_any_json_in_any_manifest_ends_in_a_scan(files: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as place:
        hold(Path(place), {name: json.dumps(value) for name, value in files.items()})


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: next(iter(seed)))
@pytest.mark.parametrize("name", ["steps.jsonl", "t.json"])
def test_manifests_of_known_form_with_wrong_values_end_in_a_scan(
    tmp_path: Path, seed: Any, name: str
) -> None:
    hold(tmp_path, {name: json.dumps(seed)})


@settings(max_examples=150)
@given(st.dictionaries(st.sampled_from(["1", "2", "nodes", "links"]), VALUES, max_size=4))
def test_any_graph_tells_something_or_nothing(graph: dict[str, Any]) -> None:
    for one in (graph, graph_of_workflow(graph)):
        assert isinstance(graph_says(one), dict)
        assert isinstance(loaded(one), list)


@settings(max_examples=200)
@given(st.integers(8, 200), st.binary(max_size=12))
def test_damaged_bytes_of_a_picture_tell_something_or_nothing(at: int, noise: bytes) -> None:
    data = png_with({"parameters": "a\nSteps: 5, Seed: 1", "prompt": "{}"})
    broken = data[:at] + noise + data[at + len(noise) :]
    texts = embedded_text(lambda count, place: broken[place : place + count], len(broken))
    assert isinstance(picture_says(texts), dict)
