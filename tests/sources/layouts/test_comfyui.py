import json
from pathlib import Path
from typing import Any

from b100tui.sources import scan_folder
from tests.shared_data import shared
from tests.sources.layouts.written import notes, paths, png_with, the_run
from tests.sources.made import PNG, named, numbers, put


def graph(
    loads: str | None = None, text: str = "again", seed: int = 5, **more: Any
) -> dict[str, Any]:
    """The executed graph as ComfyUI writes it: node id -> class_type and inputs."""
    sampler = {"seed": seed, "steps": 20, "cfg": 8.0, "denoise": 0.6, "sampler_name": "euler"}
    nodes: dict[str, Any] = {
        "3": {
            "class_type": "KSampler",
            "inputs": {**sampler, "positive": ["12", 0], "negative": ["7", 0], "model": ["4", 0]},
        },
        "4": {"class_type": "CheckpointLoaderSimple", "inputs": {"ckpt_name": "v1.safetensors"}},
        "6": {"class_type": "CLIPTextEncode", "inputs": {"text": text, "clip": ["4", 1]}},
        "7": {"class_type": "CLIPTextEncode", "inputs": {"text": "bad", "clip": ["4", 1]}},
        "12": {"class_type": "FluxGuidance", "inputs": {"conditioning": ["6", 0], "guidance": 3.5}},
    }
    if loads is not None:
        nodes["10"] = {"class_type": "LoadImage", "inputs": {"image": loads, "upload": "image"}}
    return {**nodes, **more}


def output(root: Path, name: str, told: dict[str, Any] | None) -> None:
    texts = {"prompt": json.dumps(told), "workflow": "{}"} if told is not None else {}
    put(root, name, data=png_with(texts))


def test_outputs_chain_through_load_image_whatever_their_prefixes(tmp_path: Path) -> None:
    put(tmp_path, "input/photo.png")
    output(tmp_path, "output/first_00001_.png", graph("photo.png"))
    output(tmp_path, "output/loop_00007_.png", graph("first_00001_.png [output]"))
    output(tmp_path, "output/sub/loop_00001_.png", graph("loop_00007_.png"))
    source = the_run(tmp_path)
    assert paths(source) == [
        (0, "input/photo.png"),
        (1, "output/first_00001_.png"),
        (2, "output/loop_00007_.png"),
        (3, "output/sub/loop_00001_.png"),
    ]
    assert source.run.image == "photo"


def test_the_first_output_of_a_picture_that_is_not_here_is_step_1(tmp_path: Path) -> None:
    output(tmp_path, "a_00001_.png", graph("photo.png"))
    for n in (2, 3):
        output(tmp_path, f"a_{n:05}_.png", graph(f"a_{n - 1:05}_.png"))
    source = the_run(tmp_path)
    assert numbers(source) == [1, 2, 3]
    assert source.run.image == "photo"


def test_an_output_copied_into_the_input_folder_is_the_output_itself(tmp_path: Path) -> None:
    for n in range(1, 4):
        loads = f"a_{n - 1:05}_.png" if n > 1 else None
        output(tmp_path, f"output/a_{n:05}_.png", graph(loads))
    put(tmp_path, "input/a_00001_.png", "input/a_00002_.png")
    scan = scan_folder(tmp_path)
    source = next(one for one in scan.runs if one.folder == "output")
    assert [path for _, path in paths(source)] == [f"output/a_{n:05}_.png" for n in (1, 2, 3)]


def test_prompt_seed_and_settings_come_from_the_graph(tmp_path: Path) -> None:
    for n in range(1, 4):
        told = graph(f"a_{n - 1:05}_.png" if n > 1 else None, text=f"p{n}", seed=n)
        output(tmp_path, f"a_{n:05}_.png", told)
    step = the_run(tmp_path).steps[2]
    assert (step.prompt, step.seed, step.model) == ("p3", 3, "v1.safetensors")
    assert step.parameters == {"steps": 20, "cfg": 8.0, "denoise": 0.6, "sampler_name": "euler"}


def workflow(loads: str | None) -> dict[str, Any]:
    """The editor's graph: nodes with widgets, links as [id, from, slot, to, slot, kind]."""
    nodes = [
        {
            "id": 3,
            "type": "KSampler",
            "widgets_values": [41, "randomize", 12, 7.5, "euler", "normal", 0.5],
            "inputs": [{"name": "positive", "link": 1}, {"name": "latent_image", "link": None}],
        },
        {"id": 6, "type": "CLIPTextEncode", "widgets_values": ["make it red"], "inputs": []},
        {"id": 9, "type": "Note", "widgets_values": {"text": "x"}},
    ]
    if loads:
        nodes.append({"id": 8, "type": "LoadImage", "widgets_values": [loads, "image"]})
    return {"nodes": nodes, "links": [[1, 6, 0, 3, 1, "CONDITIONING"]]}


def test_the_workflow_alone_tells_chain_prompt_and_settings(tmp_path: Path) -> None:
    for n in range(1, 4):
        told = workflow(f"a_{n - 1:05}_.png" if n > 1 else None)
        put(tmp_path, f"a_{n:05}_.png", data=png_with({"workflow": json.dumps(told)}))
    scan = scan_folder(tmp_path)
    step = scan.runs[0].steps[2]
    assert (step.prompt, step.seed, step.parameters["denoise"]) == ("make it red", 41, 0.5)
    assert "loads the picture that the step before saved" in scan.readings[0].why


def test_a_seed_behind_a_link_is_followed(tmp_path: Path) -> None:
    seed = {"class_type": "PrimitiveInt", "inputs": {"value": 77}}
    for n in range(1, 4):
        told = graph(f"a_{n - 1:05}_.png" if n > 1 else None, **{"20": seed})
        told["3"]["inputs"]["seed"] = ["20", 0]
        output(tmp_path, f"a_{n:05}_.png", told)
    assert the_run(tmp_path).steps[0].seed == 77


def test_outputs_that_load_nothing_here_are_runs_by_prefix_and_say_so(tmp_path: Path) -> None:
    for n in range(1, 5):
        output(tmp_path, f"loop_{n:05}_.png", graph("elsewhere.png"))
    scan = scan_folder(tmp_path)
    assert numbers(scan.runs[0]) == [1, 2, 3, 4]
    assert scan.runs[0].run.image == "elsewhere"
    assert scan.readings[0].why == "no graph loads another output: by prefix and counter"


def test_variants_of_one_picture_are_no_loop(tmp_path: Path) -> None:
    put(tmp_path, "photo.png")
    for n in range(1, 5):
        output(tmp_path, f"v_{n:05}_.png", graph("photo.png"))
    scan = scan_folder(tmp_path)
    assert scan.runs == ()
    assert "variants made from one picture, photo.png, not a loop" in notes(scan)


def test_a_branch_is_a_run_of_its_own(tmp_path: Path) -> None:
    for name, loads in (
        ("a_00001_", None),
        ("a_00002_", "a_00001_.png"),
        ("a_00003_", "a_00002_.png"),
        ("b_00001_", "a_00002_.png"),
    ):
        output(tmp_path, f"{name}.png", graph(loads))
    scan = scan_folder(tmp_path)
    assert [[path for _, path in paths(source)] for source in scan.runs] == [
        ["a_00001_.png", "a_00002_.png", "a_00003_.png"],
        ["a_00001_.png", "a_00002_.png", "b_00001_.png"],
    ]


def test_graphs_in_a_circle_and_of_odd_shape_end(tmp_path: Path) -> None:
    output(tmp_path, "a_00001_.png", graph("a_00003_.png"))
    output(tmp_path, "a_00002_.png", graph("a_00001_.png"))
    output(tmp_path, "a_00003_.png", graph("a_00002_.png"))
    itself = {"positive": ["3", 0], "seed": ["3", 0]}
    looping = {"3": {"class_type": "KSampler", "inputs": itself}}
    output(tmp_path, "c_00001_.png", looping)
    output(tmp_path, "c_00002_.png", {"1": 5, "2": {"class_type": "X", "inputs": None}})
    output(tmp_path, "c_00003_.png", looping)
    scan = scan_folder(tmp_path)
    assert numbers(named(scan, "c")) == [1, 2, 3]
    assert numbers(named(scan, "a")) == [1, 2, 3]


def test_counted_names_without_any_graph_are_left_to_the_guess(tmp_path: Path) -> None:
    put(tmp_path, *(f"x_{n:05}_.png" for n in range(1, 5)), data=PNG)
    assert scan_folder(tmp_path).layout == "guess"


def test_a_real_comfyui_picture_tells_its_prompt(tmp_path: Path) -> None:
    data = (shared("real/awkward") / "img2img_cropped.png").read_bytes()
    put(tmp_path, *(f"out_{n:05}_.png" for n in range(1, 4)), data=data)
    source = the_run(tmp_path)
    assert source.steps[0].seed == 280823642470253
    assert source.steps[0].parameters["steps"] == 20
    assert source.steps[0].prompt
