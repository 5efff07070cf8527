"""Runs guessed from file names, for folders that nobody prepared."""

import itertools
import re
from collections import defaultdict

import msgspec
from msgspec import Struct

from b100tui.model.records import Run
from b100tui.model.scan import LeftOut
from b100tui.sources.assemble import Candidate, assemble, is_picture
from b100tui.sources.claims import Claimed
from b100tui.sources.listing import Listing
from b100tui.sources.names import (
    FREE_MARK,
    STEP_MARK,
    STEP_WORDS,
    Group,
    form_of,
    group_stems,
    has_step_word,
)
from b100tui.sources.paths import join, natural, readable, split_name, split_path

LEAST = 3
ORIGINS = frozenset({"original", "initial", "input", "source", "start", "origin", "init"})
_ORIGIN_FOLDERS = ("initial", "originals", "original", "inputs", "input", "sources", "init")
_PLAIN_WORDS = frozenset(
    {"", "img", "image", "im", "out", "output", "outputs", "result", "picture", "pic"}
)
_STEP_FOLDER = re.compile(rf"(?:.*[^A-Za-z])?(?:{'|'.join(STEP_WORDS)})s?[ _.\-=]*\d+|\d+", re.I)
RUN_FOLDER = re.compile(r"(?:run|repeat|rep|seed|trial|sample|try|chat)s?[ _.\-=]*(\d{1,9})", re.I)
_EXTENSION = re.compile(r"\.(?:png|jpe?g|webp|gif|bmp|tiff?)(?=$|[^A-Za-z])", re.I)
_EDGES = " _.-=#/"


class _Found(Struct, kw_only=True):
    """One template in one folder, with the files behind each stem."""

    folder: str
    group: Group
    files: dict[str, list[str]]
    alone: bool = True  # the only run of its folder


def claim_guess(listing: Listing, taken: set[str]) -> Claimed:
    """Take the pictures that no other layout took, as runs by name template."""
    claimed = Claimed()
    stems = _collect(listing, taken)
    found: list[_Found] = []
    plain: dict[str, dict[str, list[str]]] = {}
    for folder in sorted(stems, key=natural):
        listing.breathe()
        groups, rest = _without_origins(*group_stems(stems[folder]))
        plain[folder] = {stem: stems[folder][stem] for stem in rest}
        found += [
            _Found(
                folder=folder,
                group=group,
                files={member.stem: stems[folder][member.stem] for member in group.members},
            )
            for group in groups
        ]
    doubts = [_doubt(item.group) for item in found]
    sure = {item.group.form for item, doubt in zip(found, doubts, strict=True) if not doubt}
    runs: list[_Found] = []
    for item, doubt in zip(found, doubts, strict=True):
        if doubt and not (item.group.how == "word" and item.group.form in sure):
            claimed.unused += [
                LeftOut(path, doubt) for paths in item.files.values() for path in paths
            ]
        else:
            runs.append(item)
    per_folder: dict[str, int] = defaultdict(int)
    for item in runs:
        per_folder[item.folder] += 1
    for item in runs:
        item.alone = per_folder[item.folder] == 1
        listing.breathe()
        _take(listing, item, plain, claimed)
    for rest_by_stem in plain.values():
        claimed.unused += [
            LeftOut(path, "no number in its name tells a step")
            for paths in rest_by_stem.values()
            for path in paths
            if path not in claimed.used
        ]
    return claimed


def _without_origins(groups: list[Group], plain: list[str]) -> tuple[list[Group], list[str]]:
    """Move stems such as `7_input` to the plain ones where `7_input_turn_1` is a step."""
    subjects = {_subject(group) for group in groups if group.how == "word"} - {""}
    kept: list[Group] = []
    for group in groups:
        origins = [member for member in group.members if member.stem in subjects]
        plain = [*plain, *(member.stem for member in origins)]
        members = tuple(member for member in group.members if member.stem not in subjects)
        if members:
            kept.append(msgspec.structs.replace(group, members=members))
    return kept, plain


def _collect(listing: Listing, taken: set[str]) -> dict[str, dict[str, list[str]]]:
    """Return, by folder, the picture stems and their files; step folders join their parent."""
    stems: dict[str, dict[str, list[str]]] = defaultdict(dict)
    for folder, names in listing.folders.items():
        pictures = [name for name in names if is_picture(name) and join(folder, name) not in taken]
        if not pictures:
            continue
        parent, last = split_path(folder)
        joined = bool(folder) and _is_step_folder(last, pictures)
        for name in sorted(pictures, key=natural):
            stem = split_name(name)[0]
            key, stem = (parent, f"{last}/{stem}") if joined else (folder, stem)
            stems[key].setdefault(stem, []).append(join(folder, name))
    return stems


def _is_step_folder(name: str, pictures: list[str]) -> bool:
    if not _STEP_FOLDER.fullmatch(name):
        return False
    forms: dict[str, set[str]] = defaultdict(set)
    for picture in pictures:
        stem = split_name(picture)[0]
        if has_step_word(stem):
            return False
        forms[form_of(stem)].add(stem)
    return all(len(stems) < LEAST for stems in forms.values())


def _doubt(group: Group) -> str:
    """Return why the group is not taken for a run, or an empty string."""
    steps = group.steps
    if len(steps) < LEAST:
        count = "one numbered file is" if len(steps) == 1 else "two numbered files are"
        return f"{count} not yet a run; a mapping.toml can say so"
    if group.how != "number" or steps[0] <= 1:
        return ""
    strides = {high - low for low, high in itertools.pairwise(steps)}
    if len(strides) == 1 or 2 * len(steps) >= steps[-1] - steps[0] + 1:
        return ""
    return "scattered numbers without a step word look like item ids; a mapping.toml can say so"


def _take(
    listing: Listing, item: _Found, plain: dict[str, dict[str, list[str]]], claimed: Claimed
) -> None:
    group = item.group
    candidates = [
        Candidate(step=member.step, path=path, redo=member.redo)
        for member in group.members
        for path in item.files[member.stem]
    ]
    run = _named(listing, item)
    if group.steps[0] > 0:
        origin = _origin(item, run, plain)
        candidates += [Candidate(step=0, path=path) for path in origin]
    claimed.used.update(candidate.path for candidate in candidates)
    source = assemble(listing, run, item.folder, candidates)
    claimed.runs.append(source)
    claimed.templates[source.steps[-1].picture.path] = join(item.folder, group.template)


def _named(listing: Listing, item: _Found) -> Run:
    """Derive image, setting, repeat and id from the folders and the template."""
    parts = [part for part in item.folder.split("/") if part]
    subject = _subject(item.group)
    repeat = 0
    words: list[str] = []
    labels: dict[str, str] = {}
    for part in parts:
        run_number = RUN_FOLDER.fullmatch(part)
        key, equals, value = part.partition("=")
        if run_number:
            repeat = int(run_number[1])
        else:
            words.append(part)
        if equals and key and value:
            labels[readable(key)] = readable(value)
    name = item.folder or readable(listing.root.name) or "run"
    if not item.alone:
        name = join(item.folder, subject or _template_name(item.group))
    image, setting = _image_and_setting(words, subject, item.alone)
    if not image:
        image = split_path(name)[1]
    if item.group.how == "date":
        labels["order"] = "date"
    labels["template"] = readable(join(item.folder, item.group.template))
    return Run(
        run=readable(name),
        image=readable(image),
        recipe=readable(setting),
        setting=readable(setting),
        repeat=repeat,
        labels=labels,
    )


def _image_and_setting(words: list[str], subject: str, alone: bool) -> tuple[str, str]:
    """Return image and setting: the subject where the folders do not tell another one."""
    if subject:
        for index, word in enumerate(words):
            if word == subject:
                return subject, "/".join((*words[:index], *words[index + 1 :]))
            rest = word[len(subject) :]
            if word.startswith(subject) and rest[0] in _EDGES:
                setting = (*words[:index], rest.strip(_EDGES), *words[index + 1 :])
                return subject, "/".join(part for part in setting if part)
        if not alone or len(words) < 2:
            return subject, "/".join(words)
    return (words[0], "/".join(words[1:])) if words else ("", "")


def _subject(group: Group) -> str:
    """Return what the name says besides step words and numbers, e.g. the image's name."""
    before = _EXTENSION.sub("", group.before)
    before = re.sub(
        rf"(?<![A-Za-z])(?:{'|'.join(STEP_WORDS)})s?[ _.\-=#]*$", "", before, flags=re.I
    )
    words = before.replace(FREE_MARK, "").strip(_EDGES)
    return "" if words.lower() in _PLAIN_WORDS else words


def _template_name(group: Group) -> str:
    words = (
        _EXTENSION.sub("", group.template)
        .replace(STEP_MARK, "")
        .replace(FREE_MARK, "")
        .strip(_EDGES)
    )
    return re.sub(r"[ _.\-=/]{2,}", "_", words) or "numbered"


def _origin(item: _Found, run: Run, plain: dict[str, dict[str, list[str]]]) -> list[str]:
    """Return the files of step 0 of a run that begins later: beside it, above it, or apart."""
    subject = _subject(item.group)
    for stem, paths in plain.get(item.folder, {}).items():
        if (subject and stem == subject) or stem.lower() in ORIGINS:
            return paths
    above = split_path(item.folder)[0]
    if item.folder:
        for stem, paths in plain.get(above, {}).items():
            if stem.lower() in ORIGINS or stem == run.image:
                return paths
    for place in (above, ""):
        for name in _ORIGIN_FOLDERS:
            paths = plain.get(join(place, name), {}).get(run.image, [])
            if paths:
                return paths
    return []
