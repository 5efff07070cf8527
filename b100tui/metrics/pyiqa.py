"""Any metric that pyiqa knows, behind the worker; the only module that imports torch.

pyiqa is called as it is published: b100 decodes, converts to float32 in [0, 1] (float64 inside
the classics is pyiqa's own), and takes the number. TF32 is off (see scoring.process); nothing is
cropped or resized but by the metric itself. bf16 autocast is for the nets only and makes another
metric version.
"""

import urllib.error
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from b100tui.imaging.decode import DECODE_POLICY
from b100tui.metrics import registry
from b100tui.metrics.protocol import Failure, Outcome, Pixels
from b100tui.metrics.weights import identity_of

# Float64 classics: faster on processors beside the GPU than on it, and the same values everywhere.
CLASSICS = frozenset(
    ("brisque", "brisque_matlab", "ilniqe", "niqe", "niqe_matlab", "nrqm", "pi", "piqe")
)
# Their formulas divide by the local contrast: a picture of one colour has no score.
_NEED_CONTRAST = CLASSICS
_ONE_AT_A_TIME = frozenset(("maclip", "qalign", "qalign_4bit", "qalign_8bit", "fgresq"))
_FLAT = Failure("flat", "the picture is of one colour: the metric has no meaning for it")
Net = Callable[..., Any]


class OutOfMemoryError(Exception):
    """The device has not enough memory for this batch."""


class Pyiqa:
    """The pyiqa metrics on one device; one thread at a time may call it.

    `device` is cpu or a torch device such as cuda:0; `dtype` is float32 or bf16.
    """

    def __init__(self, device: str = "cpu", dtype: str = "float32") -> None:
        self.device = device
        self.dtype = dtype
        self._nets: dict[str, Net] = {}
        self._most: dict[tuple[str, tuple[int, ...]], int] = {}
        # the last batch as bytes on the device, shared by all metrics of a group
        self._stacked: tuple[list[Pixels], Any] = ([], None)

    def version_parts(self, metric: str) -> dict[str, str]:
        """Return all that can change the metric's values; imports neither torch nor pyiqa."""
        classic = metric in CLASSICS
        weights = registry.weights(metric)
        return {
            "backend": f"pyiqa {_version('pyiqa')}",
            "torch": _version("torch"),
            "decode": DECODE_POLICY,
            "size": "full",
            "metric": metric,
            "weights": " ".join(identity_of(weight) for weight in weights),
            "dtype": "float32" if classic else self.dtype,
            "device": "cpu" if classic else self.device.partition(":")[0],
            "threads": "1",
        }

    def measure(
        self, metrics: Sequence[str], pixels: Pixels, reference: Pixels | None
    ) -> Mapping[str, Outcome]:
        """Return a value or a Failure for each of `metrics`, on one picture."""
        return {name: self.measure_batch(name, [pixels], [reference])[0] for name in metrics}

    def measure_batch(
        self, metric: str, pictures: Sequence[Pixels], references: Sequence[Pixels | None]
    ) -> list[Outcome]:
        """Return an outcome for each of `pictures`, which are all of one size.

        Out of memory halves the batch, down to one picture, which is then a Failure.
        """
        outcomes: list[Outcome | None] = [
            _unfit(metric, picture, reference)
            for picture, reference in zip(pictures, references, strict=True)
        ]
        left = [number for number, outcome in enumerate(outcomes) if outcome is None]
        if left:
            try:
                net = self._net(metric)
            except Exception as error:  # the border to foreign code
                words = f"{type(error).__name__}: {error}"
                if isinstance(error, urllib.error.URLError):
                    words = f"its weights are not in the cache and cannot be fetched: {words}"
                return [Failure("unavailable", words)] * len(pictures)
            for number, outcome in zip(
                left,
                self._halving(
                    metric, net, [pictures[n] for n in left], [references[n] for n in left]
                ),
                strict=True,
            ):
                outcomes[number] = outcome
        return [outcome for outcome in outcomes if outcome is not None]

    def _halving(
        self,
        metric: str,
        net: Net,
        pictures: Sequence[Pixels],
        references: Sequence[Pixels | None],
    ) -> list[Outcome]:
        key = (metric, pictures[0].shape)
        most = min(len(pictures), self._most.get(key, len(pictures)))
        if metric in _ONE_AT_A_TIME:
            most = 1
        outcomes: list[Outcome] = []
        while len(outcomes) < len(pictures):
            first = len(outcomes)
            some = slice(first, first + most)
            try:
                outcomes += self._one_batch(metric, net, pictures[some], references[some])
            except OutOfMemoryError as error:
                self._free()
                if most == 1:
                    words = f"not enough memory on {self.device} for this picture: {error}"
                    outcomes.append(Failure("oom", words))
                    continue
                most = self._most[key] = most // 2
        return outcomes

    def _one_batch(
        self,
        metric: str,
        net: Net,
        pictures: Sequence[Pixels],
        references: Sequence[Pixels | None],
    ) -> list[Outcome]:
        try:
            return self._forward(metric, net, pictures, references)
        except OutOfMemoryError:
            raise
        except Exception as error:  # the border to foreign code: it costs one picture, not a batch
            if len(pictures) == 1:
                return [Failure("error", f"{type(error).__name__}: {error}")]
            single: list[Outcome] = []
            for picture, reference in zip(pictures, references, strict=True):
                single += self._one_batch(metric, net, [picture], [reference])
            return single

    def _forward(
        self,
        metric: str,
        net: Net,
        pictures: Sequence[Pixels],
        references: Sequence[Pixels | None],
    ) -> list[Outcome]:
        import torch

        try:
            inputs = [self._tensor(pictures)]
            if registry.metric(metric).needs_reference:
                inputs.append(self._tensor([r for r in references if r is not None]))
            with torch.no_grad():
                if self.dtype == "bf16" and metric not in CLASSICS:
                    with torch.autocast(self.device.partition(":")[0], dtype=torch.bfloat16):
                        given = net(*inputs)
                else:
                    given = net(*inputs)
        except (MemoryError, torch.OutOfMemoryError) as error:
            raise OutOfMemoryError(_first_line(error)) from error
        except RuntimeError as error:
            words = str(error).lower()
            if "out of memory" in words or "can't allocate memory" in words:
                raise OutOfMemoryError(_first_line(error)) from error
            raise
        return _numbers(given, len(pictures))

    def _tensor(self, pictures: Sequence[Pixels]) -> Any:
        import torch

        known, stacked = self._stacked
        if len(known) != len(pictures) or any(
            a is not b for a, b in zip(known, pictures, strict=True)
        ):
            stacked = torch.from_numpy(np.stack(pictures)).to(self.device)
            self._stacked = (list(pictures), stacked)
        # made anew for each metric: one that works in place must not change the next one's input
        return stacked.permute(0, 3, 1, 2).contiguous().to(torch.float32).div(255)

    def _net(self, metric: str) -> Net:
        if metric not in self._nets:
            import pyiqa
            import torch

            torch.set_num_threads(1)
            device = torch.device("cpu" if metric in CLASSICS else self.device)
            name = str(registry.row(metric).options.get("pyiqa", metric))
            # The range check costs two passes over the picture; uint8 / 255 cannot leave [0, 1].
            self._nets[metric] = pyiqa.create_metric(name, device=device, check_input_range=False)
        return self._nets[metric]

    def _free(self) -> None:
        self._stacked = ([], None)
        if self.device.startswith("cuda"):
            import torch

            torch.cuda.empty_cache()


def _numbers(given: Any, count: int) -> list[Outcome]:
    """Return what a net gave as `count` numbers; another count is a failure of each."""
    if isinstance(given, tuple | list):
        given = given[0]
    values = given.detach().reshape(-1).double().cpu().tolist()
    if len(values) != count:
        words = f"the metric gave {len(values)} values for {count} pictures"
        if count > 1:
            raise ValueError(words)
        return [Failure("wrong_answer", words)]
    return [float(value) for value in values]


def _unfit(metric: str, picture: Pixels, reference: Pixels | None) -> Failure | None:
    """Return why `metric` has no meaning for the picture, None where it has."""
    known = registry.metric(metric)
    shorter = min(picture.shape[:2])
    if known.needs_reference:
        if reference is None:
            return Failure("no_reference", "the reference step has no readable picture")
        if reference.shape != picture.shape:
            sizes = [f"{image.shape[1]}x{image.shape[0]}" for image in (picture, reference)]
            return Failure("size_differs", f"{sizes[0]} px, but its reference has {sizes[1]} px")
    if shorter < known.min_side:
        return Failure("too_small", f"{shorter} px is under the {known.min_side} px it needs")
    if metric in _NEED_CONTRAST and bool((picture == picture[0, 0]).all()):
        return _FLAT
    return None


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "missing"
