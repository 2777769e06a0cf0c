"""A blob on its way out: each block is verified before it is given."""

import os
import threading
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from guildhall_sdk import Blob, BlobCorrupt, BlobMissing
from guildhall_sdk.blocks import (
    BLOCK,
    DIGEST,
    blocks_between,
    content_size,
    trailer_size,
    verify_block,
    verify_small,
    verify_trailer,
)

TOGETHER = 4


class Outgoing:
    """Blocks, and is called in threads; one call waits for the other. An open file outlives its name."""

    def __init__(self, path: Path, start: int, end: int | None) -> None:
        self._path = path
        self._start = start
        self._end = end
        self._turn = threading.Lock()
        self._descriptor: int | None = None
        self._blob = Blob(path.name, 0)
        self._small: bytes | None = None
        self._wanted: Iterator[tuple[int, slice]] = iter(())
        self._left = 0
        self._closed = False

    def next(self, blocks: int = TOGETHER) -> tuple[bytes, bool]:
        """Returns the next bytes, at most so many blocks, and whether there are more.

        At the end the file is closed.
        """
        with self._turn:
            if self._closed:
                return b"", False
            try:
                if self._descriptor is None:
                    self._open()
                chunk = self._read_next(blocks) if self._left else b""
            except BaseException:
                self._close()
                raise
            if not self._left:
                self._close()
            return chunk, self._left > 0

    def close(self) -> None:
        with self._turn:
            self._close()

    def _open(self) -> None:
        try:
            self._descriptor = os.open(self._path, os.O_RDONLY | os.O_NOFOLLOW)
        except FileNotFoundError:
            raise BlobMissing(f"there is no blob {self._path.name}") from None
        self._blob = Blob(self._path.name, content_size(os.fstat(self._descriptor).st_size))
        if self._blob.size > BLOCK:
            verify_trailer(self._blob, self._read(self._blob.size, trailer_size(self._blob.size)))
        else:
            self._small = self._read(0, self._blob.size)
            verify_small(self._blob.sha256, self._small)
        end = self._blob.size if self._end is None else min(self._end, self._blob.size)
        if self._start < end:
            self._wanted = blocks_between(self._start, end)
            self._left = -(-end // BLOCK) - self._start // BLOCK

    def _read_next(self, blocks: int) -> bytes:
        """Reads several blocks at once: between threads and on a socket, a few long pieces cost least."""
        taken = list(islice(self._wanted, blocks))
        self._left -= len(taken)
        (first, head), (last, tail) = taken[0], taken[-1]
        if self._small is not None:
            return self._small[head]
        length = min((last + 1) * BLOCK, self._blob.size) - first * BLOCK
        content = self._read(first * BLOCK, length)
        digests = self._read(self._blob.size + first * DIGEST, len(taken) * DIGEST)
        view = memoryview(content)
        for number, (index, _) in enumerate(taken):
            block = view[number * BLOCK : (number + 1) * BLOCK]
            verify_block(self._blob, index, block, digests[number * DIGEST : (number + 1) * DIGEST])
        stop = (last - first) * BLOCK + tail.stop
        return content if (head.start, stop) == (0, length) else content[head.start : stop]

    def _read(self, offset: int, length: int) -> bytes:
        assert self._descriptor is not None
        found = os.pread(self._descriptor, length, offset)
        while len(found) < length:
            more = os.pread(self._descriptor, length - len(found), offset + len(found))
            if not more:
                raise BlobCorrupt(f"the blob {self._blob.sha256} is cut short")
            found += more
        return found

    def _close(self) -> None:
        self._closed = True
        if self._descriptor is not None:
            descriptor, self._descriptor = self._descriptor, None
            os.close(descriptor)
