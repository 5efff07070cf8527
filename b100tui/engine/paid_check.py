"""One paid question to a judge: it proves key, network, model and ledger (`b100 doctor --paid`)."""

from collections.abc import Callable

from msgspec import Struct

from b100tui.editors.judges import Judge, Said, open_judge, worst_cost
from b100tui.editors.table import JudgeRow
from b100tui.engine.ledger import Caps, Ledger, Line, new_id, now
from b100tui.model.text import clean_line

QUESTION = "Reply with the word yes."
SECONDS = 120.0


class PaidCheck(Struct, frozen=True):
    """What came of it; `usd` is what the ledger holds for the call."""

    ok: bool
    found: str
    usd: float = 0.0


def paid_check(
    row: JudgeRow,
    confirmed: Callable[[float], bool],
    *,
    opener: Callable[[JudgeRow], Judge] = open_judge,
) -> PaidCheck:
    """Ask `row` once, if `confirmed(most dollars)`; the call is capped and in the ledger.

    Raises B100Error without a key, and where the ledger cannot be written: then nothing is sent.
    """
    judge, most = opener(row), worst_cost(row, QUESTION)
    if not confirmed(most):
        return PaidCheck(False, f"not confirmed: {row.model} was not asked, nothing was spent")
    ledger, id = Ledger(), new_id()
    ledger.reserve(
        Line(
            kind="reserve",
            id=id,
            usd=most,
            time=now(),
            batch=id,
            editor=row.kind,
            model=row.model,
            purpose="doctor",
        ),
        Caps(batch=most),
    )
    said = judge.ask(QUESTION, deadline=SECONDS, cancelled=None)
    if isinstance(said, Said):
        ledger.settle(id, said.usd)
        answered = said.model_version or row.model
        return PaidCheck(True, f"{clean_line(answered)} answered for ${said.usd:.6f}", said.usd)
    usd = most if said.possibly_billed else (said.cost_usd or 0.0)
    (ledger.possibly_billed if said.possibly_billed else ledger.settle)(id, usd)
    billed = f"; possibly billed, at most ${most:.4f}" if said.possibly_billed else ""
    return PaidCheck(False, f"{row.model}: {clean_line(said.message)}{billed}", usd)
