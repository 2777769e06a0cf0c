"""One request and its whole answer, bounded in time, size and number at once."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager
from typing import NamedTuple, Protocol


class HttpFault(Exception):
    """The other side cannot be reached, or broke off, or does not speak HTTP."""


class HttpTimeout(HttpFault):
    """The other side took longer than the caller waits."""


class AnswerTooLarge(HttpFault):
    """The answer is longer than the caller takes."""


class TooManyAtOnce(HttpFault):
    """The holder has too many requests under way and waiting."""


class OpenAnswer(Protocol):
    """An answer whose head is there; it has to be closed."""

    @property
    def status(self) -> int: ...

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers by name in lower case; lines of one name are joined by commas."""
        ...

    def chunks(self) -> AsyncGenerator[bytes, None]:
        """Yields the body as it comes. Raises `HttpFault`."""
        ...

    async def aclose(self) -> None: ...


class Client(Protocol):
    """Sends a request as it is: it follows no redirect and keeps no cookie."""

    async def send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes = b""
    ) -> OpenAnswer: ...


class Answer(NamedTuple):
    """A whole answer; the names of its headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Slots:
    """So many at once for each holder; so many more may wait, and the next is refused."""

    def __init__(self, at_once: int, waiting: int) -> None:
        self._at_once = at_once
        self._most = at_once + waiting
        self._held: dict[str, int] = {}
        self._slots: dict[str, asyncio.Semaphore] = {}

    @asynccontextmanager
    async def slot(self, holder: str) -> AsyncIterator[None]:
        """Waits for a slot of the holder; raises `TooManyAtOnce`."""
        held = self._held.get(holder, 0)
        if held >= self._most:
            raise TooManyAtOnce("too many requests are under way")
        slots = self._slots.setdefault(holder, asyncio.Semaphore(self._at_once))
        self._held[holder] = held + 1
        try:
            async with slots:
                yield
        finally:
            self._held[holder] -= 1
            if not self._held[holder]:
                del self._held[holder], self._slots[holder]


class Request(NamedTuple):
    """A request, and how long and how large its answer may be at the most."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes
    timeout_seconds: float
    max_bytes: int


async def fetch(client: Client, slots: Slots, holder: str, request: Request) -> Answer:
    """Sends a request in a slot of its holder and reads the whole answer; waiting counts as time too.

    Raises `HttpFault`, or what `HttpTimeout`, `AnswerTooLarge` and `TooManyAtOnce` say.
    """
    try:
        async with asyncio.timeout(request.timeout_seconds), slots.slot(holder):
            sent = await client.send(request.method, request.url, request.headers, request.body)
            async with aclosing(sent) as answer:
                body = bytearray()
                async with aclosing(answer.chunks()) as chunks:
                    async for chunk in chunks:
                        body += chunk
                        if len(body) > request.max_bytes:
                            raise AnswerTooLarge(f"the answer is longer than {request.max_bytes} bytes")
                return Answer(answer.status, answer.headers, bytes(body))
    except TimeoutError as late:
        raise HttpTimeout("no answer in time") from late
