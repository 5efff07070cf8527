"""What the scoring process and its worker say to each other: one JSON object a line."""

from msgspec import Struct, field

from b100tui.model.records import PictureRef


class Failed(Struct, frozen=True):
    """Why a metric has no value: a class of failure and the words for it."""

    error: str
    message: str


class Begin(Struct, frozen=True, tag="begin"):
    """First request: where the pictures are, which metrics will be asked for, how hard to work.

    `device` is auto, cpu or a torch device; `dtype` float32 or bf16; `pixels` the size of the
    largest picture, which bounds the processes beside the GPU; `timeout` the seconds one metric
    may take for one picture.
    """

    root: str
    metrics: tuple[str, ...]
    threads: int
    nice: bool = False
    device: str = "auto"
    dtype: str = "float32"
    pixels: int = 0
    timeout: float = 600.0


class Prove(Struct, frozen=True, tag="prove"):
    """Load these metrics and measure a known picture with each; answered by `Proved`."""

    metrics: tuple[str, ...]


class Read(Struct, frozen=True, tag="read"):
    """Read a picture (and its reference) and say its hash; pixels wait for `Measure`.

    `alone`: nothing else is in flight, and each metric is announced by `Doing`, so that the one a
    worker dies with is known.
    """

    job: int
    picture: PictureRef
    reference: PictureRef | None = None
    alone: bool = False


class Measure(Struct, frozen=True, tag="measure"):
    """Measure these metrics on the picture of `job`; none at all lets it go."""

    job: int
    metrics: tuple[str, ...]


Request = Begin | Prove | Read | Measure


class Hello(Struct, frozen=True, tag="hello"):
    """The worker is ready: what each metric's version hashes, which cannot be loaded, and how
    many pictures it wants in flight to keep its device busy.
    """

    versions: dict[str, dict[str, str]]
    failures: dict[str, Failed] = {}
    window: int = 0
    device: str = "cpu"
    processes: int = 0


class Proved(Struct, frozen=True, tag="proved"):
    """The metrics that failed on the known picture, and why."""

    failures: dict[str, Failed]


class Found(Struct, frozen=True, tag="found"):
    """What was read for `job`; with `failed` nothing was, and the job is over."""

    job: int
    sha256: str | None = None
    bytes: int | None = None
    mtime_ns: int | None = None
    reference_sha256: str | None = None
    failed: Failed | None = None


class Doing(Struct, frozen=True, tag="doing"):
    """The metric a job that is alone goes on with."""

    job: int
    metric: str


class Stuck(Struct, frozen=True, tag="stuck"):
    """A metric overran its time on these jobs; the worker ends after saying so."""

    jobs: tuple[int, ...]
    metric: str
    seconds: float


class Result(Struct, frozen=True, tag="result"):
    """Values and failures of `job` by metric; `pixels` is (width, height) as decoded."""

    job: int
    pixels: tuple[int, int] | None
    values: dict[str, float]
    failures: dict[str, Failed]
    seconds: dict[str, float]
    notes: dict[str, str] = field(default_factory=dict)


class Usage(Struct, frozen=True, tag="usage"):
    """Resident bytes of the worker and its processes now and at most, and how busy its device
    was: the share of the time since the first batch.
    """

    resident: int
    peak: int
    busy: float | None = None


Reply = Hello | Proved | Found | Doing | Stuck | Result | Usage
