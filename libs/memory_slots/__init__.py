"""Memory without a name that forked processes share: each writes its own slot, and all are read."""

import os
import struct
import sys
import zlib

# A copy may be torn because its process writes just now, and the other be no longer the last one: read again.
_READS = 5
_NUMBER_AND_LENGTH = struct.Struct("QQ")
_CHECKSUM = struct.Struct("I")


class MemorySlot:
    """The last content of a process, in two copies: one that dies while it writes leaves the other."""

    def __init__(self, name: str = "memory-slot") -> None:
        """Opens the memory; `name` is what the system calls it where it lists what a process has open."""
        self.copies = (_memory(name), _memory(name))

    def write(self, number: int, content: bytes) -> bool:
        """Writes over the older copy; `number` is one more than that of the last content.

        Returns False where there was no room for it: then the last content still stands.
        """
        checked = _NUMBER_AND_LENGTH.pack(number, len(content)) + content
        whole = _CHECKSUM.pack(zlib.crc32(checked)) + checked
        try:
            return os.pwrite(self.copies[number % 2], whole, 0) == len(whole)
        except OSError:
            return False

    def read(self) -> tuple[int, bytes]:
        """Returns the last whole content with its number; 0 where there is none."""
        last = (0, b"")
        for _ in range(_READS):
            found = [_whole(copy) for copy in self.copies]
            last = max(last, *found)
            if all(number for number, _ in found):
                break
        return last


def _memory(name: str) -> int:
    """Opens memory, or elsewhere than on Linux a file, that goes with the last process that holds it."""
    if sys.platform == "linux":
        return os.memfd_create(name)
    import tempfile

    descriptor, path = tempfile.mkstemp()
    os.unlink(path)  # noqa: PTH108
    return descriptor


def _whole(copy: int) -> tuple[int, bytes]:
    found = os.pread(copy, os.fstat(copy).st_size, 0)
    start = _CHECKSUM.size + _NUMBER_AND_LENGTH.size
    if len(found) < start:
        return 0, b""
    (checksum,) = _CHECKSUM.unpack_from(found)
    number, length = _NUMBER_AND_LENGTH.unpack_from(found, _CHECKSUM.size)
    is_whole = zlib.crc32(found[_CHECKSUM.size : start + length]) == checksum
    return (number, found[start : start + length]) if is_whole else (0, b"")
