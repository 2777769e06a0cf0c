"""Reads of an object, of which each block is verified before it is given out."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing

import httpx

from builtin_plugins.s3_store.bucket import Bucket, StoreFailure
from guildhall_sdk.blobs import Blob, BlobCorrupt, BlobMissing
from libs.blob_layout import (
    BLOCK,
    DIGEST,
    Checksum,
    Corrupt,
    blocks_between,
    content_size,
    trailer_size,
    verify_block,
    verify_small,
    verify_trailer,
)

_CHUNK = 64 * 1024


async def read_verified(
    bucket: Bucket, key: str, sha256: str, start: int, end: int | None
) -> AsyncGenerator[bytes, None]:
    """Sends one request for the blocks that hold the range, and one more for the digests of a long blob."""
    first = start - start % BLOCK
    last = None if end is None else max(-(-end // BLOCK), 1) * BLOCK
    if last is not None and last <= first:
        last = first + BLOCK
    try:
        async with bucket.read(key, first, last) as response:
            blob = Blob(sha256, content_size(_total(response)))
            body = _Body(response)
            stop = blob.size if end is None else min(end, blob.size)
            if blob.size <= BLOCK:
                content = await body.take(blob.size)
                verify_small(sha256, content)
                if start < stop:
                    yield content[start:stop]
                return
            trailer, checksum = await _trailer(bucket, key, blob)
            for index, part in blocks_between(start, stop) if start < stop else ():
                block = await body.take(min(BLOCK, blob.size - index * BLOCK))
                expected = trailer[index * DIGEST : (index + 1) * DIGEST]
                await asyncio.to_thread(verify_block, sha256, index, block, expected, checksum)
                yield block[part]
            await body.drain()
    except Corrupt as damage:
        raise BlobCorrupt(str(damage)) from None
    except StoreFailure as failure:
        if failure.status == 404 and failure.reason != "NoSuchBucket":
            raise BlobMissing(f"there is no blob {sha256}") from None
        if failure.status != 416:
            raise
        try:
            await _prove_short(bucket, key, sha256, start)
        except Corrupt as damage:
            raise BlobCorrupt(str(damage)) from None


async def _prove_short(bucket: Bucket, key: str, sha256: str, start: int) -> None:
    """Verifies an object that ends before the range begins."""
    if start >= BLOCK:
        async with aclosing(read_verified(bucket, key, sha256, 0, 1)) as chunks:
            async for _ in chunks:
                return
    verify_small(sha256, b"")


async def _trailer(bucket: Bucket, key: str, blob: Blob) -> tuple[bytes, Checksum]:
    length = trailer_size(blob.size)
    async with bucket.read(key, blob.size, blob.size + length) as response:
        trailer = await _Body(response).take(length)
    return trailer, await asyncio.to_thread(verify_trailer, blob.sha256, blob.size, trailer)


def _total(response: httpx.Response) -> int:
    """Gives the length of the whole object, of which the response may hold a part."""
    span = response.headers.get("content-range", "").rpartition("/")[2]
    length = span or response.headers.get("content-length", "")
    if not length.isdecimal():
        raise StoreFailure(response.status_code, "without a length")
    return int(length)


class _Body:
    """Bytes of a response by the number."""

    def __init__(self, response: httpx.Response) -> None:
        self._chunks: AsyncIterator[bytes] = response.aiter_raw(_CHUNK)
        self._buffer = bytearray()

    async def take(self, length: int) -> bytes:
        try:
            while len(self._buffer) < length:
                self._buffer += await anext(self._chunks)
        except StopAsyncIteration:
            raise BlobCorrupt("the object is shorter than the store said") from None
        except httpx.TransportError as error:
            raise StoreFailure(0, type(error).__name__) from error
        taken = bytes(self._buffer[:length])
        del self._buffer[:length]
        return taken

    async def drain(self) -> None:
        """Reads to the end, which leaves a connection that can be used again."""
        try:
            async for _ in self._chunks:
                pass
        except httpx.TransportError as error:
            raise StoreFailure(0, type(error).__name__) from error
