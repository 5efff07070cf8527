"""Manifests of others: JSON files sketched by their keys, loaded whole, and the files they name."""

import posixpath
import re
from collections.abc import Iterator
from typing import Any, Literal
from urllib.parse import unquote

import msgspec

from b100tui.model.errors import UNPARSABLE, LayoutError, parse_fault
from b100tui.sources.assemble import is_picture
from b100tui.sources.listing import Listing
from b100tui.sources.paths import join, natural, on_disk, split_name, split_path
from b100tui.sources.texts import encoding_of, read_bytes

Search = Literal["exact", "end", "name"]
JSON_LIMIT = 256 * 1024 * 1024
_HEAD = 8192
_SKETCHED = frozenset({"json", "jsonl", "ndjson", ""})  # Drive keeps chats without an ending
_KEY = re.compile(rb'"([A-Za-z_][\w ]{0,40})"\s*:')
_URL = re.compile(r"[a-z][a-z0-9+.-]+://|data:", re.I)
_DRIVE = re.compile(r"^[A-Za-z]:/")


def sketched(listing: Listing, kinds: frozenset[str], *keys: str) -> Iterator[str]:
    """Yield the JSON files of some extensions in natural order whose first 8 KB have all `keys`.

    A file with the stem of a picture beside it speaks of that picture and is no manifest.
    """
    if listing.sketches is None:
        listing.sketches = _sketches(listing)
    wanted = frozenset(keys)
    for path, found in listing.sketches.items():
        if split_name(path)[1] in kinds and wanted <= found:
            yield path


def load_json(listing: Listing, path: str) -> Any:
    """Return the value of a whole JSON file of at most 256 MB.

    Raises LayoutError naming file and line.
    """
    try:
        data = read_bytes(on_disk(listing.root, path), JSON_LIMIT, path)
    except OSError as error:
        raise LayoutError(f"{path} cannot be read: {error.strerror or error}") from error
    encoding = encoding_of(data)
    if encoding != "utf-8":
        data = data.decode(encoding, errors="replace").encode()
    try:
        return msgspec.json.decode(data)
    except UNPARSABLE as error:
        place = re.search(r"\(byte (\d+)\)", str(error))
        line = data.count(b"\n", 0, int(place[1]) if place else len(data)) + 1
        raise LayoutError(f"line {line}: {parse_fault(error)}") from error


def resolved(folder: str, name: str) -> str | None:
    """Return the path meant by a manifest in `folder`, or None where it leaves the root."""
    if not name or name.startswith("/") or "\0" in name or "\\" in name:
        return None
    path = posixpath.normpath(posixpath.join(folder, name))
    return None if path == ".." or path.startswith("../") else path


def is_url(name: str) -> bool:
    """Return whether a name is a url; b100 never fetches one unasked."""
    return _URL.match(name) is not None


def url_name(url: str) -> str:
    """Return the file name at the end of a url or path."""
    path = url.replace("\\", "/")
    if is_url(url):
        path = unquote(re.split(r"[?#]", _URL.sub("", url), maxsplit=1)[0])
    return split_path(path.rstrip("/"))[1]


def found_file(listing: Listing, folder: str, name: Any, search: Search = "end") -> tuple[str, str]:
    """Return (path, "") of the picture that a manifest in `folder` names, or ("", why not).

    A path is one from `folder`, else from the root. With search "end" a path of another machine
    is found by the longest part of its end; with "name" also by its file name, where only one
    picture has it: for manifests whose names are unique. Urls are not fetched.
    """
    if not isinstance(name, str) or not name.strip() or "\0" in name:
        return "", "is no file name"
    if is_url(name):
        path = _by_name(listing, url_name(name)) if search == "name" else ""
        return (path, "") if path else ("", f"{name} is a url, which is never fetched unasked")
    plain = _DRIVE.sub("/", name.replace("\\", "/"))
    direct = resolved(folder, plain)
    for place in (direct, resolved("", plain)):
        if place is not None and place in listing.stamps:
            return place, ""
    path = _by_end(listing, folder, plain, search)
    if path:
        return path, ""
    if direct is None and not plain.startswith("/"):
        return "", f"{name} leads outside the folder"
    return "", f"{name} is not there"


def _by_end(listing: Listing, folder: str, plain: str, search: Search) -> str:
    if search == "exact":
        return ""
    parts = [part for part in plain.split("/") if part not in ("", ".", "..")]
    for start in range(len(parts)):
        tail = "/".join(parts[start:])
        for place in (folder, ""):
            if join(place, tail) in listing.stamps:
                return join(place, tail)
    return _by_name(listing, parts[-1]) if search == "name" and parts else ""


def _by_name(listing: Listing, name: str) -> str:
    """Return the one picture with this file name, "" where there is none or several."""
    if listing.by_name is None:
        listing.by_name = {}
        for path in listing.stamps:
            if is_picture(path):
                last = split_path(path)[1]
                listing.by_name[last] = "" if last in listing.by_name else path
    return listing.by_name.get(name, "")


def _sketches(listing: Listing) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for folder in listing.in_order():
        names = listing.folders[folder]
        jsons = [name for name in names if split_name(name)[1] in _SKETCHED]
        if not jsons:
            continue
        listing.breathe()
        stems = {split_name(name)[0] for name in names if is_picture(name)}
        for name in sorted(jsons, key=natural):
            if split_name(name)[0] not in stems:
                path = join(folder, name)
                found[path] = _keys(listing, path)
    return found


def _keys(listing: Listing, path: str) -> frozenset[str]:
    """Return the keys in the first 8 KB; none for a file that cannot be opened."""
    try:
        with open(on_disk(listing.root, path), "rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return frozenset()  # whoever needs the file names the reason when it opens it
    if head.count(0) > len(head) // 4:
        head = head.replace(b"\0", b"")
    return frozenset(key.decode("ascii", "replace") for key in _KEY.findall(head))
