"""Finds bytes that nothing needs any more: once a day, a portion at a time, and by one process.

How far it has come stands in the database, so that a process that is killed leaves the rest to the next.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path

from builtin_plugins.repo import small_blobs
from guildhall_sdk import Host, load_queries
from guildhall_sdk.blobs import BlobsNotListed, BlobStore, BlobStoreUnavailable, StoredBlob

_log = logging.getLogger("guildhall.repo")


async def listed_after(store: BlobStore, namespace: str, sha256: str) -> AsyncGenerator[StoredBlob, None]:
    """Yields the blobs of the store after this one; where it cannot list them none, and a line in the log."""
    try:
        blobs = store.list_after(namespace, sha256)
    except BlobsNotListed as reason:
        _log.warning("blobs.not_swept", extra={"fields": {"reason": str(reason)}})
        return
    async with aclosing(blobs):
        async for blob in blobs:
            yield blob


sql = load_queries(Path(__file__).with_name("sweeping.sql"))

DAY_MS = 24 * 3600 * 1000
FIRST_SECONDS = 60.0
EVERY_SECONDS = 600.0
PAUSE_SECONDS = 1.0
PORTION = 200
HELD_MS = 120_000
# What lies in rows of the database comes first, and then what the store keeps.
_ROWS, _STORE, _DONE = "rows", "store", ""


@dataclass(frozen=True, slots=True)
class Place:
    """How far a sweep has come, and until when this process has it to itself."""

    stage: str = _ROWS
    namespace: str = ""
    sha256: str = ""
    held_until: int = 0


class OrphanSweep:
    """`give_up` deletes bytes of the store unless something needs them after all; it tells whether it did."""

    def __init__(
        self, host: Host, store: Callable[[], BlobStore], give_up: Callable[[str, str], Awaitable[bool]]
    ) -> None:
        self._host = host
        self._store = store
        self._give_up = give_up

    async def run_in_time(self) -> None:
        """Sweeps once a day, and goes on with what another process began and left."""
        await asyncio.sleep(FIRST_SECONDS)
        while True:
            await self.sweep_or_put_off()
            await asyncio.sleep(EVERY_SECONDS)

    async def sweep_or_put_off(self, pause_seconds: float = PAUSE_SECONDS) -> int:
        """Sweeps if that is due; where the store does not answer, the place is stored for the next sweep."""
        try:
            return await self.sweep_if_due(pause_seconds)
        except BlobStoreUnavailable as trouble:
            reason = f"{trouble.detail} ({trouble.__cause__})" if trouble.__cause__ else trouble.detail
            _log.warning("blobs.sweep_put_off", extra={"fields": {"reason": reason}})
            return 0

    async def sweep_if_due(self, pause_seconds: float = PAUSE_SECONDS) -> int:
        """Sweeps what is left, unless another process does or it was done today; returns how many."""
        now = self._host.clock.now_ms()
        async with self._host.data.write() as writer:
            row = await writer.one(sql.claim_sweep, now=now, before=now - DAY_MS, until=now + HELD_MS)
        if row is None:
            return 0
        place: Place | None = Place(row["stage"], row["namespace"], row["sha256"], row["held_until"])
        swept = 0
        while place is not None and place.stage != _DONE:
            found, following = await self._portion(place)
            swept += found
            place = await self._store_place(place, following)
            await asyncio.sleep(pause_seconds)
        return swept

    async def sweep(self) -> int:
        """Deletes files and rows of a day ago or longer that nothing needs; returns how many."""
        swept, place = 0, Place()
        while place.stage != _DONE:
            found, place = await self._portion(place)
            swept += found
        return swept

    async def _store_place(self, place: Place, following: Place) -> Place | None:
        """Stores the place; returns None where another process has taken the sweep over meanwhile."""
        # One more than before at least: by it the holder is known.
        until = max(self._host.clock.now_ms() + HELD_MS, place.held_until + 1)
        async with self._host.data.write() as writer:
            row = await writer.one(
                sql.store_place,
                stage=following.stage,
                namespace=following.namespace,
                sha256=following.sha256,
                held_until=place.held_until,
                until=0 if following.stage == _DONE else until,
            )
        return None if row is None else replace(following, held_until=until)

    async def _portion(self, place: Place) -> tuple[int, Place]:
        if place.stage == _ROWS:
            return await self._portion_of_rows(place)
        return await self._portion_of_store(place)

    async def _portion_of_rows(self, place: Place) -> tuple[int, Place]:
        async with self._host.data.read() as reader:
            rows = await reader.all(
                small_blobs.sql.find_small_blobs, org_id=place.namespace, sha256=place.sha256, limit=PORTION
            )
        unused = [row for row in rows if not row["used"]]
        for row in unused:
            async with self._host.data.write() as writer:
                await small_blobs.release(writer, row["org_id"], [row["sha256"]])
        if len(rows) < PORTION:
            return len(unused), Place(_STORE)
        return len(unused), Place(_ROWS, rows[-1]["org_id"], rows[-1]["sha256"])

    async def _portion_of_store(self, place: Place) -> tuple[int, Place]:
        before, looked_at, swept = self._host.clock.now_ms() - DAY_MS, 0, 0
        async with aclosing(listed_after(self._store(), place.namespace, place.sha256)) as blobs:
            async for blob in blobs:
                if blob.stored_at_ms < before and await self._is_orphan(blob.namespace, blob.sha256):
                    swept += await self._give_up(blob.namespace, blob.sha256)
                looked_at += 1
                if looked_at == PORTION:
                    return swept, Place(_STORE, blob.namespace, blob.sha256)
        return swept, Place(_DONE)

    async def _is_orphan(self, org_id: str, sha256: str) -> bool:
        async with self._host.data.read() as reader:
            return await reader.one(sql.orphan, org_id=org_id, sha256=sha256) is not None
