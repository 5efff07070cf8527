"""What a mapping changes: the runs of two scans of one folder, held against each other."""

from collections.abc import Iterable

from msgspec import Struct

from b100tui.model.scan import Scan, SourceRun
from b100tui.sources.assemble import shown
from b100tui.sources.paths import natural


class RunChange(Struct, frozen=True, kw_only=True):
    """One run that both scans have: its id before and after, and what differs in words."""

    run: str
    was: str
    changes: list[str]


class Difference(Struct, frozen=True, kw_only=True):
    """From the scan `before` (a layout) to the one `after`; ids, and paths of pictures."""

    before: str
    after: str
    added: list[str]
    removed: list[str]
    changed: list[RunChange]
    newly_used: list[str]
    no_longer_used: list[str]

    @property
    def nothing(self) -> bool:
        """Whether both scans say the same."""
        parts = (self.added, self.removed, self.changed, self.newly_used, self.no_longer_used)
        return not any(parts)


def difference(before: Scan, after: Scan) -> Difference:
    """Return what differs; runs are the same by id, else by the picture of their last step."""
    old, new = _by_id(before), _by_id(after)
    last = {_last(run): name for name, run in old.items() if name not in new}
    pairs = {name: name for name in new if name in old}
    for name, run in new.items():
        if name not in pairs and (was := last.pop(_last(run), None)) is not None:
            pairs[name] = was
    changed = [
        RunChange(run=name, was=was, changes=changes)
        for name, was in pairs.items()
        if (changes := _changes(old[was], new[name]))
    ]
    used_before, used_after = _used(before.runs), _used(after.runs)
    return Difference(
        before=before.layout,
        after=after.layout,
        added=sorted(new.keys() - pairs.keys(), key=natural),
        removed=sorted(old.keys() - set(pairs.values()), key=natural),
        changed=sorted(changed, key=lambda one: natural(one.run)),
        newly_used=sorted(used_after - used_before, key=natural),
        no_longer_used=sorted(used_before - used_after, key=natural),
    )


def _by_id(scan: Scan) -> dict[str, SourceRun]:
    return {source.run.run: source for source in scan.runs}


def _last(source: SourceRun) -> str:
    picture = source.steps[-1].picture
    return shown(picture.path, picture.member)


def _used(runs: Iterable[SourceRun]) -> set[str]:
    return {
        shown(step.picture.path, step.picture.member)
        for source in runs
        for step in source.steps
        if step.picture.path
    }


def _changes(old: SourceRun, new: SourceRun) -> list[str]:
    changes: list[str] = []
    for name in ("run", "image", "recipe", "setting", "editor", "repeat", "model"):
        was, now = getattr(old.run, name), getattr(new.run, name)
        if was != now:
            changes.append(f"{name} {was or 'none'} -> {now or 'none'}")
    steps = {step.step: step.picture for step in old.steps}
    now_steps = {step.step: step.picture for step in new.steps}
    lost, won = steps.keys() - now_steps.keys(), now_steps.keys() - steps.keys()
    moved = sum(steps[n].path != now_steps[n].path for n in steps.keys() & now_steps.keys())
    for numbers, word in ((won, "more"), (lost, "fewer")):
        if numbers:
            changes.append(f"{_counted(len(numbers), 'step')} {word}, the first is {min(numbers)}")
    if moved:
        changes.append(f"{_counted(moved, 'step')} with another picture")
    for field, word in (("prompt", "prompt"), ("reasoning", "reasoning text"), ("scores", "score")):
        was = sum(bool(getattr(step, field)) for step in old.steps)
        now = sum(bool(getattr(step, field)) for step in new.steps)
        if was != now:
            changes.append(f"steps with a {word}: {was} -> {now}")
    return changes


def _counted(number: int, word: str) -> str:
    return f"{number} {word}" + ("" if number == 1 else "s")
