"""The bounds that the child lays on itself, before the first byte of the document is understood."""

import ctypes
import os
import resource
import signal
import struct
import sys
from contextlib import suppress
from pathlib import Path

from .limits import Limits

_PR_SET_PDEATHSIG, _PR_SET_NO_NEW_PRIVS = 1, 38
# The same numbers on every architecture.
_LANDLOCK_CREATE_RULESET, _LANDLOCK_RESTRICT_SELF = 444, 446
_LANDLOCK_GET_VERSION = 1


def bound(limits: Limits, parent: int) -> None:
    """Rlimits and an alarm of its own, so that it ends even when nobody is left to end it."""
    signal.alarm(limits.wall_seconds)
    _set_limit(resource.RLIMIT_AS, limits.memory_bytes)
    _set_limit(resource.RLIMIT_CPU, limits.cpu_seconds, slack=1)
    for nothing in (resource.RLIMIT_FSIZE, resource.RLIMIT_CORE, resource.RLIMIT_NPROC):
        _set_limit(nothing, 0)
    os.nice(10)
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")
    with suppress(OSError, AttributeError):
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    # It may have gone before the kernel was asked to say so.
    if os.getppid() != parent:
        os._exit(1)


def close_doors() -> None:
    """Nothing is opened, imported, sent or signalled from here on; what is open stays."""
    sys.meta_path.clear()
    with suppress(OSError, AttributeError):
        _prctl(_PR_SET_NO_NEW_PRIVS, 1)
        _deny_every_path()
    # Every file and every socket needs a number, and the three that there may be are taken.
    _set_limit(resource.RLIMIT_NOFILE, 3)


def _set_limit(which: int, value: int, slack: int = 0) -> None:
    """Never above what it was started with."""
    hard = resource.getrlimit(which)[1]
    most = value + slack if hard == resource.RLIM_INFINITY else min(value + slack, hard)
    resource.setrlimit(which, (min(value, most), most))


def _prctl(option: int, value: int) -> None:
    _check(ctypes.CDLL(None, use_errno=True).prctl(option, ctypes.c_ulong(value), *[ctypes.c_ulong(0)] * 3))


def _deny_every_path() -> None:
    """A Landlock ruleset that gives no right at all; where the kernel has none, the rlimits remain."""
    if sys.platform != "linux":
        return
    version = _syscall(_LANDLOCK_CREATE_RULESET, None, ctypes.c_size_t(0), _LANDLOCK_GET_VERSION)
    # Each version handles more rights of files; the fourth knows TCP, the sixth signals and abstract sockets.
    files = (1 << 13 + (version > 1) + (version > 2)) - 1 | (1 << 15 if version > 4 else 0)
    attributes = struct.pack("QQQ", files, 3 if version > 3 else 0, 3 if version > 5 else 0)
    known = 24 if version > 5 else 16 if version > 3 else 8
    ruleset = _syscall(_LANDLOCK_CREATE_RULESET, attributes, ctypes.c_size_t(known), 0)
    _syscall(_LANDLOCK_RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def _syscall(number: int, *arguments: object) -> int:
    call = ctypes.CDLL(None, use_errno=True).syscall
    call.restype = ctypes.c_long
    plain = [ctypes.c_long(value) if isinstance(value, int) else value for value in arguments]
    return _check(call(ctypes.c_long(number), *plain))


def _check(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused by the kernel")
    return result
