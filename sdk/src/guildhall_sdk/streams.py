"""Streams of bytes that were begun before the answer."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import suppress


async def begun(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The same chunks, the first at hand: what cannot be read shows while there is an answer to give."""
    return after(await anext(chunks, b""), chunks)


async def after(first: bytes, rest: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """A chunk that was taken from the stream already, and the rest of it."""
    try:
        if first:
            yield first
        async for chunk in rest:
            yield chunk
    finally:
        if isinstance(rest, AsyncGenerator):
            with suppress(RuntimeError):
                await rest.aclose()
