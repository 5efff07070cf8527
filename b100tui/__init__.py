"""b100: explore and make iterative image-edit trajectories."""

__version__ = "0.1.0"
