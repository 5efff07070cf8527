"""Trajectories of editing agents: steps with an action, a prompt, a picture, a critic's words."""

from typing import Any

from b100tui.model.errors import B100Error
from b100tui.model.records import Section
from b100tui.model.scan import LeftOut, SourceRun
from b100tui.model.sections import split_sections
from b100tui.model.text import clean_line
from b100tui.sources.claims import Claimed
from b100tui.sources.columns import metric_id, number
from b100tui.sources.layouts.protocol import Layout
from b100tui.sources.listing import Listing
from b100tui.sources.manifests import load_json, sketched
from b100tui.sources.paths import split_name
from b100tui.sources.sessions import Session
from b100tui.sources.tables import BadLine, read_table

_PICTURES = ("image", "image_path", "output_image", "output_path", "result", "video_path")
_SOURCES = ("source_image", "source_path", "source_image_path", "source", "source_video_path")
_VIDEOS = frozenset({"mp4", "webm", "mov", "avi", "mkv"})


def claim(listing: Listing, taken: set[str]) -> Claimed:
    """Take every JSON or JSONL of trajectories; paths of another machine are found by their end.

    A step that names the picture before it once more is no new step: the critic's words and
    scores go to the step that they speak of.
    """
    claimed = Claimed()
    for path in sketched(listing, frozenset({"json", "jsonl"}), "steps", "step_index"):
        if path in taken:
            continue
        runs: list[SourceRun] = []
        problems: list[str] = []
        try:
            for line, told in _trajectories(listing, path, claimed):
                session = Session(listing, path, line)
                source = _trajectory(session, told, split_name(path)[0])
                problems += session.problems
                if source is not None:
                    runs.append(source)
                else:
                    where = f"{line}: " if line else ""
                    problems.append(f"{where}steps: not one of its pictures is here")
        except B100Error as error:
            claimed.unreadable.append(LeftOut(path, error.message))
            continue
        claimed.used.add(path)
        claimed.take(path, "steps with step_index, prompt and picture", runs)
        claimed.note(path, problems)
    return claimed


def _trajectories(
    listing: Listing, path: str, claimed: Claimed
) -> list[tuple[str, dict[str, Any]]]:
    if path.lower().endswith("l"):
        found = []
        for line in read_table(listing, path):
            if isinstance(line, BadLine):
                claimed.unreadable.append(LeftOut(path, f"line {line.number}: {line.reason}"))
            elif isinstance(line.cells.get("steps"), list):
                found.append((f"line {line.number}", line.cells))
        return found
    value = load_json(listing, path)
    several = value if isinstance(value, list) else [value]
    return [
        (f"[{index}]" if isinstance(value, list) else "", told)
        for index, told in enumerate(several)
        if isinstance(told, dict) and isinstance(told.get("steps"), list)
    ]


def _trajectory(session: Session, told: dict[str, Any], name: str) -> SourceRun | None:
    before: dict[str, Any] | None = None
    last = ""
    for index, step in enumerate(told["steps"]):
        field = f"steps[{index}]"
        if not isinstance(step, dict):
            session.wrong(field, "is no object")
            continue
        at = session.number(f"{field}.step_index", step.get("step_index", index))
        if at is None:
            continue
        said = _said(session, field, step)
        key, picture = next(
            ((key, step[key]) for key in _PICTURES if step.get(key)), ("image", None)
        )
        if picture is not None and picture == last and before is not None:
            _join(before, said, step)
            continue
        if not session.candidates and at > 0:
            source = next((step[key] for key in _SOURCES if step.get(key)), None)
            if source is not None:
                session.picture(at - 1, f"{field}.source", source)
        if isinstance(picture, str) and split_name(picture)[1] in _VIDEOS:
            session.absent(at, f"{field}.{key}", "a video, not a picture", **said)
        else:
            session.picture(at, f"{field}.{key}", picture, **said)
        if session.candidates and session.candidates[-1].step == at:
            before = session.candidates[-1].said
        last = picture if isinstance(picture, str) else last
    known = told.get("trajectory_id")
    plain = isinstance(known, str | int) and not isinstance(known, bool)
    return session.run(str(known) if plain else name)


def _said(session: Session, field: str, step: dict[str, Any]) -> dict[str, Any]:
    scores: dict[str, float | None] = {}
    pairs = step.get("verifier_scores")
    for place, pair in enumerate(pairs if isinstance(pairs, list) else []):
        if isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str):
            scores[metric_id(pair[0])] = number(pair[1])
        else:
            session.wrong(f"{field}.verifier_scores[{place}]", "is no [question, value]")
    critic = session.words(f"{field}.raw_critic_response", step.get("raw_critic_response"))
    action = step.get("action")
    return {
        "prompt": session.words(f"{field}.prompt", step.get("prompt")),
        "parameters": {"action": clean_line(action)} if isinstance(action, str) else {},
        "sections": split_sections(critic) if critic else (),
        "scores": scores,
    }


def _join(before: dict[str, Any], said: dict[str, Any], step: dict[str, Any]) -> None:
    """Give the words and scores of a repeated picture to the step that has it."""
    action = clean_line(str(step.get("action") or "the same picture again"))
    sections = [
        Section(f"{action}: {one.title}" if one.title else action, one.text)
        for one in said["sections"]
    ]
    before["sections"] = (*before.get("sections", ()), *sections)
    before["scores"] = {**said["scores"], **before.get("scores", {})}


LAYOUT = Layout(
    name="agent-trajectory",
    sign="a JSON with steps, each with step_index and a picture",
    claim=claim,
)
