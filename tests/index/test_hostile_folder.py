"""Files made to break a reader: each costs itself only, and its folder is indexed all the same."""

import json
import os
import tarfile
from pathlib import Path

import pytest

from b100tui.index.build import refresh
from b100tui.index.store import open_index
from b100tui.model.errors import LayoutError
from tests.index.folder import png

DEEP = "[" * 5000 + "]" * 5000  # more levels than any parser goes down
LONG = "9" * 5000  # more digits than int() reads
WIDE = "9" * 30  # more than 64 bits
PLAN = {"run": "i/s/run-0", "image": "i", "recipe": "r", "setting": "s", "editor": "e", "repeat": 0}
OUTPUT = {"sha256": "0", "bytes": 1, "width": 8, "height": 8, "mime": "x", "file": "step-000.png"}


def folder(root: Path, files: dict[str, str | bytes]) -> Path:
    """A run of three steps in `good`, with `files` beside it."""
    steps = {f"good/step_{step}.png": png(step) for step in (1, 2, 3)}
    for name, data in (steps | files).items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
    return root


def damaged_tar() -> bytes:
    head = tarfile.TarInfo("pax")
    head.type, head.size = tarfile.XHDTYPE, 2**40
    return head.tobuf(format=tarfile.GNU_FORMAT) + b"\0" * 10240


def own(files: dict[str, str | bytes]) -> dict[str, str | bytes]:
    whole = {"run.json": json.dumps(PLAN)} | files
    return {f"i/s/run-0/{name}": data for name, data in whole.items()}


HOSTILE: dict[str, dict[str, str | bytes]] = {
    "a score nested too deeply": {".b100/scores/x.jsonl": f'{{"x": {DEEP}}}\n'},
    "words nested too deeply": {"good/step_1.json": f'{{"x": {DEEP}}}'},
    "an own plan nested too deeply": own({"run.json": f'{{"x": {DEEP}}}'}),
    "an own sidecar nested too deeply": own(
        {
            "step-000.png": png(0),
            "step-000.json": json.dumps({"run": "x", "step": 0, "output": OUTPUT})[:-1]
            + f', "x": {DEEP}}}',
        }
    ),
    "an outcome that is a list": own({"attempts.jsonl": '{"step": 1, "outcome": [1]}\n'}),
    "an outcome nested too deeply": own({"attempts.jsonl": f'{{"step": 1, "x": {DEEP}}}\n'}),
    "a step of more than 64 bits": own(
        {"attempts.jsonl": f'{{"step": {WIDE}, "outcome": "refused"}}\n'}
    ),
    "a name of more than 64 bits": {f"good/step_2{WIDE}.png": png(4)},
    "a hash behind a step word": {"good/step_deadbee1.png": png(4)},
    "a repeat of more than 64 bits": {
        f"run_{WIDE}/step_{step}.png": png(step) for step in (1, 2, 3)
    },
    "a run of too many digits": {
        "x/metadata.csv": f"file_name,step,run\na.png,1,{LONG}\n",
        "x/a.png": png(4),
    },
    "settings of more than 64 bits": {
        "good/step_1.json": f'{{"seed": {WIDE}, "parameters": {{"a": [{WIDE}]}}}}'
    },
    "parameters nested too deeply": {
        "x/steps.jsonl": json.dumps({"run": "r", "step": 1, "path": "a", "parameters": DEEP}),
    },
    "a turn of too many digits": {
        "x/m.jsonl": json.dumps(
            {
                "files": [{"id": f"edit_turn_{LONG}", "url": "a.png"}],
                "metadata_edit_turn_prompts": ["x"],
            }
        )
    },
    "an address that is none": {
        "x/m.jsonl": json.dumps(
            {
                "files": [{"id": "final_image", "url": "http://[x/a.png"}],
                "metadata_edit_turn_prompts": ["x"],
            }
        )
    },
    "a tar that asks for all memory": {"a.tar": damaged_tar()},
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_costs_itself_only(tmp_path: Path, name: str) -> None:
    root = folder(tmp_path, HOSTILE[name])
    refresh(root)
    index = open_index(root)
    (run,) = (row.run for row in index.runs() if row.folder == "good")
    assert [step.status for step in index.steps(run)] == ["ok"] * 3


def test_a_seed_of_more_than_64_bits_is_named(tmp_path: Path) -> None:
    refresh(folder(tmp_path, HOSTILE["settings of more than 64 bits"]))
    step = open_index(tmp_path).steps("good")[0]
    assert step.parameters == {"a": [int(WIDE)]}
    assert (step.seed, step.warnings) == (None, (f"seed {WIDE} does not fit 64 bits",))


def test_a_database_with_an_odd_name_costs_itself_only(tmp_path: Path) -> None:
    root = os.fsencode(folder(tmp_path, {}))
    media = os.path.join(root, b"\xff", b"media", b"p", b"r", b"1")
    os.makedirs(media)
    Path(os.fsdecode(os.path.join(media, b"0" * 32 + b".png"))).write_bytes(png(1))
    Path(os.fsdecode(os.path.join(root, b"\xff", b"p.db"))).write_bytes(b"no database")
    report = refresh(tmp_path)
    assert (report.runs, report.steps, report.unreadable) == (2, 4, 1)


def test_a_mapping_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(LayoutError, match=r"gone\.toml cannot be read"):
        refresh(folder(tmp_path, {}), mapping=tmp_path / "gone.toml")
