"""Thought images: kept beside the run for looking at, never part of its chain."""

import os
from pathlib import Path

from b100tui.engine.asking import Answer
from b100tui.engine.commit import file_facts, step_name
from b100tui.model.errors import PictureError, StoreError
from b100tui.workspace.atomic import write_atomic

DRAFTS = "drafts"


def keep_drafts(folder: Path, step: int, answer: Answer) -> None:
    """Store the drafts of `answer` as drafts/step-007-a1-0.jpg; what is no picture is left out.

    Not fsynced: a lost draft costs nothing. Raises StoreError when the disk refuses.
    """
    assert answer.outcome is not None
    place = folder / DRAFTS
    try:
        os.makedirs(place, exist_ok=True)
    except OSError as error:
        raise StoreError(f"cannot make {place}: {error.strerror}", "free space") from error
    for number, draft in enumerate(answer.outcome.drafts):
        try:
            facts = file_facts(draft.data, step)
        except PictureError:
            continue
        suffix = Path(facts.file).suffix
        name = f"{step_name(step)}-a{answer.attempts}-{number}{suffix}"
        write_atomic(place / name, draft.data, durable=False)
