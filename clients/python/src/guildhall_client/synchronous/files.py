"""Reading and writing files."""

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from guildhall_client.uploads import BLOCK


def blocks(content: BinaryIO) -> Iterator[bytes]:
    """Yields what is left of a file."""
    while block := content.read(BLOCK):
        yield block


def write(content: BinaryIO, block: bytes) -> None:
    """Writes a block."""
    content.write(block)


def put_in_place(written: Path, path: Path) -> None:
    """Gives a file that is whole its name."""
    written.replace(path)
