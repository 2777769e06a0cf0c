"""The bytes below the versions: how they come, what keeps them alive, and how they go.

Few bytes live in the database (`small_blobs`), written and deleted with what refers to them; more of them
in the blob store. There they are put before anything refers to them and deleted after nothing does, so a put
and a release of the same bytes can meet. A lock on the digest settles it: a release deletes only under it and
only while nothing refers to the bytes, and leaves a mark; whoever is about to refer to bytes takes the same
lock and, where there is a mark, looks whether they are still there.
"""

import asyncio
import hashlib
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

from builtin_plugins.repo import small_blobs
from builtin_plugins.repo.small_blobs import lock_of
from builtin_plugins.repo.storage_reservations import (
    MEDIUM_BYTES,
    SMALL_BYTES,
    StorageReservations,
    UploadReservation,
    reservation_of,
)
from builtin_plugins.repo.sweeping import DAY_MS, OrphanSweep
from guildhall_sdk import Host, NotFound, Problem, Unavailable, Writer, load_queries
from guildhall_sdk.blobs import Blob, BlobMissing, BlobReferences, BlobStore, BlobStoreUnavailable, Hasher
from guildhall_sdk.context import BackgroundWork
from guildhall_sdk.dimensions import Reservation
from guildhall_sdk.services.stored_objects import Staged

sql = load_queries(Path(__file__).with_name("blobs.sql"))

REFERENCES = BlobReferences("objects", sql.references, inline=small_blobs.sql.small_blobs)
LATER_SECONDS = 60.0
MAX_COPY_BYTES = SMALL_BYTES
_BATCH = 500


class TakenAway(Unavailable):
    """A release was faster than whoever was about to refer to the bytes."""

    def __init__(self) -> None:
        super().__init__("The same bytes were being deleted meanwhile; send them again.")


class BlobLifecycle:
    """The blob store and what lies in the database, with the references of the repository."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._reservations = StorageReservations(host)
        self._under_way: set[BackgroundWork] = set()
        self._later: BackgroundWork | None = None
        self.sweeping = OrphanSweep(host, lambda: self._store, self._give_up)

    @property
    def _store(self) -> BlobStore:
        return self._host.service(BlobStore)

    async def stage(
        self,
        org_id: str,
        team_id: str,
        chunks: AsyncIterator[bytes],
        *,
        length: int | None = None,
        counted: int = 0,
        also: Sequence[Hasher] = (),
        check: Callable[[Blob], None] | None = None,
    ) -> Staged:
        reserved = UploadReservation(self._reservations, org_id, team_id, counted)
        try:
            await reserved.begin(length)
            admitted = reserved.admitted(chunks)
            if length is None or length <= small_blobs.MAX_BYTES:
                content, many = await small_blobs.gather(admitted)
                if many is None:
                    sha256 = small_blobs.digest(content, also, check)
                    md5 = hashlib.md5(content, usedforsecurity=False).hexdigest()
                    return Staged(org_id, sha256, len(content), md5, content, reserved)
                admitted = many
            elif length > MEDIUM_BYTES:
                await self._check_disk(length)
            return await self._put(org_id, admitted, also, check, reserved)
        except BaseException:
            await _to_the_end(reserved.give_back())
            raise

    async def _put(
        self,
        org_id: str,
        chunks: AsyncIterator[bytes],
        also: Sequence[Hasher],
        check: Callable[[Blob], None] | None,
        reserved: UploadReservation,
    ) -> Staged:
        md5 = hashlib.md5(usedforsecurity=False)
        copy = _Copy()
        blob = await self._store.put(org_id, chunks, also=(md5, copy, *also), check=check)
        return Staged(org_id, blob.sha256, blob.size, md5.hexdigest(), copy.content, reserved)

    async def _check_disk(self, length: int) -> None:
        free = await self._store.free_bytes()
        if free is not None and length > free:
            raise BlobStoreUnavailable("There is no room left to keep this; nothing of it was kept.")

    async def claim(self, writer: Writer, staged: Staged) -> None:
        """Keeps these bytes until the transaction ends, and then what it wrote refers to them.

        Few that are at hand are written along with what refers to them: see `small_blobs.content_of`. Raises
        `TakenAway` for those that are not at hand and that a release took away meanwhile.
        """
        await writer.serialize(lock_of(staged.org_id, staged.sha256))
        await self.claim_locked(writer, staged)

    async def claim_locked(self, writer: Writer, staged: Staged) -> None:
        """Keeps bytes whose `lock_of` the transaction holds already."""
        if isinstance(staged.reserved, UploadReservation):
            writer.after_commit(staged.reserved.free)
        if staged.size <= small_blobs.MAX_BYTES:
            if staged.content is None:
                await self._check_small(writer, staged)
            return
        if await writer.one(sql.released, org_id=staged.org_id, sha256=staged.sha256) is None:
            return
        if await self._store.stat(staged.org_id, staged.sha256) is not None:
            return
        if staged.content is None:
            raise TakenAway
        await self._store.put(staged.org_id, _once(staged.content))

    async def _check_small(self, writer: Writer, staged: Staged) -> None:
        if await small_blobs.exists(writer, staged.org_id, staged.sha256):
            return
        # From a time when small ones were files too.
        if await self._store.stat(staged.org_id, staged.sha256) is None:
            raise TakenAway

    async def hold(self, writer: Writer, staged: Staged, holder: str) -> Reservation | None:
        await self.claim(writer, staged)
        if (content := small_blobs.content_of(staged)) is not None:
            await small_blobs.put(writer, staged.org_id, staged.sha256, content)
        await writer.run(sql.hold, org_id=staged.org_id, holder=holder, sha256=staged.sha256)
        return reservation_of(staged)

    async def let_go(self, writer: Writer, org_id: str, holder: str) -> None:
        rows = await writer.all(sql.let_go, org_id=org_id, holder=holder)
        await self.release(writer, org_id, (row["sha256"] for row in rows))

    async def release(self, writer: Writer, org_id: str, digests: Iterable[str]) -> None:
        """Deletes what nothing refers to: in this transaction, or once it has committed."""
        released = await small_blobs.release(writer, org_id, digests)
        for sha256 in released:
            await writer.run(sql.request_release, org_id=org_id, sha256=sha256, now=self._host.clock.now_ms())
        if released:
            writer.after_commit(lambda: self._begin(org_id, released))

    async def discard(self, staged: Staged) -> None:
        """Deletes staged bytes and then gives their reservation back; small ones were never put."""
        try:
            if staged.size > small_blobs.MAX_BYTES:
                await self._give_up(staged.org_id, staged.sha256)
        finally:
            if isinstance(staged.reserved, UploadReservation):
                await _to_the_end(staged.reserved.give_back())

    def open(
        self, org_id: str, sha256: str, size: int, start: int = 0, end: int | None = None
    ) -> AsyncGenerator[bytes, None]:
        """Yields the bytes from `start` up to `end` of a blob of that size, as `BlobStore.get` does."""
        if size > small_blobs.MAX_BYTES:
            return self._store.get(org_id, sha256, start, end)
        return self._open_small(org_id, sha256, start, end)

    async def _open_small(
        self, org_id: str, sha256: str, start: int, end: int | None
    ) -> AsyncGenerator[bytes, None]:
        async with self._host.data.read() as reader:
            content = await small_blobs.read(reader, org_id, sha256)
        if content is not None:
            if part := content[start:end]:
                yield part
            return
        # From a time when small ones were files too.
        try:
            async with aclosing(self._store.get(org_id, sha256, start, end)) as chunks:
                async for chunk in chunks:
                    yield chunk
        except BlobMissing:
            async with self._host.data.read() as reader:
                row = await reader.one(sql.referenced, org_id=org_id, sha256=sha256)
            if row is None:
                raise NotFound("It was deleted meanwhile.") from None
            if row["content"] is None:
                raise
            # The same bytes were deleted and have come again.
            if part := small_blobs.verified(row["content"], sha256)[start:end]:
                yield part

    async def settled(self) -> None:
        """Comes back when the releases that have begun are done."""
        while works := [work for work in self._under_way if not work.ended]:
            await works[0].wait()

    def begin_upkeep(self) -> None:
        """Begins what an earlier process left undone, beside the work of this one."""
        self._run("upkeep", self._finish_earlier)
        self._host.background("sweeping bytes", self.sweeping.run_in_time)

    async def sweep(self) -> int:
        """Deletes files and rows of a day ago or longer that nothing needs; returns how many."""
        return await self.sweeping.sweep()

    async def finish_releases(self) -> None:
        """Carries out releases that were asked for and that no process lived to carry out."""
        await self._forget_releases()
        while True:
            async with self._host.data.read() as reader:
                rows = await reader.all(sql.pending_releases, limit=_BATCH)
            for row in rows:
                await self._delete_unreferenced(row["org_id"], row["sha256"])
            if len(rows) < _BATCH:
                return

    async def _forget_releases(self) -> None:
        """Forgets releases a few at a time, with others' writes in between."""
        before, forgotten = self._host.clock.now_ms() - DAY_MS, _BATCH
        while forgotten == _BATCH:
            async with self._host.data.write() as writer:
                forgotten = len(await writer.all(sql.forget_releases, before=before, limit=_BATCH))

    async def _finish_earlier(self) -> None:
        try:
            await self.finish_releases()
        except BlobStoreUnavailable:
            self._finish_later()

    def _begin(self, org_id: str, digests: Sequence[str]) -> None:
        self._run("releasing bytes", lambda: self._release_all(org_id, digests))

    def _run(self, name: str, run: Callable[[], Awaitable[None]]) -> None:
        async def to_its_end() -> None:
            await run()
            self._under_way.discard(work)

        work = self._host.background(name, to_its_end)
        self._under_way.add(work)

    async def _release_all(self, org_id: str, digests: Sequence[str]) -> None:
        try:
            for sha256 in digests:
                await self._delete_unreferenced(org_id, sha256)
        except Problem:
            self._finish_later()

    def _finish_later(self) -> None:
        """Carries out all releases together once that is possible: the requests stand in the database."""
        if self._later is None:
            self._later = self._host.background("finishing releases", self._finish_held_back)

    async def _finish_held_back(self) -> None:
        await asyncio.sleep(LATER_SECONDS)
        self._later = None
        try:
            await self.finish_releases()
        except Problem:
            self._finish_later()

    async def _give_up(self, org_id: str, sha256: str) -> bool:
        async with self._host.data.write() as writer:
            await writer.run(sql.request_release, org_id=org_id, sha256=sha256, now=self._host.clock.now_ms())
        try:
            return await self._delete_unreferenced(org_id, sha256)
        except BlobStoreUnavailable:
            self._finish_later()
            return False

    async def _delete_unreferenced(self, org_id: str, sha256: str) -> bool:
        """Deletes bytes whose release an earlier transaction asked for: that mark outlives any crash."""
        async with self._host.data.write(apart=True) as writer:
            await writer.serialize(lock_of(org_id, sha256))
            if await writer.one(sql.needs_file, org_id=org_id, sha256=sha256) is not None:
                await writer.run(sql.drop_release, org_id=org_id, sha256=sha256)
                return False
            now = self._host.clock.now_ms()
            # Whoever found the bytes referred to may have dropped a request that came that very moment.
            requested = await writer.one(sql.released, org_id=org_id, sha256=sha256) is not None
            if requested:
                await writer.run(sql.mark_deleted, org_id=org_id, sha256=sha256, now=now)
                await self._store.delete(org_id, sha256)
            else:
                await writer.run(sql.request_release, org_id=org_id, sha256=sha256, now=now)
        return requested or await self._delete_unreferenced(org_id, sha256)


class _Copy:
    """The bytes themselves, while there are not many of them: so that they can be put again."""

    def __init__(self) -> None:
        self._seen = bytearray()
        self._complete = True

    def update(self, data: bytes, /) -> None:
        if self._complete:
            self._seen += data
            if len(self._seen) > MAX_COPY_BYTES:
                self._complete = False
                self._seen.clear()

    @property
    def content(self) -> bytes | None:
        return bytes(self._seen) if self._complete else None


async def _to_the_end(work: Coroutine[Any, Any, None]) -> None:
    """Finishes the work even if whoever waits for it is cancelled meanwhile."""
    await asyncio.shield(asyncio.create_task(work))


async def _once(content: bytes) -> AsyncIterator[bytes]:
    yield content
