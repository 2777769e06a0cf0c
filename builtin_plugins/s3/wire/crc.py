"""The cyclic checksums: one pass, and two results joined without the bytes.

The only place that knows the native library.
"""

import zlib
from collections.abc import Callable
from dataclasses import dataclass

from awscrt import checksums as native  # type: ignore[import-untyped]


@dataclass(frozen=True, slots=True)
class Crc:
    """`update` goes on from a running value; `combine` joins two values, with the second one's length."""

    width: int
    update: Callable[[bytes, int], int]
    combine: Callable[[int, int, int], int]


CRC32 = Crc(4, zlib.crc32, native.combine_crc32)
CRC32C = Crc(4, native.crc32c, native.combine_crc32c)
CRC64NVME = Crc(8, native.crc64nvme, native.combine_crc64nvme)


class RunningCrc:
    """A CRC with the face of a hashlib object."""

    def __init__(self, crc: Crc) -> None:
        self._crc = crc
        self._value = 0

    def update(self, data: bytes) -> None:
        self._value = self._crc.update(data, self._value)

    def digest(self) -> bytes:
        return self._value.to_bytes(self._crc.width, "big")
