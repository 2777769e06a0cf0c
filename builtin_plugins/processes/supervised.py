"""What a server process of `guildhall serve --workers` has from its supervisor, and tells it."""

import asyncio
import logging
import mmap
import signal
import socket
import struct
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from libs.own_process.supervision import ProcessGroup

STOP, AT_ONCE = b"s", b"n"
_STARTED = "started"
_COUNT = struct.Struct("Q")


class Heartbeat:
    """A count in memory that a process shares with its supervisor; it grows while the event loop turns."""

    def __init__(self, every_seconds: float) -> None:
        self._memory = mmap.mmap(-1, _COUNT.size)
        self._every_seconds = every_seconds

    def start(self) -> None:
        """Counts from now on, as a timer of the running loop."""
        _COUNT.pack_into(self._memory, 0, self.count() + 1)
        asyncio.get_running_loop().call_later(self._every_seconds, self.start)

    def count(self) -> int:
        return int(_COUNT.unpack_from(self._memory)[0])

    def close(self) -> None:
        self._memory.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Supervised:
    """Implements `ServerProcess`."""

    control: socket.socket
    heartbeat: Heartbeat
    listener: socket.socket
    sockets: Mapping[str, socket.socket]
    is_first: bool
    group: ProcessGroup

    def watch_for_stop(self, stopping: asyncio.Event, at_once: asyncio.Event) -> None:
        """Stops when the supervisor says so, or is gone, or at a signal; a second signal changes nothing.

        Until the loop ends, the supervisor sees that it turns.

        A terminal and systemd send theirs to the supervisor and to every process at the same time.
        """
        loop = asyncio.get_running_loop()
        self.control.setblocking(False)

        def obey() -> None:
            try:
                received = self.control.recv(64)
            except (BlockingIOError, InterruptedError):
                return
            except OSError:
                received = b""
            if not received:
                loop.remove_reader(self.control)
                if not stopping.is_set():
                    _log_lost()
            if AT_ONCE in received:
                at_once.set()
            stopping.set()

        self.heartbeat.start()
        loop.add_reader(self.control, obey)
        for number in (signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        loop.add_signal_handler(signal.SIGTERM, stopping.set)

    def report_started(self, bound: Mapping[str, socket.socket]) -> None:
        """Reports that this process serves; the first one hands over what it has bound."""
        names = list(bound) if self.is_first else []
        message = " ".join([_STARTED, *names]).encode()
        with suppress(OSError):  # the supervisor is gone, which stops this process too
            socket.send_fds(self.control, [message], [bound[name].fileno() for name in names])


def _log_lost() -> None:
    fields = {"detail": "the supervisor is gone; this process stops too"}
    logging.getLogger("guildhall.serve").error("supervisor.lost", extra={"fields": fields})


def read_started(control: socket.socket) -> dict[str, socket.socket] | None:
    """Reads the report of a process: the sockets that it has bound, or None where there is no report yet."""
    try:
        message, descriptors, _, _ = socket.recv_fds(control, 4096, 64)
    except (BlockingIOError, ConnectionError):
        return None
    if not message:
        return None
    sockets = [socket.socket(fileno=descriptor) for descriptor in descriptors]
    return dict(zip(message.decode().split()[1:], sockets, strict=True))
