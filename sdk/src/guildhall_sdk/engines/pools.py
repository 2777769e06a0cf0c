"""A database that is open: its sessions, transactions, replica and channels; tables that are copied."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from guildhall_sdk.data import Row, Statement


@dataclass(frozen=True, slots=True)
class WriteCondition:
    """Checked right after a transaction begins, and true until it has committed.

    `statement` finds what speaks against the write, and `refuse` raises for its first row. The transaction
    shares the keys in `held`; whoever changes what is asked about locks one of them, and so waits for the
    transactions that saw it as it was. `alone` locks the first of them instead: it waits for the transactions
    that share it, and those to come wait for it.
    """

    held: tuple[str, ...]
    statement: Statement
    binds: Mapping[str, Any]
    refuse: Callable[[Row], None]
    alone: bool = False


class LockedRead(NamedTuple):
    """A row that may be read along with a lock, as it is once the lock is held: that saves a round trip.

    `statement` takes the lock `:number` itself, and has one row whatever it finds.
    """

    statement: Statement
    binds: Mapping[str, Any]


def nothing() -> None:
    """Does nothing: what `Transaction.commit` calls by default."""


class ReadSession(Protocol):
    """Runs the statements of one read scope, each in a snapshot of its own."""

    async def rows(self, statement: Statement, binds: Mapping[str, Any]) -> Sequence[Row]:
        """Returns the rows of a statement."""

    async def close(self) -> None:
        """Gives back what the session holds."""


class Transaction(Protocol):
    """One transaction on one connection; `commit` and `rollback` also give the connection back."""

    async def rows(self, statement: Statement, binds: Mapping[str, Any]) -> Sequence[Row]:
        """Runs a statement, and returns its rows; the first one begins the transaction."""

    async def script(self, text: str) -> None:
        """Runs the statements of a migration, which has no binds; raises where they end the transaction."""

    async def lock(self, *keys: str, along: LockedRead | None = None) -> Row | None:
        """Waits for those who share a key or hold it, and keeps them out until the transaction ends.

        Of several keys each waits for the one before.

        Returns the row that was read along, or None where that would not help.
        """

    async def savepoint(self, name: str, *, again: bool) -> None:
        """Sets a point to go back to; `again` replaces the one of this name."""

    async def roll_back_to(self, name: str) -> None:
        """Undoes what came after the savepoint, which stays."""

    async def commit(self, then: Callable[[], None] = nothing, *, durable: bool = True) -> None:
        """Returns once the change is durable, and calls `then`: also for a caller who was cancelled.

        Not `durable`, it returns once nobody who writes can miss the change.
        """

    async def rollback(self, *, refusing: bool = False) -> None:
        """Undoes this transaction alone.

        `refusing` waits until what it saw of others is durable, and raises when it will not be: somebody is
        about to be refused because of it.
        """


class Replica(Protocol):
    """Answers what may lag, or gives None while it cannot."""

    async def rows(self, statement: Statement, binds: Mapping[str, Any]) -> Sequence[Row] | None:
        """Returns the rows, or None where the replica cannot give them."""

    async def follow(self) -> None:
        """Measures again and again how far it is behind, until it is cancelled."""

    @property
    def lag_seconds(self) -> float | None:
        """How far it is behind at the most; None where nobody measures."""

    @property
    def in_use(self) -> bool:
        """Whether it is asked now."""


#: Called with a message of another process, or with None when some may have been missed: then read anew.
OnMessage = Callable[[str | None], None]


class LocalChannel:
    """A channel that reaches nobody, for a database that has one process; others inherit from it."""

    @property
    def listening(self) -> bool:
        """Whether a message goes out at once; else it waits for the connection."""
        return False

    def notify(self, message: str = "") -> None:
        """Sends a message to the other processes, soon and without waiting; equal ones go out once."""

    async def start(self) -> None:
        """Begins to listen."""

    async def stop(self) -> None:
        """Stops listening."""


class Pool(ABC):
    """One database that is open, or about to be: its connections, and how others learn of changes.

    Nothing is opened before `connect`; `place` and `folder` are known before. What is not abstract here may
    be left as it is.
    """

    replica: Replica | None = None
    #: The session of all read scopes, for an engine whose sessions hold nothing; it is never closed.
    shared_session: ReadSession | None = None
    #: Whether one transaction follows another, so that none needs a lock.
    exclusive = False

    @abstractmethod
    async def connect(self) -> None:
        """Opens the database, for the first time or again; raises `DatabaseUnreachable` with one line."""

    @abstractmethod
    async def disconnect(self) -> None:
        """Waits a moment for the scopes still open; what is not committed by then is rolled back."""

    @property
    @abstractmethod
    def waited_seconds(self) -> float:
        """The seconds that scopes have waited for their turn or for a connection."""

    @property
    @abstractmethod
    def place(self) -> str:
        """The place of the database, in words for an operator and without a secret."""

    @property
    def folder(self) -> Path | None:
        """The folder of the database's files, where those are of this machine."""
        return None

    @property
    def owned_by_server(self) -> bool:
        """Whether a server that lives has the database for itself; False where several may have it."""
        return False

    @abstractmethod
    def session(self) -> ReadSession:
        """Opens the session of a read scope; it takes no connection before its first statement."""

    @abstractmethod
    async def transaction(
        self, condition: WriteCondition | None = None, *, apart: bool = False
    ) -> Transaction:
        """Opens a transaction that begins with its first statement, and checks the condition just before it.

        What it reads `apart` is durable.
        """

    @abstractmethod
    async def migration(self) -> Transaction:
        """Opens a transaction that may change the schema and waits for its locks as long as it takes."""

    async def flush(self) -> None:  # noqa: B027
        """Returns once everything that could be read before this call is durable."""

    @abstractmethod
    async def prepare(self, statements: Sequence[Statement]) -> Sequence[str | None]:
        """Returns for each statement what the database says against it, or None; runs none of them."""

    async def check(self) -> None:  # noqa: B027
        """Raises `DatabaseDamaged` where the database does not hold what was written there."""

    def announcements(self, channel: str, on_message: OnMessage) -> LocalChannel:
        """Opens a channel to the other processes on this database; `on_message` gets what they tell."""
        return LocalChannel()

    async def hold(self, key: str) -> None:  # noqa: B027
        """Takes a lock that other processes see until this one dies or lets go."""

    async def let_go(self, key: str) -> None:  # noqa: B027
        """Lets go of a lock that `hold` took."""


#: The checksum of each step that made a schema, by its owner and its number.
Ledger = Mapping[tuple[str, int], str]

#: Called with the name of a table, or of the file, and how far it has come.
Progress = Callable[[str, str], None]


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
