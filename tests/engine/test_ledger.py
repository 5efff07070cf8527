"""The ledger: reserve, settle, caps, many writers, torn lines, a clock that steps."""

import subprocess
import sys
from pathlib import Path

import pytest

from b100tui.engine.ledger import Caps, Ledger, Line, Totals, new_id
from b100tui.model.errors import BudgetError, StoreError

_TIME = "2026-12-01T10:00:00.000Z"


def line(usd: float, *, run: str = "a", batch: str = "b", time: str = _TIME) -> Line:
    return Line(kind="reserve", id=new_id(), usd=usd, time=time, batch=batch, root="/r", run=run)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "ledger.jsonl")


def test_what_is_reserved_counts_until_it_is_settled(ledger: Ledger) -> None:
    one = line(0.5)
    ledger.reserve(one, Caps())
    assert ledger.totals() == Totals(open=0.5)
    ledger.settle(one.id, 0.2)
    assert ledger.totals() == Totals(settled=0.2)


def test_a_call_without_an_answer_counts_as_possibly_billed(ledger: Ledger) -> None:
    one = line(0.5)
    ledger.reserve(one, Caps())
    ledger.possibly_billed(one.id, 0.5)
    assert ledger.totals() == Totals(possible=0.5)


def test_a_reservation_ends_once(ledger: Ledger) -> None:
    one = line(0.5)
    ledger.reserve(one, Caps())
    ledger.settle(one.id, 0.2)
    ledger.possibly_billed(one.id, 0.5)
    assert ledger.totals().spent == 0.2


@pytest.mark.parametrize(
    ("caps", "other", "word"),
    [
        (Caps(batch=1.0), {"run": "z"}, "this call's budget"),
        (Caps(run=1.0), {"batch": "z"}, "the run's budget"),
        (Caps(day=1.0), {"batch": "z", "run": "z"}, "the day's cap"),
        (
            Caps(month=1.0),
            {"batch": "z", "run": "z", "time": "2026-12-09T10:00:00.000Z"},
            "the month's cap",
        ),
    ],
)
def test_the_call_that_could_cross_a_cap_is_refused(
    caps: Caps, other: dict[str, str], word: str, ledger: Ledger
) -> None:
    ledger.reserve(line(0.7), caps)
    with pytest.raises(BudgetError, match=word):
        ledger.reserve(line(0.4, **other), caps)
    ledger.reserve(line(0.3, **other), caps)


def test_another_day_has_a_cap_of_its_own(ledger: Ledger) -> None:
    ledger.reserve(line(0.9), Caps(day=1.0))
    ledger.reserve(line(0.9, time="2026-12-02T00:00:00.000Z"), Caps(day=1.0))


def test_a_clock_that_is_set_back_opens_no_new_day(ledger: Ledger) -> None:
    ledger.reserve(line(0.9), Caps(day=1.0))
    with pytest.raises(BudgetError):
        ledger.reserve(line(0.9, time="2026-11-30T23:00:00.000Z"), Caps(day=1.0))


def test_a_torn_last_line_is_no_reservation_and_spoils_no_later_one(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    first = Ledger(path)
    first.reserve(line(0.5), Caps())
    with path.open("ab") as file:
        file.write(b'{"kind":"reserve","id":"x","usd":9')
    again = Ledger(path)
    later = line(0.25)
    again.reserve(later, Caps())
    assert Ledger(path).totals().open == 0.75
    assert Ledger(path).is_open(later.id)


def test_processes_share_one_cap(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from b100tui.engine.ledger import *\n"
        "from b100tui.model.errors import BudgetError\n"
        "ledger, got = Ledger(Path(sys.argv[1])), 0\n"
        "for _ in range(10):\n"
        "    try:\n"
        "        line = Line(kind='reserve', id=new_id(), usd=0.1, time='2026-12-01', run='r')\n"
        "        ledger.reserve(line, Caps(day=1.0)); got += 1\n"
        "    except BudgetError: pass\n"
        "print(got)\n"
    )
    path = str(tmp_path / "ledger.jsonl")
    workers = [
        subprocess.Popen([sys.executable, "-c", code, path], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    assert sum(int(one.communicate(timeout=240)[0]) for one in workers) == 10


def test_a_ledger_that_cannot_be_written_lets_nothing_be_sent(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    path.mkdir()
    with pytest.raises(StoreError):
        Ledger(path).reserve(line(0.1), Caps())


def test_the_ledger_is_readable_by_its_owner_only(ledger: Ledger) -> None:
    ledger.reserve(line(0.1), Caps())
    assert ledger.path.stat().st_mode & 0o077 == 0
