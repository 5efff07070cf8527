"""Texts of other generators, and odd texts."""

import json

import pytest

from b100tui.sources.generated import parameters_say, picture_says


def test_fooocus_json_in_parameters_is_read() -> None:
    told = {"prompt": "a cat", "seed": 4, "base_model": "jugg", "steps": 30}
    assert picture_says({"parameters": json.dumps(told)}) == {
        "prompt": "a cat",
        "seed": 4,
        "model": "jugg",
        "parameters": {"steps": 30},
    }


def test_swarmui_parameters_are_read() -> None:
    told = {"sui_image_params": {"prompt": "a cat", "cfgscale": 3.5}}
    assert picture_says({"parameters": json.dumps(told)})["parameters"] == {"cfgscale": 3.5}


@pytest.mark.parametrize("key", ["invokeai_metadata", "Comment"])
def test_flat_metadata_of_others_is_read(key: str) -> None:
    told = picture_says({key: json.dumps({"positive_prompt": "x", "seed": 2, "strength": 0.5})})
    assert told == {"prompt": "x", "seed": 2, "parameters": {"strength": 0.5}}


@pytest.mark.parametrize("text", ["", "{", "[1]", "null", '{"1": 2}', "{" * 5000, "\ud800"])
def test_an_odd_text_tells_nothing(text: str) -> None:
    for key in ("prompt", "Comment"):
        assert picture_says({key: text}) == {}


def test_a_graph_with_nan_is_read() -> None:
    node = '{"class_type": "K", "inputs": {"seed": 3, "prompt": "x", "w": NaN}}'
    assert picture_says({"prompt": f'{{"1": {node}}}'}) == {"prompt": "x", "seed": 3}


def test_a_text_without_settings_is_all_prompt() -> None:
    assert parameters_say("just words\nand more") == {"prompt": "just words\nand more"}


def test_quoted_values_with_commas_stay_whole() -> None:
    text = 'p\nSteps: 5, Sampler: "a, b", Seed: 3'
    assert parameters_say(text)["parameters"] == {"steps": 5, "sampler": "a, b"}


def test_escape_sequences_in_a_prompt_are_removed() -> None:
    assert parameters_say("\x1b[31mred\nSteps: 5, Seed: 1")["prompt"] == "red"


def test_a_circular_graph_without_words_comes_to_an_end() -> None:
    inputs = {"positive": ["1", 0], "text": ["1", 0], "prompt": ["1", 0], "value": ["1", 0]}
    assert picture_says({"prompt": json.dumps({"1": {"class_type": "K", "inputs": inputs}})}) == {}


@pytest.mark.parametrize("filler", ["a", " "])
def test_a_long_text_without_a_colon_comes_to_an_end(filler: str) -> None:
    assert parameters_say("p\nSteps: 5, " + filler * 300_000)["parameters"] == {"steps": 5}
