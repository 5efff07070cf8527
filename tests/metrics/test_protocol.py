"""Metric versions."""

from b100tui.metrics.probes import Probes
from b100tui.metrics.protocol import metric_version


def test_the_version_does_not_depend_on_the_order_of_its_parts() -> None:
    assert metric_version({"a": "1", "b": "2"}) == metric_version({"b": "2", "a": "1"})


def test_another_part_gives_another_version() -> None:
    assert metric_version({"a": "1"}) != metric_version({"a": "2"})


def test_the_decode_policy_is_part_of_a_probes_version() -> None:
    assert "decode" in Probes().version_parts("noise_sigma")
