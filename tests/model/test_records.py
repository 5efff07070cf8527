import pickle

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from b100tui.model import errors
from b100tui.model.errors import B100Error
from b100tui.model.records import (
    FileFacts,
    MarkRecord,
    PictureRef,
    Run,
    ScoreRecord,
    Section,
    Sidecar,
    VerdictRecord,
)
from b100tui.model.scan import Scan, SourceRun, SourceStep

# The example of the sidecar format, schema 1.
SIDECAR = b"""{"schema": 1, "run": "dongpo/replicate-2k/run-2", "step": 7,
 "editor": "nano-banana-pro", "model": "gemini-3-pro-image", "model_version": "as answered",
 "response_id": null, "endpoint": "host only", "simulated": false, "prompt": "...",
 "parameters": {"resolution": "2K", "temperature": 0.4}, "seed_policy": "none", "seed": null,
 "requested_size": "2K", "returned_size": [2816, 1504],
 "input": {"sha256": "a", "bytes": 1, "width": 1, "height": 1, "mime": "image/jpeg",
           "file": "step-006.jpg"},
 "output": {"sha256": "b", "bytes": 1, "width": 1, "height": 1, "mime": "image/jpeg",
            "declared_mime": "image/png", "file": "step-007.jpg"},
 "finish_reason": "STOP", "finish_message": null, "thoughts": ["raw part", {"text": "part"}],
 "sections": [{"title": "Examining the Dish", "text": "I'm looking."}], "usage": {},
 "cost_usd": 0.1344, "price_table": "2026-11-30", "attempts": 1, "started": "UTC",
 "ended": "UTC", "seconds": 41.2, "warnings": ["size differs"]}"""

finite = st.floats(allow_nan=False, allow_infinity=False)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
scores = st.builds(
    ScoreRecord,
    run=texts,
    step=st.integers(0, 10**6),
    metric=texts,
    metric_version=texts,
    value=st.none() | finite,
    error=st.none() | texts,
    sha256=st.none() | texts,
    pixels=st.none() | st.tuples(st.integers(1, 9999), st.integers(1, 9999)),
    simulated=st.booleans(),
    parts=st.dictionaries(texts, texts, max_size=3),
)


def test_the_sidecar_of_the_format_is_read_whole() -> None:
    sidecar = msgspec.json.decode(SIDECAR, type=Sidecar)
    assert (sidecar.run, sidecar.step) == ("dongpo/replicate-2k/run-2", 7)
    assert sidecar.returned_size == (2816, 1504)
    assert sidecar.output.declared_mime == "image/png"
    assert sidecar.sections == (Section("Examining the Dish", "I'm looking."),)
    assert sidecar.cost_usd == 0.1344


def test_a_sidecar_written_again_says_the_same() -> None:
    sidecar = msgspec.json.decode(SIDECAR, type=Sidecar)
    again = msgspec.json.decode(msgspec.json.encode(sidecar), type=Sidecar)
    assert again == sidecar


def test_a_sidecar_needs_its_output() -> None:
    with pytest.raises(msgspec.ValidationError, match="output"):
        msgspec.json.decode(b'{"run": "r", "step": 1}', type=Sidecar)


def test_keys_of_a_newer_writer_are_passed_over() -> None:
    line = b'{"run":"r","step":1,"metric":"m","metric_version":"v","value":2.5,"new":{"a":[1]}}'
    assert msgspec.json.decode(line, type=ScoreRecord).value == 2.5


@given(scores)
def test_a_score_survives_its_file_to_the_last_bit(record: ScoreRecord) -> None:
    assert msgspec.json.decode(msgspec.json.encode(record), type=ScoreRecord) == record


@pytest.mark.parametrize("word", [b"NaN", b"Infinity", b"-Infinity"])
def test_a_score_that_is_no_number_is_no_record(word: bytes) -> None:
    line = b'{"run":"r","step":1,"metric":"m","metric_version":"v","value":' + word + b"}"
    with pytest.raises(msgspec.DecodeError):
        msgspec.json.decode(line, type=ScoreRecord)


def test_a_verdict_outside_the_four_words_is_no_record() -> None:
    line = b'{"run":"r","step":1,"verdict":"maybe","model":"m","content_hash":"h"}'
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(line, type=VerdictRecord)


def test_records_cannot_be_changed() -> None:
    run = Run(run="a/b/run-1", image="a")
    with pytest.raises(AttributeError):
        run.image = "b"  # type: ignore[misc]  # what is tested


def test_a_mark_keeps_its_region_in_source_pixels() -> None:
    mark = MarkRecord(id="1", run="r", step=3, mode="tint", by="me", time="t", region=(1, 2, 3, 4))
    assert msgspec.json.decode(msgspec.json.encode(mark), type=MarkRecord).region == (1, 2, 3, 4)


def test_file_facts_need_their_hash() -> None:
    with pytest.raises(msgspec.ValidationError, match="sha256"):
        msgspec.json.decode(
            b'{"bytes":1,"width":1,"height":1,"mime":"m","file":"f"}', type=FileFacts
        )


def source_run(*steps: int) -> SourceRun:
    listed = tuple(SourceStep(step=n, picture=PictureRef(f"{n}.png")) for n in steps)
    return SourceRun(run=Run(run="r", image="i"), folder="", steps=listed)


def test_missing_steps_are_those_between_the_first_and_the_last() -> None:
    assert source_run(1, 2, 5).missing == (3, 4)


def test_a_run_that_starts_late_misses_nothing_before_it() -> None:
    assert source_run(10, 11).missing == ()


def test_a_run_without_steps_misses_none() -> None:
    assert source_run().missing == ()


def test_a_scan_of_nothing_is_a_scan() -> None:
    assert Scan(layout="none", runs=()).unreadable == ()


@pytest.mark.parametrize(
    "kind",
    [e for e in vars(errors).values() if isinstance(e, type) and issubclass(e, B100Error)],
)
def test_an_error_keeps_its_words_across_processes(kind: type[B100Error]) -> None:
    error = pickle.loads(pickle.dumps(kind("what and where", "the fix")))
    assert type(error) is kind
    assert (error.message, error.hint) == ("what and where", "the fix")
    assert str(error) == "what and where"


def test_only_wrong_use_leaves_with_2() -> None:
    kinds = [e for e in vars(errors).values() if isinstance(e, type) and issubclass(e, B100Error)]
    wrong_use = {errors.UsageError, errors.UnknownMetricError}
    assert {kind for kind in kinds if kind.exit_code == 2} == wrong_use
