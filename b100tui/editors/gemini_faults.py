"""What a failed Gemini call means: which class, how long to wait, whether money may be gone."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from b100tui.editors.loop import CutError, DeadlineError
from b100tui.editors.protocol import FailureClass, Outcome
from b100tui.model.text import clean_line

_SAID = 400
_PACIFIC = "America/Los_Angeles"  # daily quotas begin anew at midnight there
_SPEND_WINDOW = 600.0
_DELAY = re.compile(r"(\d+(?:\.\d+)?)s")
_OVERLOADED = {408, 500, 502, 503, 504}
_LOST = {401, 403, 404}


def api_fault(code: int, status: str | None, details: Any, message: str, headers: Any) -> Outcome:
    """Return the outcome of an HTTP error answer; such calls are not billed.

    `details` is the whole JSON of the answer where it was JSON.
    """
    said = clean_line(message)[:_SAID] or f"HTTP {code}"
    text = f"{code} {status or ''}: {said}".replace(" :", ":")
    if code == 429:
        return Outcome(
            failure="wait",
            message=text,
            retry_after_seconds=_retry_after(details, headers, message),
            hint="the provider limits calls or spending; it is waited for",
        )
    if code in _OVERLOADED:
        return Outcome(
            failure="backoff",
            message=text,
            retry_after_seconds=_retry_info(details) or _header_seconds(headers),
        )
    if code in _LOST or (code == 400 and _is_for_all(status, details, message)):
        return Outcome(failure="fatal_all", message=text, hint=_fix(code))
    return Outcome(failure="fatal_run", message=text, hint="this request can never work")


def transport_fault(error: Exception) -> Outcome:
    """Return the outcome of a call that broke on the way.

    Before the request was out nothing is billed; after that the answer may have been made and
    charged although it did not arrive.
    """
    name = type(error).__name__
    before = name in {"ConnectError", "ConnectTimeout", "PoolTimeout", "ProxyError"}
    hint = ""
    if name == "ProxyError":
        hint = "look at HTTP_PROXY, HTTPS_PROXY and NO_PROXY"
    said = clean_line(str(error))[:_SAID]
    return Outcome(
        failure="backoff",
        message=f"{name}: {said}" if said else name,
        hint=hint,
        possibly_billed=not before,
    )


def cut_short(error: DeadlineError | CutError, deadline: float | None) -> Outcome:
    """Return the outcome of a call that was ended from here: it may have been billed."""
    if isinstance(error, DeadlineError):
        return unknown_answer(f"no whole answer within {deadline:g} s")
    return Outcome(failure="cancelled", message="aborted before an answer", possibly_billed=True)


def unknown_answer(message: str) -> Outcome:
    """Return the outcome of an answer that cannot be read: it may have been billed."""
    return Outcome(failure="backoff", message=message, possibly_billed=True)


def refusal_class(finish: str) -> FailureClass | None:
    """Return the failure that a finish reason stands for whatever the parts hold, or None."""
    if finish == "PUP_LIMITED_DISABLED":
        return "fatal_all"
    return "refused" if finish in _REFUSED else None


_REFUSED = {
    *("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE"),
    *("IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"),
    *("ESCALATION", "MODEL_ARMOR"),
}


def _is_for_all(status: str | None, details: Any, message: str) -> bool:
    if status == "FAILED_PRECONDITION":
        return True
    reasons = {part.get("reason") for part in _parts(details)}
    return "API_KEY_INVALID" in reasons or "API key not valid" in message


def _fix(code: int) -> str:
    if code == 404:
        return "the model is gone or misnamed: set model in your editors.toml (b100 editors)"
    return "check the API key and its account (b100 doctor)"


def _retry_after(details: Any, headers: Any, message: str) -> float | None:
    named = _retry_info(details)
    if named is None:
        named = _header_seconds(headers)
    if named is not None:
        return named
    quotas = " ".join(
        str(violation.get("quotaId", "")) + str(violation.get("quotaMetric", ""))
        for part in _parts(details)
        if isinstance(part.get("violations"), list)
        for violation in part["violations"]
        if isinstance(violation, dict)
    )
    if "PerDay" in quotas or "per day" in message.lower():
        return until_midnight(datetime.now(UTC))
    if "spend" in quotas.lower() or "spend" in message.lower():
        return _SPEND_WINDOW
    return None


def until_midnight(now: datetime) -> float:
    """Return the seconds from `now` until the daily quotas begin anew."""
    here = now.astimezone(ZoneInfo(_PACIFIC))
    tomorrow = (here + timedelta(days=1)).replace(hour=0, minute=0, second=5, microsecond=0)
    return (tomorrow.astimezone(UTC) - now).total_seconds()


def _retry_info(details: Any) -> float | None:
    for part in _parts(details):
        found = _DELAY.fullmatch(str(part.get("retryDelay", "")))
        if found:
            return float(found[1])
    return None


def _header_seconds(headers: Any) -> float | None:
    value = headers.get("retry-after") if headers is not None else None
    try:
        return max(0.0, float(value)) if value is not None else None
    except ValueError:
        return None  # a date: the usual pauses do


def _parts(details: Any) -> list[dict[str, Any]]:
    if isinstance(details, list) and details:
        details = details[0]
    error = details.get("error") if isinstance(details, dict) else None
    parts = error.get("details") if isinstance(error, dict) else None
    return [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
