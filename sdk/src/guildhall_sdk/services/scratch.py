"""Room for bytes that must not outlive their use."""

from typing import BinaryIO, Protocol


class Scratch(Protocol):
    """Files without a name below the data folder: gone with whoever held them, however that ended."""

    def open(self) -> BinaryIO:
        """An empty file to write and read. It touches the disk: call it off the loop."""
        ...
