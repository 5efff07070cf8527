"""A small HTTP server that answers with what a function says."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple


class Asked(NamedTuple):
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class Answer(NamedTuple):
    code: int = 200
    body: bytes = b""
    kind: str = "application/json"
    headers: dict[str, str] | None = None


@contextmanager
def answering(answer: Callable[[Asked], Answer]) -> Iterator[str]:
    """Serve on the loopback address; yields the URL."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *args: Any) -> None:
            pass

        def _any(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            given = answer(Asked(self.command, self.path, headers, body))
            self.send_response(given.code)
            self.send_header("content-type", given.kind)
            self.send_header("content-length", str(len(given.body)))
            for name, value in (given.headers or {}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(given.body)

        do_GET = do_POST = _any

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
