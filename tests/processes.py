"""Server processes beside a test: a second one on a hall's PostgreSQL, and those that are killed."""

import asyncio
import os
import secrets
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import httpx

from guildhall_testing.hall import Hall
from guildhall_testing.sites import Site
from tests import commands

Call = Callable[..., Awaitable[httpx.Response]]
_GIVE_UP_SECONDS = 120


def free_port() -> int:
    """Returns a port of this machine that nobody has just now.

    Below those that a system gives to connections: one of them is another's soon after it is let go.
    """
    while True:
        port = 11_000 + secrets.randbelow(20_000)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


@asynccontextmanager
async def second_process(hall: Hall, **more: str) -> AsyncIterator[Call]:
    """Runs `guildhall serve` in a process of its own, and gives calls of it: `call(client, "GET", path)`.

    `more` are further settings, such as `SERVICE_DATA` for a host that shares nothing but the database.
    """
    settings = hall.server.settings
    bind = f"127.0.0.1:{free_port()}"
    environ = commands.bare_environment() | {
        "SERVICE_DATA": str(settings.data),
        "SERVICE_DATABASE_URL": settings.database_url,
        "SERVICE_BIND": bind,
        "SERVICE_RATE_LIMIT": "0",
        "SERVICE_LOG_LEVEL": "error",
        **({"SERVICE_PROVISION_TOKEN": settings.provision_token} if settings.hosted else {}),
        **more,
    }
    process = await commands.start(environ, "serve")
    try:
        async with asyncio.timeout(60):
            assert b"Guildhall" in await process.stdout.readline()
        async with httpx.AsyncClient(base_url=f"http://{bind}", trust_env=False, timeout=60) as http:

            async def call(client: Any, method: str, path: str, json: Any = None) -> httpx.Response:
                headers = {"Authorization": f"Bearer {client.token}"} if client.token else {}
                return await http.request(method, path, json=json, headers=headers)

            yield call
    finally:
        if process.returncode is None:
            await process.stop()


class Mortal:
    """A server process that is to be killed, and what it says through a pipe."""

    def __init__(self, site: Site, lease_seconds: int, target: Callable[..., None]) -> None:
        self._ear, mouth = commands.processes.Pipe(duplex=False)
        environment = {
            **site.environment(),
            "SERVICE_RATE_LIMIT": "0",
            "SERVICE_LEASE_SECONDS": str(lease_seconds),
        }
        self.process = commands.processes.Process(target=target, args=(mouth, environment), daemon=True)
        self.process.start()
        mouth.close()

    async def hears(self, word: str) -> str:
        """Waits for it to say something that begins so; what comes after."""
        while not (said := await self._next()).startswith(word):
            pass
        return said.removeprefix(word).strip()

    def forget(self) -> None:
        """What it said until now is not heard any more."""
        while self._ear.poll():
            self._ear.recv_bytes()

    async def lives_for(self, steps: int) -> None:
        """Until it has said so much, or has nothing left to do."""
        for _ in range(steps):
            if await self._next() == "idle":
                return

    async def _next(self) -> str:
        assert await asyncio.to_thread(self._ear.poll, _GIVE_UP_SECONDS), "it says nothing any more"
        return self._ear.recv_bytes().decode()

    def signal(self, number: int) -> None:
        os.kill(self.process.pid, number)

    async def end(self, number: int) -> int | None:
        self.signal(number)
        await asyncio.to_thread(self.process.join, _GIVE_UP_SECONDS)
        return self.process.exitcode
