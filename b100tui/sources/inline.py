"""Pictures written as base64 inside the JSON exports of chats; a member says where they stand."""

import base64
import binascii
import re
import threading
from collections import OrderedDict
from pathlib import Path
from typing import Any

from b100tui.model.errors import B100Error, PictureError
from b100tui.model.records import PictureRef
from b100tui.sources.listing import Listing
from b100tui.sources.manifests import load_json
from b100tui.sources.paths import split_path

_KEPT = 4  # exports kept decoded
_LOCK = threading.Lock()
_VALUES: "OrderedDict[tuple[str, int, int], Any]" = OrderedDict()


def read_member(place: str, ref: PictureRef) -> bytes:
    """Return the picture at the JSON place `ref.member` (chunkedPrompt/chunks/3/inlineImage).

    Raises PictureError when there is none, or it is no base64.
    """
    value = _value(place, ref)
    for key in (ref.member or "").split("/"):
        if isinstance(value, dict):
            value = value.get(key)
        elif isinstance(value, list) and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
        else:
            value = None
    text = picture_text(value)
    if text is None:
        raise PictureError(f"{ref.path} has no picture at {ref.member}", "run b100 index again")
    try:
        return base64.b64decode(re.sub(r"\s", "", text.rpartition(",")[2]), validate=True)
    except (binascii.Error, ValueError) as error:
        raise PictureError(f"{ref.path}: the picture at {ref.member} is no base64") from error


def picture_text(value: Any) -> str | None:
    """Return the base64 text of an inline picture ({data, mimeType} or a data: url), else None."""
    if isinstance(value, str):
        return value if value.startswith("data:image/") else None
    if not isinstance(value, dict) or not isinstance(value.get("data"), str):
        return None
    mime = str(value.get("mimeType") or value.get("mime_type") or "image/").casefold()
    return value["data"] if mime.startswith("image/") else None


def _value(place: str, ref: PictureRef) -> Any:
    key = (place, ref.bytes, ref.mtime_ns)
    with _LOCK:
        if key in _VALUES:
            _VALUES.move_to_end(key)
            return _VALUES[key]
        try:
            folder, name = split_path(place)
            value = load_json(Listing(root=Path(folder or "/")), name)
        except B100Error as error:
            raise PictureError(f"{ref.path}: {error.message}", error.hint) from error
        _VALUES[key] = value
        while len(_VALUES) > _KEPT:
            _VALUES.popitem(last=False)
        return value
