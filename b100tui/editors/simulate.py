"""The simulated editor: b100's own deterministic degrader for demos and tests.

It crops to a size table at step 1, carries out the instruction (or, as planted, does not),
then adds the damage that the run's schedule plants. The same schedule, input bytes, prompt and
parameters give the same bytes on the same machine and library versions. No global random
state is read or written, no network, no GPU.
"""

from typing import TYPE_CHECKING, Any

import cv2
import numpy as np

from b100tui.editors.degrade import apply_step
from b100tui.editors.instructions import Instruction, carry_out, understand
from b100tui.editors.protocol import Capabilities, Outcome, Parameters, ReceivedImage
from b100tui.editors.schedule import Schedule, derive_seed, generator, profiles
from b100tui.editors.sizes import central_crop, output_size
from b100tui.editors.summaries import Subject, Writer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Pixels = NDArray[np.float32]

_PRICE = {"1K": 0.134, "2K": 0.134, "4K": 0.24}
_JPEG_QUALITY = 88


class SimulatedEditor:
    """One simulated model working on one run, as its `schedule` plants.

    `scale` shrinks the size table (0.25 turns 2K into 704x376); `fmt` is "jpeg" or "png";
    `reasons` is False for models that return no reasoning summary.
    """

    kind = "simulate"
    capabilities = Capabilities(
        seed=True,
        temperature=True,
        resolutions=("1K", "2K", "4K"),
        mimes=("image/png", "image/jpeg"),
        deterministic=True,
    )

    def __init__(
        self,
        schedule: Schedule,
        *,
        subject: Subject | None = None,
        scale: float = 1.0,
        fmt: str = "jpeg",
        reasons: bool = True,
    ) -> None:
        self.schedule = schedule
        self.profile = profiles()[schedule.profile]
        self.scale = scale
        self.fmt = fmt
        self._writer = Writer(subject or Subject()) if reasons else None

    @property
    def name(self) -> str:
        """The name of the simulated model."""
        return self.schedule.profile

    @property
    def model(self) -> str:
        """The model id that sidecars carry."""
        return f"simulated/{self.schedule.profile}"

    def edit(self, image: bytes, mime: str, prompt: str, parameters: Parameters) -> Outcome:
        """Return the simulated answer to `prompt`; a refusal or a failure where one is planted."""
        step = parameters.step
        identity = f"{derive_seed('response', self.schedule.seed, parameters.run, step):08x}"
        base: dict[str, Any] = {
            "model_version": f"{self.model}-1",
            "response_id": f"simulated-{identity}",
            "endpoint": "simulated",
        }
        if step == self.schedule.refused:
            return Outcome(
                failure="refused",
                message="the simulated model declined this step",
                finish_reason="IMAGE_SAFETY",
                finish_message="SIMULATED: the picture was withheld by a safety filter.",
                **base,
            )
        pixels = _decode(image)
        if pixels is None:
            return Outcome(
                failure="fatal_run", message=f"the input ({mime}) is no picture that decodes"
            )
        instruction = understand(prompt)
        random = generator(
            "instruction", self.schedule.seed, parameters.seed, parameters.temperature, step
        )
        pixels = self._fit(pixels, parameters.resolution or "2K")
        followed = step not in self.schedule.ignored
        if followed:
            pixels = carry_out(pixels, instruction, random, step)
        pixels = apply_step(pixels, self.schedule, self.profile, step)
        data = self._encode(pixels)
        thoughts = self._thoughts(instruction, step)
        resolution = parameters.resolution or "2K"
        return Outcome(
            image=ReceivedImage(data=data, declared_mime=f"image/{self.fmt}"),
            finish_reason="STOP",
            thoughts=thoughts,
            usage=_usage(prompt, thoughts, resolution),
            cost_usd=_PRICE[resolution],
            price_table="simulated",
            warnings=("SIMULATED",),
            **base,
        )

    def _fit(self, pixels: "Pixels", resolution: str) -> "Pixels":
        """Crop and resize to the answer size for `resolution`; equal sizes stay untouched."""
        height, width = pixels.shape[:2]
        size = output_size(width, height, resolution, self.scale)
        if size == (width, height):
            return pixels
        x, y, wide, high = central_crop(width, height, size[0] / size[1])
        part = pixels[y : y + high, x : x + wide]
        if (wide, high) == size:
            return np.ascontiguousarray(part)
        how = cv2.INTER_AREA if size[0] < wide else cv2.INTER_CUBIC
        return np.asarray(cv2.resize(part, size, interpolation=how), np.float32)

    def _encode(self, pixels: "Pixels") -> bytes:
        eight = np.clip(pixels + np.float32(0.5), 0, 255).astype(np.uint8)
        swapped = cv2.cvtColor(eight, cv2.COLOR_RGB2BGR)
        if self.fmt == "png":
            _, buffer = cv2.imencode(".png", swapped, [cv2.IMWRITE_PNG_COMPRESSION, 3])
        else:
            _, buffer = cv2.imencode(".jpg", swapped, [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])
        return bytes(buffer)

    def _thoughts(self, instruction: Instruction, step: int) -> tuple[str, ...]:
        if self._writer is None:
            return ()
        return self._writer.write(
            generator("summary", self.schedule.seed, step),
            instruction,
            admits_noise=step in self.schedule.noticed,
        )


def _decode(image: bytes) -> "Pixels | None":
    try:
        pixels = cv2.imdecode(np.frombuffer(image, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error:
        return None
    if pixels is None:
        return None
    return np.asarray(cv2.cvtColor(pixels, cv2.COLOR_BGR2RGB), np.float32)


def _usage(prompt: str, thoughts: tuple[str, ...], resolution: str) -> dict[str, Any]:
    """Token counts in the shape of a real reply; words stand in for tokens."""
    image = {"1K": 1120, "2K": 1120, "4K": 2000}[resolution]
    thinking = sum(len(text.split()) for text in thoughts) * 4 // 3
    asked = 560 + len(prompt.split()) * 4 // 3
    return {
        "promptTokenCount": asked,
        "candidatesTokenCount": image,
        "thoughtsTokenCount": thinking,
        "totalTokenCount": asked + image + thinking,
        "candidatesTokensDetails": [{"modality": "IMAGE", "tokenCount": image}],
    }
