"""VisualQuality-R1 (and its like) through an OpenAI-compatible endpoint, such as vLLM serves.

Set in metrics.toml: [metric.visualquality_r1] url = "http://HOST:8000/v1", and if wanted model,
samples, thinking, seconds, key_env (the environment variable that holds the key; never the key).
"""

import base64
import io
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from b100tui.imaging.decode import DECODE_POLICY
from b100tui.metrics import registry
from b100tui.metrics.protocol import Failure, Measured, Outcome, Pixels
from b100tui.model.text import clean_line

# The published prompt of TianheWu/VisualQuality-R1 (Apache-2.0), word for word.
QUESTION = (
    "You are doing the image quality assessment task. Here is the question: What is your overall "
    "rating on the quality of this picture? The rating should be a float between 1 and 5, rounded "
    "to two decimal places, with 1 representing very poor quality and 5 representing excellent "
    "quality."
)
PLAIN = " Please only output the final answer with only one score in <answer> </answer> tags."
THINKING = (
    " First output the thinking process in <think> </think> tags and then output the final answer "
    "with only one score in <answer> </answer> tags."
)
MODEL = "TianheWu/VisualQuality-R1-7B"
KEY = "B100_ENDPOINT_KEY"
_ANSWER = re.compile(r"<answer>(.*?)</answer>", re.DOTALL)
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
_SHOWN = 120
_SERVER_FAULT = 500


class Endpoint:
    """Asks a vision-language model for a score; many threads may call it."""

    def __init__(self) -> None:
        import httpx

        self._client = httpx.Client(limits=httpx.Limits(max_connections=64))

    def version_parts(self, metric: str) -> dict[str, str]:
        """Return model, prompt and sampling; where the endpoint is does not matter."""
        options = registry.row(metric).options
        samples = int(options.get("samples", 1))
        return {
            "backend": "endpoint 1",
            "decode": DECODE_POLICY,
            "metric": metric,
            "model": str(options.get("model", MODEL)),
            "prompt": prompt(options),
            "sampling": "greedy" if samples == 1 else f"mean of {samples}, seeds 0 on, top_k 50",
            "size": "as the server limits it",
        }

    def measure(
        self, metrics: Sequence[str], pixels: Pixels, reference: Pixels | None
    ) -> Mapping[str, Outcome]:
        """Return a score or a Failure for each of `metrics`."""
        picture = _data_url(pixels)
        return {name: self._one(registry.row(name).options, picture) for name in metrics}

    def _one(self, options: Mapping[str, Any], picture: str) -> Outcome:
        samples = int(options.get("samples", 1))
        values = []
        for number in range(samples):
            outcome = self._asked(options, picture, None if samples == 1 else number)
            if isinstance(outcome, Failure):
                return outcome
            values.append(outcome)
        mean = sum(values) / len(values)
        if samples == 1:
            return mean
        spread = (sum((value - mean) ** 2 for value in values) / (samples - 1)) ** 0.5
        return Measured(mean, f"mean of {samples} samples, sd {spread:.4g}")

    def _asked(self, options: Mapping[str, Any], picture: str, seed: int | None) -> float | Failure:
        import httpx

        url = str(options.get("url", "")).rstrip("/")
        sampling: dict[str, Any] = {"temperature": 0}
        if seed is not None:
            sampling = {"temperature": 1.0, "top_k": 50, "seed": seed}
        body = {
            "model": str(options.get("model", MODEL)),
            "max_tokens": int(options.get("max_tokens", 2048 if options.get("thinking") else 64)),
            "messages": [
                {
                    "role": "user",
                    "content": [
                        {"type": "image_url", "image_url": {"url": picture}},
                        {"type": "text", "text": prompt(options)},
                    ],
                }
            ],
            **sampling,
        }
        key = os.environ.get(str(options.get("key_env", KEY)), "")
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        failure = Failure("unreachable", "never asked")
        for _ in range(2):
            try:
                reply = self._client.post(
                    f"{url}/chat/completions",
                    json=body,
                    headers=headers,
                    timeout=float(options.get("seconds", 300)),
                )
            except httpx.TimeoutException:
                failure = Failure("timed_out", f"no answer from {_host(url)}")
                continue
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                failure = Failure("unreachable", f"{_host(url)}: {clean_line(str(error))}")
                continue
            if reply.status_code < _SERVER_FAULT:
                return _read(reply)
            failure = Failure("refused", f"{_host(url)} answered {reply.status_code}")
        return failure


def prompt(options: Mapping[str, Any]) -> str:
    """Return the question asked: the user's own, or the published one."""
    if options.get("prompt"):
        return str(options["prompt"])
    return QUESTION + (THINKING if options.get("thinking") else PLAIN)


def parsed(text: str) -> float | Failure:
    """Return the number in the last <answer>, or of a reply that is nothing but a number.

    A minus sign is kept. Anything else is a failure, with what was said.
    """
    answers = _ANSWER.findall(text)
    found = _NUMBER.search(answers[-1]) if answers else _NUMBER.fullmatch(text.strip())
    if found is None:
        said = clean_line(text)[-_SHOWN:]
        return Failure("unparsed", f"no number in the answer: {said!r}")
    return float(found[0])


def _read(reply: Any) -> float | Failure:
    if reply.status_code != 200:
        words = clean_line(reply.text)[:_SHOWN]
        return Failure("refused", f"answered {reply.status_code}: {words}")
    try:
        text = reply.json()["choices"][0]["message"]["content"]
    except (ValueError, KeyError, IndexError, TypeError) as error:
        return Failure("unparsed", f"no chat completion in the answer: {type(error).__name__}")
    if not isinstance(text, str):
        return Failure("unparsed", "the answer holds no text")
    return parsed(text)


def _data_url(pixels: Pixels) -> str:
    from PIL import Image

    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG", compress_level=1)
    return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode("ascii")


def _host(url: str) -> str:
    return urlsplit(url).hostname or "the endpoint"
