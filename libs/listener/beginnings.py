"""A listener that lets nobody in any more, and has not let go yet of whom it has let in."""

import ctypes
import socket
import struct
import sys
from contextlib import suppress

# Linux's SO_ATTACH_FILTER, which `socket` has no name for, and a program for it: of what comes to a listener,
# whatever has the flag SYN in the byte 13 of its TCP header, and would begin a connection, is dropped.
_ATTACH_FILTER = 26
_STEPS = [(0x30, 0, 0, 13), (0x45, 0, 1, 2), (6, 0, 0, 0), (6, 0, 0, 2**32 - 1)]
_PROGRAM = b"".join(struct.pack("=HBBI", *step) for step in _STEPS)


def ignore_beginnings(listener: socket.socket) -> None:
    """Lets no connection begin from now on, where the system knows how; those under way may still arrive."""
    if sys.platform != "linux":
        return
    steps = ctypes.create_string_buffer(_PROGRAM, len(_PROGRAM))
    program = struct.pack("@HP", len(_STEPS), ctypes.addressof(steps))
    with suppress(OSError):
        listener.setsockopt(socket.SOL_SOCKET, _ATTACH_FILTER, program)
