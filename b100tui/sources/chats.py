"""Chats of any exporter as one list of parts: who speaks, words, thoughts, pictures."""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from b100tui.model.records import Section
from b100tui.model.sections import split_sections
from b100tui.model.text import clean, clean_line
from b100tui.sources.assemble import is_picture
from b100tui.sources.inline import picture_text
from b100tui.sources.manifests import found_file
from b100tui.sources.paths import split_name, split_path
from b100tui.sources.sessions import Session

_PICTURES = ("inlineImage", "inlineData", "inline_data", "image_url", "image")
_REMOTE = ("driveImage", "fileData", "file_data")
_PLACE = tuple[str, ...]


class Part(Struct, frozen=True, kw_only=True):
    """One part of a turn. `place` leads to an inline picture; `remote` names one elsewhere."""

    turn: int
    user: bool
    thought: bool = False
    text: str = ""
    place: str = ""
    remote: str = ""
    error: str = ""
    field: str = ""


def parts_of(value: Any) -> list[Part]:
    """Return the parts of an export in order; empty for anything else.

    Known: AI Studio's chunks (also a bare list), Gemini contents and candidates, lists of
    {role, content, model_thoughts}. Turns of no known form are parts without anything.
    """
    for place, turns in _turn_lists(value):
        if turns and all(isinstance(turn, dict) for turn in turns):
            found = [
                part
                for number, turn in enumerate(turns)
                for part in _turn((*place, str(number)), number, turn)
            ]
            if any(part.text or part.place or part.remote for part in found):
                return found
    return []


def take_parts(session: Session, path: str, parts: list[Part]) -> tuple[int, int]:
    """Put the steps of a chat into `session`; return how many drafts and unknown parts there are.

    The first picture of the user is step 0; each answer with a picture is the next step, its
    last picture the result. Words of the user since the last answer are the prompt. An
    answer without a picture but with an error is a refused step, with what else it says.
    """
    state = _State(session, path)
    for part in parts:
        state.take(part)
    state.end()
    return state.drafts, state.unknown


class _State:
    """What was said since the last answer."""

    def __init__(self, session: Session, path: str) -> None:
        self.session, self.path = session, path
        self.step = self.drafts = self.unknown = 0
        self.prompt: list[str] = []
        self.thoughts: list[str] = []
        self.words: list[str] = []
        self.error = ""
        self.results: list[Part] = []
        self.uploads = 0
        self.answering = False

    def take(self, part: Part) -> None:
        if part.user and self.answering:
            self.end()
        picture = bool(part.place or part.remote)
        if part.user and not part.error:
            if part.text:
                self.prompt.append(part.text)
            if picture:
                self._upload(part)
            return
        self.answering = True
        if part.error:
            self.error = part.error
        if part.thought:
            self.drafts += picture
            if part.text:
                self.thoughts.append(part.text)
        elif picture:
            self.results.append(part)
        elif part.text:
            self.words.append(part.text)
        elif not part.error:
            self.unknown += 1

    def _upload(self, part: Part) -> None:
        if not self.step and not self.session.has(0):
            self._picture(0, part)
        else:
            self.uploads += 1

    def end(self) -> None:
        """Close an answer: its last picture is the step."""
        said: dict[str, Any] = {
            "prompt": clean("\n".join(self.prompt)).strip(),
            "sections": _sections(self.thoughts),
        }
        if self.results:
            self.step += 1
            for extra in self.results[:-1]:
                self.session.wrong(extra.field, f"step {self.step} has a later picture too")
            self._picture(self.step, self.results[-1], **said)
        elif self.error:
            self.step += 1
            self.session.refused(self.step, " ".join((self.error, *self.words)), **said)
        elif self.answering:
            return self._go_on()  # an answer in words only: what was said belongs to the next
        self.prompt, self.thoughts, self.words, self.results = [], [], [], []
        self.error, self.answering = "", False
        return None

    def _go_on(self) -> None:
        self.answering, self.words = False, []

    def _picture(self, step: int, part: Part, **said: Any) -> None:
        if part.place:
            self.session.member(step, part.field, self.path, part.place, **said)
            return
        path = _local(self.session, part.remote)
        if path:
            self.session.member(step, part.field, path, None, **said)
        else:
            why = f"the picture {part.remote} is kept elsewhere; put it beside the export"
            self.session.absent(step, part.field, clean_line(why), **said)


def _sections(thoughts: list[str]) -> tuple[Section, ...]:
    return tuple(section for text in thoughts for section in split_sections(text))


def _local(session: Session, remote: str) -> str:
    """Return the picture beside the export whose name holds a Drive id or is the name told."""
    names = session.listing.folders.get(session.folder, [])
    for name in names:
        if is_picture(name) and len(remote) > 8 and remote in split_name(name)[0]:
            return f"{session.folder}/{name}" if session.folder else name
    return found_file(session.listing, session.folder, remote)[0] if "." in remote else ""


def _turn_lists(value: Any) -> Iterator[tuple[_PLACE, list[Any]]]:
    if isinstance(value, list):
        yield (), value
        return
    if not isinstance(value, dict):
        return
    prompt = value.get("chunkedPrompt")
    if isinstance(prompt, dict):
        for key in ("chunks", "pendingInputs"):
            if isinstance(prompt.get(key), list):
                yield ("chunkedPrompt", key), prompt[key]
    for key in ("chunks", "contents", "history", "messages", "data", "candidates"):
        if isinstance(value.get(key), list):
            yield (key,), value[key]


def _turn(place: _PLACE, number: int, turn: dict[str, Any]) -> Iterator[Part]:
    content = turn.get("content")
    inner = turn.get("parts")
    if isinstance(content, dict):
        inner, place = content.get("parts"), (*place, "content")
        role = content.get("role") or turn.get("role") or "model"
    else:
        role = turn.get("role") or "model"
    user = str(role).casefold() in ("user", "human")
    error = _error(turn)
    thoughts = turn.get("model_thoughts")
    if isinstance(thoughts, str) and thoughts:
        yield Part(turn=number, user=user, thought=True, text=thoughts)
    if isinstance(inner, list):
        for index, part in enumerate(inner):
            if isinstance(part, dict):
                yield _part((*place, "parts", str(index)), number, user, part)
    elif isinstance(content, list):
        for index, part in enumerate(content):
            if isinstance(part, dict):
                yield _part((*place, "content", str(index)), number, user, part)
    elif isinstance(content, str):
        yield Part(turn=number, user=user, text=content)
    else:
        part = _part(place, number, user, turn)
        if not error or part.text or part.place or part.remote:
            yield part
    if error:
        yield Part(turn=number, user=user, error=error)


def _part(place: _PLACE, turn: int, user: bool, part: dict[str, Any]) -> Part:
    text = part.get("text")
    found, remote = "", ""
    for key in _PICTURES:
        value, here = part.get(key), (*place, key)
        if isinstance(value, dict) and isinstance(value.get("url"), str):
            value, here = value["url"], (*here, "url")
        if picture_text(value) is not None:
            found = "/".join(here)
        elif isinstance(value, str) and value:
            remote = value
    for key in _REMOTE:
        value = part.get(key)
        if isinstance(value, dict):
            name = value.get("name") or value.get("id") or value.get("fileUri") or ""
            remote = split_path(str(name))[1] or str(name)
    return Part(
        turn=turn,
        user=user,
        thought=part.get("isThought") is True or part.get("thought") is True,
        text=text if isinstance(text, str) else "",
        place=found,
        remote=remote,
        field="/".join(place),
    )


def _error(turn: dict[str, Any]) -> str:
    """Return why a turn ended without a result, "" for an ordinary end."""
    if isinstance(turn.get("errorMessage"), str) and turn["errorMessage"]:
        return str(turn["errorMessage"])
    reason = turn.get("finishReason") or turn.get("finish_reason")
    if isinstance(reason, str) and reason.upper() not in ("STOP", "MAX_TOKENS", "UNFINISHED"):
        message = turn.get("finishMessage")
        return f"{reason}: {message}" if isinstance(message, str) and message else reason
    return ""
