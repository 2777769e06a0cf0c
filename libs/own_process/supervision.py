"""What a server of several processes and the supervisor that runs them say to each other."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from socket import socket
from typing import Protocol


class MemorySlot(Protocol):
    """Memory that all processes of a server read and one of them writes; it outlives that one."""

    def write(self, number: int, content: bytes) -> bool:
        """Writes a content; `number` is one more than that of the content before.

        Returns False where there was no room for it: then the content before still stands.
        """

    def read(self) -> tuple[int, bytes]:
        """Returns the last content that was written whole, with its number; 0 where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessGroup:
    """The processes of one server, as each of them sees them; a server of one process has no group.

    The slots hold what the processes count.
    """

    #: The id of the process that began the others, whose life is the server's.
    supervisor: int
    #: The position of this process's slot, which is that of the one that it replaces.
    position: int
    #: The slots of all processes.
    slots: Sequence[MemorySlot]


class ServerProcess(Protocol):
    """One process of a server. Of several the first starts alone, and binds what the others listen on too."""

    @property
    def is_first(self) -> bool:
        """Whether the others are begun when this one serves."""

    @property
    def listener(self) -> socket:
        """The socket of the server, which all processes share."""

    @property
    def sockets(self) -> Mapping[str, socket]:
        """The other sockets that the first process has bound, by name."""

    @property
    def group(self) -> ProcessGroup | None:
        """The group that it belongs to; None for a process that is the only one."""

    def watch_for_stop(self, stopping: asyncio.Event, at_once: asyncio.Event) -> None:
        """Sets the events when the supervisor or a signal says so; `at_once` is not to drain."""

    def report_started(self, bound: Mapping[str, socket]) -> None:
        """Reports that this process serves; the first one hands over its other sockets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Supervision:
    """The processes to run: how many, on which socket, and what each of them runs until it ends."""

    count: int
    listener: socket
    serve: Callable[[ServerProcess], None]
    #: One that serves and whose event loop stands still for so long is killed and replaced; 0 is never.
    hang_seconds: float
    #: The signals that ask a server to stop.
    stop_signals: Sequence[int]


class ProcessSupervisor(Protocol):
    """Runs a server in several processes; it is made without a server, before any of them is there."""

    def supervise(self, supervision: Supervision) -> int:
        """Runs the processes until they are told to stop; returns the exit code."""
