"""The judge: what is asked, what counts as an answer, what is cached, what it costs."""

from pathlib import Path

import pytest

from b100tui.editors.judges import Said
from b100tui.editors.protocol import Outcome
from b100tui.editors.table import JudgeRow
from b100tui.engine.judge import (
    JudgeItem,
    JudgeReport,
    judge,
    judge_cost,
    parse,
    summary_of,
    template,
)
from b100tui.engine.ledger import Caps, Ledger
from b100tui.model.errors import UsageError
from b100tui.model.records import Section, VerdictRecord
from b100tui.workspace.parts import part_files, read_part
from b100tui.workspace.places import config_dir, workspace_dirs
from tests.engine.made import AT_ONCE, KEY, everything_written, root_of, served

PLAIN = (Section("Taking Stock", "A jug."), Section("Signing Off", "Nothing is out of place."))
NOISY = (Section("Looking", "A dune, though a coarse grain covers the sky."),)
MODEL = "gemini-3-flash"
JUDGE_ID = "gemini-3.5-flash"


def items(*summaries: tuple[Section, ...], run: str = "a/b/run-0") -> list[JudgeItem]:
    return [
        JudgeItem(run=run, step=number, sections=sections, group="a/b")
        for number, sections in enumerate(summaries, 1)
    ]


def stored(root: Path) -> list[VerdictRecord]:
    return [
        record
        for path in part_files(workspace_dirs(root), "verdicts")
        for record, _ in read_part(path, VerdictRecord)
        if isinstance(record, VerdictRecord)
    ]


class Scripted:
    """A judge that says what it is told to, one reply a call."""

    model = JUDGE_ID

    def __init__(self, *replies: str | Outcome) -> None:
        self.replies = list(replies)
        self.asked: list[str] = []

    def ask(self, prompt: str, **more: object) -> Said | Outcome:
        self.asked.append(prompt)
        reply = self.replies.pop(0)
        return reply if isinstance(reply, Outcome) else Said(reply, 0.001, None)


def scripted(root: Path, script: Scripted, *given: JudgeItem) -> JudgeReport:
    def opened(row: JudgeRow) -> Scripted:
        return script

    return judge(root, given, MODEL, policy=AT_ONCE, jobs=1, opener=opened)


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ("yes", "yes"),
        ("Yes.", "yes"),
        ("**No**", "no"),
        ("NO, it does not", "no"),
        ('  \n"yes"', "yes"),
        ("not at all", "unparsed"),
        ("maybe", "unparsed"),
        ("", "unparsed"),
        ("yesterday", "unparsed"),
    ],
)
def test_the_first_word_is_the_answer_or_nothing_is(reply: str, verdict: str) -> None:
    assert parse(reply) == verdict


def test_answers_and_their_raw_replies_are_kept(tmp_path: Path) -> None:
    root = root_of(tmp_path)
    with served() as fake:
        report = judge(root, items(PLAIN, NOISY), MODEL, policy=AT_ONCE)
    assert (report.asked, report.yes, report.no) == (2, 1, 1)
    found = {record.step: record for record in stored(root)}
    assert (found[1].verdict, found[1].reply) == ("no", "No.")
    assert (found[2].verdict, found[2].simulated) == ("yes", True)
    assert Ledger().totals().settled == pytest.approx(fake.total, abs=1e-8)
    assert KEY.encode() not in everything_written(root)


def test_only_text_goes_out_and_the_summary_is_in_it(tmp_path: Path) -> None:
    with served() as fake:
        judge(root_of(tmp_path), items(PLAIN), MODEL, policy=AT_ONCE)
        parts = fake.log[-1]["body"]["contents"][0]["parts"]
    assert [set(part) for part in parts] == [{"text"}]
    assert summary_of(PLAIN) in parts[0]["text"]


def test_the_same_content_is_asked_once(tmp_path: Path) -> None:
    root = root_of(tmp_path)
    with served() as fake:
        judge(root, items(PLAIN), MODEL, policy=AT_ONCE)
        again = judge(root, items(PLAIN, PLAIN), MODEL, policy=AT_ONCE)
        assert fake.calls(JUDGE_ID) == 1
    assert (again.asked, again.cached, again.no) == (0, 2, 2)
    assert len(stored(root)) == 2  # one a step: nothing is doubled


def test_a_changed_question_is_asked_anew(tmp_path: Path) -> None:
    root = root_of(tmp_path)
    with served() as fake:
        judge(root, items(PLAIN), MODEL, policy=AT_ONCE)
        (config_dir() / "judge.txt").write_text("Noise? <<<{summary}>>>")
        judge(root, items(PLAIN), MODEL, policy=AT_ONCE)
        assert fake.calls(JUDGE_ID) == 2


def test_a_step_without_a_summary_is_recorded_without_a_call(tmp_path: Path) -> None:
    root = root_of(tmp_path)
    report = judge(root, items(()), MODEL)
    assert (report.asked, report.no_summary) == (0, 1)
    assert stored(root)[0].verdict == "no_summary"


def test_an_unclear_reply_is_asked_once_more_and_then_never_counted_as_no(tmp_path: Path) -> None:
    script = Scripted("perhaps", "it depends", "hm", "No")
    given = items(PLAIN, NOISY)
    report = scripted(root_of(tmp_path), script, *given)
    assert (report.unparsed, report.no) == (1, 1)
    assert len(script.asked) == 4


def test_a_failed_call_costs_its_step_only(tmp_path: Path) -> None:
    broken = Outcome(failure="fatal_run", message="400: no")
    report = scripted(root_of(tmp_path), Scripted(broken, "yes"), *items(PLAIN, NOISY))
    assert (report.failed, report.yes) == (1, 1)
    assert report.reasons == {"400: no": 1}


def test_first_yes_is_over_runs_and_silent_runs_are_censored(tmp_path: Path) -> None:
    given = items(PLAIN, NOISY, NOISY) + items(PLAIN, PLAIN, PLAIN, run="a/b/run-1")
    with served():
        report = judge(root_of(tmp_path), given, MODEL, policy=AT_ONCE, jobs=1)
    (row,) = report.first_yes
    assert (row.group, row.n, row.censored) == ("a/b", 2, 1)
    assert row.mean is None  # a mean over censored runs would be invented


def test_a_budget_stops_before_the_question_that_could_cross_it(tmp_path: Path) -> None:
    root = root_of(tmp_path)
    given = items(*[(Section("x", f"number {n}"),) for n in range(20)])
    cap = judge_cost(given, MODEL) / 20 * 1.02
    with served() as fake:
        report = judge(root, given, MODEL, caps=Caps(batch=cap), policy=AT_ONCE, jobs=1)
        assert fake.total <= cap
    assert report.failed > 0
    assert any("budget" in why for why in report.reasons)


def test_a_template_without_a_place_for_the_summary_is_refused() -> None:
    config_dir().mkdir(parents=True)
    (config_dir() / "judge.txt").write_text("is there noise?")
    with pytest.raises(UsageError, match="summary"):
        template()
