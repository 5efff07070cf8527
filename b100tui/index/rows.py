"""What the index hands out: run rows, series, hits, reports; plain data, no database."""

from msgspec import Struct, field

from b100tui.model.records import MarkRecord, Section
from b100tui.model.scan import Duplicate, LeftOut

ABSENT = -1  # a spark cell without a value


class RunRow(Struct, frozen=True, kw_only=True):
    """One run in the run list.

    `steps` counts the steps that exist; `missing` lists those absent between `first_step` and
    `last_step`. `sizes` holds (width, height, count), most frequent first. `coverage` is the
    share (0 to 1) of values that exist, over the run's readable steps and the metrics asked of
    it, None without any metric. `worst_gap` belongs to `worst_metric`: the largest failure at
    steps 5, 10 or 20 in normalised points, or in raw units where the metric's range is open.
    `spark` holds at most 24 levels 0 to 7 of `spark_metric`, -1 where no value exists.
    """

    run: str
    image: str = ""
    recipe: str = ""
    setting: str = ""
    editor: str = ""
    repeat: int = 0
    labels: dict[str, str] = field(default_factory=dict)
    steps: int = 0
    first_step: int | None = None
    last_step: int | None = None
    missing: tuple[int, ...] = ()
    duplicates: tuple[Duplicate, ...] = ()
    sizes: tuple[tuple[int, int, int], ...] = ()
    coverage: float | None = None
    onset: int | None = None
    limit: int | None = None
    editor_kind: str = ""
    simulated: bool = False
    parent: str | None = None
    worst_metric: str | None = None
    worst_gap: float | None = None
    spark: tuple[int, ...] = ()
    spark_metric: str | None = None
    badges: tuple[str, ...] = ()  # simulated, fork, gaps, sizes, unreadable, refused, stopped, ...
    steps_planned: int | None = None
    stopped: str | None = None
    model: str = ""
    folder: str = ""
    cost_usd: float | None = None


class Series(Struct, frozen=True, kw_only=True):
    """One metric over a run: `steps` ascending and `values` raw, both (n,); gaps are absent."""

    run: str
    metric: str
    steps: tuple[int, ...]
    values: tuple[float, ...]


class FirstPaint(Struct, frozen=True, kw_only=True):
    """The first rows of the run list and the totals, readable without a database."""

    generation: int
    root: str
    total_runs: int
    total_steps: int
    total_metrics: int
    rows: tuple[RunRow, ...]
    sort: str = "natural"
    filter: str = ""


class StepView(Struct, frozen=True, kw_only=True):
    """One step as the command line prints it. A score that failed is None."""

    step: int
    status: str
    reason: str | None = None
    path: str | None = None
    member: str | None = None
    width: int | None = None
    height: int | None = None
    format: str | None = None
    bytes: int | None = None
    prompt: str | None = None
    sections: tuple[Section, ...] = ()
    scores: dict[str, float | None] = field(default_factory=dict)
    verdict: str | None = None
    marks: tuple[MarkRecord, ...] = ()
    warnings: tuple[str, ...] = ()


class SearchHit(Struct, frozen=True, kw_only=True):
    """One place where the words stand.

    `section` counts from 0 within the step's reasoning; None means the prompt. `marks` are
    (start, end) character ranges of the hits in `snippet`. A higher `score` ranks first.
    """

    run: str
    step: int
    section: int | None
    title: str
    snippet: str
    score: float
    marks: tuple[tuple[int, int], ...] = ()


class SearchResult(Struct, frozen=True, kw_only=True):
    """The best hits and how many there are in all; `ranked` is False in the fallback scan."""

    query: str
    total: int
    seconds: float
    hits: tuple[SearchHit, ...]
    ranked: bool = True


class IndexReport(Struct, frozen=True, kw_only=True):
    """What a refresh found. `added`, `changed` and `removed` count steps."""

    generation: int
    runs: int
    steps: int
    sections: int
    scores: int
    verdicts: int
    marks: int
    added: int
    changed: int
    removed: int
    unreadable: int
    seconds: float
    unreadable_files: tuple[LeftOut, ...] = ()
    bad_records: tuple[LeftOut, ...] = ()
