"""A blob on its way out: each block is verified before it is given."""

import os
import threading
from collections.abc import Sequence
from pathlib import Path

from guildhall_sdk.blobs import Blob, BlobCorrupt, BlobMissing
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
    """The blocks of a file that hold some wanted bytes.

    It is called in threads, several at once; what one reads, it verifies. An open file outlives its name.
    """

    def __init__(self, path: Path, start: int, end: int | None) -> None:
        self._path = path
        self._start = start
        self._end = end
        self._turn = threading.Lock()
        self._descriptor: int | None = None
        self._blob = Blob(path.name, 0)
        self._checksum: Checksum = crc_of
        self._small: bytes | None = None
        self._stop = 0
        self._left = 0
        self._reading = 0
        self._closed = False

    def read(self, first: int, blocks: int) -> tuple[bytes, bool]:
        """Returns what is wanted of so many blocks from the `first` on, and whether more is behind them.

        The file is closed when all of them were read.
        """
        try:
            return self._read_wanted(first, blocks)
        except Corrupt as damage:
            raise BlobCorrupt(str(damage)) from None

    def _read_wanted(self, first: int, blocks: int) -> tuple[bytes, bool]:
        with self._turn:
            if self._closed:
                return b"", False
            if self._descriptor is None:
                self._open()
            self._reading += 1
        read = 0
        try:
            begin = (self._start // BLOCK + first) * BLOCK
            stop = min(self._stop, begin + blocks * BLOCK)
            taken = list(blocks_between(max(self._start, begin), stop)) if begin < stop else []
            content = self._read_blocks(taken) if taken else b""
            read = len(taken)
            return content, stop < self._stop
        finally:
            self._end_read(read)

    def has_digests(self) -> bool:
        """Tells whether an earlier release stored it, whose digests take longer to verify than checksums."""
        with self._turn:
            try:
                self._open()
            except Corrupt as damage:
                raise BlobCorrupt(str(damage)) from None
            return self._checksum is digest_of

    def close(self) -> None:
        """Lets nobody begin to read any more; the file is closed when the last who did has ended."""
        with self._turn:
            self._closed = True
            self._close_unused()

    def _end_read(self, blocks: int) -> None:
        with self._turn:
            self._reading -= 1
            self._left -= blocks
            self._closed |= self._left <= 0
            self._close_unused()

    def _close_unused(self) -> None:
        if self._closed and not self._reading and self._descriptor is not None:
            descriptor, self._descriptor = self._descriptor, None
            os.close(descriptor)

    def _open(self) -> None:
        try:
            descriptor = os.open(self._path, os.O_RDONLY | os.O_NOFOLLOW)
        except FileNotFoundError:
            raise BlobMissing(f"there is no blob {self._path.name}") from None
        try:
            self._blob = Blob(self._path.name, content_size(os.fstat(descriptor).st_size))
            if self._blob.size > BLOCK:
                trailer = self._read(descriptor, self._blob.size, trailer_size(self._blob.size))
                self._checksum = verify_trailer(self._blob.sha256, self._blob.size, trailer)
            else:
                self._small = self._read(descriptor, 0, self._blob.size)
                verify_small(self._blob.sha256, self._small)
        except BaseException:
            os.close(descriptor)
            raise
        self._descriptor = descriptor
        self._stop = self._blob.size if self._end is None else min(self._end, self._blob.size)
        self._left = -(-self._stop // BLOCK) - self._start // BLOCK

    def _read_blocks(self, taken: Sequence[tuple[int, slice]]) -> bytes:
        """Reads several blocks at once: between threads and on a socket, a few long pieces cost least."""
        (first, head), (last, tail) = taken[0], taken[-1]
        if self._small is not None:
            return self._small[head]
        length = min((last + 1) * BLOCK, self._blob.size) - first * BLOCK
        assert self._descriptor is not None
        content = self._read(self._descriptor, first * BLOCK, length)
        expected = self._read(self._descriptor, self._blob.size + first * DIGEST, len(taken) * DIGEST)
        view = memoryview(content)
        for number, (index, _) in enumerate(taken):
            block = view[number * BLOCK : (number + 1) * BLOCK]
            one = expected[number * DIGEST : (number + 1) * DIGEST]
            verify_block(self._blob.sha256, index, block, one, self._checksum)
        stop = (last - first) * BLOCK + tail.stop
        return content if (head.start, stop) == (0, length) else content[head.start : stop]

    def _read(self, descriptor: int, offset: int, length: int) -> bytes:
        found = os.pread(descriptor, length, offset)
        while len(found) < length:
            more = os.pread(descriptor, length - len(found), offset + len(found))
            if not more:
                raise BlobCorrupt(f"the blob {self._blob.sha256} is cut short")
            found += more
        return found
