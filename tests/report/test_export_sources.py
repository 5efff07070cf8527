"""Pictures inside containers go out as files, and a folder that refuses is named."""

import base64
import os
from pathlib import Path

import duckdb
import pytest

from b100tui.model.errors import StoreError
from b100tui.report.export import FORMATS, Format, export
from tests.report.test_export import everything, indexed
from tests.sources.layouts.written import jpeg, json_file, tar_of
from tests.sources.made import PNG, put


def containers(root: Path) -> Path:
    tar_of(root / "set.tar", {f"cat/step_{n}.jpg": jpeg(n) for n in range(3)})
    duckdb.execute(
        "COPY (SELECT 'p' AS session, range AS step, 'again' AS prompt,"
        f" {{'bytes': from_hex('{PNG.hex()}'), 'path': NULL::VARCHAR}} AS image FROM range(3))"
        f" TO '{root}/a.parquet' (FORMAT parquet)"
    )
    data = {"data": base64.b64encode(jpeg(9)).decode(), "mimeType": "image/jpeg"}
    chunks = [
        {"role": "user", "text": "go"},
        {"role": "model", "text": "**A**\n\nb", "isThought": True},
        {"role": "model", "inlineImage": data},
    ]
    json_file(root / "chat.json", {"chunkedPrompt": {"chunks": chunks}})
    return root


@pytest.mark.parametrize("format", FORMATS)
def test_pictures_out_of_archives_tables_and_chats_come_in_again_unchanged(
    tmp_path: Path, format: Format
) -> None:
    index = indexed(containers(tmp_path / "in"))
    report = export(index, tmp_path / "out", format)
    assert (report.rows, report.skipped) == (7, ())
    assert everything(indexed(tmp_path / "out")) == everything(index)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_named(tmp_path: Path) -> None:
    put(tmp_path, *(f"in/cat/step_{n}.png" for n in range(3)))
    (tmp_path / "shut").mkdir(mode=0o500)
    with pytest.raises(StoreError, match="shut"):
        export(indexed(tmp_path / "in"), tmp_path / "shut" / "out", "jsonl")


def test_an_out_that_is_a_file_is_named(tmp_path: Path) -> None:
    put(tmp_path, *(f"in/cat/step_{n}.png" for n in range(3)), "file")
    with pytest.raises(StoreError, match="cannot write"):
        export(indexed(tmp_path / "in"), tmp_path / "file" / "out", "jsonl")


def test_an_export_that_is_stopped_has_no_sign_of_being_whole(tmp_path: Path) -> None:
    from b100tui.model.errors import CancelledError

    put(tmp_path, *(f"in/cat/step_{n}.png" for n in range(30)))
    with pytest.raises(CancelledError):
        export(indexed(tmp_path / "in"), tmp_path / "out", "jsonl", cancelled=lambda: True)
    assert not (tmp_path / "out" / "export.json").exists()
