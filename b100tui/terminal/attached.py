"""What tmux knows of the terminal that its session is attached to."""

import subprocess

from b100tui.terminal.facts import Tmux

_FIELDS = (
    *("client_termtype", "client_termname", "client_termfeatures"),
    *("client_cell_width", "client_cell_height", "client_pid", "allow-passthrough"),
)


def ask_tmux() -> Tmux:
    """Ask tmux; without an answer the outer terminal is unknown, and all is empty."""
    form = "\t".join(f"#{{{field}}}" for field in _FIELDS)
    try:
        said = subprocess.run(
            ["tmux", "display-message", "-p", form],
            capture_output=True,
            text=True,
            timeout=1.0,
            check=True,
        ).stdout.rstrip("\n")
        name, term, features, width, height, client, passes = said.split("\t")
        cell = (int(width), int(height)) if width and height else None
    except (OSError, subprocess.SubprocessError, ValueError):
        return Tmux()
    return Tmux(
        name=name,
        term=term,
        features=features,
        cell=cell,
        client=client,
        passes=passes in {"on", "all"},
    )
