"""An instance as a whole: the facts that all its processes share, and how an operator examines it."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from guildhall_sdk.data import Data, Reader, Writer
from guildhall_sdk.services.description import PluginStatus
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
        ...

    async def below(self, reader: Reader, prefix: str) -> Mapping[str, str]:
        """Returns the texts of all keys that begin with a prefix, which ends in a colon."""
        ...

    async def set(self, writer: Writer, key: str, value: str) -> None:
        """Sets the text of a key, over one that is there."""
        ...

    async def remove(self, writer: Writer, key: str, *, value: str | None = None) -> None:
        """Removes a key; with `value` only while that is its text."""
        ...

    async def live_server(self, reader: Reader) -> LiveServer | None:
        """Returns a server that works on the database now; None where only one can, which is whoever asks."""
        ...


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
        ...

    def database(self) -> AbstractAsyncContextManager[Data]:
        """Opens the database that a server has made, beside it if one runs."""
        ...

    def settings(self) -> SettingsInUse:
        """Returns the settings with their values."""
        ...

    async def plugins(self) -> PluginStates:
        """Returns the plugins with what the last start of a server found."""
        ...

    async def check_secret_key(self) -> str | None:
        """Checks that the secret key opens the database; returns why others may guess it, or None."""
        ...

    async def check_database(self) -> str:
        """Checks that the database answers, is whole and has a schema of this program; returns its kind."""
        ...

    async def check_replica(self) -> str:
        """Returns how the replica is, in words for an operator."""
        ...
