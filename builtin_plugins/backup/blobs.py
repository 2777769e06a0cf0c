"""The bytes of a backup: each blob a file named by its digest, a list of them, and those that lie in rows."""

import asyncio
import hashlib
import json
import os
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, TextIO

from builtin_plugins.backup.manifest import BLOBS, BackupFault
from guildhall_sdk import Reader, Row
from guildhall_sdk.blobs import BlobCorrupt, BlobMissing, BlobReferences, BlobStore
from libs.blob_layout.names import check_digest, check_namespace

_PAGE = 1000
#: Blobs that are worked on at a time: each mostly waits for the disk.
AT_ONCE = 8
_CHUNK = 1024 * 1024

#: Whether the copy has the bytes, or why not: deleted while it was made, missing or corrupt before.
BlobState = Literal["kept", "deleted", "missing", "corrupt"]
Address = tuple[str, str]


@dataclass(frozen=True, slots=True)
class ListedBlob:
    namespace: str
    sha256: str
    size: int = 0
    state: BlobState = "kept"

    def line(self) -> str:
        return json.dumps(asdict(self), sort_keys=True) + "\n"

    def path(self, backup: Path) -> Path:
        namespace, sha256 = check_namespace(self.namespace), check_digest(self.sha256)
        return backup / BLOBS / namespace / sha256[:2] / sha256


def read_list(path: Path) -> Iterator[ListedBlob]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield ListedBlob(**json.loads(line))


async def referred(
    read: Callable[[], AbstractAsyncContextManager[Reader]], references: Sequence[BlobReferences]
) -> AsyncIterator[Address]:
    """Yields every blob that a row refers to; one that several plugins refer to comes several times."""
    for one in references:
        async for address in _referred_by(read, one, ("", "")):
            yield address


async def referred_in_order(
    read: Callable[[], AbstractAsyncContextManager[Reader]],
    references: Sequence[BlobReferences],
    after: Address,
) -> AsyncIterator[Address]:
    """Yields the blobs after this one that a row refers to, each once, by namespace and then digest."""
    streams = [_referred_by(read, one, after) for one in references]
    firsts = {stream: await anext(stream, None) for stream in streams}
    left = {stream: address for stream, address in firsts.items() if address is not None}
    last = after
    while left:
        stream = min(left, key=left.__getitem__)
        address = left.pop(stream)
        if address > last:
            yield address
            last = address
        if (following := await anext(stream, None)) is not None:
            left[stream] = following


async def _referred_by(
    read: Callable[[], AbstractAsyncContextManager[Reader]], references: BlobReferences, after: Address
) -> AsyncGenerator[Address, None]:
    while True:
        namespace, sha256 = after
        async with read() as reader:
            rows = await reader.all(references.statement, namespace=namespace, sha256=sha256, limit=_PAGE)
        for row in rows:
            yield row["namespace"], row["sha256"]
        if len(rows) < _PAGE:
            return
        after = rows[-1]["namespace"], rows[-1]["sha256"]


async def is_referred(reader: Reader, references: Sequence[BlobReferences], address: Address) -> bool:
    for one in references:
        if await one.include(reader, *address):
            return True
    return False


class BlobsOut:
    """Copies blobs into a backup and writes the list of them."""

    def __init__(
        self,
        store: BlobStore,
        backup: Path,
        listed: TextIO,
        still_referred: Callable[[Address], Awaitable[bool]],
        progress: Callable[[str, str], None],
    ) -> None:
        self._store = store
        self._backup = backup
        self._list = listed
        self._still_referred = still_referred
        self._progress = progress
        self.count = 0
        self.size = 0
        self.lacking: list[ListedBlob] = []
        self._begun: set[Path] = set()

    async def copy(self, blob: ListedBlob) -> None:
        path = blob.path(self._backup)
        if path in self._begun or await asyncio.to_thread(path.exists):
            return
        self._begun.add(path)
        try:
            await self._copy(blob, path)
        finally:
            self._begun.discard(path)

    async def _copy(self, blob: ListedBlob, path: Path) -> None:
        try:
            done = await self._copied(blob, path)
        except BlobCorrupt:
            done = ListedBlob(blob.namespace, blob.sha256, state="corrupt")
        except BlobMissing:
            needed = await self._still_referred((blob.namespace, blob.sha256))
            done = ListedBlob(blob.namespace, blob.sha256, state="missing" if needed else "deleted")
        if done.state != "kept":
            self.note_lacking(done)
            return
        self._list.write(done.line())
        self.count += 1
        self.size += done.size
        self._progress("blobs", f"{self.count}, {self.size // 1024 // 1024} MiB")

    def note_lacking(self, blob: ListedBlob) -> None:
        self._list.write(blob.line())
        self.lacking.append(blob)

    async def _copied(self, blob: ListedBlob, path: Path) -> ListedBlob:
        digest, size = hashlib.sha256(), 0
        draft = path.with_name(f".{path.name}")
        async with aclosing(self._store.get(blob.namespace, blob.sha256)) as chunks:
            first = await anext(chunks, None)
            file = await asyncio.to_thread(_new_file, draft)
            try:
                with os.fdopen(file, "wb", closefd=False) as copy:
                    chunk = first
                    while chunk is not None:
                        digest.update(chunk)
                        size += len(chunk)
                        await asyncio.to_thread(copy.write, chunk)
                        chunk = await anext(chunks, None)
                await asyncio.to_thread(os.fsync, file)
            except BaseException:
                draft.unlink()
                raise
            finally:
                os.close(file)
        if digest.hexdigest() != blob.sha256:
            draft.unlink()
            raise BlobCorrupt(f"the blob {blob.sha256} is corrupt")
        draft.rename(path)
        return ListedBlob(blob.namespace, blob.sha256, size)


def _new_file(path: Path) -> int:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)


async def put_back(store: BlobStore, backup: Path, blob: ListedBlob) -> None:
    """Raises `BackupFault` unless the store has now just these bytes."""
    path = blob.path(backup)
    put = await store.put(blob.namespace, _content(path))
    if (put.sha256, put.size) != (blob.sha256, blob.size):
        raise BackupFault(f"{path} is damaged; nothing was restored")


async def _content(path: Path) -> AsyncIterator[bytes]:
    file = await asyncio.to_thread(path.open, "rb")
    with file:
        while chunk := await asyncio.to_thread(file.read, _CHUNK):
            yield chunk


_INLINE_PAGE = 200


@dataclass(frozen=True, slots=True)
class InlineBlob:
    """One as it was found: whether its bytes are what its digest says, and whether anything refers to it."""

    namespace: str
    sha256: str
    size: int
    sound: bool
    used: bool


async def inline_blobs(
    read: Callable[[], AbstractAsyncContextManager[Reader]], references: Sequence[BlobReferences]
) -> AsyncIterator[InlineBlob]:
    for one in references:
        async for blob in inline_blobs_of(read, one):
            yield blob


async def inline_blobs_of(
    read: Callable[[], AbstractAsyncContextManager[Reader]],
    references: BlobReferences,
    after: tuple[str, str] = ("", ""),
) -> AsyncIterator[InlineBlob]:
    """Yields the blobs in the rows of one plugin that come after this one, by namespace and then digest."""
    if references.inline is None:
        return
    while True:
        namespace, sha256 = after
        async with read() as reader:
            rows = await reader.all(references.inline, namespace=namespace, sha256=sha256, limit=_INLINE_PAGE)
        for row in rows:
            yield _found(row)
        if len(rows) < _INLINE_PAGE:
            return
        after = rows[-1]["namespace"], rows[-1]["sha256"]


def _found(row: Row) -> InlineBlob:
    content = row["content"]
    # SQLite gives back whatever somebody put there.
    sound = isinstance(content, bytes) and hashlib.sha256(content).hexdigest() == row["sha256"]
    return InlineBlob(row["namespace"], row["sha256"], len(content), sound, bool(row["used"]))
