"""The C library's memory: large blocks go back to the system when they are freed."""

import ctypes

_M_MMAP_THRESHOLD = -3
_LARGE_BYTES = 256 * 1024


def give_back_large_blocks() -> bool:
    """Has every block of 256 KiB or more mapped apart; tells whether the C library has such a thing.

    glibc raises that limit up to 32 MiB as such blocks are freed, and then keeps what uploads have used in
    the heaps of as many threads as carried them.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError):
        return False
    return bool(mallopt(_M_MMAP_THRESHOLD, _LARGE_BYTES))
