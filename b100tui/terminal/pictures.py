"""Pictures in memory: previews and full decodes, least recently used go first; any thread."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from b100tui.imaging import previews
from b100tui.model.records import PictureRef

if TYPE_CHECKING:
    from PIL.Image import Image

    from b100tui.imaging.align import Alignment, Reference
    from b100tui.imaging.decode import Pixels

Pair = tuple[PictureRef, PictureRef]
Size = tuple[int, int]
Key = TypeVar("Key")
Value = TypeVar("Value")
PREVIEW_BYTES = 24 << 20
FULL_BYTES = 256 << 20  # five pictures of 5632x3008
KEPT_REFERENCES = 2  # each holds its picture
KEPT_ALIGNMENTS = 4096


class Bounded(Generic[Key, Value]):
    """A mapping of at most `limit` bytes; the least recently used entries go first."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.held = 0
        self._entries: OrderedDict[Key, tuple[Value, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Key) -> Value | None:
        """Return the value and count it as used."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                return None
            self._entries.move_to_end(key)
            return entry[0]

    def put(self, key: Key, value: Value, size: int) -> None:
        """Keep `value` of `size` bytes; alone over the limit it still stays until the next."""
        with self._lock:
            if key in self._entries:
                self.held -= self._entries.pop(key)[1]
            self._entries[key] = (value, size)
            self.held += size
            while self.held > self.limit and len(self._entries) > 1:
                self.held -= self._entries.popitem(last=False)[1][1]

    def __contains__(self, key: Key) -> bool:
        with self._lock:
            return key in self._entries

    def __len__(self) -> int:
        return len(self._entries)


class Pictures:
    """The pictures under `root`, previews kept on disk in `folder`.

    `opener(root, ref)` gives a picture's path or bytes; the folder is kept below
    `folder_bytes`.
    """

    def __init__(
        self,
        root: Path,
        folder: Path,
        opener: Callable[[Path, PictureRef], Path | bytes] | None = None,
        folder_bytes: int = 4_000_000_000,
    ) -> None:
        self.root = root
        self._opener = opener or previews.plain_file
        self._cache = previews.Cache(folder, folder_bytes, opener=self._opener)
        self._previews: Bounded[tuple[PictureRef, int], Image] = Bounded(PREVIEW_BYTES)
        self._full: Bounded[PictureRef, Pixels] = Bounded(FULL_BYTES)
        self._references: Bounded[PictureRef, Reference] = Bounded(KEPT_REFERENCES)
        self._aligning = threading.Lock()
        self._alignments: Bounded[Pair, tuple[Alignment, tuple[Size, Size]]] = Bounded(
            KEPT_ALIGNMENTS
        )

    @property
    def trouble(self) -> str:
        """Why previews are not kept on disk; empty while they are."""
        return self._cache.trouble

    def preview(self, ref: PictureRef, width: int, height: int) -> "Image":
        """Return an RGB picture not much smaller than `width` x `height`, or the largest kept.

        Raises PictureError.
        """
        level = 1 if max(width, height) <= previews.LEVELS[1] else 0
        image = self._previews.get((ref, level))
        if image is None:
            image = self._cache.get(self.root, ref, level)
            self._previews.put((ref, level), image, image.width * image.height * 3)
        return image

    def full(self, ref: PictureRef) -> "Pixels":
        """Return the whole picture as uint8 (height, width, 3) RGB; raises PictureError."""
        pixels = self._full.get(ref)
        if pixels is None:
            from b100tui.imaging.decode import decode

            pixels = decode(self._opener(self.root, ref)).pixels
            self._full.put(ref, pixels, pixels.nbytes)
        return pixels

    def known_alignment(self, step: PictureRef, reference: PictureRef) -> "Alignment | None":
        """Return how `step` lies against `reference` where that was found before."""
        found = self._alignments.get((step, reference))
        return found[0] if found is not None else None

    def sizes(self, step: PictureRef, reference: PictureRef) -> tuple[Size, Size]:
        """Return width and height in source pixels of two pictures; raises PictureError."""
        found = self._alignments.get((step, reference))
        if found is not None:
            return found[1]
        one, two = self.full(step), self.full(reference)
        return _size(one), _size(two)

    def alignment(self, step: PictureRef, reference: PictureRef) -> "Alignment":
        """Return how `step` lies against `reference`; raises PictureError."""
        found = self.known_alignment(step, reference)
        if found is not None:
            return found
        # One at a time: it takes every core there is, and the title may ask for the same one.
        with self._aligning:
            found = self.known_alignment(step, reference)
            if found is None:
                from b100tui.imaging.align import align, prepare

                prepared = self._references.get(reference)
                if prepared is None:
                    prepared = prepare(self.full(reference))
                    self._references.put(reference, prepared, 1)
                pixels = self.full(step)
                found = align(prepared, pixels)
                sizes = _size(pixels), _size(prepared.pixels)
                self._alignments.put((step, reference), (found, sizes), 1)
            return found


def _size(pixels: "Pixels") -> Size:
    return pixels.shape[1], pixels.shape[0]
