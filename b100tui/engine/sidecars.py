"""The sidecar of a step: where its picture came from, said honestly, with what looks wrong."""

from collections.abc import Sequence
from typing import Any

from b100tui.editors.protocol import Editor, Parameters
from b100tui.engine.asking import Answer
from b100tui.engine.commit import file_facts
from b100tui.model.records import FileFacts, RunPlan, Sidecar
from b100tui.model.sections import sections_of

# Pixels of the models' size tables; an answer outside half to double of it is another size.
_PIXELS = {"512": 0.26e6, "1K": 1.05e6, "2K": 4.2e6, "4K": 16.9e6}
_TWICE = 2.0


def sidecar_of(
    plan: RunPlan,
    editor: Editor,
    step: int,
    prompt: str,
    parameters: Parameters,
    answer: Answer,
    source: FileFacts,
    before: Sequence[Sidecar],
) -> Sidecar:
    """Return the sidecar of a step that `answer` holds the picture of."""
    outcome = answer.outcome
    assert outcome is not None and outcome.image is not None
    facts = file_facts(outcome.image.data, step, outcome.image.declared_mime)
    asked: dict[str, Any] = {
        name: value
        for name in ("resolution", "temperature", "aspect_ratio", "thinking")
        if (value := getattr(parameters, name)) is not None
    }
    if parameters.extra:
        asked["extra"] = parameters.extra
    return Sidecar(
        run=plan.run,
        step=step,
        output=facts,
        input=source,
        editor=plan.editor,
        model=editor.model,
        model_version=outcome.model_version,
        response_id=outcome.response_id,
        endpoint=outcome.endpoint,
        simulated=plan.simulated,
        prompt=prompt,
        parameters=asked,
        seed_policy=plan.seed_policy,
        seed=parameters.seed,
        requested_size=parameters.resolution,
        returned_size=(facts.width, facts.height),
        finish_reason=outcome.finish_reason,
        finish_message=outcome.finish_message,
        thoughts=outcome.thoughts,
        sections=sections_of(outcome.thoughts),
        usage=outcome.usage,
        cost_usd=outcome.cost_usd,
        price_table=outcome.price_table,
        attempts=answer.attempts,
        started=answer.started,
        ended=answer.finished,
        seconds=round(answer.seconds, 3),
        warnings=_warnings(plan, parameters, outcome, facts, before),
        tier=outcome.tier,
        api=outcome.api,
        encoding=outcome.encoding,
        sent=outcome.sent,
        raw=outcome.raw,
        reply=outcome.reply if plan.session == "single" else (),
    )


def _warnings(
    plan: RunPlan,
    parameters: Parameters,
    outcome: Any,
    facts: FileFacts,
    before: Sequence[Sidecar],
) -> tuple[str, ...]:
    found = list(outcome.warnings)
    wanted = _PIXELS.get(parameters.resolution or "")
    got = facts.width * facts.height
    resized = plan.parameters.get("editor_kind") == "simulate"
    if wanted and not resized and not wanted / _TWICE <= got <= wanted * _TWICE:
        found.append(
            f"size differs: {parameters.resolution} asked, {facts.width}x{facts.height} returned"
        )
    outputs = [one for one in before if one.step > 0]
    alike = [one for one in outputs if one.requested_size == parameters.resolution]
    if alike and (facts.width, facts.height) != (alike[-1].output.width, alike[-1].output.height):
        found.append("size differs from the step before")
    if outputs and outcome.model_version and outputs[-1].model_version != outcome.model_version:
        found.append(f"model changed: {outputs[-1].model_version} to {outcome.model_version}")
    asked, answered = plan.model or "", outcome.model_version or ""
    if plan.parameters.get("editor_kind") == "gemini" and not answered.startswith(asked):
        found.append(f"model differs: {asked} asked, {answered or 'none'} answered")
    declared = facts.declared_mime
    if declared and declared.partition(";")[0].strip().lower() != facts.mime:
        found.append(f"mime lied: {declared} declared, {facts.mime} found")
    seeds = {one.seed for one in outputs} - {None}
    if plan.seed_policy == "per-step" and parameters.seed in seeds:
        found.append("seed reused")
    return tuple(dict.fromkeys(found))
