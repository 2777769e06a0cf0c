"""Commands: what `guildhall <command>` does for the operator at the machine."""

from argparse import ArgumentParser, Namespace
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol, TextIO, TypeVar

from guildhall_sdk.context import Clock, PublicSettings
from guildhall_sdk.data import Data
from guildhall_sdk.services.description import Plugins
from guildhall_sdk.settings import Setting, Value

Service = TypeVar("Service")


class StandaloneHost(Protocol):
    """This machine and the plugins that are installed on it; there need be no instance here."""

    @property
    def clock(self) -> Clock: ...

    @property
    def plugins(self) -> Plugins: ...

    @property
    def version(self) -> str:
        """The version of Guildhall."""
        ...

    def write_log(self, stream: TextIO) -> None:
        """Sends the warnings and errors of this process to the stream, as JSON lines without secrets."""
        ...


class CommandHost(StandaloneHost, Protocol):
    """The instance that a command is run for, with its settings; nothing of it is open.

    Its services are `InstanceStorage` and `Plugins`.
    """

    @property
    def settings(self) -> PublicSettings: ...

    def setting(self, setting: Setting[Value]) -> Value:
        """The value of a setting that a plugin declares; raises `LookupError` for any other."""
        ...

    def service(self, protocol: Callable[..., Service]) -> Service:
        """One of the services named above; raises `LookupError` for any other."""
        ...


class OpenedHost(CommandHost, Protocol):
    """The instance with its database open, beside the server if one runs.

    Its services are those that need no running server: `AuditTrail`, `Credentials`, `Directory`, `Features`,
    `InstanceStorage`, `Passwords`, `Plugins`, `Preferences` and `Vault`.
    """

    @property
    def data(self) -> Data: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """`guildhall <name>`. It has one of `run`, `opened` and `standalone`; None is the exit code 0.

    An `OperatorError` or a `Problem` that is raised is one line on standard error and the exit code 2.
    """

    #: Small letters, digits and hyphens; none of the server's own.
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
