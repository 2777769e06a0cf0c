"""The engine itself: the one object that a plugin declares."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from contextvars import Context
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, Protocol

from guildhall_sdk.data import Data, Reader, Row, Statement, Writer
from guildhall_sdk.engines.pools import Ledger, Pool, Progress, TableChecksum, TableText, TableTexts
from guildhall_sdk.errors import OperatorError, Unavailable


class RestoredSchema(NamedTuple):
    """The schema that copied tables had, for an engine whose copies hold rows alone."""

    #: The texts that make it, in order, and the lock that whoever migrates holds.
    steps: Sequence[str]
    lock: str
    sequences: Mapping[str, int]
    #: Of tables that come from another engine: those that stay as the steps made them.
    kept: Sequence[str] = ()


class ReadableTables(Protocol):
    """Tables that are read or written beside those of the server."""

    tables: Mapping[str, TableChecksum]

    async def rows(self, statement: Statement, binds: Mapping[str, Any]) -> Sequence[Row]:
        """Runs a statement in them, and returns its rows."""


class TableCopy(ReadableTables, Protocol):
    """The tables as they were copied out at one moment, with reading in just that state."""

    sequences: Mapping[str, int]


class TableRestoration(ReadableTables, Protocol):
    """Tables that stand ready, and are not there for anybody else before `commit`."""

    async def commit(self) -> str | None:
        """Puts them in place at once; returns what an operator should know of what stood there."""


class CheckedCopy(NamedTuple):
    """The damage in copied tables, what they hold, and the rows that were asked for, if it can give them."""

    damage: str | None
    tables: Mapping[str, TableChecksum]
    rows: Sequence[Row] | None


class Partition(NamedTuple):
    """A table of the rows whose ids are `low` or above, and below `high`."""

    name: str
    low: str
    high: str


@dataclass(frozen=True, slots=True)
class PartitionedTable:
    """A table in partitions by the month, by the ids of its rows, which begin with `prefix` and their time.

    `unique` are columns of which each partition has an index of its own: one over all would need the id.
    `distinct` is how many values of a column the planner shall think there are.
    """

    table: str
    prefix: str
    unique: Sequence[str] = ()
    distinct: Mapping[str, float] = field(default_factory=dict)


class Partitions(Protocol):
    """The partitions of one table; what belongs to no month that was made is in one for everything else."""

    async def read(self, reader: Reader) -> list[Partition]:
        """Reads which partitions there are, the oldest first, without the one for everything else."""

    async def missing(self, reader: Reader, now_ms: int) -> list[Partition]:
        """Returns the partitions of this month and the next two that can be made now."""

    async def make(self, writer: Writer, now_ms: int) -> str | None:
        """Makes the next partition that is missing, and returns its name; None where there is none."""

    async def hold(self, writer: Writer, partition: Partition) -> bool:
        """Keeps others from writing to a partition until the transaction ends; False where it cannot."""

    async def drop(self, writer: Writer, partition: Partition) -> bool:
        """Drops a partition; returns False, and drops none, where somebody holds the table for long."""


#: The holders of accounts that are no company: the server itself, and requests that are nobody's yet.
SERVER, GATES = "server", "gates"


class Account(NamedTuple):
    """The account that a statement runs on: `holder` is a company's id, or `SERVER`, or `GATES`.

    A statement is `limited` in time where somebody waits for the answer.
    """

    holder: str
    limited: bool


class Caller(Protocol):
    """Whoever runs a statement."""

    @property
    def account(self) -> Account:
        """The account that it runs on."""

    @property
    def background(self) -> bool:
        """Whether nobody waits for the task: it may wait for a connection rather than open one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Callers:
    """Tells an engine for whom it runs a statement; each field is a function to be called when it matters.

    No company should be able to take all connections: an engine with several gives each a share, and the
    server's own work and requests at the gates go first.
    """

    #: Returns whoever runs a statement now.
    current: Callable[[], Caller]
    #: Returns a context for a task of the engine's own that some company's statement happens to start.
    own_context: Callable[[], Context]
    #: Tells whether some company but this one was at work since a time of `time.monotonic`.
    another_since: Callable[[float, str], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseOptions:
    """The database that is to be opened, and within which limits."""

    url: str = field(repr=False)
    #: The address of the database itself, where `url` leads through a pooler.
    direct_url: str | None = field(default=None, repr=False)
    #: A replica, which is asked for what may lag, while it is no further behind than that.
    replica_url: str | None = field(default=None, repr=False)
    replica_lag_seconds: int = 60
    #: How many connections one server process holds at most.
    pool_size: int = 10
    #: For how long a scope waits for its turn, a connection or a lock.
    patience: float = 5.0
    #: How long a statement of a limited account may take; nothing else is stopped.
    statement_seconds: float = inf
    #: Whether it is opened for a short command, beside the server that may own it, and must be there.
    shared: bool = False


class DatabaseUnreachable(OperatorError):
    """The database cannot be opened; the message is one line without a secret."""


class DatabaseInUse(DatabaseUnreachable):
    """Another process has the database, and what is asked for wants it alone."""


class DatabaseOccupied(DatabaseUnreachable):
    """There is something where nothing was expected."""


class DatabaseDamaged(DatabaseUnreachable):
    """Raised when the database does not hold what was written there; the message says what to do."""

    def __init__(self, reason: str, database: str = "the database") -> None:
        super().__init__(
            f"{database} is damaged ({reason}); put a backup in its place: guildhall restore DIR --replace"
        )


class DatabaseBusy(Unavailable):
    """The database does not take a statement just now; what others cannot do just now is another matter."""

    #: Whether that is because there is no room left on its disk.
    disk_full = False


def busy(detail: str, *, disk_full: bool = False) -> DatabaseBusy:
    """Returns the refusal for a moment in which the database does not take the statement."""
    refusal = DatabaseBusy(detail, headers={"Retry-After": "1"})
    refusal.disk_full = disk_full
    return refusal


def took_too_long() -> DatabaseBusy:
    """Returns the refusal for a statement that was stopped; a repeat at once would fare no better."""
    return DatabaseBusy(
        "The database took too long over this and was stopped; nothing was changed. Ask for less, or later.",
        headers={"Retry-After": "10"},
    )


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
        self,
        url: str,
        source: Path | Iterable[TableText],
        schema: RestoredSchema,
        progress: Progress,
        *,
        replace: bool,
    ) -> AbstractAsyncContextManager[TableRestoration]:
        """Makes tables ready to take the place of what the URL names.

        They are those of a folder that this engine copied out, or those of another engine, as text. Raises
        `DatabaseInUse` beside a running server, and `DatabaseOccupied` where there is something already,
        unless it is to be replaced.
        """
        self._refuse_copies()

    def check_copy(self, folder: Path, wanted: Statement) -> CheckedCopy:
        """Reads all of the tables that were copied out; also the rows of a statement, where it can."""
        self._refuse_copies()

    def texts_out(self, source: Path | str) -> AbstractAsyncContextManager[TableTexts]:
        """Opens tables for another engine: of the folder of a copy, or of the stopped instance at a URL."""
        self._refuse_copies()

    def _refuse_copies(self) -> NoReturn:
        raise DatabaseUnreachable(f"the engine {self.name} makes no copies: use the means of its database")


class InstanceTables(Protocol):
    """The tables of the instance, for commands that copy and restore them by their engine."""

    #: The engine of the database that the settings name.
    engine: DatabaseEngine

    #: The address of the database itself, past a pooler.
    url: str

    #: The place of the database, in words for an operator and without a password.
    place: str

    #: Gives the migrations that made a schema, for `as_ledger`.
    applied: Statement

    #: The folders below the data folder whose files belong to the instance, as plugins say.
    kept_folders: Sequence[str]

    def opened(self) -> AbstractAsyncContextManager[Data]:
        """Opens the database, beside a server too, and makes nothing new; it may have no tables yet."""

    async def ledger(self, reader: Reader) -> Ledger:
        """Returns the migrations that made the schema which the reader sees."""

    def pending(self, ledger: Ledger, plugin_id: str, folder: Path) -> Sequence[str]:
        """Returns the files of a plugin's migrations that a start of a server would apply.

        Raises `OperatorError` where those that were applied are not in the folder as they were.
        """

    def as_ledger(self, rows: Sequence[Row]) -> Ledger:
        """Returns the migrations that rows of `applied` name."""

    def schema(self, ledger: Ledger, sequences: Mapping[str, int]) -> RestoredSchema:
        """Returns the schema of copied tables; raises `OperatorError` where this program does not know it."""

    def moved_schema(
        self, ledger: Ledger, sequences: Mapping[str, int], source: DatabaseEngine, target: DatabaseEngine
    ) -> RestoredSchema:
        """Returns the schema for one engine that tables of another had; raises `OperatorError` likewise."""

    async def note_fact(self, tables: TableRestoration, key: str, value: str) -> None:
        """Sets a fact of the instance in tables that are not there for anybody else yet."""
