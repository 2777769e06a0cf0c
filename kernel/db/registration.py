"""The one place that touches `databases` beyond its public face."""

import logging
from typing import Any

import databases

from kernel.db.backend import Dialect, Pool
from kernel.db.errors import DatabaseUnreachable

# It tells of each connect with the URL, and hides a password only in the usual place in it.
logging.getLogger("databases").setLevel(logging.WARNING)


class Registered(databases.Database):
    """`databases` with our SQLite pool in place of its connection and thread per call."""

    SUPPORTED_BACKENDS = {  # noqa: RUF012 - an attribute of the parent
        "sqlite": "kernel.db.sqlite:SqliteBackend",
        "postgresql": "databases.backends.postgres:PostgresBackend",
        "postgres": "databases.backends.postgres:PostgresBackend",
    }

    def pool(self, patience: float, size: int, statement_seconds: float) -> Pool:
        # `_backend` and its `_pool` are private, but they hold what was opened. The public way to them,
        # `connection()`, costs three locks per scope, compiles every statement through SQLAlchemy and ties
        # a connection to a task, which is not what our scopes promise.
        backend: Any = self._backend
        if self.url.dialect == "sqlite":
            return backend  # type: ignore[no-any-return]
        from kernel.db.postgresql import PostgresPool

        return PostgresPool(backend._pool, patience, size, statement_seconds)


def register(
    url: str, *, shared: bool, patience: float, size: int, statement_seconds: float
) -> tuple[Registered, Dialect]:
    """The drivers are imported here, so that a server on SQLite does not load the other one."""
    dialect = databases.DatabaseURL(url).dialect
    if dialect == "sqlite":
        return Registered(
            url, shared=shared, patience=patience, statement_seconds=statement_seconds
        ), "sqlite"
    if dialect in ("postgresql", "postgres"):
        from kernel.db.connections import pool_options

        return Registered(url, **pool_options(url, patience, size, statement_seconds)), "postgresql"
    raise DatabaseUnreachable("the database URL must begin with sqlite:// or postgresql://")
