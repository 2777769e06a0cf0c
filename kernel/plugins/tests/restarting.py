"""A hall whose server stops and starts again, and commands that look into its database."""

from contextlib import asynccontextmanager

import httpx

from kernel.boot import Server


def environment(hall):
    """What a command needs to look into the same database as the hall."""
    settings = hall.server.settings
    return {"SERVICE_DATA": str(settings.data), "SERVICE_DATABASE_URL": settings.database_url}


async def restarted(hall):
    """A server in the place of the hall's, which has stopped."""
    server = Server(hall.server.settings, clock=hall.clock)
    await server.start()
    return server


@asynccontextmanager
async def serving_again(hall):
    """Starts a server in the place of the hall's, which has stopped; `async with … as call`.

    `await call(hall.acme.owner, "GET", "/api/…")` is the answer to one of its people.
    """
    server = await restarted(hall)
    transport = httpx.ASGITransport(server.app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:

        async def call(caller, method, path, json=None):
            headers = {"Authorization": f"Bearer {caller.person.token}"}
            return await client.request(method, path, json=json, headers=headers)

        try:
            yield call
        finally:
            await server.stop()
