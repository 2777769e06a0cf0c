"""Listening sockets: how one is bound, and how it lets nobody in any more."""

import ctypes
import errno
import socket
import struct
import sys
from contextlib import suppress

_BACKLOG = 1024
# Linux's SO_ATTACH_FILTER, which `socket` has no name for, and a program for it: of what comes to a listener,
# whatever has the flag SYN in the byte 13 of its TCP header, and would begin a connection, is dropped.
_ATTACH_FILTER = 26
_STEPS = [(0x30, 0, 0, 13), (0x45, 0, 1, 2), (6, 0, 0, 0), (6, 0, 0, 2**32 - 1)]
_PROGRAM = b"".join(struct.pack("=HBBI", *step) for step in _STEPS)


class AddressTaken(Exception):
    """Raised when the address to listen on cannot be had, with one line that says why."""


def bound_socket(address: str) -> socket.socket:
    """Returns a listening socket; port 0 takes any free one. Raises `AddressTaken`."""
    host, _, port = address.rpartition(":")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host.strip("[]"), int(port)))
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        taken = "; stop the server that does, or set another port" if error.errno == errno.EADDRINUSE else ""
        reason = error.strerror or error
        raise AddressTaken(f"cannot listen on {address}: {reason}{taken}") from None
    return listener


def ignore_beginnings(listener: socket.socket) -> None:
    """Lets no connection begin from now on, where the system knows how; those under way may still arrive."""
    if sys.platform != "linux":
        return
    steps = ctypes.create_string_buffer(_PROGRAM, len(_PROGRAM))
    program = struct.pack("@HP", len(_STEPS), ctypes.addressof(steps))
    with suppress(OSError):
        listener.setsockopt(socket.SOL_SOCKET, _ATTACH_FILTER, program)
