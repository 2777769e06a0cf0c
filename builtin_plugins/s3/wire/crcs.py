"""Cyclic checksums, whichever library computes them."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Crc:
    """`update` goes on from a running value; `combine` joins two values, with the second one's length."""

    width: int
    update: Callable[[bytes, int], int]
    combine: Callable[[int, int, int], int]


class RunningCrc:
    """A CRC with the face of a hashlib object."""

    def __init__(self, width: int, update: Callable[[bytes, int], int]) -> None:
        self._width = width
        self._update = update
        self._value = 0

    def update(self, data: bytes) -> None:
        self._value = self._update(data, self._value)

    def digest(self) -> bytes:
        return self._value.to_bytes(self._width, "big")
