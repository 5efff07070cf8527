"""What commands, screens and the Python API ask for: index in, answers of the analysis out."""

from b100tui.report.chosen import (
    KINDS,
    chosen_metrics,
    named_runs,
    parse_bounds,
    runs_of,
)
from b100tui.report.drift import DriftRow, DriftSeries, drift_series, kept_series, kept_signals
from b100tui.report.gap_table import GapRow, GapTable, gap_table
from b100tui.report.lies import LieRow, lies_table, verdict_sentence
from b100tui.report.onsets import OnsetRow, onset_row, onset_table, signals_of, tolerances_of

__all__ = [
    "KINDS",
    "DriftRow",
    "DriftSeries",
    "GapRow",
    "GapTable",
    "LieRow",
    "OnsetRow",
    "chosen_metrics",
    "drift_series",
    "gap_table",
    "kept_series",
    "kept_signals",
    "lies_table",
    "named_runs",
    "onset_row",
    "onset_table",
    "parse_bounds",
    "runs_of",
    "signals_of",
    "tolerances_of",
    "verdict_sentence",
]
