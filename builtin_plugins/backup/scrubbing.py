"""Reads every blob in the order of their addresses, beside the references to them, which come in the same.

So it holds no more than a page of either, however many there are, and can go on where it was interrupted.
"""

import hashlib
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from typing import Literal

from builtin_plugins.backup.blobs import Address, inline_blobs_of, is_referred, referred_in_order
from guildhall_sdk.blobs import (
    BlobCorrupt,
    BlobMissing,
    BlobReferences,
    BlobsNotListed,
    BlobStore,
    BlobStoreUnavailable,
    StoredBlob,
)
from guildhall_sdk.data import Data

YOUNG_MS = 3600 * 1000

Wrong = Literal["corrupt", "missing", "unused"]
Say = Callable[[Wrong, StoredBlob], None]


@dataclass(slots=True)
class Scrubbed:
    """How far a scrub has come, and what it has counted up to there.

    `rows_of` names the plugin's references whose rows are being read; it is "" while the store is. `unlisted`
    says why the store was not looked through, but for what is in use. Unused ones are known only where
    somebody says what is in use.
    """

    begun_at_ms: int = 0
    rows_of: str = ""
    namespace: str = ""
    sha256: str = ""
    blobs: int = 0
    size: int = 0
    leftovers: int = 0
    corrupt: int = 0
    missing: int = 0
    unused: int = 0
    unused_size: int = 0
    unlisted: str | None = None
    unused_known: bool = True

    @property
    def sound(self) -> bool:
        return not self.corrupt and not self.missing

    @property
    def place(self) -> Address:
        return self.namespace, self.sha256

    def move_to(self, address: Address) -> None:
        self.namespace, self.sha256 = address


@dataclass(frozen=True, slots=True)
class Scrub:
    """One scrub, of what lies in the store and then of what lies in rows.

    It works beside a running server: a blob is put before the row that needs it is committed, and leaves
    after that row, so what comes or goes meanwhile is neither missing nor unused. `say` is told what is wrong
    with which blob, `after_each` is called when one is done.
    """

    store: BlobStore
    data: Data
    references: Sequence[BlobReferences]
    say: Say
    after_each: Callable[[Scrubbed, int], None] = lambda scrubbed, size: None
    scrubbed: Scrubbed = field(default_factory=Scrubbed)

    async def run(self, now_ms: int) -> Scrubbed:
        """Goes on from where `scrubbed` stands."""
        scrubbed = self.scrubbed
        scrubbed.begun_at_ms = scrubbed.begun_at_ms or now_ms
        if not scrubbed.rows_of:
            scrubbed.leftovers += await self.store.sweep()
            scrubbed.unused_known = bool(self.references)
            await self._scrub_store(now_ms - YOUNG_MS)
        await self._scrub_rows()
        return scrubbed

    async def _scrub_store(self, young_since: int) -> None:
        needed = aiter(referred_in_order(self.data.read, self.references, self.scrubbed.place))
        stored = self._stored()
        next_needed, next_stored = await anext(needed, None), await anext(stored, None)
        while next_needed is not None or next_stored is not None:
            address = None if next_stored is None else (next_stored.namespace, next_stored.sha256)
            if next_stored is None or (
                next_needed is not None and address is not None and next_needed < address
            ):
                assert next_needed is not None
                await self._check_absent(next_needed)
                next_needed = await anext(needed, None)
                continue
            used = next_needed == address
            await self._check(next_stored, used=used, old=next_stored.stored_at_ms < young_since)
            if used:
                next_needed = await anext(needed, None)
            next_stored = await anext(stored, None)

    def _stored(self) -> AsyncIterator[StoredBlob]:
        try:
            return self.store.list_after(*self.scrubbed.place)
        except BlobsNotListed as reason:
            self.scrubbed.unlisted = str(reason)
            return self._those_needed()

    async def _those_needed(self) -> AsyncGenerator[StoredBlob, None]:
        async for namespace, sha256 in referred_in_order(
            self.data.read, self.references, self.scrubbed.place
        ):
            size = await self.store.stat(namespace, sha256)
            if size is not None:
                yield StoredBlob(namespace, sha256, size, 0)

    async def _check(self, blob: StoredBlob, *, used: bool, old: bool) -> None:
        if await self._is_sound(blob):
            with suppress(BlobMissing, BlobCorrupt, BlobStoreUnavailable):  # it is as good as it was
                await self.store.renew(blob.namespace, blob.sha256)
        else:
            self._count("corrupt", blob)
        known = self.scrubbed.unused_known and self.scrubbed.unlisted is None
        if known and old and not used and not await self._is_needed((blob.namespace, blob.sha256)):
            self._count("unused", blob)
        self._done(blob)

    async def _check_absent(self, address: Address) -> None:
        """Looks again at what was needed and not listed: it may be gone with what needed it, or come back."""
        absent = await self._is_needed(address) and await self.store.stat(*address) is None
        if absent and await self._is_needed(address):
            self._count("missing", StoredBlob(*address, 0, 0))
        self.scrubbed.move_to(address)

    async def _scrub_rows(self) -> None:
        """Reads the blobs in rows: each comes and goes with what refers to it, however young it is."""
        scrubbed = self.scrubbed
        names = [one.name for one in self.references]
        first = names.index(scrubbed.rows_of) if scrubbed.rows_of in names else 0
        for one in self.references[first:]:
            if scrubbed.rows_of != one.name:
                scrubbed.rows_of = one.name
                scrubbed.move_to(("", ""))
            async for row in inline_blobs_of(self.data.read, one, scrubbed.place):
                blob = StoredBlob(row.namespace, row.sha256, row.size, 0)
                if not row.sound:
                    self._count("corrupt", blob)
                if not row.used and scrubbed.unlisted is None:
                    self._count("unused", blob)
                self._done(blob)

    async def _is_needed(self, address: Address) -> bool:
        async with self.data.read() as reader:
            return await is_referred(reader, self.references, address)

    async def _is_sound(self, blob: StoredBlob) -> bool:
        """Checks a blob by its digest over all of it; one that was just deleted is sound."""
        digest = hashlib.sha256()
        try:
            async with aclosing(self.store.get(blob.namespace, blob.sha256)) as chunks:
                async for chunk in chunks:
                    digest.update(chunk)
        except BlobCorrupt:
            return False
        except BlobMissing:
            return True
        return digest.hexdigest() == blob.sha256

    def _count(self, wrong: Wrong, blob: StoredBlob) -> None:
        scrubbed = self.scrubbed
        setattr(scrubbed, wrong, getattr(scrubbed, wrong) + 1)
        if wrong == "unused":
            scrubbed.unused_size += blob.size
        self.say(wrong, blob)

    def _done(self, blob: StoredBlob) -> None:
        scrubbed = self.scrubbed
        scrubbed.blobs += 1
        scrubbed.size += blob.size
        scrubbed.move_to((blob.namespace, blob.sha256))
        self.after_each(scrubbed, blob.size)
