"""`guildhall blobs move`: the contents of every file, copied into another store beside a running server.

Nothing is removed where it was. What is there already is not copied again: so a killed command goes on, and a
later pass copies what was written meanwhile. The mark goes along, which tells the store of another instance.
"""

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass

from builtin_plugins.blobs.guard import MARKS
from guildhall_sdk.blobs import (
    Blob,
    BlobCorrupt,
    BlobMissing,
    BlobReferences,
    BlobsNotListed,
    BlobStore,
)
from guildhall_sdk.data import Data
from guildhall_sdk.engines.pools import Progress
from guildhall_sdk.errors import OperatorError
from libs.coordination import each_of

_PAGE = 500
_AT_ONCE = 8
Address = tuple[str, str]


@dataclass(slots=True)
class MovedBlobs:
    """A pass over what rows refer to: what it copied, what was there, and what is nowhere whole."""

    copied: int = 0
    size: int = 0
    there: int = 0
    lacking: int = 0


class BlobMove:
    """Copies what rows refer to from one open store into another.

    `progress` is told how far it is, and of each that is missing or corrupt.
    """

    def __init__(
        self,
        source: BlobStore,
        target: BlobStore,
        data: Data,
        references: Sequence[BlobReferences],
        progress: Progress,
    ) -> None:
        self._source = source
        self._target = target
        self._data = data
        self._references = references
        self._progress = progress
        self.moved = MovedBlobs()

    async def run(self) -> MovedBlobs:
        """Makes one pass; raises `OperatorError` before it where the target is another instance's."""
        await self._carry_marks()
        for one in self._references:
            after: Address = ("", "")
            while page := await self._page(one, after):
                await each_of(page, self._bring, _AT_ONCE)  # each mostly waits
                after = page[-1]
        return self.moved

    async def _page(self, one: BlobReferences, after: Address) -> list[Address]:
        async with self._data.read() as reader:
            binds = {"namespace": after[0], "sha256": after[1], "limit": _PAGE}
            rows = await reader.all(one.statement, **binds)
        return [(row["namespace"], row["sha256"]) for row in rows]

    async def _carry_marks(self) -> None:
        ours, theirs = await _marks(self._source), await _marks(self._target)
        if theirs and not theirs & ours:
            raise OperatorError(
                "the store to move to holds the file contents of another instance: give this one a place of "
                "its own there, such as another S3_PREFIX"
            )
        for sha256 in sorted(ours - theirs):
            await self._copy((MARKS, sha256))

    async def _bring(self, address: Address) -> None:
        moved = self.moved
        if await self._target.stat(*address) is not None:
            moved.there += 1
        else:
            try:
                moved.size += await self._copy(address)
                moved.copied += 1
            except (BlobMissing, BlobCorrupt) as reason:
                if await self._is_referred(address):
                    moved.lacking += 1
                    what = "corrupt" if isinstance(reason, BlobCorrupt) else "missing"
                    self._progress(what, f"{address[0]} {address[1]}")
        self._progress("blobs", f"{moved.copied} copied, {moved.there} were there")

    async def _copy(self, address: Address) -> int:
        """Copies a blob, which is kept only where its bytes have its digest; returns its length."""
        namespace, sha256 = address

        def check_same(blob: Blob) -> None:
            if blob.sha256 != sha256:
                raise BlobCorrupt(f"the bytes of {sha256} have another digest")

        async with aclosing(self._source.get(namespace, sha256)) as chunks:
            return (await self._target.put(namespace, chunks, check=check_same)).size

    async def _is_referred(self, address: Address) -> bool:
        """Tells whether rows refer to it still: what was deleted meanwhile is no loss."""
        async with self._data.read() as reader:
            for one in self._references:
                if await one.include(reader, *address):
                    return True
        return False


async def _marks(store: BlobStore) -> set[str]:
    """Returns the marks that a store holds; of one that cannot list them none."""
    try:
        return {blob.sha256 async for blob in store.list(MARKS)}
    except BlobsNotListed:
        return set()
