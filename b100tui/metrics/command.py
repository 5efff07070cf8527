"""A program or a URL that scores pictures: RALI, or anything a user has.

Set in metrics.toml: [metric.NAME] command = ["PROGRAM", "ARGUMENT"] or url = "http://...". The
program reads one picture path a line on standard input and answers each with one JSON line,
{"path": ..., "score": NUMBER} or {"path": ..., "error": "why"}, in any order; it stays open between
pictures, so a model is loaded once. Other lines it prints go to the log. A URL is posted
{"paths": [...]} and answers the same lines. The paths are PNG files of the decoded pixels.
"""

import hashlib
import os
import selectors
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from b100tui.imaging.decode import DECODE_POLICY
from b100tui.metrics import registry
from b100tui.metrics.protocol import Failure, Outcome, Pixels
from b100tui.model.text import clean_line

_SECONDS = 600.0
_HASHED_BYTES = 1 << 20


class Command:
    """The programs of all command metrics; one thread at a time may call it."""

    def __init__(self) -> None:
        self._programs: dict[str, _Program] = {}

    def version_parts(self, metric: str) -> dict[str, str]:
        """Return the command, the files it names and the user's own `version` of it."""
        options = registry.row(metric).options
        words = _words(options)
        return {
            "backend": "command 1",
            "decode": DECODE_POLICY,
            "metric": metric,
            "command": msgspec.json.encode(words or str(options.get("url", ""))).decode(),
            "files": " ".join(filter(None, map(_hash, words))),
            "version": str(options.get("version", "")),
        }

    def measure(
        self, metrics: Sequence[str], pixels: Pixels, reference: Pixels | None
    ) -> Mapping[str, Outcome]:
        """Return a score or a Failure for each of `metrics`."""
        return {name: self.measure_batch(name, [pixels], [reference])[0] for name in metrics}

    def measure_batch(
        self, metric: str, pictures: Sequence[Pixels], references: Sequence[Pixels | None]
    ) -> list[Outcome]:
        """Return an outcome for each of `pictures`."""
        options = registry.row(metric).options
        seconds = float(options.get("seconds", _SECONDS))
        with tempfile.TemporaryDirectory(prefix="b100-score-") as folder:
            paths = [str(_written(Path(folder), n, one)) for n, one in enumerate(pictures)]
            if options.get("url"):
                answers = _posted(str(options["url"]), paths, seconds)
            else:
                if metric not in self._programs:
                    self._programs[metric] = _Program(_words(options))
                answers = self._programs[metric].ask(paths, seconds)
        nothing = Failure("no_answer", "the program gave no answer for this picture")
        return [answers.get(path, nothing) for path in paths]


class _Answer(Struct, frozen=True):
    path: str
    score: float | int | None = None
    error: str | None = None


class _Program:
    """One running program; started anew after it has died."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = list(words)
        self._process: subprocess.Popen[bytes] | None = None
        self._rest = b""

    def ask(self, paths: Sequence[str], seconds: float) -> dict[str, Outcome]:
        """Return the answers by path; those of a program that dies or hangs are failures."""
        try:
            process = self._running()
            assert process.stdin is not None
            process.stdin.write("".join(f"{path}\n" for path in paths).encode())
            process.stdin.flush()
        except OSError as error:
            self._end()
            words = f"{self._words[0] if self._words else 'no program'}: {error}"
            return dict.fromkeys(paths, Failure("crashed", words))
        answers: dict[str, Outcome] = {}
        limit = time.monotonic() + seconds * len(paths)
        while len(answers) < len(paths):
            line = self._line(limit)
            if isinstance(line, Failure):
                self._end()
                return {**dict.fromkeys(paths, line), **answers}
            answer = _understood(line)
            if answer is None or answer.path not in paths:
                sys.stderr.write(clean_line(line.decode("utf-8", "replace")) + "\n")
            else:
                answers[answer.path] = _outcome(answer)
        return answers

    def _running(self) -> "subprocess.Popen[bytes]":
        if self._process is None or self._process.poll() is not None:
            self._rest = b""
            self._process = subprocess.Popen(
                self._words, stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
        return self._process

    def _line(self, limit: float) -> bytes | Failure:
        process = self._process
        assert process is not None
        assert process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while b"\n" not in self._rest:
                if not selector.select(max(0.0, limit - time.monotonic())):
                    return Failure("timed_out", "the program did not answer in time")
                data = os.read(process.stdout.fileno(), 65536)
                if not data:
                    return Failure("crashed", f"the program ended with code {process.wait()}")
                self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        return line

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


def _posted(url: str, paths: Sequence[str], seconds: float) -> dict[str, Outcome]:
    import httpx

    failure = Failure("unreachable", "never asked")
    for _ in range(2):
        try:
            reply = httpx.post(url, json={"paths": list(paths)}, timeout=seconds * len(paths))
        except httpx.TimeoutException:
            failure = Failure("timed_out", "no answer in time")
            continue
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            failure = Failure("unreachable", clean_line(str(error)))
            continue
        if reply.status_code == 200:
            found = [_understood(line) for line in reply.content.splitlines()]
            return {one.path: _outcome(one) for one in found if one is not None}
        failure = Failure("refused", f"answered {reply.status_code}")
    return dict.fromkeys(paths, failure)


def _understood(line: bytes) -> _Answer | None:
    try:
        return msgspec.json.decode(line, type=_Answer)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None


def _outcome(answer: _Answer) -> Outcome:
    if answer.score is not None:
        return float(answer.score)
    return Failure("refused", clean_line(answer.error or "neither score nor error"))


def _written(folder: Path, number: int, pixels: Pixels) -> Path:
    from PIL import Image

    path = folder / f"{number:04}.png"
    Image.fromarray(pixels).save(path, compress_level=1)
    return path


def _words(options: Mapping[str, Any]) -> list[str]:
    given = options.get("command", [])
    return [given] if isinstance(given, str) else [str(word) for word in given]


def _hash(word: str) -> str:
    try:
        path = Path(word)
        if path.is_file() and path.stat().st_size <= _HASHED_BYTES:
            return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    except OSError:
        return ""
    return ""
