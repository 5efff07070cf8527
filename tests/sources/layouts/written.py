"""Pictures with text inside, archives and manifests in the real shapes, made by code."""

import io
import json
import struct
import tarfile
import zlib
from pathlib import Path

from PIL import Image, PngImagePlugin

from b100tui.model.records import Step
from b100tui.model.scan import Scan, SourceRun
from b100tui.sources import read_step, scan_folder
from tests.sources.made import PNG, picture


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png_with(texts: dict[str, str], shade: int = 120) -> bytes:
    info = PngImagePlugin.PngInfo()
    for key, text in texts.items():
        info.add_text(key, text)
    out = io.BytesIO()
    Image.new("RGB", (8, 6), (shade, 90, 60)).save(out, "PNG", pnginfo=info)
    return out.getvalue()


def png_with_text_behind(key: str, text: str) -> bytes:
    """The text chunk stands after the pixel data, where decoders see it only after loading."""
    end = PNG.rindex(b"IEND") - 4
    return PNG[:end] + chunk(b"tEXt", key.encode() + b"\0" + text.encode()) + PNG[end:]


def with_comment(kind: str, text: str, *, wide: str = "utf-16-be") -> bytes:
    """A JPEG or WebP with an EXIF UserComment, as A1111 writes it."""
    exif = Image.Exif()
    exif.get_ifd(0x8769)[0x9286] = b"UNICODE\0" + text.encode(wide)
    out = io.BytesIO()
    Image.new("RGB", (8, 6), (120, 90, 60)).save(out, kind, exif=exif)
    return out.getvalue()


def tar_of(path: Path, members: dict[str, bytes]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w") as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return path


def json_file(path: Path, value: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))
    return path


def jsonl_file(path: Path, *rows: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def jpeg(shade: int) -> bytes:
    return picture("jpeg", shade=shade)


def steps_of(root: Path, source: SourceRun) -> list[Step]:
    return [read_step(root, source.run, step) for step in source.steps]


def paths(source: SourceRun) -> list[tuple[int, str]]:
    return [(step.step, step.picture.path) for step in source.steps]


def the_run(root: Path) -> SourceRun:
    (source,) = scan_folder(root).runs
    return source


def notes(scan: Scan) -> list[str]:
    return [left.reason for left in (*scan.unused, *scan.unreadable)]
