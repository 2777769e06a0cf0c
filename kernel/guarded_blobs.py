"""No bytes are deleted while a backup copies them: it says so in the database, for as long as it lives."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from guildhall_sdk import BlobStore, BlobStoreUnavailable, Clock, Data, Problem, load_queries
from kernel.blobs import CompletedStore

sql = load_queries(Path(__file__).with_suffix(".sql"))

_HOLD_MS = 120_000
_RENEW_SECONDS = 20.0


class GuardedStore(CompletedStore):
    """The blob store as a server has it.

    A backup that has begun refers to what was committed before. What a delete removes lost its last
    reference before it asks here: so either the backup does not know of it, or the delete is refused.
    """

    def __init__(self, store: BlobStore, data: Data, clock: Clock) -> None:
        super().__init__(store)
        self._data = data
        self._clock = clock

    async def delete(self, namespace: str, sha256: str) -> None:
        async with self._data.read() as reader:
            if await reader.one(sql.held, now=str(self._clock.now_ms())) is not None:
                raise BlobStoreUnavailable("A backup is being made; nothing is deleted until it is done.")
        await super().delete(namespace, sha256)


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
