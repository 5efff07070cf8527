"""Foreign folders and keys: nothing leaves the root, nothing reaches the screen, no key is told."""

import json
import os
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from b100tui.index.build import refresh
from b100tui.index.sql import run_sql
from b100tui.model.errors import B100Error
from b100tui.model.records import PictureRef
from b100tui.sources import open_picture, scan_folder
from b100tui.workspace.places import cache_dir, cache_home, state_dir
from tests.cli.calls import b100, command, environment
from tests.engine.made import image, served
from tests.house.hostile import EVIL, RUN, evil_root
from tests.index.folder import add_run, png

CANARY = "AIzaCanary0123456789abcdefghijklmnopqrs"


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A picture beside the root, which nothing in the root may reach."""
    path = tmp_path / "outside" / "secret.png"
    path.parent.mkdir()
    path.write_bytes(png(1))
    return path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    return root


def texts(scan: object) -> str:
    return str(scan)


@pytest.mark.parametrize(
    "path", ["../outside/secret.png", "{secret}", "a/../../outside/secret.png", "./../outside/*"]
)
def test_a_manifest_cannot_name_a_file_outside(root: Path, secret: Path, path: str) -> None:
    named = path.replace("{secret}", str(secret))
    (root / "0.png").write_bytes(png(0))
    rows = [{"file_name": "0.png", "step": 0}, {"file_name": named, "step": 1}]
    (root / "metadata.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    lines = [{"run": "r", "step": n, "path": name} for n, name in enumerate(["0.png", named])]
    (root / "steps.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    scan = scan_folder(root)
    chosen = [step.picture.path for run in scan.runs for step in run.steps if step.picture]
    assert all("secret" not in path for path in chosen)


@pytest.mark.parametrize("path", ["../outside/secret.png", "/etc/hostname", "a/../../x", "a\0b"])
def test_a_reference_that_leads_out_is_refused(root: Path, secret: Path, path: str) -> None:
    with pytest.raises(B100Error):
        open_picture(root, PictureRef(path=path))


def test_a_link_that_leads_out_is_not_followed(root: Path, secret: Path) -> None:
    folder = root / "cat"
    folder.mkdir()
    for step in range(3):
        (folder / f"step_{step}.png").write_bytes(png(step))
    (folder / "step_3.png").symlink_to(secret)
    (root / "all").symlink_to(secret.parent, target_is_directory=True)
    (root / "loop").symlink_to(root, target_is_directory=True)
    scan = scan_folder(root)
    (source,) = scan.runs
    assert [step.step for step in source.steps] == [0, 1, 2]
    assert not any("secret" in path for path in scan.stamps)


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_text('{secret}')",
        "SELECT * FROM glob('/*')",
        "SELECT * FROM '{secret}'",
        "COPY (SELECT 1) TO '{secret}.csv'",
        "ATTACH '{secret}.duckdb' AS other",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        "PRAGMA enable_profiling",
        "SELECT 1; SELECT 2",
        "DELETE FROM run",
        "CREATE TABLE x AS SELECT 1",
        "SELECT getenv('HOME')",
        "EXPLAIN ANALYZE COPY (SELECT 1) TO '{secret}.csv'",
        "SELECT * FROM sniff_csv('/etc/passwd')",
        "EXPORT DATABASE '{secret}.d'",
        "CALL pragma_database_size()",
    ],
)
def test_own_sql_reads_the_index_and_nothing_else(root: Path, secret: Path, statement: str) -> None:
    add_run(root, RUN, 2)
    refresh(root)
    before = sorted(path.name for path in secret.parent.iterdir())
    with pytest.raises(B100Error):
        run_sql(root, statement.replace("{secret}", str(secret)), 30.0)
    assert sorted(path.name for path in secret.parent.iterdir()) == before


def test_cache_and_state_are_for_their_owner_alone(root: Path) -> None:
    add_run(root, RUN, 2)
    assert b100("runs", str(root)).returncode == 0
    for place in (cache_home(), cache_dir(root), state_dir()):
        assert stat.S_IMODE(place.stat().st_mode) & 0o077 == 0, place


def commands(root: Path, out: Path) -> Iterator[list[str]]:
    place = ["--root", str(root)]
    yield ["scan", str(root)]
    yield ["runs", str(root)]
    yield ["index", str(root)]
    yield ["steps", RUN, *place]
    yield ["search", "plate", *place]
    yield ["show", f"{RUN}@1", *place]
    yield ["query", "steps-without-reasoning", *place]
    yield ["sql", "SELECT run, prompt FROM step", *place]
    yield ["runs", str(root), "--filter", f"image:{EVIL}"]
    yield ["search", f'"{EVIL}', *place]
    yield ["show", f"{EVIL}@1", *place]
    yield ["export", "--format", "jsonl", "--out", str(out), *place]


def test_no_command_lets_an_escape_sequence_through(root: Path, tmp_path: Path) -> None:
    evil_root(root)
    for words in commands(root, tmp_path / "out"):
        done = subprocess.run(
            command(words), env=environment(), capture_output=True, check=False, input=b""
        )
        for stream in (done.stdout, done.stderr):
            assert b"\x1b" not in stream, (words, stream)
            assert b"\x9b" not in stream.decode("utf-8").encode("latin-1", "ignore"), words
            assert "\u202e" not in stream.decode("utf-8"), words
        assert b"Traceback" not in done.stderr, words


def test_a_key_is_in_no_file_and_in_no_command_line(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served():
        monkeypatch.setenv("GEMINI_API_KEY", CANARY)
        told = b100(
            *("edit", "new", str(image(tmp_path)), "--editor", "nano-banana-pro", "--steps", "1"),
            *("--budget", "1", "--yes", "--root", str(root)),
            env={"GEMINI_API_KEY": CANARY},
        )
        doctor = b100("doctor", env={"GEMINI_API_KEY": CANARY})
    assert told.returncode != 0  # the fake knows other keys: an error is where keys like to show
    for text in (told.stdout, told.stderr, doctor.stdout, doctor.stderr):
        assert CANARY not in text
    for place in (root, state_dir(), cache_home()):
        for folder, _, names in os.walk(place):
            for name in names:
                assert CANARY.encode() not in (Path(folder) / name).read_bytes(), name
