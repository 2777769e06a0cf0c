"""The store as the server sees it: what blocks runs in threads of its own, and memory stays flat."""

import asyncio
import errno
import shutil
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import aclosing, closing, suppress
from itertools import islice
from pathlib import Path
from typing import TypeVar

from guildhall_sdk.blobs import Blob, BlobMissing, BlobStoreUnavailable, Hasher, StoredBlob
from libs.blob_layout import BLOCK, batches, content_size
from libs.blob_layout.names import check_namespace

from .incoming import Incoming, remove_leftovers
from .layout import Layout
from .outgoing import TOGETHER, Outgoing

_WRITERS = 16  # they mostly wait for the disk, which flushes several files at the price of one
_READERS = 8
_HASHERS = 4
_PAGE = 500
# So many readers at once are read ahead for, in long pieces. Beyond them memory counts for more than speed:
# some may read slowly, or not at all.
_READ_AHEAD_FOR = 16
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}

Result = TypeVar("Result")


class FileStore:
    """Files below one folder; several processes may share it."""

    def __init__(self, root: Path) -> None:
        self._layout = Layout(root)
        self._reading = 0
        self._writers = ThreadPoolExecutor(_WRITERS, thread_name_prefix="rs3-write")
        self._readers = ThreadPoolExecutor(_READERS, thread_name_prefix="rs3-read")
        self._hashers = ThreadPoolExecutor(_HASHERS, thread_name_prefix="rs3-hash")

    async def put(
        self,
        namespace: str,
        chunks: AsyncIterator[bytes],
        *,
        also: Sequence[Hasher] = (),
        check: Callable[[Blob], None] | None = None,
    ) -> Blob:
        incoming = Incoming(self._layout, check_namespace(namespace), also, self._hashers)
        try:
            rest = await self._take(incoming, chunks)
            return await _outcome(self._writers.submit(incoming.finish, rest, check))
        except BaseException:
            await asyncio.shield(asyncio.to_thread(incoming.discard))
            raise

    async def _take(self, incoming: Incoming, chunks: AsyncIterator[bytes]) -> list[bytes]:
        """Writes batch after batch while the next one gathers; gives back the last, not yet written."""
        writing: Future[None] | None = None
        last: list[bytes] = []
        async for batch in batches(chunks):
            if writing is not None:
                await _outcome(writing)
            if last:
                writing = self._writers.submit(incoming.append, last)
            last = batch
        if writing is not None:
            await _outcome(writing)
        return last

    async def get(
        self, namespace: str, sha256: str, start: int = 0, end: int | None = None
    ) -> AsyncGenerator[bytes, None]:
        if start < 0 or (end is not None and end < 0):
            raise ValueError("a range begins and ends at 0 or later")
        outgoing = Outgoing(self._layout.path(namespace, sha256), start, end)
        ahead: Future[tuple[bytes, bool]] | None = None
        more = True
        self._reading += 1
        try:
            while more:
                chunk, more = await _outcome(ahead or self._begin_read(outgoing))
                ahead = self._begin_read(outgoing) if more and self._reads_ahead else None
                if chunk:
                    yield chunk
        finally:
            self._reading -= 1
            if more:
                asyncio.get_running_loop().run_in_executor(None, outgoing.close)

    @property
    def _reads_ahead(self) -> bool:
        return self._reading <= _READ_AHEAD_FOR

    def _begin_read(self, outgoing: Outgoing) -> "Future[tuple[bytes, bool]]":
        return self._readers.submit(outgoing.read, TOGETHER if self._reads_ahead else 1)

    async def renew(self, namespace: str, sha256: str) -> None:
        """Stores a blob of an earlier release anew, unless it was deleted meanwhile."""
        path = self._layout.path(namespace, sha256)

        def check_same(blob: Blob) -> None:
            if blob.sha256 != sha256 or not path.exists():
                raise BlobMissing(f"there is no blob {sha256} any more")

        if await _outcome(self._readers.submit(_has_digests, path)):
            async with aclosing(self.get(namespace, sha256)) as chunks:
                await self.put(namespace, chunks, check=check_same)

    async def delete(self, namespace: str, sha256: str) -> None:
        path = self._layout.path(namespace, sha256)
        await _outcome(self._writers.submit(path.unlink, missing_ok=True))

    async def stat(self, namespace: str, sha256: str) -> int | None:
        return await _outcome(self._readers.submit(_size_of, self._layout.path(namespace, sha256)))

    async def free_bytes(self) -> int | None:
        return (await _outcome(self._readers.submit(shutil.disk_usage, self._layout.root))).free

    async def list(self, namespace: str | None = None) -> AsyncGenerator[StoredBlob, None]:
        async for blob in self._paged(self._layout.blobs(namespace)):
            yield blob

    async def list_after(self, namespace: str, sha256: str) -> AsyncGenerator[StoredBlob, None]:
        async for blob in self._paged(self._layout.blobs_after(namespace, sha256)):
            yield blob

    async def _paged(self, blobs: Iterator[StoredBlob]) -> AsyncGenerator[StoredBlob, None]:
        while page := await _outcome(self._readers.submit(lambda: [*islice(blobs, _PAGE)])):
            for blob in page:
                yield blob

    async def sweep(self) -> int:
        return await _outcome(self._writers.submit(remove_leftovers, self._layout.incoming))

    async def close(self) -> None:
        """Closes the store, after what was begun has ended."""
        for pool in (self._writers, self._readers, self._hashers):
            await asyncio.to_thread(pool.shutdown)


async def _outcome(work: "Future[Result]") -> Result:
    """Returns the result; what the disk refuses is said in words for a caller, with its cause for the log."""
    try:
        return await asyncio.wrap_future(work)
    except OSError as error:
        if error.errno in _FULL:
            detail = "There is no room left to keep this; nothing of it was kept."
        else:
            detail = "The disk did not take or give this; an operator should look at it."
        raise BlobStoreUnavailable(detail) from error


def _has_digests(path: Path) -> bool:
    if (_size_of(path) or 0) <= BLOCK:
        return False
    with closing(Outgoing(path, 0, None)) as outgoing:
        return outgoing.has_digests()


def _size_of(path: Path) -> int | None:
    with suppress(FileNotFoundError):
        return content_size(path.lstat().st_size)
    return None
