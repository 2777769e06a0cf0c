"""The server as a whole: facts that all its processes share, its readiness, and its settings."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

from guildhall_sdk.data import Data, Reader, Writer
from guildhall_sdk.engines.pools import Pool
from guildhall_sdk.errors import Problem
from guildhall_sdk.plugin import PluginStatus
from guildhall_sdk.principal import Principal
from guildhall_sdk.settings import Setting


class LiveServer(NamedTuple):
    """A server process that works on the database now."""

    host: str
    pid: int
    #: Empty where it is from before servers said it.
    version: str = ""


class InstanceFacts(Protocol):
    """A short text for each key; keys of a plugin begin with its id, so that no two plugins share one."""

    async def find(self, reader: Reader, key: str) -> str | None:
        """Returns the text of a key, or None."""

    async def below(self, reader: Reader, prefix: str) -> Mapping[str, str]:
        """Returns the texts of all keys that begin with a prefix, which ends in a colon."""

    async def set(self, writer: Writer, key: str, value: str) -> None:
        """Sets the text of a key, over one that is there."""

    async def remove(self, writer: Writer, key: str, *, value: str | None = None) -> None:
        """Removes a key; with `value` only while that is its text."""

    async def live_servers(self, reader: Reader) -> Sequence[LiveServer]:
        """Returns all server processes that work on the database now.

        There is none where only one can, which is whoever asks.
        """


class SchemaUpgrade(Protocol):
    """The second half of an upgrade: migrations that take away what the version before needs."""

    async def put_off(self, reader: Reader) -> Sequence[str]:
        """Returns the files of those that are still to come."""

    async def contracted_at(self, reader: Reader) -> Mapping[str, int]:
        """Returns the files of those that were applied, with the time."""

    async def finish(self) -> Sequence[str]:
        """Applies them, and returns their files; raises `OperatorError` while another version runs."""


NOT_READY = "not_ready"


class Trouble(NamedTuple):
    """The reason why the server is not ready; `detail` is for anybody and names no path."""

    reason: Literal["starting", "draining", "database", "disk"]
    detail: str


STARTING = Trouble("starting", "The server is starting; try again shortly.")
DRAINING = Trouble("draining", "The server is stopping; ask another one, or this one shortly.")


@dataclass(frozen=True, slots=True)
class ServerLife:
    """How far the server has come between its start and its end; only the server itself sets the events."""

    #: Set once it answers requests.
    started: asyncio.Event = field(default_factory=asyncio.Event)
    #: Set when it is told to stop, before anything else.
    stopping: asyncio.Event = field(default_factory=asyncio.Event)


class SlowStatement(NamedTuple):
    """A statement that took long: its name, its plugin or `kernel`, how long it took, and when it ended."""

    name: str
    plugin: str
    ms: int
    at: int


class DatabaseHealth(Protocol):
    """The database as an operator watches it."""

    #: What the engine opened, with its place.
    pool: Pool

    #: How many transactions this process has begun to write in.
    write_scopes: int

    #: How many statements of this process were slow, by plugin.
    slow_counts: Mapping[tuple[str, ...], int]

    def slow_statements(self) -> Sequence[SlowStatement]:
        """Returns the last slow statements of this process, the newest first."""

    async def ping(self) -> None:
        """Raises unless the database answers; it never waits for a company's share."""


class Tracing(Protocol):
    """Spans of what the server does; there is none where nobody collects them."""

    def span(
        self, name: str, *, parent: str | None = None, attributes: Mapping[str, str | int] = {}
    ) -> AbstractContextManager[Any]:
        """Opens a span, within the one that is open or, given the `traceparent` of another, within that."""

    def current(self) -> str | None:
        """Returns the `traceparent` of the span that is open, or None."""

    def describe(self, name: str, attributes: Mapping[str, str | int], *, failed: bool = False) -> None:
        """Gives the span that is open another name, and more attributes."""


class Readiness(Protocol):
    """The readiness of the server."""

    async def trouble(self) -> Trouble | None:
        """Returns what keeps the server from its work, or None. Measured at most once a second."""

    async def until_stopping(self) -> None:
        """Returns when the server begins to stop; a handler that makes callers wait answers them then."""

    def suspect(self, refusal: Problem) -> None:
        """Reports a request that was refused as unavailable; its cause is looked for, and logged."""


class RefusalReasons(Protocol):
    """The reasons of refusals by a gate, as a 403 or a 429 tells them."""

    def of(self, refusal: Problem, caller: Principal | None, method: str, path: str) -> Mapping[str, str]:
        """Returns `gate`, `rule` and `who` (who can lift it); nothing for what no gate refused.

        `why` is where the caller can read what each gate says about such a request, if they may.
        """


class SettingInUse(NamedTuple):
    """A setting with its variable, the plugin that owns it or `kernel`, its value, and whether it is set."""

    variable: str
    owner: str
    setting: Setting[Any]
    value: Any
    given: bool


class InstanceInspection(Protocol):
    """The instance as commands examine it; each raises `OperatorError` for what a server could not bear."""

    #: The folder of the database's file, where it is a file of this machine.
    database_folder: Path | None

    def database(self) -> AbstractAsyncContextManager[Data]:
        """Opens the database that a server has made, beside it if one runs."""

    def settings(self) -> tuple[Sequence[SettingInUse], Sequence[str]]:
        """Returns every setting, and the variables that only a plugin which is not loaded could explain."""

    def plugins(self) -> tuple[Sequence[PluginStatus], Sequence[str]]:
        """Returns every plugin as a start of a server now would find it, and remarks for the operator.

        Those are lines that belong to none of the plugins that are there.
        """

    async def is_served(self) -> bool:
        """Tells whether a server is known to work on the database, which may have no tables yet."""

    async def check_database(self) -> str:
        """Checks that the database answers, is whole and has a schema of this program; returns its kind."""

    async def check_replica(self) -> str:
        """Returns how the replica is, in words for an operator."""
