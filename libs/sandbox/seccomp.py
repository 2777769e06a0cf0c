"""A filter of system calls, put before every one that this process makes from now on."""

import ctypes
import struct
import sys
from collections.abc import Sequence

from libs.sandbox.bpf import Allowed, assemble
from libs.sandbox.native import syscall
from libs.sandbox.syscalls import this_architecture

_SET_MODE_FILTER, _ALL_THREADS = 1, 1


class Unconfined(Exception):
    """This system cannot close a process; the message says what is missing."""


def install(allowed: Sequence[Allowed], hidden: Sequence[str]) -> None:
    """Lets through what is allowed and nothing else, in every thread. Raises `Unconfined`."""
    architecture = this_architecture() if sys.platform == "linux" else None
    number = architecture.number("seccomp") if architecture else None
    if architecture is None or number is None:
        raise Unconfined("no filter of system calls is known for this system")
    program = assemble(architecture, allowed, hidden)
    code = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("H6xQ", len(program) // 8, ctypes.addressof(code))
    try:
        refused_by = syscall(number, _SET_MODE_FILTER, _ALL_THREADS, header)
    except OSError as error:
        raise Unconfined(f"the kernel takes no filter of system calls ({error.strerror})") from None
    if refused_by:
        raise Unconfined("a thread of this process could not be closed with it")
