"""The one protocol behind every image editor: bytes and words in, a named outcome back.

An adapter never re-encodes what it was given or what it received, never touches the run's
folder, and never raises for a failure that a remote side can cause: it returns an Outcome
with a failure class, and the engine decides about waiting, retrying and stopping.
"""

from collections.abc import Callable
from typing import Any, Literal, Protocol

from msgspec import Struct, field

# What the engine does about a failure hangs on its class alone.
FailureClass = Literal[
    "fatal_all",  # bad key, retired model, no account: the whole batch stops once
    "fatal_run",  # this request can never work: this run ends
    "wait",  # over a rate or spend limit: `retry_after_seconds` where the other side named it
    "backoff",  # server fault, timeout, cut or garbled reply
    "no_image",  # a reply without a final image: text or drafts only
    "refused",  # safety, recitation, prohibited content, blocked prompt
    "unavailable",  # the adapter cannot run here: package, weights, program or GPU missing
    "cancelled",  # stopped from outside before an answer came
]


class Turn(Struct, frozen=True, kw_only=True):
    """One earlier turn of a growing dialog (session mode `single`).

    `reply` holds the raw parts of the answer as the adapter needs them back, signatures
    included; their shape is the adapter's own. `answer` is the picture that the turn gave.
    """

    prompt: str
    image: bytes
    mime: str
    answer: bytes = b""
    answer_mime: str = ""
    reply: tuple[Any, ...] = ()


class Parameters(Struct, frozen=True, kw_only=True):
    """What an edit is asked with, beside image and prompt; None means "not sent".

    `resolution` is "1K", "2K" or "4K"; `aspect_ratio` such as "16:9", unset follows the input.
    `seed` is a signed 32-bit number. `extra` holds the adapter's own settings (guidance,
    inference steps, workflow). `run` and `step` say where the edit belongs: adapters may log
    or derive from them and must not need them. `deadline_seconds` limits the whole attempt;
    `cancelled` turns true when a person wants it to end now.
    """

    seed: int | None = None
    temperature: float | None = None
    resolution: str | None = None
    aspect_ratio: str | None = None
    thinking: str | None = None
    history: tuple[Turn, ...] = ()
    extra: dict[str, Any] = field(default_factory=dict)
    deadline_seconds: float | None = None
    cancelled: Callable[[], bool] | None = None
    run: str = ""
    step: int = 0


class ReceivedImage(Struct, frozen=True, kw_only=True):
    """An image exactly as received; `declared_mime` is what the other side called it."""

    data: bytes
    declared_mime: str | None = None


class Outcome(Struct, frozen=True, kw_only=True):
    """What came of one attempt: an image, or a failure class with its words.

    Exactly one of `image` and `failure` is set. `thoughts` are raw parts (texts, or objects
    where the adapter has more than text), `drafts` thought images that must never enter the
    chain. `possibly_billed`: the other side may charge although no answer arrived.
    `encoding` names an encoding that the adapter did itself (local pipelines hand over pixels).
    """

    image: ReceivedImage | None = None
    failure: FailureClass | None = None
    message: str = ""
    hint: str = ""
    retry_after_seconds: float | None = None
    possibly_billed: bool = False
    thoughts: tuple[Any, ...] = ()
    drafts: tuple[ReceivedImage, ...] = ()
    finish_reason: str | None = None
    finish_message: str | None = None
    model_version: str | None = None
    response_id: str | None = None
    endpoint: str | None = None
    usage: dict[str, Any] = field(default_factory=dict)
    cost_usd: float | None = None
    price_table: str | None = None
    encoding: str | None = None
    tier: str | None = None
    api: str | None = None
    sent: dict[str, Any] = field(default_factory=dict)
    raw: dict[str, Any] | None = None  # the reply minus image data
    reply: tuple[Any, ...] = ()  # parts to hand back as Turn.reply
    warnings: tuple[str, ...] = ()


class Capabilities(Struct, frozen=True, kw_only=True):
    """What a model takes, as data; a parameter it does not take is left out of the request."""

    seed: bool = False
    temperature: bool = False
    resolutions: tuple[str, ...] = ()
    aspect_ratios: tuple[str, ...] = ()
    thinking: tuple[str, ...] = ()
    dialog: bool = False  # can hold one growing session
    max_input_bytes: int | None = None
    mimes: tuple[str, ...] = ("image/png", "image/jpeg", "image/webp")
    deterministic: bool = False  # same bytes, prompt and seed give the same bytes


class Editor(Protocol):
    """One image editor, ready to be called from one worker thread at a time."""

    @property
    def name(self) -> str:
        """The editor's id in paths, sidecars and filters."""
        ...

    @property
    def model(self) -> str:
        """The model id that is requested."""
        ...

    @property
    def kind(self) -> str:
        """Which adapter it is: gemini, diffusers, command, comfyui, openai, simulate."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """What the model takes."""
        ...

    def edit(self, image: bytes, mime: str, prompt: str, parameters: Parameters) -> Outcome:
        """Ask for one edit of `image` (of type `mime`) by `prompt`; never raises for faults."""
        ...
