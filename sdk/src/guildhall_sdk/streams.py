"""Streams that were begun before the answer, and how they are closed."""

from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any


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
        with suppress(RuntimeError):
            await close(rest)


async def close(source: AsyncIterator[Any]) -> None:
    """Lets a generator, or whatever else has an `aclose`, give back what it holds."""
    aclose = getattr(source, "aclose", None)
    if aclose is not None:
        await aclose()
