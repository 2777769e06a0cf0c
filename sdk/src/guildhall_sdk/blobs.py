"""The seam below the repository: where bytes are kept, by company and digest."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Blob:
    """What a store now keeps: its SHA-256 in hex, and its length."""

    sha256: str
    size: int


class BlobCorrupt(Exception):
    """What was read is not what its digest says; nobody may take it for good."""


class BlobMissing(Exception):
    """There is no such blob in the namespace."""


class BlobStore(Protocol):
    """Keeps bytes in namespaces. It is told a namespace and a digest, never who asks.

    What `put` has answered survives a crash. What was not put to its end leaves nothing behind.
    """

    async def put(self, namespace: str, chunks: AsyncIterator[bytes]) -> Blob:
        """Takes the chunks to their end; an error of the iterator passes through and keeps nothing."""
        ...

    def get(
        self, namespace: str, sha256: str, start: int = 0, end: int | None = None
    ) -> AsyncIterator[bytes]:
        """The bytes from `start` up to `end`; raises `BlobMissing`, or `BlobCorrupt` before the end."""
        ...

    async def delete(self, namespace: str, sha256: str) -> None:
        """No error if it is not there."""
        ...

    async def stat(self, namespace: str, sha256: str) -> int | None:
        """Its length, or None."""
        ...

    def list(self, namespace: str | None = None) -> AsyncIterator[tuple[str, Blob]]:
        """What is kept, with its namespace; for the scrub."""
        ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class BlobStoreKind:
    """A store that `SERVICE_BLOB_STORE` can name; opened once, at boot, with the folder for data.

    `environment` holds the variables that begin with the store's name in capitals and `_`.
    """

    name: str
    open: Callable[[Path, Mapping[str, str]], Awaitable[BlobStore]]
