"""Reading and writing files, on a thread: a slow disk holds up nobody else."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import BinaryIO

from guildhall_client.uploads import BLOCK


async def blocks(content: BinaryIO) -> AsyncIterator[bytes]:
    """Yields what is left of a file."""
    while block := await asyncio.to_thread(content.read, BLOCK):
        yield block


async def write(content: BinaryIO, block: bytes) -> None:
    """Writes a block."""
    await asyncio.to_thread(content.write, block)


async def put_in_place(written: Path, path: Path) -> None:
    """Gives a file that is whole its name."""
    await asyncio.to_thread(written.replace, path)
