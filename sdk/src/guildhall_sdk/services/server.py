"""The server as a whole: facts that all its processes share, its readiness, and its settings."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

from guildhall_sdk.data import Data, Reader, Writer
from guildhall_sdk.errors import Problem
from guildhall_sdk.plugin import PluginStatus
from guildhall_sdk.principal import Principal
from guildhall_sdk.settings import Setting

#: The fact that names the backup which an instance was restored from, until its next start records it.
RESTORED_FROM = "restored_from"


@dataclass(frozen=True, slots=True)
class LiveServer:
    """A server process that works on the database now."""

    host: str
    pid: int


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

    async def live_server(self, reader: Reader) -> LiveServer | None:
        """Returns a server that works on the database now; None where only one can, which is whoever asks."""


NOT_READY = "not_ready"
NO_ATTRIBUTES: Mapping[str, str | int] = {}


@dataclass(frozen=True, slots=True)
class Trouble:
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

    def slow_statements(self) -> Sequence[SlowStatement]:
        """Returns the last slow statements of this process, the newest first."""

    @property
    def place(self) -> str:
        """The place of the database, in words for an operator and without a password."""

    @property
    def folder(self) -> Path | None:
        """The folder of the database's file, where it is a file of this machine."""

    async def ping(self) -> None:
        """Raises unless the database answers; it never waits for a company's share."""


class Tracing(Protocol):
    """Spans of what the server does; there is none where nobody collects them."""

    def span(
        self, name: str, *, parent: str | None = None, attributes: Mapping[str, str | int] = NO_ATTRIBUTES
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


@dataclass(frozen=True, slots=True)
class SettingInUse:
    """A setting with its variable, the plugin that owns it or `kernel`, its value, and whether it is set."""

    variable: str
    owner: str
    setting: Setting[Any]
    value: Any
    given: bool


@dataclass(frozen=True, slots=True)
class SettingsInUse:
    """Every setting, and the variables that only a plugin which is not loaded could explain."""

    settings: Sequence[SettingInUse]
    unread: Sequence[str]


@dataclass(frozen=True, slots=True)
class PluginStates:
    """The state of every plugin; `remarks` are lines for the operator that belong to none that is there."""

    statuses: Sequence[PluginStatus]
    remarks: Sequence[str]


class InstanceInspection(Protocol):
    """The instance as commands examine it; each raises `OperatorError` for what a server could not bear."""

    @property
    def database_folder(self) -> Path | None:
        """The folder of the database's file, where it is a file of this machine."""

    def database(self) -> AbstractAsyncContextManager[Data]:
        """Opens the database that a server has made, beside it if one runs."""

    def settings(self) -> SettingsInUse:
        """Returns the settings with their values."""

    def plugins(self) -> PluginStates:
        """Returns the plugins as a start of a server now would find them."""

    async def is_served(self) -> bool:
        """Tells whether a server is known to work on the database, which may have no tables yet."""

    async def check_database(self) -> str:
        """Checks that the database answers, is whole and has a schema of this program; returns its kind."""

    async def check_replica(self) -> str:
        """Returns how the replica is, in words for an operator."""
