"""AI Studio exports, Gemini API answers and chat exports: turns with thoughts and pictures."""

from typing import Any

from b100tui.model.errors import B100Error
from b100tui.model.scan import LeftOut
from b100tui.sources.chats import Part, parts_of, take_parts
from b100tui.sources.claims import Claimed
from b100tui.sources.layouts.protocol import Layout
from b100tui.sources.listing import Listing
from b100tui.sources.manifests import load_json, sketched
from b100tui.sources.paths import readable, split_name, split_path
from b100tui.sources.sessions import Session

# A file is opened when its first keys hold one of these sets.
_SIGNS = (
    ("chunkedPrompt",),
    ("runSettings",),
    ("role", "isThought"),
    ("role", "parts"),
    ("role", "driveImage"),
    ("role", "inlineImage"),
    ("role", "content", "data"),
    ("role", "tokenCount"),
    ("candidates", "content"),
)
_SETTINGS = frozenset(
    {
        "temperature",
        "topP",
        "topK",
        "maxOutputTokens",
        "aspectRatio",
        "imageSize",
        "outputResolution",
    }
)


def claim(listing: Listing, taken: set[str]) -> Claimed:
    """Take every export of a chat: a model turn with a picture is a step.

    Pictures inside thoughts are drafts, not steps; thought texts are the reasoning summary.
    Pictures kept in Drive are found by their id in a file name, else the step is missing.
    """
    claimed = Claimed()
    seen: set[str] = set()
    for sign in _SIGNS:
        for path in sketched(listing, frozenset({"json", ""}), *sign):
            if path in taken or path in seen:
                continue
            seen.add(path)
            try:
                value = load_json(listing, path)
            except B100Error as error:
                claimed.unreadable.append(LeftOut(path, error.message))
                continue
            parts = parts_of(value)
            if parts:
                _take(listing, path, value, parts, claimed)
    return claimed


def _take(listing: Listing, path: str, value: Any, parts: list[Part], claimed: Claimed) -> None:
    session = Session(listing, path)
    drafts, unknown = take_parts(session, path, parts)
    settings = value.get("runSettings") if isinstance(value, dict) else None
    settings = settings if isinstance(settings, dict) else {}
    version = value.get("modelVersion") if isinstance(value, dict) else None
    model = settings.get("model") or version or ""
    title = value.get("title") if isinstance(value, dict) else None
    name = split_name(path)[0]
    image = title if isinstance(title, str) and title else split_path(name)[1]
    source = session.run(
        name,
        image=image,
        model=readable(str(model)).removeprefix("models/"),
        parameters={key: cell for key, cell in settings.items() if key in _SETTINGS},
        session="multi",
    )
    claimed.used.add(path)
    claimed.note(path, session.problems)
    if drafts:
        words = "1 picture is" if drafts == 1 else f"{drafts} pictures are"
        claimed.unused.append(LeftOut(path, f"{words} part of the thoughts, not steps"))
    if unknown:
        claimed.unused.append(LeftOut(path, f"{unknown} turns are of no known form"))
    if source is not None:
        claimed.take(path, "a chat: model turns with a picture are steps", [source])
    else:
        absent = sum("absent" in one.said for one in session.candidates)
        why = (
            f"a chat with {absent} pictures, none of them here"
            if absent
            else "a chat without pictures"
        )
        claimed.unused.append(LeftOut(path, why))


LAYOUT = Layout(
    name="ai-studio",
    sign="a JSON of chat turns: chunkedPrompt, candidates, or a list of role and parts",
    claim=claim,
)
