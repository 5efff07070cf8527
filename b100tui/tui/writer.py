"""What the writing dialog begins: a strip of steps, or steps let out, as commands of their own."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, Protocol

from msgspec import Struct

from b100tui.model.errors import UsageError

What = Literal["strip", "jsonl", "hf", "files"]
KINDS: dict[What, str] = {
    "strip": "a strip of this run's steps, PNG",
    "jsonl": "steps as JSON lines",
    "hf": "steps as a Hugging Face imagefolder",
    "files": "steps as files with steps.csv",
}


class Sheet(Struct, frozen=True, kw_only=True):
    """What to write where: `steps` and `caption` belong to a strip, `until` and `filter` to steps
    that are let out."""

    what: What
    run: str
    out: str
    steps: str = ""
    caption: str = ""
    until: str = ""
    filter: str = ""


class Writer(Protocol):
    """The seam of the writing dialog."""

    def begin(self, sheet: Sheet) -> str:
        """Start a job and return its id. Raises B100Error."""
        ...


class RootWriter:
    """Writes out of one folder by `b100 strip` and `b100 export` in a job."""

    def __init__(self, root: Path, config: str | None) -> None:
        self.root = root
        self.config = config

    def begin(self, sheet: Sheet) -> str:
        """Start a job and return its id. Raises B100Error."""
        from b100tui.jobs import b100, start

        out = target(sheet)
        words = [*sheet_words(sheet, out), "--root", str(self.root)]
        words += ["--config", self.config] if self.config else []
        argv = b100(*words)
        return start(self.root, words[0], argv, title=str(out), retry_argv=argv)


def target(sheet: Sheet) -> Path:
    """Return where the sheet goes. Raises UsageError where something stands there already."""
    if not sheet.out.strip():
        raise UsageError("no name to write to", "type a file or a folder")
    out = Path(sheet.out.strip()).expanduser().absolute()
    if sheet.what == "strip" and out.suffix.lower() != ".png":
        raise UsageError(f"{out} is no PNG", "end the name with .png: it keeps every pixel")
    if out.is_file() or (out.is_dir() and any(out.iterdir())):
        raise UsageError(f"{out} is there already", "choose a new name")
    return out


def sheet_words(sheet: Sheet, out: Path) -> list[str]:
    """Return the words of the command that writes `sheet` to `out`."""
    if sheet.what == "strip":
        options = {"--steps": sheet.steps, "--caption": sheet.caption}
        words = ["strip", sheet.run]
    else:
        options = {"--until": sheet.until, "--filter": sheet.filter}
        words = ["export", "--format", sheet.what]
    # With =, or a filter that begins with - would read as an option.
    words += [f"{name}={value.strip()}" for name, value in options.items() if value.strip()]
    return [*words, "--out", str(out)]


def shown(words: Sequence[str]) -> str:
    """Return a command as it is typed in a shell."""
    import shlex

    return "b100 " + shlex.join(words)
