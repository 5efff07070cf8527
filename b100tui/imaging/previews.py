"""The preview cache on disk: reduced JPEGs of pictures, bounded, least recently used go first.

A preview is never measured: JPEG alters the noise that metrics read.
"""

import hashlib
import os
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from b100tui.imaging.header import LIMIT_PIXELS, open_image
from b100tui.imaging.preview import fit, preview
from b100tui.model.errors import PictureError
from b100tui.model.records import PictureRef

if TYPE_CHECKING:
    from PIL.Image import Image

# Level 0 fills a 160x43-cell picture, level 1 an 80x21-cell one. Upright pictures get the same
# number of pixels by the box being square.
LEVELS = (1408, 704)
QUALITIES = (85, 70, 50, 30)  # the first that keeps to MOST_BYTES is taken
MOST_BYTES = (225_000, 75_000)  # of a level: 300 kB a picture, however much grain it has
Opener = Callable[[Path, PictureRef], Path | bytes]


class Cache:
    """Previews in `folder`, at most `limit_bytes` of them; safe to use from many threads.

    `opener(root, ref)` returns the picture's path or bytes (sources.open_picture). A folder
    that cannot be written costs only the storing: pictures are made and returned all the same,
    and `trouble` holds the reason.
    """

    def __init__(
        self, folder: Path, limit_bytes: int = 4_000_000_000, *, opener: Opener | None = None
    ) -> None:
        self.folder = folder
        self.limit_bytes = limit_bytes
        self.trouble = ""
        self._opener = opener or plain_file
        self._lock = threading.Lock()
        self._stored: int | None = None

    def get(self, root: Path, ref: PictureRef, level: int) -> "Image":
        """Return the RGB preview of `ref` at `level` (index into LEVELS), made when absent.

        Raises PictureError when the picture itself cannot be decoded.
        """
        path = self.path(ref, level)
        found = self._read(path)
        return self.make(root, ref)[level] if found is None else found

    def make(self, root: Path, ref: PictureRef) -> tuple["Image", ...]:
        """Decode `ref` once and return its previews of all levels, largest first, stored too."""
        source = self._opener(root, ref)
        largest = preview(source, (LEVELS[0], LEVELS[0]), limit_pixels=LIMIT_PIXELS)
        made = [largest]
        for side in LEVELS[1:]:
            size = fit(made[-1].size, (side, side))
            made.append(made[-1].resize(size) if size != made[-1].size else made[-1])
        for level, image in enumerate(made):
            self._store(self.path(ref, level), image, MOST_BYTES[level])
        return tuple(made)

    def has(self, ref: PictureRef, level: int) -> bool:
        """Say whether the preview is on disk."""
        return self.path(ref, level).exists()

    def path(self, ref: PictureRef, level: int) -> Path:
        """Return the file of a preview: a hash of path, member, size and time of the picture."""
        key = "\0".join((ref.path, ref.member or "", str(ref.bytes), str(ref.mtime_ns)))
        name = hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()[:32]
        return self.folder / name[:2] / f"{name[2:]}-{LEVELS[level]}.jpg"

    def _read(self, path: Path) -> "Image | None":
        try:
            with open_image(path) as image:
                image.load()
                shown = image.copy()
        except PictureError:
            return None  # absent, or damaged by a crash: made anew
        try:
            os.utime(path)
        except OSError as error:
            self.trouble = f"previews are not marked as used: {error.strerror}"
        return shown

    def _store(self, path: Path, image: "Image", most: int) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            size = _write(path, image, most)
        except OSError as error:
            self.trouble = f"previews are not kept: {error}"
            return
        self._count(size)

    def _count(self, added: int) -> None:
        with self._lock:
            if self._stored is None:
                self._stored = sum(size for _, size, _ in self._files())
            else:
                self._stored += added
            if self._stored > self.limit_bytes:
                self._stored = self._evict()

    def _evict(self) -> int:
        """Delete the least recently used previews down to nine tenths of the limit."""
        files = sorted(self._files())
        total = sum(size for _, size, _ in files)
        for _, size, path in files:
            if total <= 0.9 * self.limit_bytes:
                break
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                self.trouble = f"old previews are not removed: {error.strerror}"
                break
            total -= size
        return total

    def _files(self) -> list[tuple[int, int, Path]]:
        found = []
        for path in self.folder.glob("*/*.jpg"):
            try:
                facts = path.stat()
            except FileNotFoundError:
                continue  # another explorer evicted it
            found.append((facts.st_mtime_ns, facts.st_size, path))
        return found


def _write(path: Path, image: "Image", most: int) -> int:
    """Write `image` in the best quality that takes at most `most` bytes, or in the least.

    Returns the bytes. Readers see the old file or the whole new one; a cache need not survive
    a power cut. Into a file of the system Pillow writes without holding the interpreter.
    """
    handle, temporary = tempfile.mkstemp(suffix=".tmp", dir=path.parent)
    size = 0
    try:
        with os.fdopen(handle, "wb") as file:
            for quality in QUALITIES:
                file.seek(0)
                file.truncate()
                image.save(file, "JPEG", quality=quality)
                size = os.fstat(file.fileno()).st_size
                if size <= most:
                    break
        os.replace(temporary, path)
    finally:
        Path(temporary).unlink(missing_ok=True)
    return size


def plain_file(root: Path, ref: PictureRef) -> Path:
    """Return the file of a picture that is no member of a container."""
    if ref.member is not None:
        raise PictureError(f"{ref.path}: a member of a container needs its opener")
    return root / ref.path
