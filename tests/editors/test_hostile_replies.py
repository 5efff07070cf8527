"""Replies and settings made to break an adapter: each comes to a named failure."""

import pytest

from b100tui.editors.gemini_client import is_loopback
from b100tui.editors.gemini_faults import api_fault
from b100tui.editors.gemini_reply import read_reply, read_words
from b100tui.editors.http import HttpCaller
from b100tui.editors.loop import SHARED
from b100tui.editors.registry import open_editor
from b100tui.editors.table import table
from b100tui.model.errors import UsageError
from b100tui.model.records import RunPlan

NO_LISTS = ['{"candidates": 5}', '{"candidates": [{"content": {"parts": 5}}]}']
DEEP = '{"a": ' + "[" * 600 + "]" * 600 + "}"


@pytest.mark.parametrize("body", [*NO_LISTS, DEEP])
def test_a_garbled_reply_is_a_failure_that_may_be_billed(body: str) -> None:
    outcome = read_reply(body, None)
    assert outcome.failure is not None
    assert outcome.possibly_billed


@pytest.mark.parametrize("body", NO_LISTS)
def test_a_garbled_reply_of_a_judge_holds_no_words(body: str) -> None:
    shown = read_words(body)
    assert shown is not None
    assert shown.text == ""


def test_a_judge_s_reply_nested_too_deeply_cannot_be_read() -> None:
    assert read_words('{"a": ' + "[" * 5000 + "]" * 5000 + "}") is None


def test_an_error_without_violations_is_waited_for() -> None:
    details = {"error": {"details": [{"violations": None}]}}
    assert api_fault(429, None, details, "slow down", None).failure == "wait"


def test_an_address_that_is_none_is_named() -> None:
    with pytest.raises(UsageError, match="is no address"):
        is_loopback("http://[x")
    with pytest.raises(UsageError, match="is no address"):
        HttpCaller("http://[x")


def test_a_proxy_that_fails_keeps_its_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    import httpx

    def broken(*_: object, **__: object) -> None:
        raise httpx.ProxyError("refused")

    monkeypatch.setattr(SHARED, "call", broken)
    outcome = HttpCaller("http://127.0.0.1").send("GET", "/")
    assert getattr(outcome, "hint", "") == "look at HTTP_PROXY, HTTPS_PROXY and NO_PROXY"


@pytest.mark.parametrize("given", ["abc", "-1", "nan", "inf", "1e9"])
@pytest.mark.parametrize("name", ["strength", "scale"])
def test_a_setting_of_the_simulated_editor_that_is_no_number_is_named(
    name: str, given: str
) -> None:
    plan = RunPlan(
        run="a/b/run-0",
        image="a",
        recipe="replicate",
        setting="b",
        editor="sim-pro",
        repeat=0,
        parameters={"extra": {name: given}},
    )
    with pytest.raises(UsageError, match=name):
        open_editor("sim-pro", table().editor("sim-pro"), plan)
