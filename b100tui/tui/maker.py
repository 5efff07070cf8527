"""What the editing dialog asks: editors and recipes, what steps would take, and to begin."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from msgspec import Struct

from b100tui.model.errors import UsageError
from b100tui.tui.catalogue import Catalogue

if TYPE_CHECKING:
    from b100tui.engine.estimate import Estimate
    from b100tui.engine.request import Ask, Continue, Fork

Way = Literal["continue", "fork"]
OWN_PROMPT = "own prompt"


class EditorChoice(Struct, frozen=True, kw_only=True):
    """An editor as the dialog shows it; without `ready` it can be priced but not started."""

    id: str
    title: str
    ready: bool = True
    reason: str = ""
    fix: str = ""
    simulated: bool = False
    seed: bool = True
    temperature: bool = True
    resolutions: tuple[str, ...] = ()


class Choices(Struct, frozen=True, kw_only=True):
    """What can be chosen for a run; `fixed` says why the run itself cannot be gone on with."""

    editors: tuple[EditorChoice, ...]
    recipes: tuple[str, ...]
    fixed: str = ""


class Order(Struct, frozen=True, kw_only=True):
    """Steps to make: more of `run`, or a new run from its step `step`. Empty words mean default."""

    way: Way
    run: str
    step: int
    image: str
    steps: int
    editor: str = ""
    recipe: str = ""
    prompt: str = ""
    seed: str = ""
    temperature: float | None = None
    resolution: str = ""


class Begun(Struct, frozen=True):
    """The job that makes the steps, and the run that gets them."""

    job: str
    run: str


class Maker(Protocol):
    """The seam of the editing dialog; every method is called from worker threads."""

    def choices(self, run: str) -> Choices:
        """Return what can be chosen for `run`. Raises B100Error."""
        ...

    def quote(self, order: Order) -> "Estimate":
        """Return what the order would take; nothing is written. Raises B100Error."""
        ...

    def begin(self, order: Order, budget: float | None) -> Begun:
        """Write the run's folder and start a job, capped at `budget` dollars. Raises B100Error."""
        ...


class RootMaker:
    """Makes steps in one folder by `b100 edit resume` in a job."""

    def __init__(self, root: Path, catalogue: Catalogue, config: str | None) -> None:
        self.root = root
        self.catalogue = catalogue
        self.config = config

    def choices(self, run: str) -> Choices:
        """Return editors and recipes, and why `run` can only be forked, if so."""
        from b100tui.editors.registry import availability
        from b100tui.editors.table import table
        from b100tui.engine.recipes import recipes

        known = table()
        editors = []
        for one in availability(known):
            row = known.editors[one.id]
            editors.append(
                EditorChoice(
                    id=one.id,
                    title=one.name,
                    ready=one.ready,
                    reason=one.reason,
                    fix=one.fix,
                    simulated=one.kind == "simulate",
                    seed=row.seed,
                    temperature=row.temperature,
                    resolutions=row.resolutions,
                )
            )
        return Choices(editors=tuple(editors), recipes=tuple(recipes()), fixed=self._fixed(run))

    def _fixed(self, run: str) -> str:
        from b100tui.engine.planning import find_run
        from b100tui.engine.runfolder import read_plan
        from b100tui.model.errors import B100Error

        try:
            plan = read_plan(find_run(self.root, run))
        except B100Error:
            return "b100 did not make this run: it is forked, never written into"
        return "" if plan.prompts else "its plan holds no prompts: it can be forked"

    def quote(self, order: Order) -> "Estimate":
        """Return what the order would take; nothing is written. Raises B100Error."""
        from b100tui.engine.edit import plan
        from b100tui.engine.estimate import estimate

        return estimate(plan(self.root, self._request(order)), jobs=1)

    def begin(self, order: Order, budget: float | None) -> Begun:
        """Write the run's folder and start a job, capped at `budget` dollars. Raises B100Error."""
        from b100tui.engine.edit import plan, prepare
        from b100tui.engine.estimate import estimate
        from b100tui.jobs import b100, start

        planned = plan(self.root, self._request(order))
        told = estimate(planned, jobs=1)
        if budget is None and not told.is_free:
            raise UsageError("paid work needs a cap", "type the most dollars it may cost")
        (name,) = prepare(self.root, planned)
        words = ["edit", "resume", name, "--retry-failed", "--root", str(self.root), "--yes"]
        words += ["--jobs", "1"]
        words += ["--budget", f"{budget:g}"] if budget is not None else []
        words += ["--config", self.config] if self.config else []
        return Begun(start(self.root, "edit", b100(*words), told.images, name), name)

    def _request(self, order: Order) -> "Continue | Fork":
        from b100tui.engine.request import Continue, Fork
        from b100tui.sources import open_picture

        if order.way == "continue":
            return Continue(run=order.run, steps=order.steps)
        step = next((s for s in self.catalogue.steps(order.run) if s.step == order.step), None)
        if step is None or step.picture is None or step.status != "ok":
            raise UsageError(f"step {order.step} has no picture", "fork from a step that has one")
        return Fork(
            parent=order.run,
            step=order.step,
            image=order.image,
            picture=open_picture(self.root, step.picture),
            ask=_ask(order),
        )


def _ask(order: Order) -> "Ask":
    from b100tui.engine.request import Ask

    return Ask(
        editor=order.editor,
        recipe=order.recipe or "replicate",
        prompt=order.prompt or None,
        steps=order.steps,
        seed=order.seed or None,
        temperature=order.temperature,
        resolution=order.resolution or None,
    )


def whole_number(text: str, name: str) -> int:
    """Return `text` as a number of at least 1. Raises UsageError naming the field."""
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value < 1:
        raise UsageError(f"{name}: {text.strip() or 'nothing'!r} is no number from 1", "e.g. 10")
    return value


def decimal(text: str, name: str) -> float | None:
    """Return `text` as a number from 0, None where it is empty. Raises UsageError."""
    if not text.strip():
        return None
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise UsageError(f"{name}: {text.strip()!r} is no number from 0", "e.g. 1.5")
    return value


def first_editor(editors: Sequence[EditorChoice], wanted: str) -> int:
    """Return the place of the editor to begin with: the run's own, else the first that can run."""
    for at, editor in enumerate(editors):
        if editor.id == wanted and editor.ready:
            return at
    return next((at for at, editor in enumerate(editors) if editor.ready), 0)
