"""What to score, what is done already, the worker that does it, and the append-only score parts."""
