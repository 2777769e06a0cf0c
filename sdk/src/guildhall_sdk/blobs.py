"""The seam below the repository: where bytes are kept, by company and digest."""

import re
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Protocol

from guildhall_sdk.data import Statement
from guildhall_sdk.errors import Unavailable

_NAMESPACE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}")
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Blob:
    """What a store now keeps: its SHA-256 in hex, and its length."""

    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class KeptBlob:
    """A blob as a listing shows it; `kept_at_ms` is when it was last put, by the store's own clock."""

    namespace: str
    sha256: str
    size: int
    kept_at_ms: int


class BlobCorrupt(Exception):
    """What was read is not what its digest says; nobody may take it for good."""


class BlobMissing(Exception):
    """There is no such blob in the namespace."""


class BlobStoreUnavailable(Unavailable):
    """The store is full, broken or out of reach; nothing was kept. Answered as 503 where nobody minds it."""

    code = "storage_unavailable"


class BlobStoreRefused(Exception):
    """Why a store cannot be opened, in one line for the operator; it stops the boot."""


class BlobsNotListed(Exception):
    """The store cannot list what it keeps, so nobody can look for what is unused in it."""


class Hasher(Protocol):
    """What `hashlib` gives, or anything else that wants to see the bytes on their way."""

    def update(self, data: bytes, /) -> object: ...


class BlobBackend(Protocol):
    """What a store must do: keep bytes in namespaces. It is told a namespace and a digest, never who asks.

    It may do what `BlobStore` adds as well; where it does not, the server makes do without.

    What `put` has answered survives a crash. What was not put to its end leaves nothing behind.
    A namespace or a digest that is not one by its form raises `ValueError`; a store that is full or
    out of reach raises `BlobStoreUnavailable`.
    """

    async def put(
        self,
        namespace: str,
        chunks: AsyncIterator[bytes],
        *,
        also: Sequence[Hasher] = (),
        check: Callable[[Blob], None] | None = None,
    ) -> Blob:
        """Takes the chunks to their end; an error of the iterator passes through and keeps nothing.

        The hashers of `also` see every byte, in order. `check` is called when all has been read and
        nothing kept yet: what it raises passes through, and nothing is kept. Both run in a thread.
        Putting what is there already keeps the new copy, so that it heals one that went bad.
        """
        ...

    def get(
        self, namespace: str, sha256: str, start: int = 0, end: int | None = None
    ) -> AsyncGenerator[bytes, None]:
        """The bytes from `start` up to `end`. No chunk is given out that was not verified.

        The first chunk, or the end, is preceded by `BlobMissing`; `BlobCorrupt` may come in place of any
        chunk. Whoever may stop before the end closes it (`contextlib.aclosing`).
        """
        ...

    async def delete(self, namespace: str, sha256: str) -> None:
        """No error if it is not there. Who is reading it reads on."""
        ...

    async def stat(self, namespace: str, sha256: str) -> int | None:
        """Its length, or None."""
        ...


class BlobStore(BlobBackend, Protocol):
    """A blob store as plugins take it from the host, whatever the backend can do."""

    async def free_bytes(self) -> int | None:
        """How much more it can take in now, on its way or for good; None where that cannot be told."""
        ...

    def list(self, namespace: str | None = None) -> AsyncGenerator[KeptBlob, None]:
        """What is kept, in one namespace or in all; in no order. May raise `BlobsNotListed`, at once."""
        ...

    async def sweep(self) -> int:
        """Removes what broken puts left behind, never what somebody still writes; says how many."""
        ...

    async def close(self) -> None: ...


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
    """Which blobs a plugin's rows stand on, for the scrub and for whoever releases blobs.

    The statement gives `namespace` and `sha256`, each pair once, in that order, of those after
    `:namespace` and `:sha256`; at most `:limit`. Blobs that lie in the plugin's own rows are not among them:
    `inline` gives those in the same way, with their `content` and with `used`, 1 where something refers to
    them, else 0.
    """

    name: str
    statement: Statement
    _: KW_ONLY
    inline: Statement | None = None


def check_namespace(namespace: str) -> str:
    """The namespace, which can then stand in a path; raises `ValueError`."""
    if not _NAMESPACE.fullmatch(namespace):
        raise ValueError("a namespace is up to 128 letters, digits, hyphens and underscores")
    return namespace


def check_digest(sha256: str) -> str:
    """The digest, which can then stand in a path; raises `ValueError`."""
    if not _SHA256.fullmatch(sha256):
        raise ValueError("a digest is 64 small hexadecimal digits")
    return sha256
