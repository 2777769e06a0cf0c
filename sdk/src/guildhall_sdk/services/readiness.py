"""The readiness of the server: whether it can do its work now, and whether it is about to stop."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from guildhall_sdk.errors import Problem

NOT_READY = "not_ready"


@dataclass(frozen=True, slots=True)
class Trouble:
    """The reason why the server is not ready; `detail` is for anybody and names no path."""

    reason: Literal["starting", "draining", "database", "disk"]
    detail: str


STARTING = Trouble("starting", "The server is starting; try again shortly.")
DRAINING = Trouble("draining", "The server is stopping; ask another one, or this one shortly.")


class ServerLife(Protocol):
    """How far the server has come between its start and its end."""

    @property
    def has_started(self) -> bool:
        """Whether it answers requests."""
        ...

    @property
    def is_stopping(self) -> bool:
        """Whether it was told to stop."""
        ...

    async def until_started(self) -> None:
        """Returns when it answers requests."""
        ...

    async def until_stopping(self) -> None:
        """Returns when it begins to stop."""
        ...


class DatabaseHealth(Protocol):
    """The database as an operator watches it."""

    @property
    def place(self) -> str:
        """The place of the database, in words for an operator and without a password."""
        ...

    @property
    def folder(self) -> Path | None:
        """The folder of the database's file, where it is a file of this machine."""
        ...

    async def ping(self) -> None:
        """Raises unless the database answers; it never waits for a company's share."""
        ...


class Readiness(Protocol):
    """The readiness of the server."""

    async def trouble(self) -> Trouble | None:
        """Returns what keeps the server from its work, or None. Measured at most once a second."""

    async def until_stopping(self) -> None:
        """Returns when the server begins to stop; a handler that makes callers wait answers them then."""

    def suspect(self, refusal: Problem) -> None:
        """Reports a request that was refused as unavailable; its cause is looked for, and logged."""
