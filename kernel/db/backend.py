"""What a dialect gives to the scopes above it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from guildhall_sdk import Actor, Row, Statement

Dialect = Literal["sqlite", "postgresql"]


def nothing() -> None: ...


@dataclass(frozen=True, slots=True)
class WriteCondition:
    """Asked right after a transaction begins, and true until it has committed.

    `judge` raises unless the first row of `statement` will do. The transaction shares the keys in `held`;
    whoever changes what is asked about locks one of them, and so waits for the transactions that saw it as
    it was. `alone` locks the first of them instead: it waits for the transactions that share it, and those to
    come wait for it.
    """

    held: tuple[str, ...]
    statement: Statement
    binds: Mapping[str, Any]
    judge: Callable[[Row], None]
    alone: bool = False


ConditionOf = Callable[[str], WriteCondition]


@dataclass(frozen=True, slots=True)
class LockedRead:
    """A row that PostgreSQL reads along with a lock, as it is once the lock is held: that saves a round trip.

    `statement` takes the lock `:number` itself, and has one row whatever it finds.
    """

    statement: Statement
    binds: Mapping[str, Any]


LockedReadOf = Callable[[Actor | None], LockedRead | None]


class ReadSession(Protocol):
    """Runs the statements of one read scope, each in a snapshot of its own."""

    async def rows(self, statement: Statement, binds: Mapping[str, Any]) -> Sequence[Row]: ...

    async def close(self) -> None: ...


class Replica(Protocol):
    """Answers what may lag, or gives None while it cannot."""

    async def rows(self, statement: Statement, binds: Mapping[str, Any]) -> Sequence[Row] | None: ...

    async def look(self) -> None:
        """Looks once how far it is behind."""
        ...

    async def follow(self) -> None:
        """Looks again and again until it is cancelled."""
        ...

    @property
    def lag_seconds(self) -> float | None: ...

    @property
    def in_use(self) -> bool: ...

    async def close(self) -> None: ...


class Transaction(Protocol):
    """One transaction on one connection; `commit` and `rollback` also give the connection back."""

    async def rows(self, statement: Statement, binds: Mapping[str, Any]) -> Sequence[Row]: ...

    async def script(self, text: str) -> None:
        """Runs the statements of a migration, which has no binds."""
        ...

    async def lock(self, key: str, along: LockedRead | None = None) -> Row | None:
        """Waits for those who share the key or hold it, and keeps them out until the transaction ends.

        Returns the row that was read along, or None where that would not help.
        """
        ...

    async def savepoint(self, name: str, *, again: bool) -> None:
        """Sets a point to go back to; `again` replaces the one of this name."""
        ...

    async def roll_back_to(self, name: str) -> None:
        """Undoes what came after the savepoint, which stays."""
        ...

    async def commit(self, then: Callable[[], None] = nothing, *, durable: bool = True) -> None:
        """Returns once the change is durable, and calls `then`: also for a caller who was cancelled.

        Not `durable`, it returns once nobody who writes can miss the change.
        """
        ...

    async def rollback(self, *, refusing: bool = False) -> None:
        """Undoes this transaction alone.

        `refusing` waits until what it saw of others is durable, and raises when it will not be: somebody is
        about to be refused because of it.
        """
        ...


class Pool(Protocol):
    """The connections of one dialect, and how long scopes have waited for one in all."""

    @property
    def waited_seconds(self) -> float: ...

    def session(self) -> ReadSession: ...

    async def transaction(
        self, condition: WriteCondition | None = None, *, apart: bool = False
    ) -> Transaction:
        """Opens a transaction that begins with its first statement, and asks the condition just before it.

        What it reads `apart` is durable.
        """
        ...

    async def migration(self) -> Transaction:
        """Opens a transaction that may change the schema and waits for its locks as long as it takes."""
        ...

    async def flush(self) -> None:
        """Returns once everything that could be read before this call is durable."""
        ...

    async def prepare(self, statements: Sequence[Statement]) -> Sequence[str | None]:
        """Returns for each statement what the database says against it, or None; runs none of them."""
        ...

    async def drain(self) -> None:
        """Gets ready for the disconnect: nobody is given a connection any more."""
        ...
