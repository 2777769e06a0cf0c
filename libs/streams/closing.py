"""Streams whose first chunk is read before the answer begins, and how streams are closed."""

from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any


async def begun(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Reads the first chunk and returns an iterator of all: an error shows before the answer begins."""
    return after(await anext(chunks, b""), chunks)


async def after(first: bytes, rest: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yields a chunk that was taken from the stream already, and then the rest."""
    try:
        if first:
            yield first
        async for chunk in rest:
            yield chunk
    finally:
        with suppress(RuntimeError):
            await close(rest)


async def close(source: AsyncIterator[Any]) -> None:
    """Closes a generator, or anything else that has an `aclose`."""
    aclose = getattr(source, "aclose", None)
    if aclose is not None:
        await aclose()


class OneChunk(AsyncIterator[bytes]):
    """Gives one chunk, if there is anything in it; it costs less than a generator does."""

    def __init__(self, chunk: bytes) -> None:
        self._left = chunk

    async def __anext__(self) -> bytes:
        chunk, self._left = self._left, b""
        if not chunk:
            raise StopAsyncIteration
        return chunk

    async def aclose(self) -> None:
        """Gives nothing more."""
        self._left = b""


async def no_chunks() -> AsyncIterator[bytes]:
    """Yields nothing: the stream of an answer without a body."""
    return
    yield b""
