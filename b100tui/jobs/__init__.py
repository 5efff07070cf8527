"""Detached jobs: start, watch, pause, resume, cancel; worker entry points."""
