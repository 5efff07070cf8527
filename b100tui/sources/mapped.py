"""A mapping file applied to a folder."""

import re
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from msgspec import Struct, field

from b100tui.model.errors import UNPARSABLE, B100Error, LayoutError, parse_fault
from b100tui.model.records import Run
from b100tui.model.scan import LeftOut
from b100tui.model.text import clean
from b100tui.sources.assemble import Candidate, assemble, is_picture
from b100tui.sources.claims import Claimed
from b100tui.sources.columns import metric_id, number, whole
from b100tui.sources.listing import Listing
from b100tui.sources.manifests import resolved
from b100tui.sources.mapping import Mapping, RunRule, TableRule
from b100tui.sources.paths import join, natural, readable, split_path
from b100tui.sources.tables import BadLine, read_table

_NAMES = ("image", "recipe", "setting", "editor", "run", "repeat")
_IN_TEMPLATE = re.compile(r"\{(\w+)\}|(\*)|(\?)|([()|])")


class _Found(Struct, kw_only=True):
    """The files of one run, and the named groups that they share."""

    rule: RunRule
    who: dict[str, str]
    candidates: list[Candidate] = field(default_factory=list)
    dates: dict[str, str] = field(default_factory=dict)  # path -> date, where dates tell the order


def claim_mapped(listing: Listing, mapping: Mapping) -> Claimed:
    """Take the pictures that match the mapping; all others are listed as unused.

    Prompts, reasoning texts and scores come from where the mapping says. Rows that name no
    step, and files that it names but that are not there, are listed.
    """
    claimed = Claimed()
    found = _match(listing, mapping, claimed)
    _origins(listing, mapping, found, claimed)
    if mapping.reasoning:
        _reasoning(listing, mapping, found, claimed)
    for rule in mapping.prompts:
        _rows(listing, mapping, rule, found, claimed, _prompt_of)
    for rule in mapping.scores:
        _rows(listing, mapping, rule, found, claimed, _scores_of)
    for item, name in zip(found, _run_ids(found), strict=True):
        item.candidates.sort(key=lambda candidate: natural(candidate.path))
        folder = split_path(item.candidates[-1].path)[0]
        run = _named(mapping, item, name)
        claimed.runs.append(assemble(listing, run, folder, item.candidates, mapping.prefer))
        claimed.used.update(candidate.path for candidate in item.candidates)
    return claimed


def _match(listing: Listing, mapping: Mapping, claimed: Claimed) -> list[_Found]:
    found: dict[tuple[Any, ...], _Found] = {}
    prefix = mapping.root + "/" if mapping.root else ""
    for path in listing.stamps:
        if not is_picture(path):
            continue
        match = None
        if path.startswith(prefix):
            inside = path[len(prefix) :]
            for rule in mapping.rules:
                match = rule.pattern.fullmatch(inside)
                if match:
                    break
        if not match:
            claimed.unused.append(LeftOut(path, "does not match the mapping"))
            continue
        groups = {name: text for name, text in match.groupdict().items() if text is not None}
        date = groups.pop("date", "") if "step" not in groups else ""
        step = 0 if date else whole(groups.pop("step", None))
        if step is None or step < 0:
            claimed.unused.append(LeftOut(path, "the mapping's step is no number here"))
            continue
        who = {name: readable(text) for name, text in {**rule.fixed, **groups}.items()}
        redo = whole(who.pop("redo", "0")) or 0
        key = (rule.pattern.pattern if rule.fixed else "", *sorted(who.items()))
        item = found.setdefault(key, _Found(rule=rule, who=who))
        item.candidates.append(Candidate(step=step, path=path, redo=redo))
        if date:
            item.dates[path] = date
    for item in found.values():
        ranks = {date: rank for rank, date in enumerate(sorted(set(item.dates.values())))}
        for candidate in item.candidates:
            if candidate.path in item.dates:
                candidate.step = ranks[item.dates[candidate.path]]
    return list(found.values())


def _run_ids(found: list[_Found]) -> list[str]:
    """Return an id for each run: the one given, its folder where that is its own, its groups."""
    owners: dict[str, set[int]] = defaultdict(set)
    for index, item in enumerate(found):
        for candidate in item.candidates:
            owners[split_path(candidate.path)[0]].add(index)
    names: list[str] = []
    for item in found:
        folders = {split_path(candidate.path)[0] for candidate in item.candidates if candidate.step}
        folder = next(iter(folders)) if len(folders) == 1 else ""
        own = folder if folder and len(owners[folder]) == 1 else ""
        names.append(item.rule.fixed.get("run") or own or _joined(item.who) or "run")
    return names


def _joined(who: dict[str, str]) -> str:
    order = (*("image", "task", "recipe", "setting", "editor"), *who)
    parts = [who[name] for name in dict.fromkeys(order) if name in who and name != "run"]
    run = who.get("run", "")
    last = f"run-{int(run)}" if run.isdecimal() else run
    return "/".join(part for part in (*parts, last) if part)


def _named(mapping: Mapping, item: _Found, name: str) -> Run:
    who = item.who
    recipe = who.get("recipe") or who.get("task") or who.get("setting", "")
    labels = {**mapping.labels, **item.rule.labels}
    labels |= {key: text for key, text in who.items() if key not in (*_NAMES, "task")}
    repeat = whole(who.get("repeat", who.get("run", "")))
    return Run(
        run=readable(name),
        image=who.get("image") or split_path(name)[1],
        recipe=recipe,
        setting=who.get("setting") or recipe,
        editor=who.get("editor") or labels.get("editor", ""),
        model=labels.get("model", ""),
        repeat=repeat if repeat is not None and 0 <= repeat < 2**31 else 0,
        labels=labels,
    )


def compile_template(template: str, place: str) -> re.Pattern[str]:
    """Turn a file template such as `{dir}/step_{step}*.(txt|md)` into a pattern.

    {name} stands for a named group, * for anything but a slash, ? for one character, (a|b)
    for one of several. Raises LayoutError when its brackets do not match.
    """
    pieces: list[str] = []
    seen: set[str] = set()
    end = 0
    for found in _IN_TEMPLATE.finditer(template):
        pieces.append(re.escape(template[end : found.start()]))
        end = found.end()
        name, star, one, other = found.groups()
        if name and name in seen:
            pieces.append(f"(?P={name})")
        elif name:
            seen.add(name)
            inner = r"\d+" if name == "step" else ".*" if name == "dir" else "[^/]+"
            pieces.append(f"(?P<{name}>{inner})")
        elif star:
            pieces.append("[^/]*")
        elif one:
            pieces.append("[^/]")
        else:
            pieces.append("(?:" if other == "(" else other)
    pieces.append(re.escape(template[end:]))
    try:
        return re.compile("".join(pieces))
    except (re.error, *UNPARSABLE) as error:
        raise LayoutError(
            f"{place}: {template!r} is no file template: {parse_fault(error)}",
            "{image}, {step}, {dir}, * and (a|b) may stand in it",
        ) from error


def _told_by(match: re.Match[str]) -> tuple[tuple[str, Any], ...]:
    groups = match.groupdict()
    return tuple(
        (name, int(text) if name == "step" else text if name == "dir" else readable(text))
        for name, text in groups.items()
    )


def _origins(listing: Listing, mapping: Mapping, found: list[_Found], claimed: Claimed) -> None:
    """Give a step 0 to the runs that lack one, from the run's own template or the mapping's."""
    origins: dict[str, tuple[re.Pattern[str], dict[tuple[Any, ...], list[str]]]] = {}
    for item in found:
        template = item.rule.origin or mapping.origin
        if not template or any(candidate.step == 0 for candidate in item.candidates):
            continue
        if template not in origins:
            pattern = compile_template(join(mapping.root, template), mapping.place)
            paths: dict[tuple[Any, ...], list[str]] = defaultdict(list)
            for path in listing.stamps:
                match = pattern.fullmatch(path) if is_picture(path) else None
                if match:
                    paths[_told_by(match)].append(path)
            origins[template] = (pattern, paths)
        pattern, paths = origins[template]
        folder = split_path(item.candidates[0].path)[0]
        key = tuple((name, {**item.who, "dir": folder}.get(name)) for name in pattern.groupindex)
        item.candidates += [Candidate(step=0, path=path) for path in paths.get(key, ())]
    used = {candidate.path for item in found for candidate in item.candidates}
    claimed.unused = [left for left in claimed.unused if left.path not in used]


def _reasoning(listing: Listing, mapping: Mapping, found: list[_Found], claimed: Claimed) -> None:
    pattern = compile_template(join(mapping.root, mapping.reasoning), mapping.place)
    texts: dict[tuple[tuple[str, Any], ...], str] = {}
    for path in sorted(listing.stamps, key=natural):
        match = None if is_picture(path) else pattern.fullmatch(path)
        if match:
            texts.setdefault(_told_by(match), path)
    for item in found:
        for candidate in item.candidates:
            said = {**item.who, "dir": split_path(candidate.path)[0], "step": candidate.step}
            path = texts.get(tuple((name, said.get(name)) for name in pattern.groupindex), "")
            if path:
                candidate.said["reasoning"] = path
                claimed.used.add(path)


def _prompt_of(rule: TableRule, cells: dict[str, Any]) -> dict[str, Any]:
    text = cells.get(rule.column or "prompt")
    return {"prompt": clean(text)} if isinstance(text, str) and text else {}


def _scores_of(rule: TableRule, cells: dict[str, Any]) -> dict[str, Any]:
    if rule.shape == "long":
        value, metric = number(cells.get(rule.value)), cells.get(rule.metric)
        return {"scores": {metric_id(str(metric)): value}} if metric and value is not None else {}
    known = {*rule.key, "step", "run", "image", "task", "setting", "file"}
    wide = {
        metric_id(name): value
        for name, cell in cells.items()
        if name not in known and (value := number(cell)) is not None
    }
    return {"scores": wide} if wide else {}


def _rows(
    listing: Listing,
    mapping: Mapping,
    rule: TableRule,
    found: list[_Found],
    claimed: Claimed,
    says: Callable[[TableRule, dict[str, Any]], dict[str, Any]],
) -> None:
    """Join the rows of one table to the steps with the same key."""
    path = resolved(mapping.root, rule.file)
    if path is None or path not in listing.stamps:
        claimed.unreadable.append(LeftOut(rule.file, "the mapping names it, but it is not there"))
        return
    claimed.used.add(path)
    steps: dict[tuple[str, ...], list[Candidate]] = {}
    names: tuple[str, ...] = ()
    lost, first = 0, 0
    try:
        for line in read_table(listing, path):
            if isinstance(line, BadLine):
                claimed.unreadable.append(LeftOut(path, f"line {line.number}: {line.reason}"))
                continue
            if not steps:
                names = rule.key or _shared(line.cells, found)
                steps = _keyed(found, names)
            fields = says(rule, line.cells)
            candidates = steps.get(tuple(_same(line.cells.get(name)) for name in names), [])
            if not candidates:
                lost, first = lost + 1, first or line.number
            for candidate in candidates:
                for name, value in fields.items():
                    have = candidate.said.get(name)
                    candidate.said[name] = {**have, **value} if isinstance(have, dict) else value
    except B100Error as error:
        claimed.unreadable.append(LeftOut(path, error.message))
    if lost:
        keys = ", ".join(names) or "no key"
        claimed.unused.append(
            LeftOut(path, f"{lost} rows join no step by {keys}, the first in line {first}")
        )


def _shared(cells: dict[str, Any], found: list[_Found]) -> tuple[str, ...]:
    groups = {name for item in found for name in item.who} | {"step"}
    return tuple(name for name in cells if name in groups)


def _keyed(found: list[_Found], names: tuple[str, ...]) -> dict[tuple[str, ...], list[Candidate]]:
    steps: dict[tuple[str, ...], list[Candidate]] = defaultdict(list)
    for item in found:
        for candidate in item.candidates:
            said = {**item.who, "step": candidate.step}
            steps[tuple(_same(said.get(name)) for name in names)].append(candidate)
    return dict(steps)


def _same(value: Any) -> str:
    """Return a key cell in one form: "007", 7 and 7.0 are the same."""
    found = whole(value)
    return str(found) if found is not None else readable(str(value or "")).casefold()
