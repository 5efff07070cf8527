"""A fake Gemini service on the loopback address: real HTTP for the real client.

Faults are keyed by (model, nth call). Every answer that the service would charge for stands in
`bill`; requests are logged with keys masked.
"""

import json
import random
import re
import socket
import struct
import threading
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.fakes.gemini_answers import answer, judged, last_image
from tests.fakes.gemini_faults import Fault, spoil
from tests.fakes.gemini_rules import (
    BODY_LIMIT,
    PRICES,
    Rejected,
    bill,
    check_key,
    check_model,
    check_request,
    either,
)

_CALL = re.compile(
    r".*/(?P<version>v1|v1beta|v1beta1)/(?:projects/[^/]+/locations/[^/]+/)?"
    r"(?:publishers/google/)?models/(?P<model>[^/:]+):(?P<what>\w+)"
)
_MODEL = re.compile(r".*/(?P<version>v1|v1beta|v1beta1)/models(?:/(?P<model>[^/:]+))?")


class Server(ThreadingHTTPServer):
    request_queue_size = 256
    daemon_threads = True
    fake: "FakeGemini"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is what some tests are about."""


class FakeGemini:
    """`with FakeGemini() as fake:` serves at fake.url until the block ends."""

    def __init__(self, *, scale: float = 1 / 16, fmt: str = "JPEG", seed: int = 1) -> None:
        self.scale = scale
        self.fmt = fmt
        self.faults: dict[tuple[str, int], Fault] = {}
        self.every: Fault | None = None
        self.log: list[dict[str, Any]] = []
        self.bill: list[float] = []
        self.latency = 0.0
        self.running = self.most_running = 0
        self.served: list[bytes] = []
        self.ending = threading.Event()
        self.called = threading.Event()
        # Told when an answer stalls or drips: a test may put its clock forward then.
        self.on_stall: Callable[[], None] = lambda: None
        self._calls: Counter[str] = Counter()
        self._mutex = threading.Lock()
        self._chance = random.Random(seed)
        self._server = Server(("127.0.0.1", 0), Handler)
        self._server.fake = self

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def total(self) -> float:
        return sum(self.bill)

    def __enter__(self) -> "FakeGemini":
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self.ending.set()
        self._server.shutdown()
        self._server.server_close()

    def fail(self, nth: int, kind: str, model: str = "gemini-3-pro-image", **more: Any) -> None:
        self.faults[(model, nth)] = Fault(kind, more)

    def calls(self, model: str = "gemini-3-pro-image") -> int:
        return self._calls[model]

    def reply(self, model: str, body: dict[str, Any]) -> tuple[dict[str, Any], Fault | None]:
        """The reply to a checked request, and the fault that is due with it."""
        with self._mutex:
            self._calls[model] += 1
            fault = self.faults.get((model, self._calls[model]), self.every)
            chance = random.Random(self._chance.getrandbits(64))
        self.called.set()
        if fault is not None:
            fault.reject()
        if last_image(body) is None:
            good = judged(model, body)
        else:
            good = answer(model, body, scale=self.scale, fmt=self.fmt, chance=chance)
        usage = good["usageMetadata"]
        if fault is not None:
            good = spoil(good, fault)
            usage = good.pop("__usage", usage)
        with self._mutex:
            self.bill.append(bill(model, usage))
        return good, fault


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def log_message(self, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        found = _MODEL.fullmatch(self.path.partition("?")[0])
        try:
            check_key(self.headers.get("x-goog-api-key"))
            if not found:
                raise Rejected(404, "NOT_FOUND", "no such path")
            if found["model"] is None:
                self._json(200, {"models": [{"name": f"models/{name}"} for name in PRICES]})
            else:
                check_model(found["model"], found["version"])
                self._json(200, {"name": f"models/{found['model']}"})
        except Rejected as error:
            self._json(error.code, error.body)

    def do_POST(self) -> None:
        length = int(self.headers.get("content-length", 0))
        data = self.rfile.read(length)
        fake = self.server.fake
        with fake._mutex:
            fake.running += 1
            fake.most_running = max(fake.most_running, fake.running)
        try:
            self._post(data, length)
        finally:
            with fake._mutex:
                fake.running -= 1

    def _post(self, data: bytes, length: int) -> None:
        fake = self.server.fake
        found = _CALL.fullmatch(self.path.partition("?")[0])
        key = self.headers.get("x-goog-api-key")
        try:
            if not found:
                raise Rejected(404, "NOT_FOUND", "no such path")
            if "Bearer" not in self.headers.get("authorization", ""):
                check_key(key)
            if length > BODY_LIMIT:
                raise Rejected(400, "INVALID_ARGUMENT", "Request payload size exceeds the limit")
            check_model(found["model"], found["version"])
            body = json.loads(data)
            with fake._mutex:
                fake.log.append({"path": self.path, "body": body, "key": "masked" if key else None})
            check_request(found["model"], body)
            if found["what"] == "countTokens":
                self._json(200, {"totalTokens": 560})
                return
            reply, fault = fake.reply(found["model"], body)
        except Rejected as error:
            headers = {"retry-after": error.retry_after} if hasattr(error, "retry_after") else {}
            if getattr(error, "html", False):
                self._send(error.code, b"<html><h1>502</h1></html>", "text/html", headers)
            else:
                shown = json.dumps(error.body).replace("{key}", key or "")
                self._send(error.code, shown.encode(), "application/json", headers)
            return
        if fake.latency:
            fake.ending.wait(fake.latency)
        text = reply.get("__body")
        if text is None:
            text = json.dumps(reply).replace("{key}", key or "")
        self._deliver(text.encode(), fault, stream=found["what"].startswith("stream"))

    def _deliver(self, data: bytes, fault: Fault | None, *, stream: bool) -> None:
        kind = fault.kind if fault else ""
        if kind in {"stall", "drip"}:
            self.server.fake.on_stall()
        if kind == "stall":
            self.server.fake.ending.wait(fault.more.get("seconds", 5.0))
            self.close_connection = True
            return
        if kind == "reset":
            linger = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            self.connection.close()
            self.close_connection = True
            return
        if kind in {"cut", "drip"}:
            self._head(200, len(data), "application/json", {})
            if kind == "drip":
                for place in range(200):
                    self.wfile.write(data[place : place + 1])
                    self.wfile.flush()
                    if self.server.fake.ending.wait(0.05):
                        break
            else:
                self.wfile.write(data[: len(data) // 2])
            self.close_connection = True
            return
        if stream:
            self._send(200, b"data: " + data + b"\r\n\r\n", "text/event-stream", {})
            return
        self._send(200, data, "application/json", {})

    def _json(self, code: int, body: Any) -> None:
        self._send(code, json.dumps(body).encode(), "application/json", {})

    def _send(self, code: int, data: bytes, kind: str, headers: dict[str, str]) -> None:
        self._head(code, len(data), kind, headers)
        self.wfile.write(data)

    def _head(self, code: int, length: int, kind: str, headers: dict[str, str]) -> None:
        self.send_response(code)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(length))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()


def prompt_of(logged: dict[str, Any]) -> str:
    parts = logged["body"]["contents"][-1]["parts"]
    return next(part["text"] for part in parts if "text" in part)


def config_of(logged: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = either(logged["body"], "generationConfig") or {}
    return found
