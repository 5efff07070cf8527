"""What the scoring process and its worker say to each other: one JSON object a line."""

from msgspec import Struct

from b100tui.model.records import PictureRef


class Failed(Struct, frozen=True):
    """Why a metric has no value: a class of failure and the words for it."""

    error: str
    message: str


class Begin(Struct, frozen=True, tag="begin"):
    """First request: where the pictures are, which metrics will be asked for, how hard to work."""

    root: str
    metrics: tuple[str, ...]
    threads: int
    nice: bool = False


class Read(Struct, frozen=True, tag="read"):
    """Read a picture (and its reference) and say its hash; pixels wait for `Measure`."""

    job: int
    picture: PictureRef
    reference: PictureRef | None = None


class Measure(Struct, frozen=True, tag="measure"):
    """Measure these metrics on the picture of `job`; none at all lets it go."""

    job: int
    metrics: tuple[str, ...]


Request = Begin | Read | Measure


class Hello(Struct, frozen=True, tag="hello"):
    """The worker is ready: what each metric's version hashes, and which cannot be loaded."""

    versions: dict[str, dict[str, str]]
    failures: dict[str, Failed] = {}


class Found(Struct, frozen=True, tag="found"):
    """What was read for `job`; with `failed` nothing was, and the job is over."""

    job: int
    sha256: str | None = None
    bytes: int | None = None
    mtime_ns: int | None = None
    reference_sha256: str | None = None
    failed: Failed | None = None


class Result(Struct, frozen=True, tag="result"):
    """Values and failures of `job` by metric; `pixels` is (width, height) as decoded."""

    job: int
    pixels: tuple[int, int] | None
    values: dict[str, float]
    failures: dict[str, Failed]
    seconds: dict[str, float]


Reply = Hello | Found | Result
