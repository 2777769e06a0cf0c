"""The blob store of an instance: it is the one that its rows refer to, and deletes wait for backups.

Which store it is stands in the database. The store itself holds a mark, a small blob in a namespace of its
own: so any store can be told from another one of its kind, and the mark moves and is copied with the rest.
"""

import asyncio
import secrets
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from pathlib import Path

from guildhall_sdk import Clock, Problem, Reader, Row, load_queries
from guildhall_sdk.blobs import BlobMissing, BlobReferences, BlobStore, BlobStoreUnavailable, KeptBlob
from guildhall_sdk.data import Data
from kernel.blobs import CompletedStore
from kernel.faults import BootRefused
from kernel.logs import get_logger

sql = load_queries(Path(__file__).with_suffix(".sql"))
_log = get_logger("blobs")

_HOLD_MS = 120_000
_RENEW_SECONDS = 20.0
_MARKS = "store-mark"
# Of what rows refer to: some may have been lost, not all of the first ones.
_SAMPLE = 50


class BlobStoreMismatch(BootRefused):
    """The store is not the one that holds the file contents which the database refers to."""

    def __init__(self, kind: str) -> None:
        super().__init__(
            f"SERVICE_BLOB_STORE: the store {kind} that is set up here does not hold the file contents of "
            "this database. All servers of one database share one store: one folder blobs in SERVICE_DATA, "
            "or a SERVICE_BLOB_STORE that they all reach. Mount the right one. Only if the contents "
            f"are lost, or were copied here without {_MARKS}, run: guildhall doctor --adopt-store"
        )


class BlobStoreInUse(BlobStoreMismatch):
    """Another server keeps the file contents of this database in a store of another kind."""

    def __init__(self, kind: str, used: str, server: Row) -> None:
        BootRefused.__init__(
            self,
            f"SERVICE_BLOB_STORE: the store {used} of this database is in use by a server "
            f"({server['host']}, process {server['pid']}), and {kind} is set up here. All servers of one "
            "database share one store: stop every server before you change SERVICE_BLOB_STORE",
        )


class MarkedStore(CompletedStore):
    """A blob store whose mark nobody lists, so that it is neither swept nor scrubbed."""

    def list(self, namespace: str | None = None) -> AsyncGenerator[KeptBlob, None]:
        return _without_marks(super().list(namespace))

    def list_after(self, namespace: str, sha256: str) -> AsyncGenerator[KeptBlob, None]:
        return _without_marks(super().list_after(namespace, sha256))


async def _without_marks(blobs: AsyncGenerator[KeptBlob, None]) -> AsyncGenerator[KeptBlob, None]:
    async with aclosing(blobs):
        async for blob in blobs:
            if blob.namespace != _MARKS:
                yield blob


class GuardedStore(MarkedStore):
    """The blob store as a server has it.

    A backup that has begun refers to what was committed before. What a delete removes lost its last
    reference before it asks here: so either the backup does not know of it, or the delete is refused.
    """

    def __init__(self, store: BlobStore, data: Data, clock: Clock, kind: str) -> None:
        super().__init__(store)
        self._data = data
        self._clock = clock
        self._kind = kind

    async def get(
        self, namespace: str, sha256: str, start: int = 0, end: int | None = None
    ) -> AsyncGenerator[bytes, None]:
        try:
            async with aclosing(super().get(namespace, sha256, start, end)) as chunks:
                async for chunk in chunks:
                    yield chunk
        except BlobMissing:
            await self._check_still_ours()
            raise

    async def delete(self, namespace: str, sha256: str) -> None:
        async with self._data.read() as reader:
            if await reader.one(sql.held, now=str(self._clock.now_ms())) is not None:
                raise BlobStoreUnavailable("A backup is being made; nothing is deleted until it is done.")
        await super().delete(namespace, sha256)

    async def identify(self, references: Sequence[BlobReferences]) -> None:
        """Takes the store for this instance's own at the first start, and refuses another one after it."""
        try:
            async with self._data.read() as reader:
                before = await reader.one(sql.store)
                is_known = await _is_known(self, self._kind, reader)
                if not is_known and not await _has_some(self, references, reader):
                    raise BlobStoreMismatch(self._kind)
            if not is_known:
                await adopt(self, self._kind, self._data, before=before)
        except BlobStoreUnavailable as trouble:
            _log.warning("blobs.store_not_identified", reason=trouble.detail)

    async def _check_still_ours(self) -> None:
        """Raises 503 where contents are missing because all of them are: another store is mounted there."""
        async with self._data.read() as reader:
            try:
                await _is_known(self, self._kind, reader)
            except BlobStoreMismatch as mismatch:
                _log.error("blobs.store_mismatch", reason=str(mismatch))
                raise BlobStoreUnavailable(
                    "This server does not have the store that holds the file contents. "
                    "An operator should run: guildhall doctor"
                ) from mismatch


async def check_store(store: BlobStore, kind: str, data: Data, references: Sequence[BlobReferences]) -> None:
    """Raises `BlobStoreMismatch` where a server would; adopts nothing."""
    async with data.read() as reader:
        if not await _is_known(store, kind, reader) and not await _has_some(store, references, reader):
            raise BlobStoreMismatch(kind)


async def adopt(
    store: BlobStore, kind: str, data: Data, *, before: Row | None = None, instead: bool = False
) -> None:
    """Marks the store as this instance's own; of several servers that start at once one does.

    That is who finds the one that was there `before`; with `instead` whatever is there.
    """
    mark = await new_mark(store)
    async with data.write() as writer:
        await writer.serialize("blob_store")
        known = await writer.one(sql.store)
        if instead or _mark_of(known) == _mark_of(before):
            await writer.run(sql.set_store, store=f"{kind}:{mark}")
            return
    await store.delete(_MARKS, mark)
    async with data.read() as reader:
        if not await _is_known(store, kind, reader):
            raise BlobStoreMismatch(kind)


def _mark_of(known: Row | None) -> str | None:
    return None if known is None else known["mark"]


async def new_mark(store: BlobStore) -> str:
    """Puts a mark into the store; returns its digest."""

    async def content() -> AsyncIterator[bytes]:
        yield f"A store of file contents of Guildhall: {secrets.token_hex(16)}\n".encode()

    return (await store.put(_MARKS, content())).sha256


async def _is_known(store: BlobStore, kind: str, reader: Reader) -> bool:
    """Tells whether a store of this kind was adopted; raises `BlobStoreMismatch` if it is another one."""
    known = await reader.one(sql.store)
    if known is None:
        return False
    if known["kind"] != kind:
        if (server := await reader.one(sql.live_server)) is not None:
            raise BlobStoreInUse(kind, known["kind"], server)
        return False
    if await store.stat(_MARKS, known["mark"]) is None:
        raise BlobStoreMismatch(kind)
    return True


async def _has_some(store: BlobStore, references: Sequence[BlobReferences], reader: Reader) -> bool:
    """Tells whether any of the first contents that rows refer to is in the store; so it is where none is."""
    expected = [
        (row["namespace"], row["sha256"])
        for one in references
        for row in await reader.all(one.statement, namespace="", sha256="", limit=_SAMPLE)
    ]
    for namespace, sha256 in expected:
        if await store.stat(namespace, sha256) is not None:
            return True
    return not expected


@asynccontextmanager
async def deletes_held_back(data: Data, clock: Clock, backup_id: str) -> AsyncIterator[None]:
    """Holds back deletes of blobs while the block runs; it lapses two minutes after a killed backup."""
    key = f"backup:{backup_id}"
    async with data.write() as writer:
        await writer.run(sql.forget_lapsed, now=str(clock.now_ms()))
        await writer.run(sql.hold, key=key, until=str(clock.now_ms() + _HOLD_MS))
    renewing = asyncio.create_task(_renew(data, clock, key))
    try:
        yield
    finally:
        renewing.cancel()
        with suppress(asyncio.CancelledError):
            await renewing
        with suppress(Problem):
            async with data.write() as writer:
                await writer.run(sql.let_go, key=key)


async def _renew(data: Data, clock: Clock, key: str) -> None:
    while True:
        await asyncio.sleep(_RENEW_SECONDS)
        with suppress(Problem):  # the database is busy: there is time for several more tries
            async with data.write() as writer:
                await writer.run(sql.hold, key=key, until=str(clock.now_ms() + _HOLD_MS))
