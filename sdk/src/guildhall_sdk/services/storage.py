"""The storage of an instance, as commands copy it and restore it: tables, blobs and files."""

from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from guildhall_sdk.blobs import BlobStore
from guildhall_sdk.data import Data, Reader

#: The name of a database engine, as a backup remembers it.
Dialect = str

#: The checksum of each step that made a schema, by its owner and its number.
Ledger = Mapping[tuple[str, int], str]

#: Called with the name of a table, or of the file, and how far it has come.
Progress = Callable[[str, str], None]


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
        """The files that go with the tables, by name: the anchors of the audit trail."""

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


class Restoration(Protocol):
    """A copy that is ready to be put in place, and that nobody else sees before `commit`."""

    tables: Mapping[str, TableChecksum]

    async def commit(self) -> str | None:
        """Puts the copy in place at once, with the audit trail's anchors.

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
