"""Figures and tables out of analysis results; computes nothing that analysis does not offer."""
