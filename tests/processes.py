"""A second server process beside a hall, on the same PostgreSQL."""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx

from kernel.testing.hall import Hall
from tests import commands

Call = Callable[..., Awaitable[httpx.Response]]


@asynccontextmanager
async def second_process(hall: Hall, **more: str) -> AsyncIterator[Call]:
    """Runs `guildhall serve` in a process of its own, and gives calls of it: `call(client, "GET", path)`.

    `more` are further settings, such as `SERVICE_DATA` for a host that shares nothing but the database.
    """
    settings = hall.server.settings
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        bind = f"127.0.0.1:{free.getsockname()[1]}"
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
        async with httpx.AsyncClient(base_url=f"http://{bind}", trust_env=False, timeout=30) as http:

            async def call(client: Any, method: str, path: str, json: Any = None) -> httpx.Response:
                headers = {"Authorization": f"Bearer {client.token}"} if client.token else {}
                return await http.request(method, path, json=json, headers=headers)

            yield call
    finally:
        if process.returncode is None:
            await process.stop()
