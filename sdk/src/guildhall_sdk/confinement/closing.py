"""The last step of a confined child before it reads its input: it gives up every other right."""

import ctypes
import os
import resource
import struct
import sys
from contextlib import suppress
from dataclasses import dataclass

from guildhall_sdk.confinement.bpf import Allowed, assemble
from guildhall_sdk.confinement.landlock import deny_every_path
from guildhall_sdk.confinement.limits import set_limit
from guildhall_sdk.confinement.native import prctl, syscall
from guildhall_sdk.confinement.syscalls import this_architecture

_PR_SET_NO_NEW_PRIVS = 38
# The same number on every architecture.
_CLOSE_RANGE = 436
_SET_MODE_FILTER, _ALL_THREADS = 1, 1
_STANDARD_DESCRIPTORS = 3
_PROT_EXEC = 4
# What allocators say of their pages: DONTNEED, FREE, HUGEPAGE, NOHUGEPAGE. Others can take a page from all.
_ADVICE = (4, 8, 14, 15)

# Reading what is open, answering on standard output, memory that is not code, the time, and the end.
_COMPUTING = (
    Allowed("read"),
    Allowed("write", argument=0, values=(1,)),
    Allowed("pread64"),
    Allowed("lseek"),
    Allowed("fstat"),
    Allowed("close"),
    Allowed("mmap", argument=2, without_bits=_PROT_EXEC),
    Allowed("mprotect", argument=2, without_bits=_PROT_EXEC),
    Allowed("munmap"),
    Allowed("mremap"),
    Allowed("madvise", argument=2, values=_ADVICE),
    *map(Allowed, ("brk", "futex", "sched_yield", "getrandom", "getpid", "gettid")),
    *map(Allowed, ("clock_gettime", "clock_getres", "gettimeofday", "time", "getrusage")),
    *map(Allowed, ("rt_sigreturn", "rt_sigprocmask", "restart_syscall", "exit", "exit_group")),
)
# A library that hears EPERM of it gives up; told that there is none, it asks for the older call.
_HIDDEN = ("clone3",)


class Unconfined(Exception):
    """Raised where this system cannot confine a process; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class InForce:
    """The restrictions that the system accepted. This process claims them; `measure` tests them."""

    landlock_version: int
    """0 where there is none; the filter of system calls then stands alone."""


def confine() -> InForce:
    """Confines this process for good: it opens, sends, signals, starts and imports nothing any more.

    Standard input and output stay, every other descriptor is closed. Raises `Unconfined` when the kernel
    takes no filter: then whatever could be closed is closed, and the caller decides whether that will do.
    """
    _close_other_descriptors()
    sys.meta_path.clear()
    landlock_version = 0
    with suppress(OSError, AttributeError):
        prctl(_PR_SET_NO_NEW_PRIVS, 1)
        landlock_version = deny_every_path()
    # Where there is no filter, this still keeps files and sockets away: each of them needs a number.
    set_limit(resource.RLIMIT_NOFILE, _STANDARD_DESCRIPTORS)
    _filter_system_calls()
    return InForce(landlock_version)


def _close_other_descriptors() -> None:
    try:
        syscall(_CLOSE_RANGE, _STANDARD_DESCRIPTORS, 0xFFFFFFFF, 0)
    except OSError:
        # One call for each, and a container may allow a thousand million of them.
        os.closerange(_STANDARD_DESCRIPTORS, min(os.sysconf("SC_OPEN_MAX"), 1 << 16))


def _filter_system_calls() -> None:
    architecture = this_architecture() if sys.platform == "linux" else None
    number = architecture.number("seccomp") if architecture else None
    if architecture is None or number is None:
        raise Unconfined("no filter of system calls is known for this system")
    program = assemble(architecture, _COMPUTING, _HIDDEN)
    code = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("H6xQ", len(program) // 8, ctypes.addressof(code))
    try:
        refused_by = syscall(number, _SET_MODE_FILTER, _ALL_THREADS, header)
    except OSError as error:
        raise Unconfined(f"the kernel takes no filter of system calls ({error.strerror})") from None
    if refused_by:
        raise Unconfined("a thread of this process could not be closed with it")
