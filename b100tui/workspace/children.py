"""What the processes that b100 starts are told: everything but the keys, where they need none."""

import os

from b100tui.workspace.crash import SECRET_NAME


def without_keys() -> dict[str, str]:
    """Return this process's environment without variables that are named as secrets are.

    For children that read folders and databases: whoever may look at a process sees its
    environment, and so does whatever library breaks in it.
    """
    return {name: value for name, value in os.environ.items() if not SECRET_NAME.search(name)}
