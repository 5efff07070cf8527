"""Whatever lies in a folder: the scan ends, nothing is lost, nothing is used twice."""

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from b100tui.sources import read_step, scan_folder
from b100tui.sources.assemble import is_picture
from tests.sources.made import PNG

WORDS = st.sampled_from(
    ["step", "_", "-", "0", "1", "2", "07", "a", "b", "v2", " ", ".", "run", "2025-01-02", "é"]
)
STEM = st.lists(WORDS, min_size=1, max_size=5).map("".join).filter(lambda s: s[0] != ".")
FOLDER = st.lists(st.sampled_from(["cat", "run_1", "run_2", "step_3", "k=v"]), max_size=3)
ENDING = st.sampled_from([".png", ".jpg", ".txt", ".json", ".csv", ".jsonl", ""])
TEXT = st.sampled_from(
    [
        b"",
        PNG,
        b"{}",
        b'{"prompt": 1, "step": []}\n',
        b"step,prompt\n1,x\n,\n",
        b"file_name,step\n../../x.png,1\n",
        b"\xff\xfe\x00",
        b"metric,value,step\nniqe,nan,1\n",
    ]
)


@settings(max_examples=60)
@given(st.dictionaries(st.tuples(FOLDER.map(tuple), STEM, ENDING), TEXT, max_size=25))
def test_every_picture_is_used_once_or_left_out(
    tree: dict[tuple[tuple[str, ...], str, str], bytes],
) -> None:
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        for (folder, stem, ending), data in tree.items():
            (root / Path(*folder)).mkdir(parents=True, exist_ok=True)
            path = root.joinpath(*folder, stem + ending)
            if not path.is_dir():
                path.write_bytes(data)
        scan = scan_folder(root)
        chosen = [step.picture.path for run in scan.runs for step in run.steps]
        others = [o for run in scan.runs for same in run.duplicates for o in same.others]
        left = {entry.path for entry in (*scan.unused, *scan.unreadable)}
        pictures = {path for path in scan.stamps if is_picture(path)}
        assert {*chosen, *others} | (left & pictures) == pictures
        assert not {*chosen, *others} & left
        assert len({run.run.run for run in scan.runs}) == len(scan.runs)
        for source in scan.runs:
            numbers = [step.step for step in source.steps]
            assert numbers == sorted(set(numbers))
            for step in source.steps:
                assert read_step(root, source.run, step).status in ("ok", "unreadable")
