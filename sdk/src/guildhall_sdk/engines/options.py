"""Which database an engine opens, within which limits, and for whom it runs a statement."""

from collections.abc import Callable
from contextvars import Context
from dataclasses import dataclass, field
from math import inf

PATIENCE_SECONDS = 5.0
POOL_SIZE = 10
REPLICA_LAG_SECONDS = 60

#: The holders of accounts that are no company: the server itself, and requests that are nobody's yet.
SERVER, GATES = "server", "gates"


@dataclass(frozen=True, slots=True)
class Account:
    """The account that a statement runs on: `holder` is a company's id, or `SERVER`, or `GATES`.

    A statement is `limited` in time where somebody waits for the answer.
    """

    holder: str
    limited: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Callers:
    """Tells an engine for whom it runs a statement; each field is a function to be called when it matters.

    No company should be able to take all connections: an engine with several gives each a share, and the
    server's own work and requests at the gates go first.
    """

    #: Returns the account of whoever runs a statement now.
    account: Callable[[], Account]
    #: Tells whether nobody waits for this task: it may wait for a connection rather than open one.
    in_background: Callable[[], bool]
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
    replica_lag_seconds: int = REPLICA_LAG_SECONDS
    #: How many connections one server process holds at most.
    pool_size: int = POOL_SIZE
    #: For how long a scope waits for its turn, a connection or a lock.
    patience: float = PATIENCE_SECONDS
    #: How long a statement of a limited account may take; nothing else is stopped.
    statement_seconds: float = inf
    #: Whether it is opened for a short command, beside the server that may own it, and must be there.
    shared: bool = False
