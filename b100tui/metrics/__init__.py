"""Metrics, one backend a file behind one protocol, and the registry that names them."""
