"""The registry against the paper's Table 2 and against itself."""

import csv

import pytest

from b100tui.metrics import probes, registry
from b100tui.model.errors import MetricError
from tests.shared_data import shared


def test_the_papers_24_names_are_there() -> None:
    paper = [metric.id for metric in registry.metrics() if metric.paper]
    assert len(paper) == 24
    assert {"brisque", "topiq_nr", "wadiqam_nr", "visualquality_r1", "rali", "maclip"} <= set(paper)


def test_ranges_and_directions_are_those_of_table_2() -> None:
    with shared("paper/table2.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 23
    for row in rows:
        metric = registry.metric(row["metric"])
        assert metric.name == row["metric"]
        assert metric.low == float(row["range_low"])
        assert metric.high == (float(row["range_high"]) if row["range_high"] else None)
        assert metric.direction == ("higher" if row["higher_is_better"] == "Yes" else "lower")


@pytest.mark.parametrize("name", ["PaQ-2-PiQ", "paq2piq", "PAQ2PIQ", "paq_2_piq"])
def test_spelling_of_a_name_does_not_matter(name: str) -> None:
    assert registry.metric(name).id == "paq2piq"


def test_an_unknown_name_names_the_near_ones() -> None:
    with pytest.raises(MetricError) as caught:
        registry.metric("brisk")
    assert "brisque" in caught.value.hint


def test_an_imported_metric_has_unknown_direction_and_an_identifier() -> None:
    metric = registry.unknown_metric("My Score (v2)")
    assert (metric.id, metric.direction, metric.low) == ("my_score_v2", "unknown", None)
    assert registry.identifier("2AFC") == "m_2afc"


def test_every_id_is_an_identifier() -> None:
    assert all(metric.id.isidentifier() for metric in registry.metrics())


def test_probes_are_ready_and_open_directions_stay_unknown() -> None:
    ready = {m.id for m in registry.metrics() if registry.availability(m).ready}
    assert set(probes.ALONE) | set(probes.AGAINST) == ready
    assert registry.metric("noise_sigma").direction == "unknown"


def test_a_metric_that_is_not_ready_says_why_and_what_to_do() -> None:
    state = registry.availability(registry.metric("niqe"))
    assert not state.ready
    assert "score extra" in state.reason
    assert ".[score]" in state.fix


def test_licence_of_pyiqa_is_said() -> None:
    assert "Noncommercial" in registry.metric("musiq").licence


def test_weights_are_listed() -> None:
    assert [weight.file for weight in registry.weights("pi")] == [
        "NRQM_model.mat",
        "niqe_modelparameters.mat",
    ]


def test_smallest_sides_of_the_registry_are_those_the_probes_hold() -> None:
    for name, (side, _) in {**probes._ALONE, **probes._AGAINST}.items():
        assert registry.metric(name).min_side == side, name
