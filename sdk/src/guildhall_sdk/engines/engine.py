"""The engine itself: the one object that a plugin declares."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from guildhall_sdk.data import Statement
from guildhall_sdk.engines.connections import Pool
from guildhall_sdk.engines.copies import CheckedCopy, RestoredSchema, TableCopy, TableRestoration
from guildhall_sdk.engines.errors import DatabaseUnreachable
from guildhall_sdk.engines.options import Callers, DatabaseOptions
from guildhall_sdk.engines.partitions import PartitionedTable, Partitions
from guildhall_sdk.services.storage import Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaStatements:
    """What only the engine knows how to ask its database."""

    #: Has a row where there is a table called `:name`.
    table_exists: Statement
    #: Gives `kind` ('table', 'view', 'sequence' …) and `name` of all that migrations can make.
    objects: Statement
    #: Gives the size of the database in bytes.
    size: Statement


class DatabaseEngine(ABC):
    """A kind of database. Inherit from it: what has a body here may be left as it is.

    One object serves all databases of its kind; `open` gives one of them.
    """

    #: As `doctor`, metrics and backups name it.
    name: str
    #: Which URLs are its own, by what stands before `://`, and the form of one for a refusal to show.
    schemes: Sequence[str]
    form: str
    #: The spellings of statements and migrations that it takes: the first that there is, else the plain one.
    dialects: Sequence[str]
    schema: SchemaStatements
    #: What `$ID` stands for in a migration: a text that sorts by its bytes.
    id_type: str = "TEXT"
    #: Why several server processes cannot share a database; None where they can.
    one_process_only: str | None = None
    #: Whether copied tables hold rows alone: then the migrations of every owner are needed to restore them.
    copies_rows_alone: bool = False

    def refusal(self, options: DatabaseOptions) -> str | None:
        """Returns what is wrong with the addresses, in one line that names the setting, or None."""
        return None

    @abstractmethod
    def open(self, options: DatabaseOptions, callers: Callers) -> Pool:
        """Returns a database that can be connected to; opens nothing yet."""

    async def check_replica(self, options: DatabaseOptions) -> str:
        """Returns how the replica is, in words for an operator; raises `OperatorError` where it is unused."""
        return "none"

    def partitions(self, table: PartitionedTable) -> Partitions | None:
        """Returns the partitions of a table, or None where the engine has none."""
        return None

    def copied_out(
        self, url: str, folder: Path, progress: Progress
    ) -> AbstractAsyncContextManager[TableCopy]:
        """Writes every table below the folder, as it is at one moment; the server may run and write."""
        self._refuse_copies()

    def copied_in(
        self, url: str, folder: Path, schema: RestoredSchema, progress: Progress, *, replace: bool
    ) -> AbstractAsyncContextManager[TableRestoration]:
        """Makes the tables of the folder ready to take the place of what the URL names.

        Raises `DatabaseInUse` beside a running server, and `DatabaseOccupied` where there is something
        already, unless it is to be replaced.
        """
        self._refuse_copies()

    def check_copy(self, folder: Path, wanted: Statement) -> CheckedCopy:
        """Reads all of the tables that were copied out; also the rows of a statement, where it can."""
        self._refuse_copies()

    def _refuse_copies(self) -> NoReturn:
        raise DatabaseUnreachable(f"the engine {self.name} makes no copies: use the means of its database")
