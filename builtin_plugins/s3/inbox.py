"""The body of one request from the socket: read at most once, bounded, and not for ever."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any

from builtin_plugins.s3.wire.errors import EntityTooLarge, RequestTimeout
from guildhall_sdk.mounts import Receive

PATIENCE_SECONDS = 20.0
MINIMUM_RATE = 8 * 1024
SKIM_SECONDS = 2.0
SKIM_BYTES = 1024 * 1024


class ClientGone(Exception):
    """The caller hung up; there is nobody to answer."""


class Inbox:
    """Never leaves a body lying in the server's queue, which is short.

    A server that closes a connection puts one more message into it, and would wait for ever if it
    found it full.
    """

    def __init__(self, receive: Receive, scope: Mapping[str, Any]) -> None:
        self._receive = receive
        framed = any(
            name == b"transfer-encoding" or _announces(name, value) for name, value in scope["headers"]
        )
        self._unread = framed or scope.get("http_version", "1.1") not in ("1.0", "1.1")

    async def stream(self, most: int) -> AsyncIterator[bytes]:
        """Pieces as they come, never faster than they are read; a trickle is cut off."""
        loop = asyncio.get_running_loop()
        taken, waited = 0, 0.0
        while self._unread:
            asked = loop.time()
            try:
                async with asyncio.timeout(PATIENCE_SECONDS):
                    piece = await self._next()
            except TimeoutError:
                raise RequestTimeout() from None
            waited += loop.time() - asked
            taken += len(piece)
            if taken > most:
                raise EntityTooLarge()
            if waited > PATIENCE_SECONDS and taken < waited * MINIMUM_RATE:
                raise RequestTimeout()
            if piece:
                yield piece

    async def hung_up(self) -> None:
        """Comes back when the caller is gone; the rest of the body, if any, is thrown away."""
        with suppress(ClientGone):
            while True:
                await self._next()

    async def answer(self, send: Callable[[], Awaitable[None]]) -> None:
        """Sends an answer; the rest of a short body is read first, so that its sender hears the answer."""
        if self._unread:
            await self._skim()
        if not self._unread:
            await send()
            return
        discarding = asyncio.ensure_future(self._discard())
        try:
            await send()
        finally:
            discarding.cancel()

    async def _skim(self) -> None:
        skimmed = 0
        with suppress(TimeoutError, ClientGone):
            async with asyncio.timeout(SKIM_SECONDS):
                while self._unread and skimmed < SKIM_BYTES:
                    skimmed += len(await self._next())

    async def _discard(self) -> None:
        with suppress(ClientGone):
            while self._unread:
                await self._next()

    async def _next(self) -> bytes:
        message = await self._receive()
        if message["type"] == "http.disconnect":
            self._unread = False
            raise ClientGone
        self._unread = bool(message.get("more_body"))
        piece: bytes = message.get("body", b"")
        return piece


def _announces(name: bytes, value: bytes) -> bool:
    return name == b"content-length" and value != b"0"
