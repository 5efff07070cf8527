"""A mapping file written from a guess: it reads the folder as the guess did."""

import re
from collections.abc import Iterable, Mapping, Sequence

from b100tui.model.errors import LayoutError
from b100tui.model.scan import SourceRun
from b100tui.sources.guess import RUN_FOLDER
from b100tui.sources.listing import Listing
from b100tui.sources.mapped import claim_mapped
from b100tui.sources.mapping import parse_mapping
from b100tui.sources.names import FREE_MARK, STEP_MARK
from b100tui.sources.paths import split_name, split_path

Templates = Mapping[str, str]  # last picture of a run -> path with marks
_HEAD = """\
# How b100 reads this folder. Edit it, then look at the result: b100 scan DIR
# Paths are relative to the scanned folder. Put patterns in 'single quotes'; they are Python
# regular expressions for whole paths. (?P<step>...) is needed, or (?P<date>...) where the
# order of dates tells the step. (?P<image>...), (?P<task>...), (?P<setting>...),
# (?P<recipe>...), (?P<editor>...), (?P<run>...) name the run; (?P<redo>...) is a second try;
# any other name becomes a label.
"""
_TAIL = """
# Further keys, all optional:
# root = "sub/folder"                        # patterns and files below are relative to it
# origin = 'initial/{image}.*'               # step 0 where the run's own files have none
# prefer = ["png", "webp", "jpg"]            # one step as several files: the first one wins
# reasoning = '{dir}/step_{step}*.(txt|md|json)'
# prompts = { file = "prompts.csv", key = ["task", "step"], column = "prompt" }
# scores = { file = "scores.csv", shape = "long" }   # columns metric and value; or "wide"
# labels = { model = "nano-banana-pro", resolution = "2K" }
"""


def mapping_text(listing: Listing, found: Iterable[SourceRun], templates: Templates) -> str:
    """Return a commented mapping.toml that finds the runs that the guess `found`.

    One pattern for all runs where their folders have one form, else one table a run. Raises
    LayoutError when nothing was guessed, so that there is nothing to write down.
    """
    runs = list(found)
    if not runs:
        raise LayoutError(
            "no run here was guessed from file names, so there is no mapping to write",
            "b100 help layouts shows what a mapping may say",
        )
    for body in (_one_pattern(runs, templates), _tables(runs, templates)):
        if body and not _differing(listing, runs, body):
            return _ordered(body)
    body = _tables(runs, templates)
    names = "".join(f"#   {name}\n" for name in _differing(listing, runs, body)[:50])
    return _ordered(body, "# Not read as before by these patterns, please mend them:\n" + names)


def _ordered(body: str, note: str = "") -> str:
    """Put top-level keys before tables, as TOML asks."""
    if body.startswith("[["):
        return f"{_HEAD}{note}{_TAIL}\n{body}"
    return f"{_HEAD}{note}\n{body}{_TAIL}"


def _differing(listing: Listing, runs: Sequence[SourceRun], body: str) -> list[str]:
    """Return the ids of the runs that the mapping would read otherwise."""
    found = claim_mapped(listing, parse_mapping(body, "the mapping"))
    have = {source.run.run: _facts(source) for source in found.runs}
    return [source.run.run for source in runs if have.get(source.run.run) != _facts(source)]


def _facts(source: SourceRun) -> tuple[object, ...]:
    run = source.run
    steps = tuple((step.step, step.picture.path) for step in source.steps)
    return run.image, run.setting, run.repeat, steps, source.duplicates


def _one_pattern(runs: Sequence[SourceRun], known: Templates) -> str:
    """Return `image = '...'` for folders of one form such as image/setting/run_3, or ""."""
    templates = {split_path(_template(source, known))[1] for source in runs}
    if len(templates) != 1 or len(runs) < 2:
        return ""
    rows = [split_path(_template(source, known))[0].split("/") for source in runs]
    if len({len(row) for row in rows}) != 1:
        return ""
    pieces: list[str] = []
    names = ["image", "setting"]
    for parts in zip(*rows, strict=True):
        numbered = [RUN_FOLDER.fullmatch(part) for part in parts]
        starts = {
            part[: found.start(1)] for part, found in zip(parts, numbered, strict=True) if found
        }
        if all(numbered) and len(starts) == 1:
            pieces.append(_literal(starts.pop()) + r"(?P<run>\d+)")
        elif names:
            inner = _literal(parts[0]) if len(set(parts)) == 1 else "[^/]+"
            pieces.append(f"(?P<{names.pop(0)}>{inner})")
        else:
            return ""
    if sum("(?P<run>" in piece for piece in pieces) > 1:
        return ""
    pieces.append(_file_pattern(templates.pop(), runs))
    return f"image = {_quoted('/'.join(pieces))}\n"


def _tables(runs: Sequence[SourceRun], known: Templates) -> str:
    entries: list[str] = []
    for source in runs:
        run, template = source.run, _template(source, known)
        lines = [
            "[[runs]]",
            f"files = {_quoted(_file_pattern(template, [source]))}",
            f"run = {_quoted(run.run)}",
            f"image = {_quoted(run.image)}",
        ]
        if run.setting:
            lines.append(f"setting = {_quoted(run.setting)}")
        if run.repeat:
            lines.append(f"repeat = {run.repeat}")
        first = source.steps[0]
        if first.step == 0 and not _is_of(template, first.picture.path):
            lines.append(f"origin = {_quoted(_as_template(first.picture.path))}")
        entries.append("\n".join(lines) + "\n")
    return "\n".join(entries)


def _template(source: SourceRun, known: Templates) -> str:
    return known[source.steps[-1].picture.path]


def _file_pattern(template: str, runs: Sequence[SourceRun]) -> str:
    paths = [step.picture.path for source in runs for step in source.steps]
    paths += [path for source in runs for same in source.duplicates for path in same.others]
    extensions = sorted({split_name(path)[1] for path in paths})
    dated = any(source.run.labels.get("order") == "date" for source in runs)
    step = r"(?P<date>\d[\d_.:,TZ -]*)" if dated else r"(?P<step>\d+)"
    redo = r"(?:[ _.-]?[vV(]?(?P<redo>\d{1,2})\)?)?" if any(s.duplicates for s in runs) else ""
    stem = _filled(template, step, r"[^/]+?")
    return f"{stem}{redo}\\.(?i:{'|'.join(extensions)})"


def _is_of(template: str, path: str) -> bool:
    stem = split_name(path)[0]
    return bool(re.fullmatch(_filled(template, r"\d.*", ".+?"), stem))


def _filled(template: str, step: str, free: str) -> str:
    """Return a template as a pattern, with patterns in place of its marks."""
    parts = template.split(STEP_MARK)
    return step.join(free.join(map(_literal, part.split(FREE_MARK))) for part in parts)


def _as_template(path: str) -> str:
    """Return a path as a file template: signs with a meaning become ?."""
    return re.sub(r"[{}*?()|]", "?", path)


def _literal(text: str) -> str:
    """Return `text` escaped for a pattern, without needless backslashes."""
    return re.sub(r"([.^$*+?{}\[\]|()\\#])", r"\\\1", text)


def _quoted(text: str) -> str:
    """Return `text` as a TOML string: literal where that is possible."""
    if "'" not in text and text.isprintable():
        return f"'{text}'"
    escaped = "".join(
        f"\\{sign}" if sign in '"\\' else sign if sign.isprintable() else f"\\U{ord(sign):08X}"
        for sign in text
    )
    return f'"{escaped}"'
