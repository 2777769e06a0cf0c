"""Blob stores, below the repository: bytes, by company and digest."""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from guildhall_sdk.data import Data, Reader, Statement
from guildhall_sdk.errors import Unavailable


class Blob(NamedTuple):
    """A blob that a store keeps: its SHA-256 in hex, and its length."""

    sha256: str
    size: int


class StoredBlob(NamedTuple):
    """A blob as a listing shows it; `stored_at_ms` is when it was last put, by the store's own clock."""

    namespace: str
    sha256: str
    size: int
    stored_at_ms: int


class BlobCorrupt(Exception):
    """Raised when the bytes of a blob do not match its digest; they may not be used."""


class BlobMissing(Exception):
    """Raised when the namespace has no such blob."""


class BlobStoreUnavailable(Unavailable, code="storage_unavailable"):
    """Raised when the store is full, broken or out of reach; nothing was kept.

    A request that does not handle it is answered with 503.
    """


class BlobStoreRefused(Exception):
    """Raised when a store cannot be opened, with one line for the operator; it stops the boot."""


class BlobsNotListed(Exception):
    """Raised by a store that cannot list its blobs: unused ones cannot be looked for in it."""


class Hasher(Protocol):
    """An object of `hashlib`, or any other that takes the bytes as they pass."""

    def update(self, data: bytes, /) -> object:
        """Takes the next bytes."""


class BlobBackend(Protocol):
    """A store of bytes in namespaces. It is given a namespace and a digest, never who asks.

    It may do what `BlobStore` adds as well; where it does not, the server makes do without.

    What `put` has answered survives a crash. What was not put to its end leaves nothing behind. A namespace
    or a digest that is not one by its form raises `ValueError`; a store that is full or out of reach raises
    `BlobStoreUnavailable`.
    """

    async def put(
        self,
        namespace: str,
        chunks: AsyncIterator[bytes],
        *,
        also: Sequence[Hasher] = (),
        check: Callable[[Blob], None] | None = None,
    ) -> Blob:
        """Stores the chunks to their end; an error of the iterator passes through, and nothing is kept.

        The hashers of `also` see every byte, in order. `check` is called when all has been read and nothing
        kept yet: what it raises passes through, and nothing is kept. Both run in a thread. Putting what is
        there already keeps the new copy, so that it heals one that went bad.
        """

    def get(
        self, namespace: str, sha256: str, start: int = 0, end: int | None = None
    ) -> AsyncGenerator[bytes, None]:
        """Yields the bytes from `start` up to `end`, each chunk verified before it is yielded.

        Raises `BlobMissing` before the first chunk, and `BlobCorrupt` in place of any chunk. A caller that
        may stop before the end closes the generator (`contextlib.aclosing`).
        """

    async def delete(self, namespace: str, sha256: str) -> None:
        """Deletes the blob, if it is there; a read that is under way goes on to its end."""

    async def stat(self, namespace: str, sha256: str) -> int | None:
        """Returns the length of the blob, or None where there is none."""


class BlobStore(BlobBackend, Protocol):
    """A blob store as the host offers it to plugins, whatever its backend can do."""

    async def free_bytes(self) -> int | None:
        """Returns how many more bytes the store can take now, or None where that is not known."""

    def list(self, namespace: str | None = None) -> AsyncGenerator[StoredBlob, None]:
        """Yields the blobs of one namespace or of all, in no order. May raise `BlobsNotListed`, at once."""

    def list_after(self, namespace: str, sha256: str) -> AsyncGenerator[StoredBlob, None]:
        """Yields the blobs that come after this one, by namespace and then digest; "" is before all.

        May raise `BlobsNotListed`, at once.
        """

    async def renew(self, namespace: str, sha256: str) -> None:
        """Stores a blob that lies as earlier releases stored it as `put` does now; others stay as they are.

        Raises `BlobMissing` for one that was deleted meanwhile.
        """

    async def sweep(self) -> int:
        """Removes what interrupted puts left behind, not what is still being written; returns how many."""

    async def close(self) -> None:
        """Closes the store and gives back what it holds open."""


@dataclass(frozen=True, slots=True)
class BlobStoreKind:
    """A store that `SERVICE_BLOB_STORE` can name; opened once, at boot, with the folder for data.

    The mapping holds the environment variables that begin with the store's name in capitals and `_`.
    `open` raises `BlobStoreRefused` where they are not what it needs.
    """

    name: str
    open: Callable[[Path, Mapping[str, str]], Awaitable[BlobBackend]]


@dataclass(frozen=True, slots=True)
class BlobReferences:
    """A statement that lists the blobs which the rows of a plugin refer to, for scrub and for deletion.

    The statement gives `namespace` and `sha256`, each pair once, in that order, of those after `:namespace`
    and `:sha256`; at most `:limit`. Blobs that lie in the plugin's own rows are not among them: `inline`
    gives those in the same way, with their `content` and with `used`, 1 where something refers to them, else
    0.
    """

    name: str
    statement: Statement
    _: KW_ONLY
    inline: Statement | None = None

    async def include(self, reader: Reader, namespace: str, sha256: str) -> bool:
        """Tells whether a row refers to a blob; one that lies in a row is not looked for."""
        # No more than sixteen digests begin like this one but for its last digit.
        rows = await reader.all(self.statement, namespace=namespace, sha256=sha256[:-1], limit=16)
        return any((row["namespace"], row["sha256"]) == (namespace, sha256) for row in rows)


class BlobStorage(Protocol):
    """The blob store of the instance, which needs no running server; `data` is the instance's database."""

    def opened(self) -> AbstractAsyncContextManager[BlobStore]:
        """Opens the blob store that the settings name."""

    async def check(self, data: Data) -> None:
        """Raises `OperatorError` where the store is not the one whose blobs the rows refer to."""

    async def adopt(self, data: Data) -> None:
        """Makes the store that is set up here the one of this instance, whatever it holds."""

    async def mark(self, store: BlobStore) -> tuple[str, str]:
        """Marks the store; returns the fact, key and value, that makes it the one of an instance."""

    def deletes_held_back(self, data: Data, copy_id: str) -> AbstractAsyncContextManager[None]:
        """Keeps every server from deleting the bytes of a blob until the block ends."""
