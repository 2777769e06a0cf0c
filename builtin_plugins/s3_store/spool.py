"""What is being put, until its digest is known: in memory, then in a file that has no name."""

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from guildhall_sdk.blobs import Blob, Hasher
from libs.blob_layout import BlockHasher

PART = 8 * 1024 * 1024
_PARTS_OF_A_SIZE = 1000


class Spool:
    """Everything here blocks, and is called in threads, one call at a time until `finish`."""

    def __init__(self, folder: Path, also: Sequence[Hasher]) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=PART, dir=str(folder))  # noqa: SIM115
        self._blocks = BlockHasher()
        self._hashers: Sequence[Hasher] = (self._blocks, *also)
        self.size = 0

    def append(self, chunks: Sequence[bytes]) -> None:
        data = chunks[0] if len(chunks) == 1 else b"".join(chunks)
        for hasher in self._hashers:
            hasher.update(data)
        self._write(data)

    def finish(self, check: Callable[[Blob], None] | None) -> Blob:
        """Returns the blob; `read` then reads it with its trailer."""
        sha256, size, trailer = self._blocks.finish()
        blob = Blob(sha256, size)
        if check is not None:
            check(blob)
        self._write(trailer)
        self._file.flush()
        return blob

    def read(self, start: int, length: int) -> bytes:
        """Reads bytes; several threads may read at once."""
        if self.size <= PART:
            self._file.seek(start)
            return bytes(self._file.read(length))
        return os.pread(self._file.fileno(), length, start)

    def close(self) -> None:
        self._file.close()

    def _write(self, data: bytes) -> None:
        self._file.write(data)
        self.size += len(data)


def parts_of(size: int) -> Iterator[tuple[int, int, int]]:
    """Yields number, start and length of each part, which grow so that ten thousand are always enough."""
    number, start = 1, 0
    while start < size:
        length = min(PART << (number - 1) // _PARTS_OF_A_SIZE, size - start)
        yield number, start, length
        number, start = number + 1, start + length
