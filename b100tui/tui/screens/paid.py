"""Forms whose work may cost money: never begun without a price, a cap and a typed yes."""

from collections.abc import Iterator
from typing import ClassVar, TypeVar

from textual.binding import Binding, BindingType
from textual.widget import Widget
from textual.widgets import Input

from b100tui.model.errors import B100Error
from b100tui.model.text import clean_line
from b100tui.tui.maker import decimal
from b100tui.tui.screens.overlay import Overlay
from b100tui.tui.widgets.form import ChoiceRow, WordRow
from b100tui.tui.widgets.lines import TextPanel

Result = TypeVar("Result")
FORM_KEYS = "↑ ↓ rows · ← → choices · Enter starts · Esc"


class Form(Overlay[Result]):
    """Rows, then a panel that says what the work takes; `#plan` is that panel."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "start", "start", id="form.start"),
        # Before the focused row sees later keys: what is typed ahead meets the right row.
        Binding("up", "move(-1)", "row above", id="form.up", priority=True),
        Binding("down", "move(1)", "row below", id="form.down", priority=True),
    ]

    def choice(self, name: str) -> ChoiceRow:
        """Return the choice row `name`."""
        return self.query_one(f"#{name}", ChoiceRow)

    def word(self, name: str) -> str:
        """Return what is typed in row `name`."""
        return self.query_one(f"#{name}", Input).value.strip()

    def refuse(self, error: B100Error) -> None:
        """Say what is wrong in the panel."""
        words = f"{error.message}; {error.hint}" if error.hint else error.message
        self.tell(words, "text--bad")

    def tell(self, words: str, style: str) -> None:
        """Say one thing in the panel."""
        self.query_one("#plan", TextPanel).show([((clean_line(words), style),)])

    def action_move(self, delta: int) -> None:
        """Go to the row above or below."""
        step = self.focus_next if delta > 0 else self.focus_previous
        step()

    def action_start(self) -> None:
        """Begin; the form says how."""
        raise NotImplementedError


class PaidForm(Form[Result]):
    """A form that asks for a cap and a typed yes where its work costs."""

    def paid_rows(self) -> Iterator[Widget]:
        """Yield the rows for cap and yes, hidden until something costs."""
        for label, words, name in (
            ("cap in $", "the most it may cost", "cap"),
            ("to confirm", "type yes, then Enter", "yes"),
        ):
            row = WordRow(label, placeholder=words, id=name)
            row.display = False
            yield row

    def show_paid(self, most: float) -> None:
        """Ask for cap and yes where the work may cost up to `most` dollars."""
        for name in ("cap", "yes"):
            self.query_one(f"#{name}-row").display = most > 0
        cap = self.query_one("#cap", Input)
        if most > 0 and not cap.value:
            cap.value = f"{most:.2f}"

    def agreed(self, most: float) -> tuple[bool, float | None]:
        """Return whether the work may begin, and its cap; else go to what is missing."""
        if most <= 0:
            return True, None
        try:
            cap = decimal(self.word("cap"), "cap")
        except B100Error as error:
            self.refuse(error)
            return False, None
        lacking = "cap" if cap is None else ("yes" if self.word("yes").lower() != "yes" else "")
        if lacking:
            self.query_one(f"#{lacking}", Input).focus()
        return not lacking, cap
