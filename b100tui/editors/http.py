"""Plain HTTP calls with an overall deadline, for adapters without a client library of their own."""

import threading
from collections.abc import Callable
from typing import Any

import msgspec

from b100tui.editors.gemini_client import is_loopback, split_url
from b100tui.editors.gemini_faults import api_fault, cut_short, transport_fault, unknown_answer
from b100tui.editors.keys import Hider
from b100tui.editors.loop import SHARED, CutError, DeadlineError
from b100tui.editors.protocol import Outcome
from b100tui.model.errors import UNPARSABLE

_READ_SECONDS = 600.0
_LIMIT_BYTES = 256 * 1024 * 1024


class Answered:
    """An answer with its status below 400."""

    def __init__(self, body: bytes, json: Any) -> None:
        self.body = body
        self.json = json


class HttpCaller:
    """Calls to one address; used from any thread."""

    def __init__(self, base_url: str, key: str | None = None) -> None:
        self.base_url = base_url.rstrip("/")
        self.endpoint = split_url(base_url).netloc
        self.hider = Hider(key)
        self._key = key
        self._client: Any = None
        self._mutex = threading.Lock()

    def send(
        self,
        method: str,
        path: str,
        *,
        deadline: float | None = None,
        cancelled: Callable[[], bool] | None = None,
        **more: Any,
    ) -> "Answered | Outcome":
        """Send one request and return its answer, or the failure that it came to.

        `more` goes to the HTTP client: json, data, files, params. Keys never show in failures.
        """
        import httpx

        try:
            response = SHARED.call(
                lambda: self._opened().request(method, self.base_url + path, **more),
                deadline=deadline,
                cancelled=cancelled,
            )
        except (DeadlineError, CutError) as error:
            return cut_short(error, deadline)
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            fault = transport_fault(error)
            return msgspec.structs.replace(fault, message=self.hider.text(fault.message))
        return self._answered(response)

    def _answered(self, response: Any) -> "Answered | Outcome":
        body = response.content
        if len(body) > _LIMIT_BYTES:
            return unknown_answer(f"the answer holds {len(body) / 1e6:.0f} MB")
        told = None
        if "json" in response.headers.get("content-type", "") or body[:1] in (b"{", b"["):
            try:
                told = response.json()
            except UNPARSABLE:
                if response.status_code < 400:
                    return unknown_answer("the answer is no JSON: it was cut or garbled")
        if response.status_code < 400:
            return Answered(body, told)
        error = told.get("error") if isinstance(told, dict) else None
        message = error.get("message") if isinstance(error, dict) else error
        return api_fault(
            response.status_code,
            None,
            self.hider.value(told),
            self.hider.text(str(message or response.text[:400])),
            response.headers,
        )

    def _opened(self) -> Any:
        with self._mutex:
            if self._client is None:
                import httpx

                headers = {"authorization": f"Bearer {self._key}"} if self._key else {}
                self._client = httpx.AsyncClient(
                    headers=headers,
                    timeout=httpx.Timeout(_READ_SECONDS, connect=30.0),
                    limits=httpx.Limits(max_connections=64),
                    trust_env=not is_loopback(self.base_url),
                )
            return self._client
