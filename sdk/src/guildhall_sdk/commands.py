"""Commands: what `guildhall <command>` does for the operator at the machine."""

from argparse import ArgumentParser, Namespace
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TextIO

from guildhall_sdk.context import Clock, ServiceHost
from guildhall_sdk.data import Data, Reader
from guildhall_sdk.plugin import Plugins
from guildhall_sdk.services.identity import Vault


class StandaloneHost(Protocol):
    """The machine that a command runs on, and the plugins installed there; it need not have an instance."""

    @property
    def clock(self) -> Clock:
        """The source of time."""

    @property
    def plugins(self) -> Plugins:
        """The installed plugins and what they declare."""

    @property
    def version(self) -> str:
        """The version of Guildhall."""

    def write_log(self, stream: TextIO) -> None:
        """Sends the warnings and errors of this process to the stream, as JSON lines without secrets."""


class CommandHost(StandaloneHost, ServiceHost, Protocol):
    """The instance that a command runs for, with its settings; its database is not open.

    Its services are `BlobStorage`, `InstanceFacts`, `InstanceInspection`, `InstanceTables`, `Plugins`,
    `PluginStorage`, `PluginUpkeep` and `SecretKeys`.
    """


class OpenedHost(CommandHost, Protocol):
    """The instance with its database open, beside the server if one runs.

    Its services are those that need no running server: of the server `AuditTrail`, `Credentials`,
    `DatabaseEngine`, `Directory`, `Features`, `InstanceFacts`, `InstanceTables`, `JobRetention`,
    `Passwords`, `Plugins`, `Validators` and `Vault`; of plugins such as `AuditRetention`, `BlobStorage` and
    `Preferences`, made when asked for.
    """

    @property
    def data(self) -> Data:
        """The database of the instance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command, run by `guildhall <name>`: it has one of `run`, `opened` and `standalone`.

    The function returns the exit code; None is 0. An `OperatorError` or a `Problem` that it raises is one
    line on standard error and the exit code 2.
    """

    #: Small letters, digits and hyphens; none of the server's own. Two words are a command under another:
    #: `plugin new` is run by `guildhall plugin new`, and listed by `guildhall plugin --help` too.
    name: str
    #: One line, as `guildhall --help` prints it.
    help: str
    #: Needs the settings of the instance.
    run: Callable[[Namespace, CommandHost], int | None] | None = None
    #: Needs its database too.
    opened: Callable[[Namespace, OpenedHost], Awaitable[int | None]] | None = None
    #: Needs no instance: of the settings only those that say which plugins there are must be right.
    standalone: Callable[[Namespace, StandaloneHost], int | None] | None = None
    #: Adds what the command takes to its parser.
    arguments: Callable[[ArgumentParser], None] | None = None
    #: With `run`: whether it runs where no server would start, for a plugin that a server needs is out or a
    #: setting of a plugin is wrong. The plugins that can be loaded are there, and no setting of theirs.
    despite_faults: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthCheck:
    """A row of `guildhall doctor`; for `declare_checks`."""

    name: str
    #: The rows are printed by this number; those of the server are 10, 20 … 90.
    order: int
    #: Returns how it stands, in one line for the operator; raises `OperatorError` with what is wrong.
    run: Callable[[CommandHost], Awaitable[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoredInstance:
    """A restored instance right before it is put in place; whoever puts it there may be killed before."""

    backup_id: str
    #: Where the files of the copy are, and the names of those that are as they were written.
    copied: Path
    files: Collection[str]
    #: The data folder.
    folder: Path
    #: The vault of the restored tables.
    vault: Vault
    clock: Clock
    #: Opens a scope to read the restored tables.
    read: Callable[[], AbstractAsyncContextManager[Reader]]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptFiles:
    """Files directly in the data folder that a backup takes; for `declare_kept_files`."""

    names: Sequence[str]
    #: Puts them in place when the copy is restored, as far as they are in it.
    restore: Callable[[RestoredInstance], Awaitable[None]]
