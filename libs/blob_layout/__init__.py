"""The layout of a blob at rest, by which any part of it is verified by reading little more than that part.

A blob of at most one block is its own bytes, verified by its name. A longer one is followed by a trailer: the
CRC-64/NVME of each block, then a seal, the SHA-256 over the blob's name, its length and those checksums. The
seal ties the checksums to the name; each block is then verified by its own checksum, before it is used.

Blobs of earlier releases have the SHA-256 of each block instead, and another seal. Every checksum takes as
much room as that: so the length of a blob is known from what it takes at rest, whichever it has.
"""

import hashlib
from collections.abc import AsyncIterator, Callable, Iterator
from functools import cache

BLOCK = 256 * 1024
DIGEST = 32
_BATCH = 1024 * 1024
_BATCH_CHUNKS = 4096
#: Do not change them: one of them is in every blob that was stored.
_SEAL_OF_DIGESTS, _SEAL = b"guildhall blocks 1\0", b"guildhall blocks 2\0"

Checksum = Callable[[bytes | memoryview], bytes]


def content_size(stored: int) -> int:
    """Returns the length of the blob that takes `stored` bytes at rest."""
    if stored <= BLOCK:
        return stored
    digests = -(-(stored - DIGEST) // (BLOCK + DIGEST))
    return stored - DIGEST - digests * DIGEST


def trailer_size(size: int) -> int:
    """Returns the length of the trailer of a blob of this length; a blob of one block has none."""
    return 0 if size <= BLOCK else DIGEST * (-(-size // BLOCK) + 1)


async def batches(chunks: AsyncIterator[bytes]) -> AsyncIterator[list[bytes]]:
    """Yields the chunks in lists of about a MiB, each large enough to be worth a thread."""
    batch: list[bytes] = []
    gathered = 0
    async for chunk in chunks:
        batch.append(chunk)
        gathered += len(chunk)
        if gathered >= _BATCH or len(batch) >= _BATCH_CHUNKS:
            yield batch
            batch, gathered = [], 0
    if batch:
        yield batch


@cache
def _crc64() -> Callable[[bytes | memoryview, int], int]:
    """Returns the CPU's own, of a library that is imported at the first use: it is large."""
    from awscrt.checksums import crc64nvme  # type: ignore[import-untyped]

    return crc64nvme  # type: ignore[no-any-return]


def crc_of(block: bytes | memoryview) -> bytes:
    """Returns the checksum of a block as the trailer holds it."""
    return _crc64()(block, 0).to_bytes(DIGEST, "big")


def digest_of(block: bytes | memoryview) -> bytes:
    """Returns what the trailer of a blob of an earlier release holds for a block."""
    return hashlib.sha256(block).digest()


class BlockHasher:
    """Hashes the bytes of a blob as they pass, for its name and its trailer."""

    def __init__(self) -> None:
        self._digest_of_all = hashlib.sha256()
        self._block = 0
        self._size = 0
        self._checksums = bytearray()

    def update(self, data: bytes) -> None:
        """Hashes the next bytes."""
        self._digest_of_all.update(data)
        crc64, view = _crc64(), memoryview(data)
        while view:
            room = BLOCK - self._size % BLOCK
            self._block = crc64(view[:room], self._block)
            self._size += min(room, len(view))
            if self._size % BLOCK == 0:
                self._end_block()
            view = view[room:]

    def _end_block(self) -> None:
        self._checksums += self._block.to_bytes(DIGEST, "big")
        self._block = 0

    def finish(self) -> tuple[str, int, bytes]:
        """Returns the SHA-256 and the length of the blob, and its trailer; nothing may be added then."""
        sha256 = self._digest_of_all.hexdigest()
        if self._size <= BLOCK:
            return sha256, self._size, b""
        if self._size % BLOCK:
            self._end_block()
        checksums = bytes(self._checksums)
        return sha256, self._size, checksums + _seal(_SEAL, sha256, self._size, checksums)


class Corrupt(Exception):
    """Raised for a blob whose bytes are not those that were stored."""


def verify_trailer(sha256: str, size: int, trailer: bytes) -> Checksum:
    """Returns which checksum this trailer has; raises `Corrupt` unless it is the one made with the blob."""
    checksums, seal = trailer[:-DIGEST], trailer[-DIGEST:]
    if len(trailer) == trailer_size(size):
        for kind, checksum in ((_SEAL, crc_of), (_SEAL_OF_DIGESTS, digest_of)):
            if seal == _seal(kind, sha256, size, checksums):
                return checksum
    raise Corrupt(f"the digests of the blob {sha256} are not as they were written")


def verify_block(
    sha256: str, index: int, block: bytes | memoryview, expected: bytes, checksum: Checksum
) -> None:
    """Raises `Corrupt` unless the block has the checksum that the trailer holds for it."""
    if checksum(block) != expected:
        raise Corrupt(f"the blob {sha256} is corrupt at block {index}")


def verify_small(sha256: str, content: bytes) -> None:
    """Raises `Corrupt` unless the content is the whole of the blob of that name."""
    if hashlib.sha256(content).hexdigest() != sha256:
        raise Corrupt(f"the blob {sha256} is corrupt")


def blocks_between(start: int, end: int) -> Iterator[tuple[int, slice]]:
    """Yields the index of each block that holds some of these bytes, and which part of the block."""
    for index in range(start // BLOCK, -(-end // BLOCK)):
        first = index * BLOCK
        yield index, slice(max(start - first, 0), min(end - first, BLOCK))


def _seal(kind: bytes, sha256: str, size: int, checksums: bytes) -> bytes:
    return hashlib.sha256(kind + bytes.fromhex(sha256) + size.to_bytes(8, "big") + checksums).digest()
