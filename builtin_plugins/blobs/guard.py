"""The blob store of an instance: it is the one that its rows refer to, and deletes wait for backups.

Which store it is stands in the database. The store itself holds a mark, a small blob in a namespace of its
own: so any store can be told from another one of its kind, and the mark moves and is copied with the rest.
"""

import asyncio
import logging
import secrets
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from typing import NamedTuple

from builtin_plugins.blobs.stores import CompletedStore, StoreRefused
from guildhall_sdk import Clock, Problem, Reader
from guildhall_sdk.blobs import BlobMissing, BlobReferences, BlobStore, BlobStoreUnavailable, StoredBlob
from guildhall_sdk.data import Data
from guildhall_sdk.services.server import InstanceFacts, LiveServer

_log = logging.getLogger("guildhall.blobs")
# Facts of the instance, named before keys began with the id of their plugin.
_STORE, _HOLDS = "blob_store", "backup:"

_HOLD_MS = 120_000
_RENEW_SECONDS = 20.0
MARKS = "store-mark"
#: The fact of a move to another kind of store that has not come to its end.
MOVE = "blobs.move"
# Of what rows refer to: some may have been lost, not all of the first ones.
_SAMPLE = 50


class BlobStoreMismatch(StoreRefused):
    """The store is not the one that holds the file contents which the database refers to."""

    def __init__(self, kind: str) -> None:
        super().__init__(
            f"SERVICE_BLOB_STORE: the store {kind} that is set up here does not hold the file contents of "
            "this database. All servers of one database share one store: one folder blobs in SERVICE_DATA, "
            "or a SERVICE_BLOB_STORE that they all reach. Mount the right one. Only if the contents "
            f"are lost, or were copied here without {MARKS}, run: guildhall doctor --adopt-store"
        )


class BlobStoreInUse(BlobStoreMismatch):
    """Another server keeps the file contents of this database in a store of another kind."""

    def __init__(self, kind: str, used: str, server: LiveServer) -> None:
        StoreRefused.__init__(
            self,
            f"SERVICE_BLOB_STORE: the store {used} of this database is in use by a server "
            f"({server.host}, process {server.pid}), and {kind} is set up here. All servers of one "
            "database share one store: stop every server before you change SERVICE_BLOB_STORE",
        )


class MarkedStore(CompletedStore):
    """A blob store whose mark nobody lists, so that it is neither swept nor scrubbed."""

    def list(self, namespace: str | None = None) -> AsyncGenerator[StoredBlob, None]:
        return _without_marks(super().list(namespace))

    def list_after(self, namespace: str, sha256: str) -> AsyncGenerator[StoredBlob, None]:
        return _without_marks(super().list_after(namespace, sha256))


async def _without_marks(blobs: AsyncGenerator[StoredBlob, None]) -> AsyncGenerator[StoredBlob, None]:
    async with aclosing(blobs):
        async for blob in blobs:
            if blob.namespace != MARKS:
                yield blob


class StoreIdentity(NamedTuple):
    """Which store an instance has: its kind, and the mark that it holds."""

    kind: str
    mark: str


class StoreGuard:
    """Tells the store of one instance from any other, and holds back deletes for backups."""

    def __init__(
        self, facts: InstanceFacts, data: Data, clock: Clock, kind: str, references: Sequence[BlobReferences]
    ) -> None:
        self._facts = facts
        self._data = data
        self._clock = clock
        self._kind = kind
        self._references = references

    async def check(self, store: BlobStore) -> None:
        """Raises `BlobStoreMismatch` where a server would; adopts nothing."""
        async with self._data.read() as reader:
            if not await self._is_known(store, reader) and not await self._has_some(store, reader):
                raise BlobStoreMismatch(self._kind)

    async def check_still_ours(self, store: BlobStore) -> None:
        """Raises 503 where contents are missing because all of them are: another store is mounted there."""
        async with self._data.read() as reader:
            try:
                await self._is_known(store, reader)
            except BlobStoreMismatch as mismatch:
                _log.error("blobs.store_mismatch", extra={"fields": {"reason": str(mismatch)}})
                raise BlobStoreUnavailable(
                    "This server does not have the store that holds the file contents. "
                    "An operator should run: guildhall doctor"
                ) from mismatch

    async def identify(self, store: BlobStore) -> None:
        """Takes the store for this instance's own at the first start, and refuses another one after it."""
        try:
            async with self._data.read() as reader:
                before = await self._identity(reader)
                is_known = await self._is_known(store, reader)
                if not is_known and not await self._has_some(store, reader):
                    raise BlobStoreMismatch(self._kind)
            if not is_known:
                await self.adopt(store, before=before)
        except BlobStoreUnavailable as trouble:
            _log.warning("blobs.store_not_identified", extra={"fields": {"reason": trouble.detail}})

    async def adopt(
        self, store: BlobStore, *, before: StoreIdentity | None = None, instead: bool = False
    ) -> None:
        """Marks the store as this instance's own; of several servers that start at once one does.

        That is who finds the one that was there `before`; with `instead` whatever is there.
        """
        mark = await new_mark(store)
        async with self._data.write() as writer:
            await writer.serialize("blob_store")
            if instead or await self._identity(writer) == before:
                await self._facts.set(writer, *identity_fact(self._kind, mark))
                return
        await store.delete(MARKS, mark)
        async with self._data.read() as reader:
            if not await self._is_known(store, reader):
                raise BlobStoreMismatch(self._kind)

    async def is_held(self) -> bool:
        """Tells whether a backup is being made, whose blobs must stay."""
        now = self._clock.now_ms()
        async with self._data.read() as reader:
            return any(int(until) > now for until in (await self._facts.below(reader, _HOLDS)).values())

    @asynccontextmanager
    async def deletes_held_back(self, backup_id: str) -> AsyncIterator[None]:
        """Holds back deletes of blobs while the block runs; it lapses two minutes after a killed backup."""
        key, now = f"{_HOLDS}{backup_id}", self._clock.now_ms()
        async with self._data.write() as writer:
            for lapsed, until in (await self._facts.below(writer, _HOLDS)).items():
                if int(until) <= now:
                    await self._facts.remove(writer, lapsed, value=until)
            await self._facts.set(writer, key, str(now + _HOLD_MS))
        renewing = asyncio.create_task(self._renew(key))
        try:
            yield
        finally:
            renewing.cancel()
            with suppress(asyncio.CancelledError):
                await renewing
            with suppress(Problem):
                async with self._data.write() as writer:
                    await self._facts.remove(writer, key)

    async def _renew(self, key: str) -> None:
        while True:
            await asyncio.sleep(_RENEW_SECONDS)
            with suppress(Problem):  # the database is busy: there is time for several more tries
                async with self._data.write() as writer:
                    await self._facts.set(writer, key, str(self._clock.now_ms() + _HOLD_MS))

    async def _identity(self, reader: Reader) -> StoreIdentity | None:
        found = await self._facts.find(reader, _STORE)
        if found is None:
            return None
        kind, _, mark = found.rpartition(":")
        return StoreIdentity(kind, mark)

    async def _is_known(self, store: BlobStore, reader: Reader) -> bool:
        """Tells whether a store of this kind was adopted; raises `BlobStoreMismatch` if it is another one."""
        known = await self._identity(reader)
        if known is None:
            return False
        if known.kind != self._kind:
            for server in await self._facts.live_servers(reader):
                raise BlobStoreInUse(self._kind, known.kind, server)
            return False
        if await store.stat(MARKS, known.mark) is None:
            raise BlobStoreMismatch(self._kind)
        return True

    async def _has_some(self, store: BlobStore, reader: Reader) -> bool:
        """Tells whether any of the first contents that rows refer to is in the store; also where none is."""
        expected = [
            (row["namespace"], row["sha256"])
            for one in self._references
            for row in await reader.all(one.statement, namespace="", sha256="", limit=_SAMPLE)
        ]
        for namespace, sha256 in expected:
            if await store.stat(namespace, sha256) is not None:
                return True
        return not expected


class GuardedStore(MarkedStore):
    """The blob store as a server has it.

    A backup that has begun refers to what was committed before. What a delete removes lost its last
    reference before it asks here: so either the backup does not know of it, or the delete is refused.
    """

    def __init__(self, store: BlobStore, guard: StoreGuard) -> None:
        super().__init__(store)
        self._guard = guard

    async def get(
        self, namespace: str, sha256: str, start: int = 0, end: int | None = None
    ) -> AsyncGenerator[bytes, None]:
        try:
            async with aclosing(super().get(namespace, sha256, start, end)) as chunks:
                async for chunk in chunks:
                    yield chunk
        except BlobMissing:
            await self._guard.check_still_ours(self)
            raise

    async def delete(self, namespace: str, sha256: str) -> None:
        if await self._guard.is_held():
            raise BlobStoreUnavailable("A backup is being made; nothing is deleted until it is done.")
        await super().delete(namespace, sha256)


def identity_fact(kind: str, mark: str) -> tuple[str, str]:
    """Returns the fact, key and value, that makes a marked store the one of an instance."""
    return _STORE, f"{kind}:{mark}"


async def new_mark(store: BlobStore) -> str:
    """Puts a mark into the store; returns its digest."""

    async def content() -> AsyncIterator[bytes]:
        yield f"A store of file contents of Guildhall: {secrets.token_hex(16)}\n".encode()

    return (await store.put(MARKS, content())).sha256
