"""A blob on its way out: each block is verified before it is given."""

import os
import threading
from collections.abc import Sequence
from pathlib import Path

from guildhall_sdk.blobs import BlobCorrupt, BlobMissing
from libs.blob_layout import (
    BLOCK,
    DIGEST,
    Checksum,
    Corrupt,
    blocks_between,
    content_size,
    crc_of,
    digest_of,
    trailer_size,
    verify_block,
    verify_small,
    verify_trailer,
)

TOGETHER = 4


class Outgoing:
    """The blocks of a file that hold some wanted bytes, from the first to the last.

    It is called in threads; one call waits for the other. An open file outlives its name.
    """

    def __init__(self, path: Path, start: int, end: int | None) -> None:
        self._path = path
        self._start = start
        self._end = end
        self._turn = threading.Lock()
        self._descriptor: int | None = None
        self._size = 0
        self._checksum: Checksum = crc_of
        self._small: bytes | None = None
        self._stop = 0
        self._closed = False

    def read(self, blocks: int) -> tuple[bytes, bool]:
        """Returns what is wanted of the next blocks, and whether more follows; if not, it is closed."""
        with self._turn:
            if self._closed:
                return b"", False
            if self._descriptor is None:
                self._open()
            stop = min(self._stop, (self._start // BLOCK + blocks) * BLOCK)
            wanted = list(blocks_between(self._start, stop)) if self._start < stop else []
            content = self._read_verified(wanted) if wanted else b""
            self._start = max(stop, self._start)
            if self._start >= self._stop:
                self._close()
            return content, not self._closed

    def has_digests(self) -> bool:
        """Tells whether an earlier release stored it, whose digests take longer to verify than checksums."""
        with self._turn:
            self._open()
            return self._checksum is digest_of

    def close(self) -> None:
        """Closes the file, after a read that has begun; whoever reads then reads nothing."""
        with self._turn:
            self._close()

    def _close(self) -> None:
        self._closed = True
        if self._descriptor is not None:
            descriptor, self._descriptor = self._descriptor, None
            os.close(descriptor)

    def _open(self) -> None:
        try:
            self._descriptor = os.open(self._path, os.O_RDONLY | os.O_NOFOLLOW)
        except FileNotFoundError:
            raise BlobMissing(f"there is no blob {self._path.name}") from None
        self._size = content_size(os.fstat(self._descriptor).st_size)
        self._stop = self._size if self._end is None else min(self._end, self._size)
        try:
            if self._size > BLOCK:
                trailer = self._read(self._size, trailer_size(self._size))
                self._checksum = verify_trailer(self._path.name, self._size, trailer)
            else:
                self._small = self._read(0, self._size)
                verify_small(self._path.name, self._small)
        except Corrupt as damage:
            raise BlobCorrupt(str(damage)) from None

    def _read_verified(self, wanted: Sequence[tuple[int, slice]]) -> bytes:
        """Reads several blocks at once: between threads and on a socket, a few long pieces cost least."""
        (first, head), (last, tail) = wanted[0], wanted[-1]
        if self._small is not None:
            return self._small[head]
        length = min((last + 1) * BLOCK, self._size) - first * BLOCK
        content = self._read(first * BLOCK, length)
        checksums = self._read(self._size + first * DIGEST, len(wanted) * DIGEST)
        view = memoryview(content)
        for number, (index, _) in enumerate(wanted):
            block = view[number * BLOCK : (number + 1) * BLOCK]
            expected = checksums[number * DIGEST : (number + 1) * DIGEST]
            try:
                verify_block(self._path.name, index, block, expected, self._checksum)
            except Corrupt as damage:
                raise BlobCorrupt(str(damage)) from None
        stop = (last - first) * BLOCK + tail.stop
        return content if (head.start, stop) == (0, length) else content[head.start : stop]

    def _read(self, offset: int, length: int) -> bytes:
        assert self._descriptor is not None
        found = os.pread(self._descriptor, length, offset)
        while len(found) < length:
            more = os.pread(self._descriptor, length - len(found), offset + len(found))
            if not more:
                raise BlobCorrupt(f"the blob {self._path.name} is cut short")
            found += more
        return found
