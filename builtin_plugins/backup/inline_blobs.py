"""Blobs that lie in rows of the database: read one by one, and compared with their digests."""

import hashlib
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from guildhall_sdk import Reader, Row
from guildhall_sdk.blobs import BlobReferences

_PAGE = 200


@dataclass(frozen=True, slots=True)
class InlineBlob:
    """One as it was found: whether its bytes are what its digest says, and whether anything refers to it."""

    namespace: str
    sha256: str
    size: int
    sound: bool
    used: bool


async def inline_blobs(
    read: Callable[[], AbstractAsyncContextManager[Reader]], references: Sequence[BlobReferences]
) -> AsyncIterator[InlineBlob]:
    for one in references:
        async for blob in inline_blobs_of(read, one):
            yield blob


async def inline_blobs_of(
    read: Callable[[], AbstractAsyncContextManager[Reader]],
    references: BlobReferences,
    after: tuple[str, str] = ("", ""),
) -> AsyncIterator[InlineBlob]:
    """Yields the blobs in the rows of one plugin that come after this one, by namespace and then digest."""
    if references.inline is None:
        return
    while True:
        namespace, sha256 = after
        async with read() as reader:
            rows = await reader.all(references.inline, namespace=namespace, sha256=sha256, limit=_PAGE)
        for row in rows:
            yield _found(row)
        if len(rows) < _PAGE:
            return
        after = rows[-1]["namespace"], rows[-1]["sha256"]


def _found(row: Row) -> InlineBlob:
    content = row["content"]
    # SQLite gives back whatever somebody put there.
    sound = isinstance(content, bytes) and hashlib.sha256(content).hexdigest() == row["sha256"]
    return InlineBlob(row["namespace"], row["sha256"], len(content), sound, bool(row["used"]))
