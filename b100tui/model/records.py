"""The records on disk and in memory: runs, steps, sidecars, scores, verdicts, marks.

Field names are the keys of the files (schema 1). Unknown keys of a newer writer are
ignored, missing optional ones take their default. Paths are POSIX and relative to ROOT.
"""

from typing import Any, Literal

from msgspec import Struct, field

StepStatus = Literal["ok", "missing", "unreadable", "refused"]
SeedPolicy = Literal["none", "fixed", "per-step"]
SCHEMA = 1


class Section(Struct, frozen=True):
    """One titled part of a reasoning summary."""

    title: str
    text: str


class PictureRef(Struct, frozen=True):
    """Where one picture lies: a file, or a `member` inside a container file.

    `member` is "row:column" in a parquet shard or a name in an archive; None for a plain
    file. `bytes` and `mtime_ns` are those of the file at `path` when it was listed.
    """

    path: str
    member: str | None = None
    bytes: int = 0
    mtime_ns: int = 0


class Step(Struct, frozen=True, kw_only=True):
    """One step of a run as the index knows it (0 = initial image, 1 = first output)."""

    run: str
    step: int
    status: StepStatus = "ok"
    reason: str | None = None
    picture: PictureRef | None = None
    width: int | None = None
    height: int | None = None
    format: str | None = None  # png, jpeg, webp, gif, tiff, bmp
    sha256: str | None = None
    prompt: str | None = None
    editor: str | None = None
    model: str | None = None
    parameters: dict[str, Any] = field(default_factory=dict)
    seed: int | None = None
    sections: tuple[Section, ...] = ()
    finish_reason: str | None = None
    finish_message: str | None = None
    cost_usd: float | None = None
    seconds: float | None = None
    started: str | None = None
    warnings: tuple[str, ...] = ()


class Run(Struct, frozen=True, kw_only=True):
    """One repeat of a setting; `run` is its id, unique under ROOT (image/setting/run-k)."""

    run: str
    image: str
    recipe: str = ""
    setting: str = ""
    editor: str = ""
    editor_kind: str = ""
    repeat: int = 0
    labels: dict[str, str] = field(default_factory=dict)
    model: str = ""
    parameters: dict[str, Any] = field(default_factory=dict)
    seed_policy: str = ""
    session: str = ""
    steps_planned: int | None = None
    parent: str | None = None
    remedy: str | None = None
    simulated: bool = False
    stopped: str | None = None  # why the run ended before its last planned step


class RunPlan(Struct, frozen=True, kw_only=True):
    """`run.json`: the frozen plan of a run that b100 made."""

    schema: int = SCHEMA
    run: str
    image: str
    recipe: str
    setting: str
    editor: str
    repeat: int
    model: str | None = None
    parameters: dict[str, Any] = field(default_factory=dict)
    seed_policy: str = "none"
    session: str = "multi"
    steps_planned: int = 0
    plan_hash: str = ""
    parent: str | None = None
    remedy: str | None = None
    simulated: bool = False
    created: str = ""
    versions: dict[str, str] = field(default_factory=dict)
    prompts: tuple[str, ...] = ()  # asked one a step, from the first again after the last
    inputs: str = "previous"  # previous, initial, or initial:N (every N-th step re-anchors)


class FileFacts(Struct, frozen=True, kw_only=True):
    """What a sidecar says of an image file."""

    sha256: str
    bytes: int
    width: int
    height: int
    mime: str
    file: str
    declared_mime: str | None = None


class Sidecar(Struct, frozen=True, kw_only=True):
    """`step-NNN.json`: written last; the step exists once it parses and its image is there."""

    schema: int = SCHEMA
    run: str
    step: int
    output: FileFacts
    input: FileFacts | None = None
    editor: str | None = None
    model: str | None = None
    model_version: str | None = None
    response_id: str | None = None
    endpoint: str | None = None
    simulated: bool = False
    prompt: str | None = None
    parameters: dict[str, Any] = field(default_factory=dict)
    seed_policy: str | None = None
    seed: int | None = None
    requested_size: str | None = None
    returned_size: tuple[int, int] | None = None
    finish_reason: str | None = None
    finish_message: str | None = None
    thoughts: tuple[Any, ...] = ()
    sections: tuple[Section, ...] = ()
    usage: dict[str, Any] = field(default_factory=dict)
    cost_usd: float | None = None
    price_table: str | None = None
    attempts: int = 1
    started: str | None = None
    ended: str | None = None
    seconds: float | None = None
    warnings: tuple[str, ...] = ()
    tier: str | None = None  # service tier, where the provider has several prices
    api: str | None = None  # API version and client library version
    encoding: str | None = None  # an encoding that b100 did itself: local editors give pixels
    sent: dict[str, Any] = field(default_factory=dict)  # generation settings as they were sent
    raw: dict[str, Any] | None = None  # the reply, image data replaced by its sha256
    reply: tuple[Any, ...] = ()  # parts that a growing dialog hands back


class ScoreRecord(Struct, frozen=True, kw_only=True):
    """One line of a score part. `value` is a raw finite double, or None with `error`.

    `sha256` joins the score to every step with those bytes; `path`, `member`, `bytes` and
    `mtime_ns` say which file was read, so that the index learns that file's hash. Imported
    scores may lack all of them and join by (run, step). `reference_sha256` and `reference`
    (step number) are set for metrics that compare against a reference step.
    """

    run: str
    step: int
    metric: str
    metric_version: str
    value: float | None = None
    error: str | None = None  # class of failure: nan, too_small, unreadable, oom, ...
    message: str | None = None
    sha256: str | None = None
    path: str | None = None
    member: str | None = None
    bytes: int | None = None
    mtime_ns: int | None = None
    pixels: tuple[int, int] | None = None
    reference: int | None = None
    reference_sha256: str | None = None
    simulated: bool = False
    seconds: float | None = None
    host: str = ""
    time: str = ""
    parts: dict[str, str] = field(default_factory=dict)  # what metric_version hashes


class VerdictRecord(Struct, frozen=True, kw_only=True):
    """One judge answer about a reasoning summary; None as verdict means the call failed."""

    run: str
    step: int
    verdict: Literal["yes", "no", "unparsed", "no_summary"] | None
    model: str
    content_hash: str
    reply: str | None = None
    error: str | None = None
    usd: float | None = None
    simulated: bool = False
    time: str = ""


class MarkRecord(Struct, frozen=True, kw_only=True):
    """One human mark, or with `undo` the counter-record that takes mark `id` back."""

    id: str
    run: str
    step: int
    mode: str
    by: str
    time: str
    region: tuple[int, int, int, int] | None = None  # x, y, w, h in source pixels
    note: str | None = None
    undo: bool = False
    blind: bool = False
