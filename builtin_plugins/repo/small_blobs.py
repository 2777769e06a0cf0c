"""Bytes that are few enough to live in the database, company by company.

They are written in the transaction that first refers to them and deleted in the one that takes the last
reference away: there are never any without a reference, nor a reference without them. Whoever changes either
holds the lock of the digest, so that no other transaction is about to refer to what is deleted.
"""

import hashlib
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from pathlib import Path

from guildhall_sdk import Reader, Writer, load_queries
from guildhall_sdk.blobs import Blob, BlobCorrupt, Hasher
from guildhall_sdk.services.stored_objects import Staged
from libs.streams import after

sql = load_queries(Path(__file__).with_name("small_blobs.sql"))

MAX_BYTES = 16 * 1024


def lock_of(org_id: str, sha256: str) -> str:
    """Returns the key to lock while somebody begins, or ceases, to refer to these bytes; large ones too."""
    return f"blob:{org_id}:{sha256}"


async def gather(chunks: AsyncIterator[bytes]) -> tuple[bytes, AsyncIterator[bytes] | None]:
    """Returns all bytes and None where they are few; else some of them, and a stream of all."""
    gathered, size = [], 0
    async for chunk in chunks:
        gathered.append(chunk)
        size += len(chunk)
        if size > MAX_BYTES:
            begun = b"".join(gathered)
            return begun, after(begun, chunks)
    return b"".join(gathered), None


def digest(content: bytes, also: Sequence[Hasher], check: Callable[[Blob], None] | None) -> str:
    """Returns the SHA-256 in hex, once the hashers have seen the bytes and the check has agreed."""
    for hasher in also:
        hasher.update(content)
    blob = Blob(hashlib.sha256(content).hexdigest(), len(content))
    if check is not None:
        check(blob)
    return blob.sha256


def content_of(staged: Staged) -> bytes | None:
    """Returns bytes at hand that are to be written to the database."""
    return staged.content if staged.size <= MAX_BYTES else None


async def put(writer: Writer, org_id: str, sha256: str, content: bytes) -> None:
    """Stores bytes while the lock of the digest is held."""
    await writer.run(sql.put_small, org_id=org_id, sha256=sha256, content=content)


async def exists(reader: Reader, org_id: str, sha256: str) -> bool:
    return await reader.one(sql.has_small, org_id=org_id, sha256=sha256) is not None


async def read(reader: Reader, org_id: str, sha256: str) -> bytes | None:
    """Returns the bytes, or None if they are not in here; raises `BlobCorrupt`."""
    row = await reader.one(sql.small_content, org_id=org_id, sha256=sha256)
    return None if row is None else verified(row["content"], sha256)


def verified(content: bytes, sha256: str) -> bytes:
    """Raises `BlobCorrupt` unless these are the bytes of the digest."""
    if hashlib.sha256(content).hexdigest() != sha256:
        raise BlobCorrupt(f"the blob {sha256} is corrupt")
    return content


async def release(writer: Writer, org_id: str, digests: Iterable[str]) -> list[str]:
    """Deletes those to which nothing refers any more; gives back those that are not in here.

    In the order of the digests, so that two that release several do not wait for each other.
    """
    elsewhere = []
    for sha256 in sorted(set(digests)):
        if not await exists(writer, org_id, sha256):
            elsewhere.append(sha256)
            continue
        await writer.serialize(lock_of(org_id, sha256))
        await writer.run(sql.delete_unused_small, org_id=org_id, sha256=sha256)
    return elsewhere
