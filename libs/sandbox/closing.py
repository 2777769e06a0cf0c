"""The last step of a confined child before it reads its input: it gives up every other right."""

import os
import resource
import sys
from contextlib import suppress
from typing import NamedTuple

from libs.sandbox.bpf import Allowed
from libs.sandbox.landlock import allow_reading
from libs.sandbox.limits import set_limit
from libs.sandbox.native import prctl, syscall
from libs.sandbox.seccomp import install

PR_SET_NO_NEW_PRIVS = 38
# The same number on every architecture.
_CLOSE_RANGE = 436
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


class InForce(NamedTuple):
    """The restrictions that the system accepted. This process claims them; `measure` tests them."""

    landlock_version: int
    """0 where there is none; the filter of system calls then stands alone."""


def confine() -> InForce:
    """Confines this process for good: it opens, sends, signals, starts and imports nothing any more.

    Standard input and output stay, every other descriptor is closed. Raises `Unconfined` when the kernel
    takes no filter: then whatever could be closed is closed, and the caller decides whether that will do.
    """
    close_other_descriptors()
    sys.meta_path.clear()
    landlock_version = 0
    with suppress(OSError, AttributeError):
        prctl(PR_SET_NO_NEW_PRIVS, 1)
        landlock_version = allow_reading(())
    # Where there is no filter, this still keeps files and sockets away: each of them needs a number.
    set_limit(resource.RLIMIT_NOFILE, _STANDARD_DESCRIPTORS)
    install(_COMPUTING, _HIDDEN)
    return InForce(landlock_version)


def close_other_descriptors() -> None:
    """Closes all but standard input, output and error."""
    try:
        syscall(_CLOSE_RANGE, _STANDARD_DESCRIPTORS, 0xFFFFFFFF, 0)
    except OSError:
        # One call for each, and a container may allow a thousand million of them.
        os.closerange(_STANDARD_DESCRIPTORS, min(os.sysconf("SC_OPEN_MAX"), 1 << 16))
