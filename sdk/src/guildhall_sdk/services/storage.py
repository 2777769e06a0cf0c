"""The storage of an instance, as commands copy it and restore it: blobs and files."""

from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from guildhall_sdk.blobs import BlobStore
from guildhall_sdk.context import Clock
from guildhall_sdk.data import Data, Reader
from guildhall_sdk.services.identity import Vault

#: The checksum of each step that made a schema, by its owner and its number.
Ledger = Mapping[tuple[str, int], str]

#: Called with the name of a table, or of the file, and how far it has come.
Progress = Callable[[str, str], None]


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


@dataclass(frozen=True, slots=True)
class TableChecksum:
    """The number of rows of a table, and a digest over them that does not depend on their order."""

    rows: int
    digest: str


class TableText(NamedTuple):
    """The rows of a table, on their way to another engine: text as PostgreSQL's `COPY` writes it.

    Each chunk is of whole lines. Without columns they are those of the table, in its order.
    """

    table: str
    columns: Sequence[str]
    chunks: Iterator[bytes]


class TableTexts(Protocol):
    """The tables of a copy or of a stopped database, to be read once and in order."""

    sequences: Mapping[str, int]

    def tables(self) -> Iterator[TableText]:
        """Reads the tables; it blocks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoredInstance:
    """A restored instance right before it is put in place; whoever puts it there may be killed before."""

    backup_id: str
    #: Where the files of the copy are, and the names of those that are as they were written.
    copied: Path
    files: Collection[str]
    #: The data folder.
    folder: Path
    #: The vault of the restored tables.
    vault: Vault
    clock: Clock
    #: Opens a scope to read the restored tables.
    read: Callable[[], AbstractAsyncContextManager[Reader]]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptFiles:
    """Files directly in the data folder that a backup takes; for `declare_kept_files`."""

    names: Sequence[str]
    #: Puts them in place when the copy is restored, as far as they are in it.
    restore: Callable[[RestoredInstance], Awaitable[None]]
