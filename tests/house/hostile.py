"""A folder whose names and texts are commands to a terminal."""

from pathlib import Path

from tests.index.folder import add_run, png

EVIL = "\x1b]52;c;cm0gLXJm\x07\x1b[31mred\x1b[0m\x9b31m\u202egnp.\x1bP$q\x1b\\"
RUN = "fog/replicate-2k/run-0"


def evil_root(root: Path) -> Path:
    sections = ((f"Title {EVIL}", f"Text {EVIL} [bold]plate[/bold]"),)
    add_run(root, RUN, 3, sections=sections, prompt=f"Prompt {EVIL}")
    folder = root / f"chat {EVIL}".replace("/", "")
    folder.mkdir()
    for step in range(3):
        (folder / f"step_{step}.png").write_bytes(png(step))
    (root / "notes.csv").write_text(f'step,"=cmd|calc"\n1,"{EVIL}"\n')
    return root
