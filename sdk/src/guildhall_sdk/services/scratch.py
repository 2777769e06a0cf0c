"""Temporary files that do not outlive their use."""

from typing import BinaryIO, Protocol


class Scratch(Protocol):
    """Files without a name below the data folder: they are gone with their process, however it ends."""

    def open(self) -> BinaryIO:
        """Opens an empty file to write and read. It touches the disk: call it off the event loop."""
        ...
