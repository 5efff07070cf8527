"""Makes one run of the demo in a worker process: pictures, sidecars, attempts, scores, verdicts."""

import os
import shutil
import socket
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from b100tui import __version__
from b100tui.editors.protocol import Outcome, Parameters
from b100tui.editors.schedule import derive_seed, step_seed
from b100tui.editors.simulate import SimulatedEditor
from b100tui.editors.summaries import Subject
from b100tui.engine import demo_scores as scores
from b100tui.engine.attempts import append_attempts
from b100tui.engine.commit import commit_step, file_facts
from b100tui.engine.demo_plan import Job
from b100tui.engine.recipes import Recipe, recipe
from b100tui.engine.runfolder import plan_hash, write_plan, write_stopped
from b100tui.engine.scenes import draw_scene, scenes
from b100tui.model.errors import StoreError
from b100tui.model.records import FileFacts, RunPlan, ScoreRecord, Sidecar
from b100tui.model.sections import sections_of
from b100tui.workspace.atomic import write_atomic
from b100tui.workspace.parts import PartWriter

if TYPE_CHECKING:
    from b100tui.metrics.probes import View

# Simulated clock: the same demo carries the same times whenever it is made.
_EPOCH = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
_SECONDS = 41.0


def make_run(root: Path, job: Job) -> None:
    """Make the whole run aside, append its scores and verdicts, then move it into its place.

    A run is there whole or not at all; nothing is fsynced, because a lost demo is made again.
    Raises StoreError when the disk refuses.
    """
    try:
        _make_run(root, job)
    except OSError as error:
        raise StoreError(
            f"cannot write the demo run {job.run} in {root}: {error.strerror}",
            "free space, then run b100 demo again: it goes on where it was",
        ) from error


def _make_run(root: Path, job: Job) -> None:
    aside = building_folder(root) / job.run.replace("/", "+")
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir(parents=True)
    records = _Maker(root, job, aside).make()
    _writer(root, "scores").append(*records.scores)
    _writer(root, "verdicts").append(*records.verdicts)
    place = root / job.run
    place.parent.mkdir(parents=True, exist_ok=True)
    os.replace(aside, place)


def building_folder(root: Path) -> Path:
    """Return where runs lie while they are made."""
    return root / ".b100" / "building"


@cache
def _writer(root: Path, kind: str) -> PartWriter:
    """The part of this worker process; it stays open until the process ends."""
    return PartWriter(root / ".b100" / kind)


class _Records:
    def __init__(self) -> None:
        self.scores: list[Any] = []
        self.verdicts: list[Any] = []


class _Maker:
    """Walks one run from its initial image to its last step."""

    def __init__(self, root: Path, job: Job, folder: Path) -> None:
        self.root = root
        self.job = job
        self.folder = folder
        self.records = _Records()
        self.recipe: Recipe = recipe(job.group.recipe)
        scene = scenes()[job.image]
        self.editor = SimulatedEditor(
            job.schedule,
            subject=Subject(scene.scene, scene.part, scene.other, scene.surface),
            scale=job.scale,
            fmt=job.group.store,
            reasons=job.group.reasons,
        )
        self.clock = _EPOCH + timedelta(seconds=derive_seed("clock", job.run) % 8_000_000)
        self.reference: View | None = None
        self.reference_hash = ""

    def make(self) -> _Records:
        job = self.job
        parameters = {"resolution": job.group.resolution, "scale": job.scale}
        if job.group.temperature is not None:
            parameters["temperature"] = job.group.temperature
        plan = RunPlan(
            run=job.run,
            image=job.image,
            recipe=job.group.recipe,
            setting=job.setting,
            editor=self.editor.name,
            repeat=job.repeat,
            model=self.editor.model,
            parameters={"editor_kind": self.editor.kind, **parameters},
            seed_policy=job.group.seed_policy,
            steps_planned=job.steps,
            remedy=job.group.recipe if "remedy" in self.recipe.tags else None,
            simulated=True,
            created=_time(self.clock),
            versions={"b100": __version__},
        )
        hashed = plan_hash(plan, self.recipe.prompts)
        plan = msgspec.structs.replace(plan, plan_hash=hashed)
        write_plan(self.folder, plan, durable=False)
        data = _initial_path(self.root, job.image).read_bytes()
        facts = file_facts(data, 0)
        first = Sidecar(run=job.run, step=0, output=facts, simulated=True, warnings=("SIMULATED",))
        commit_step(self.folder, data, first, durable=False)
        self._score(0, data, facts)
        attempts: list[dict[str, Any]] = []
        for step in range(1, job.steps + 1):
            prompt = self.recipe.prompt(step)
            asked = Parameters(
                seed=step_seed(job.group.seed_policy, job.schedule.seed, job.run, step),
                temperature=job.group.temperature,
                resolution=job.resolution(step),
                run=job.run,
                step=step,
            )
            started = _time(self.clock)
            outcome = self.editor.edit(data, facts.mime, prompt, asked)
            self.clock += timedelta(seconds=_SECONDS)
            attempts += _attempt_lines(step, prompt, outcome, started, _time(self.clock))
            if outcome.image is None:
                self._stop(step, outcome)
                break
            data, facts = self._commit(step, prompt, asked, outcome, facts, started)
        append_attempts(self.folder, *attempts, durable=False)
        return self.records

    def _commit(
        self,
        step: int,
        prompt: str,
        asked: Parameters,
        outcome: Outcome,
        before: FileFacts,
        started: str,
    ) -> tuple[bytes, FileFacts]:
        assert outcome.image is not None
        data = outcome.image.data
        facts = file_facts(data, step, outcome.image.declared_mime)
        warnings = list(outcome.warnings)
        if (facts.width, facts.height) != (before.width, before.height):
            warnings.append("size differs")
        sent: dict[str, Any] = {"resolution": asked.resolution}
        if asked.temperature is not None:
            sent["temperature"] = asked.temperature
        sidecar = Sidecar(
            run=self.job.run,
            step=step,
            output=facts,
            input=before,
            editor=self.editor.name,
            model=self.editor.model,
            model_version=outcome.model_version,
            response_id=outcome.response_id,
            endpoint=outcome.endpoint,
            simulated=True,
            prompt=prompt,
            parameters=sent,
            seed_policy=self.job.group.seed_policy,
            seed=asked.seed,
            requested_size=asked.resolution,
            returned_size=(facts.width, facts.height),
            finish_reason=outcome.finish_reason,
            thoughts=outcome.thoughts,
            sections=sections_of(outcome.thoughts),
            usage=outcome.usage,
            cost_usd=outcome.cost_usd,
            price_table=outcome.price_table,
            started=started,
            ended=_time(self.clock),
            seconds=_SECONDS,
            warnings=tuple(warnings),
        )
        commit_step(self.folder, data, sidecar, durable=False)
        self._score(step, data, facts)
        noticed = step in self.job.schedule.noticed
        self.records.verdicts.append(
            scores.verdict(self.job.run, step, outcome.thoughts, noticed, _time(self.clock))
        )
        return data, facts

    def _stop(self, step: int, outcome: Outcome) -> None:
        told = {
            "run": self.job.run,
            "step": step,
            "failure": outcome.failure,
            "reason": f"step {step} refused: {outcome.finish_reason}: {outcome.message}",
            "finish_reason": outcome.finish_reason,
            "finish_message": outcome.finish_message,
            "time": _time(self.clock),
            "simulated": True,
        }
        write_stopped(self.folder, told, durable=False)

    def _score(self, step: int, data: bytes, facts: FileFacts) -> None:
        stamp = (self.folder / facts.file).stat()
        common: dict[str, Any] = {
            "run": self.job.run,
            "step": step,
            "sha256": facts.sha256,
            "path": f"{self.job.run}/{facts.file}",
            "bytes": facts.bytes,
            "mtime_ns": stamp.st_mtime_ns,
            "pixels": (facts.width, facts.height),
            "host": socket.gethostname(),
            "time": _time(self.clock),
        }
        add = self.records.scores.append
        for metric, value in scores.invented_scores(
            self.job.schedule, self.job.image, step, facts.sha256
        ).items():
            add(
                scores.lean(
                    ScoreRecord(
                        metric=metric,
                        metric_version="simulated",
                        value=value,
                        simulated=True,
                        **common,
                    )
                )
            )
        if not self.job.probes:
            return
        from b100tui.imaging.decode import decode

        pixels = decode(data).pixels
        reference = self.reference if self.recipe.kind == "identity" else None
        values, view = scores.probe_scores(pixels, reference)
        for metric, value in values.items():
            version, parts = scores.probe_version(metric)
            against: dict[str, Any] = {}
            if scores.is_against(metric):
                against = {"reference": 1, "reference_sha256": self.reference_hash}
            add(
                scores.lean(
                    ScoreRecord(
                        metric=metric,
                        metric_version=version,
                        value=value,
                        parts=parts,
                        **against,
                        **common,
                    )
                )
            )
        if step == 1:
            self.reference, self.reference_hash = view, facts.sha256


def draw_initial(root: Path, image: str, seed: int) -> None:
    """Draw one initial image aside, for every run that starts from it."""
    path = _initial_path(root, image)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, draw_scene(image, seed), durable=False)


def _initial_path(root: Path, image: str) -> Path:
    return building_folder(root) / "initial" / image


def _attempt_lines(
    step: int, prompt: str, outcome: Outcome, started: str, ended: str
) -> list[dict[str, Any]]:
    """The intent and the outcome of one simulated call, in the shape of a paid one."""
    common = {"step": step, "attempt": 1, "simulated": True}
    intent = {"kind": "intent", **common, "time": started, "prompt": prompt, "reserved": 0.0}
    told = {
        "kind": "outcome",
        **common,
        "time": ended,
        "outcome": "ok" if outcome.image is not None else str(outcome.failure),
        "finish_reason": outcome.finish_reason,
        "settled": 0.0,
    }
    if outcome.image is None:
        told |= {"message": outcome.message, "prompt": prompt}
    return [intent, told]


def _time(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
