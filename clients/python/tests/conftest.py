"""Clients of a hall, and what comes between them and it."""

import asyncio
from collections.abc import Callable

import httpx
import pytest

from guildhall_client import AsyncClient, Client, Retries

AT_ONCE = Retries(first_wait=0)


class Lossy(httpx.AsyncBaseTransport):
    """Sends on, and has something go wrong where a test says so: each of `faults` is for one request."""

    def __init__(self) -> None:
        self._sent_by = httpx.AsyncHTTPTransport()
        self.faults: list[Callable[[httpx.Response], httpx.Response]] = []
        self.requests: list[httpx.Request] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        response = await self._sent_by.handle_async_request(request)
        return self.faults.pop(0)(response) if self.faults else response

    async def aclose(self) -> None:
        await self._sent_by.aclose()


class Broken(httpx.AsyncByteStream):
    """As much of an answer as came before its connection broke."""

    def __init__(self, response: httpx.Response, length: int) -> None:
        self._response = response
        self._left = length

    async def __aiter__(self):
        async for block in self._response.stream:
            yield block[: self._left]
            self._left -= len(block)
            if self._left <= 0:
                raise httpx.ReadError("the connection is broken")

    async def aclose(self) -> None:
        await self._response.stream.aclose()


def lost(response):
    """The server did what was asked for, and nobody hears of it."""
    raise httpx.ReadError("the connection is broken")


def broken_after(length):
    def broken(response):
        return httpx.Response(response.status_code, headers=response.headers, stream=Broken(response, length))

    return broken


def refused(status, **headers):
    problem = {"title": "Busy", "status": status, "detail": "Come back.", "code": "busy"}
    return lambda _: httpx.Response(status, headers=headers, json=problem)


@pytest.fixture
def lossy():
    return Lossy()


@pytest.fixture
async def member(hall, lossy):
    """A client of a member; what goes wrong between it and the hall is for `lossy`."""
    token = hall.acme.member.token
    async with AsyncClient(hall.base_url, token=token, retries=AT_ONCE, transport=lossy) as client:
        yield client


@pytest.fixture
def beside(hall):
    """`await beside(work)`: runs `work(client)` on a thread, with a client without asyncio."""

    async def run(work, token=None):
        def worked():
            with Client(hall.base_url, token=token or hall.acme.member.token, retries=AT_ONCE) as client:
                return work(client)

        return await asyncio.to_thread(worked)

    return run
