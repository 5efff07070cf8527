"""Gaps, onset, limit, drift series, contradictions, agreement: numbers in, numbers out."""
