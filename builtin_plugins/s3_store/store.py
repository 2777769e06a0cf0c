"""A blob store in one bucket, and the spool for what is being put until its digest is known."""

import asyncio
import contextlib
import os
import shutil
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from builtin_plugins.s3_store.bucket import Bucket, PendingUpload, StoreFailure
from builtin_plugins.s3_store.reader import read_verified
from builtin_plugins.s3_store.settings import StoreSettings
from guildhall_sdk.blobs import (
    Blob,
    BlobStoreRefused,
    BlobStoreUnavailable,
    Hasher,
    StoredBlob,
)
from libs.blob_layout import BlockHasher, batches, content_size
from libs.blob_layout.names import check_digest, check_namespace

PART = 8 * 1024 * 1024
_PARTS_OF_A_SIZE = 1000


class Spool:
    """Everything here blocks, and is called in threads, one call at a time until `finish`."""

    def __init__(self, folder: Path, also: Sequence[Hasher]) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=PART, dir=str(folder))  # noqa: SIM115
        self._blocks = BlockHasher()
        self._hashers: Sequence[Hasher] = (self._blocks, *also)
        self.size = 0

    def append(self, chunks: Sequence[bytes]) -> None:
        data = chunks[0] if len(chunks) == 1 else b"".join(chunks)
        for hasher in self._hashers:
            hasher.update(data)
        self._write(data)

    def finish(self, check: Callable[[Blob], None] | None) -> Blob:
        """Returns the blob; `read` then reads it with its trailer."""
        sha256, size, trailer = self._blocks.finish()
        blob = Blob(sha256, size)
        if check is not None:
            check(blob)
        self._write(trailer)
        self._file.flush()
        return blob

    def read(self, start: int, length: int) -> bytes:
        """Reads bytes; several threads may read at once."""
        if self.size <= PART:
            self._file.seek(start)
            return bytes(self._file.read(length))
        return os.pread(self._file.fileno(), length, start)

    def close(self) -> None:
        self._file.close()

    def _write(self, data: bytes) -> None:
        self._file.write(data)
        self.size += len(data)


def parts_of(size: int) -> Iterator[tuple[int, int, int]]:
    """Yields number, start and length of each part, which grow so that ten thousand are always enough."""
    number, start = 1, 0
    while start < size:
        length = min(PART << (number - 1) // _PARTS_OF_A_SIZE, size - start)
        yield number, start, length
        number, start = number + 1, start + length


_PARTS_AT_ONCE = 2
_STALE_MS = 24 * 3600 * 1000


class ObjectStore:
    """Keys are `<prefix><namespace>/ab/ab12…`. Objects appear whole or not at all."""

    def __init__(self, bucket: Bucket, prefix: str, scratch: Path) -> None:
        self._bucket = bucket
        self._prefix = prefix
        self._scratch = scratch

    async def prove_reachable(self, settings: StoreSettings) -> None:
        try:
            await self._bucket.exists()
        except StoreFailure as failure:
            raise BlobStoreRefused(
                f"the bucket {settings.bucket} at {settings.endpoint} cannot be used: {failure}"
            ) from failure

    async def put(
        self,
        namespace: str,
        chunks: AsyncIterator[bytes],
        *,
        also: Sequence[Hasher] = (),
        check: Callable[[Blob], None] | None = None,
    ) -> Blob:
        check_namespace(namespace)
        spool = await asyncio.to_thread(Spool, self._scratch, also)
        try:
            async for batch in batches(chunks):
                with _unavailable():
                    await asyncio.to_thread(spool.append, batch)
            with _unavailable():
                blob = await asyncio.to_thread(spool.finish, check)
                await self._upload(self._key(namespace, blob.sha256), spool)
        finally:
            await asyncio.shield(asyncio.to_thread(spool.close))
        return blob

    async def _upload(self, key: str, spool: Spool) -> None:
        if spool.size <= PART:
            await self._bucket.put(key, await asyncio.to_thread(spool.read, 0, spool.size))
            return
        upload_id = await self._bucket.begin_upload(key)
        try:
            etags = await self._upload_parts(key, upload_id, spool)
            await self._complete(key, upload_id, etags, spool.size)
        except BaseException:
            with contextlib.suppress(StoreFailure):  # a sweep finds it later
                await asyncio.shield(self._bucket.abort_upload(key, upload_id))
            raise

    async def _upload_parts(self, key: str, upload_id: str, spool: Spool) -> list[str]:
        parts = parts_of(spool.size)
        etags: dict[int, str] = {}

        async def upload_remaining() -> None:
            for number, start, length in parts:
                body = await asyncio.to_thread(spool.read, start, length)
                query = {"partNumber": str(number), "uploadId": upload_id}
                etags[number] = await self._bucket.put(key, body, query)

        workers = [asyncio.ensure_future(upload_remaining()) for _ in range(_PARTS_AT_ONCE)]
        try:
            await asyncio.gather(*workers)
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
        return [etags[number] for number in sorted(etags)]

    async def _complete(self, key: str, upload_id: str, etags: list[str], size: int) -> None:
        """Completes the upload; when the answer was lost, a retry finds no upload, and the object decides."""
        try:
            await self._bucket.complete_upload(key, upload_id, etags)
        except StoreFailure as failure:
            if failure.status != 404 or await self._bucket.size(key) != size:
                raise

    async def get(
        self, namespace: str, sha256: str, start: int = 0, end: int | None = None
    ) -> AsyncGenerator[bytes, None]:
        if start < 0 or (end is not None and end < 0):
            raise ValueError("a range begins and ends at 0 or later")
        key = self._key(namespace, sha256)
        with _unavailable():
            async with contextlib.aclosing(read_verified(self._bucket, key, sha256, start, end)) as chunks:
                async for chunk in chunks:
                    yield chunk

    async def delete(self, namespace: str, sha256: str) -> None:
        with _unavailable():
            await self._bucket.delete(self._key(namespace, sha256))

    async def stat(self, namespace: str, sha256: str) -> int | None:
        with _unavailable():
            stored = await self._bucket.size(self._key(namespace, sha256))
        return None if stored is None else content_size(stored)

    async def free_bytes(self) -> int | None:
        """Gives what is free on the disk that uploads pass through; the bucket has no end."""
        with _unavailable():
            return (await asyncio.to_thread(shutil.disk_usage, self._scratch)).free

    async def list(self, namespace: str | None = None) -> AsyncGenerator[StoredBlob, None]:
        """Lists blobs, and skips an object whose key is not one of a blob."""
        prefix = self._prefix if namespace is None else f"{self._prefix}{check_namespace(namespace)}/"
        async for blob in self._blobs(prefix):
            yield blob

    async def list_after(self, namespace: str, sha256: str) -> AsyncGenerator[StoredBlob, None]:
        """Lists namespace by namespace: in the order of keys `a-b/` would come before `a/`."""
        with _unavailable():
            homes = [home async for home in self._bucket.folders(self._prefix) if home >= namespace]
        for home in sorted(homes):
            prefix = f"{self._prefix}{home}/"
            after = f"{prefix}{sha256[:2]}/{sha256}" if home == namespace and sha256 else ""
            async for blob in self._blobs(prefix, after):
                yield blob

    async def _blobs(self, prefix: str, after: str = "") -> AsyncGenerator[StoredBlob, None]:
        with _unavailable():
            async for found in self._bucket.objects(prefix, after):
                home, _, name = found.key.removeprefix(self._prefix).partition("/")
                with contextlib.suppress(ValueError):
                    if found.key == self._key(home, name[3:]):
                        yield StoredBlob(home, name[3:], content_size(found.size), found.changed_at_ms)

    async def sweep(self) -> int:
        """Aborts uploads begun more than a day ago; younger ones may be another server's."""
        before = datetime.now(UTC).timestamp() * 1000 - _STALE_MS
        with _unavailable():
            stale = [one async for one in self._bucket.uploads(self._prefix) if one.begun_at_ms < before]
            for upload in stale:
                await self._abort_stale(upload)
        return len(stale)

    async def _abort_stale(self, upload: PendingUpload) -> None:
        try:
            await self._bucket.abort_upload(upload.key, upload.upload_id)
        except StoreFailure as failure:
            if failure.status != 404:  # another server was faster
                raise

    async def close(self) -> None:
        await self._bucket.close()

    def _key(self, namespace: str, sha256: str) -> str:
        return f"{self._prefix}{check_namespace(namespace)}/{check_digest(sha256)[:2]}/{sha256}"


@contextlib.contextmanager
def _unavailable() -> Iterator[None]:
    """Raises what went wrong as `BlobStoreUnavailable`, in words for a caller; the log reads its cause."""
    try:
        yield
    except (StoreFailure, OSError) as error:
        raise BlobStoreUnavailable("The object store did not take or give this.") from error
