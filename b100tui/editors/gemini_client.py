"""The google-genai client, opened late and once: importing it takes seconds."""

import ipaddress
import os
import threading
from importlib.metadata import version
from typing import Any
from urllib.parse import SplitResult, urlsplit

import msgspec

from b100tui.editors.gemini_faults import api_fault, cut_short, transport_fault, unknown_answer
from b100tui.editors.keys import Hider, find_key, key_place
from b100tui.editors.loop import SHARED, CutError, DeadlineError
from b100tui.editors.protocol import Outcome
from b100tui.model.errors import UsageError
from b100tui.model.text import clean_line

API_VERSION = "v1"
_VERTEX_API_VERSION = "v1beta1"
_HOST = "generativelanguage.googleapis.com"
_VERTEX_HOST = "aiplatform.googleapis.com"
_BASE_VARIABLES = {False: "GOOGLE_GEMINI_BASE_URL", True: "GOOGLE_VERTEX_BASE_URL"}


def base_url_of(base_url: str | None, vertex: bool) -> str | None:
    """Return the address that the client would use instead of its own, None for its own."""
    return base_url or os.environ.get(_BASE_VARIABLES[vertex]) or None


def split_url(url: str) -> SplitResult:
    """Return the parts of an address that a person wrote; UsageError where it is none."""
    try:
        return urlsplit(url)
    except ValueError as error:
        raise UsageError(
            f"{clean_line(url)!r} is no address: {error}", "mend base_url in your editors.toml"
        ) from error


def is_loopback(url: str | None) -> bool:
    """Say whether `url` means this machine: a fake or a local gateway, never the real service."""
    host = split_url(url or "").hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class GeminiClient:
    """One client for all calls to one address; used from any thread."""

    def __init__(
        self,
        *,
        base_url: str | None = None,
        key_variable: str | None = None,
        vertex: bool = False,
        project: str | None = None,
        location: str | None = None,
        api_version: str | None = None,
    ) -> None:
        self.vertex = vertex
        self.base_url = base_url_of(base_url, vertex)
        self.endpoint = split_url(self.base_url).netloc if self.base_url else ""
        self.endpoint = self.endpoint or (_VERTEX_HOST if vertex else _HOST)
        self.api_version = api_version or os.environ.get("GOOGLE_GENAI_API_VERSION") or ""
        self.api_version = self.api_version or (_VERTEX_API_VERSION if vertex else API_VERSION)
        self._key = find_key("gemini", key_variable)
        self._project = project or os.environ.get("GOOGLE_CLOUD_PROJECT")
        self._location = location or os.environ.get("GOOGLE_CLOUD_LOCATION") or "global"
        if self._key is None and not vertex:
            raise UsageError("no Gemini API key", key_place("gemini", key_variable))
        self.hider = Hider(self._key)
        self._mutex = threading.Lock()
        self._client: Any = None

    @property
    def api(self) -> str:
        """API version and client version, as sidecars carry them."""
        return f"{self.api_version}, google-genai {version('google-genai')}"

    def generate(
        self,
        model: str,
        contents: Any,
        config: dict[str, Any],
        *,
        read_seconds: float,
        deadline: float | None,
        cancelled: Any = None,
    ) -> str | Outcome:
        """Send one request; return the reply's JSON text, or the failure that it came to.

        `config` holds fields of the client's GenerateContentConfig. `read_seconds` limits each
        read, `deadline` the whole attempt. Keys never show in what is returned.
        """
        from google.auth.exceptions import GoogleAuthError
        from google.genai import errors

        transports = _transports()
        try:
            client = self._opened()
        except (ValueError, GoogleAuthError) as error:
            return self._unopened(error)
        try:
            text = SHARED.call(
                lambda: _send(client, model, contents, config, read_seconds),
                deadline=deadline,
                cancelled=cancelled,
            )
        except (DeadlineError, CutError) as error:
            return cut_short(error, deadline)
        except errors.APIError as error:
            headers = getattr(error.response, "headers", None)
            message = self.hider.text(str(error.message or ""))
            details = self.hider.value(error.details)
            return api_fault(error.code, error.status, details, message, headers)
        except GoogleAuthError as error:
            return self._unopened(error)
        except transports as error:
            fault = transport_fault(error)
            return msgspec.structs.replace(fault, message=self.hider.text(fault.message))
        except (ValueError, UnicodeError) as error:
            # The client itself reads some bodies as JSON before it hands them over.
            return unknown_answer(f"the reply cannot be read ({type(error).__name__})")
        return text

    def _unopened(self, error: Exception) -> Outcome:
        """No account to ask with: nothing was sent, and no other call would fare better."""
        return Outcome(
            failure="fatal_all",
            message=self.hider.text(clean_line(f"{type(error).__name__}: {error}"))[:400],
            hint="check project, location and credentials (gcloud auth application-default login)",
        )

    def _opened(self) -> Any:
        with self._mutex:
            if self._client is None:
                from google import genai

                # A proxy of the environment cannot reach this machine's own loopback.
                arguments = {"trust_env": not is_loopback(self.base_url)}
                options: dict[str, Any] = {
                    "api_version": self.api_version,
                    "client_args": arguments,
                    "async_client_args": arguments,
                }
                if self.base_url:
                    options["base_url"] = self.base_url
                who: dict[str, Any] = {"vertexai": False, "api_key": self._key}
                if self.vertex:
                    who = {"vertexai": True}
                    if self._key and not self._project:
                        who["api_key"] = self._key
                    else:
                        who |= {"project": self._project, "location": self._location}
                self._client = genai.Client(http_options=options, **who)  # type: ignore[arg-type]
            return self._client


async def _send(
    client: Any, model: str, contents: Any, config: dict[str, Any], read_seconds: float
) -> str:
    options = dict(config.pop("http_options", {})) if "http_options" in config else {}
    options["timeout"] = max(1, round(read_seconds * 1000))
    response = await client.aio.models.generate_content(
        model=model,
        contents=contents,
        config={**config, "should_return_http_response": True, "http_options": options},
    )
    held = getattr(response, "sdk_http_response", None)
    body = getattr(held, "body", None)
    return body if isinstance(body, str) else ""


def _transports() -> tuple[type[Exception], ...]:
    """Return the exceptions of whichever HTTP library the client brought."""
    import httpx

    found: list[type[Exception]] = [httpx.HTTPError, httpx.InvalidURL, OSError]
    try:
        import httpx2
    except ImportError:
        return tuple(found)
    return (*found, httpx2.HTTPError, httpx2.InvalidURL)
