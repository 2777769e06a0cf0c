"""The storage of an instance, as commands copy it and restore it: tables, blobs and files."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from guildhall_sdk.blobs import BlobStore
from guildhall_sdk.context import Clock
from guildhall_sdk.data import Data, Reader
from guildhall_sdk.hooks import declares
from guildhall_sdk.services.identity import Vault

#: The name of a database engine, as a backup remembers it.
Dialect = str

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


class CopiedTables(Protocol):
    """The tables at one moment: what was copied of them, and reading in just that state."""

    tables: Mapping[str, TableChecksum]
    sequences: Mapping[str, int]

    def read(self) -> AbstractAsyncContextManager[Reader]:
        """Opens a scope to read the tables in the state that was copied."""


@dataclass(frozen=True, slots=True)
class CheckedTables:
    """The damage in copied tables, what they hold, and on SQLite the ledger in them."""

    damage: str | None
    tables: Mapping[str, TableChecksum]
    ledger: Ledger | None


class LiveInstance(Protocol):
    """An instance to be copied, with its database open beside the server if one runs."""

    @property
    def data(self) -> Data:
        """The database."""

    @property
    def dialect(self) -> Dialect:
        """The kind of database."""

    @property
    def files(self) -> Mapping[str, Path]:
        """The files that go with the tables, by name, as plugins declare them."""

    @property
    def secret_key(self) -> bytes | None:
        """The secret key, where it was asked for."""

    def copied_out(self, folder: Path, progress: Progress) -> AbstractAsyncContextManager[CopiedTables]:
        """Writes every table below the folder, as it is at one moment; the server may run and write."""

    async def ledger(self, reader: Reader) -> Ledger:
        """Returns the migrations that made the schema which the reader sees."""

    def deletes_held_back(self, copy_id: str) -> AbstractAsyncContextManager[None]:
        """Keeps every server from deleting the bytes of a blob until the block ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceCopy:
    """A copy of an instance in a folder."""

    id: str
    dialect: Dialect
    #: Where the tables are.
    tables: Path
    #: Where the files are, and the names of those that are as they were written.
    folder: Path
    files: Collection[str]
    ledger: Ledger
    sequences: Mapping[str, int]
    #: The file with the secret key, where it is in the copy.
    secret_key: Path | None


class RestoredInstance(Protocol):
    """A restored instance right before it is put in place; whoever puts it there may be killed before."""

    @property
    def copy(self) -> InstanceCopy:
        """The copy that it comes from."""

    @property
    def folder(self) -> Path:
        """The data folder."""

    @property
    def vault(self) -> Vault:
        """The vault of the restored tables."""

    @property
    def clock(self) -> Clock:
        """The source of time."""

    def read(self) -> AbstractAsyncContextManager[Reader]:
        """Opens a scope to read the restored tables."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptFiles:
    """Files directly in the data folder that a backup takes; for `declare_kept_files`."""

    names: Sequence[str]
    #: Puts them in place when the copy is restored, as far as they are in it.
    restore: Callable[[RestoredInstance], Awaitable[None]]


class BackupHooks(Protocol):
    """The hook of the plugin `backup`."""

    @declares(KeptFiles, label="kept files", functions={"restore": ("restored",)})
    def declare_kept_files(self) -> Sequence[KeptFiles]:
        """Declares files of this plugin that a backup takes, and how a restore puts them in place."""


class Restoration(Protocol):
    """A copy that is ready to be put in place, and that nobody else sees before `commit`."""

    tables: Mapping[str, TableChecksum]

    async def commit(self) -> str | None:
        """Puts the copy in place at once, with the files that plugins keep.

        The secret key goes with it where there is none. Returns what an operator should know of what stood
        there.
        """


class InstanceStorage(Protocol):
    """The storage of the instance, for commands that copy, restore or check it."""

    @property
    def folder(self) -> Path:
        """The data folder."""

    def blobs(self) -> AbstractAsyncContextManager[BlobStore]:
        """Opens the blob store that the settings name."""

    def live(self, *, with_key: bool = False) -> AbstractAsyncContextManager[LiveInstance]:
        """Opens the database, beside a server too, and makes nothing new."""

    def check_tables(self, dialect: Dialect, folder: Path) -> CheckedTables:
        """Reads all of the tables that were copied out, and returns what is damaged. It blocks."""

    def copied_in(
        self, copy: InstanceCopy, progress: Progress, *, replace: bool
    ) -> AbstractAsyncContextManager[Restoration]:
        """Prepares a copy to take the place of the instance, and undoes that unless it is committed.

        Refused, in one line for the operator: beside a running server, where there is something already
        unless it is to be replaced, for another kind of database, a schema that this program does not know,
        and a secret key that does not open it.
        """
