"""The system calls that Python has no function for."""

import ctypes
import os

_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.syscall.restype = ctypes.c_long


def syscall(number: int, *arguments: int | bytes | ctypes.Array[ctypes.c_char] | None) -> int:
    """Makes a system call and returns its result; raises `OSError` with the errno of one that fails."""
    plain = [ctypes.c_long(value) if isinstance(value, int) else value for value in arguments]
    return _check(_LIBC.syscall(ctypes.c_long(number), *plain))


def prctl(option: int, *values: int) -> None:
    """Raises `OSError` where the kernel does not know the option, or refuses it."""
    padded = (*values, 0, 0, 0, 0)[:4]
    _check(_LIBC.prctl(ctypes.c_int(option), *map(ctypes.c_ulong, padded)))


def _check(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
