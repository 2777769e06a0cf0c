"""A server that is killed outright under many writers: whoever was answered finds what they wrote.

SOAK_ROUNDS sets how often it is killed; `make soak` does it many times.
"""

import asyncio
import os
import signal

import httpx

from tests import commands
from tests.process.conftest import serving

WRITERS = 8
ROUNDS = int(os.environ.get("SOAK_ROUNDS", "1"))


class Writing:
    """Writes notes one after the other until the server is gone; `acknowledged` are those it answered."""

    def __init__(self, http: httpx.AsyncClient, enough: asyncio.Semaphore) -> None:
        self._http = http
        self._enough = enough
        self.acknowledged: list[str] = []

    async def until_gone(self, name: str) -> None:
        number = 0
        while True:
            number += 1
            try:
                answer = await self._http.post("/api/notes", json={"title": f"{name} {number}", "body": "x"})
            except httpx.TransportError:
                return
            assert answer.status_code == 201, answer.text
            self.acknowledged.append(answer.json()["id"])
            self._enough.release()


async def write_until_killed(server, bearer) -> list[str]:
    enough = asyncio.Semaphore(0)
    async with bearer(server, server.people.acme.team.people["member"]) as http:
        writers = [Writing(http, enough) for _ in range(WRITERS)]
        tasks = [asyncio.create_task(one.until_gone(f"w{n}")) for n, one in enumerate(writers)]
        for _ in range(WRITERS * 6):
            await enough.acquire()
        server.signal(signal.SIGKILL)
        await asyncio.gather(*tasks)
    assert await server.exit_code() == -signal.SIGKILL
    return [note for one in writers for note in one.acknowledged]


async def broken_chains(site) -> list[str]:
    """What `audit verify` finds, but for the companies of the site, which began without an event."""
    environ = commands.bare_environment(**site.environment())
    said = (await asyncio.to_thread(commands.run, environ, ["audit", "verify"])).output
    assert " events: " in said
    return [line for line in said.splitlines() if line.startswith("chain ") and "none of its" not in line]


async def ids_of_notes(server, bearer) -> set[str]:
    found, path = set(), "/api/notes?limit=200"
    async with bearer(server, server.people.acme.team.people["member"]) as http:
        while True:
            page = (await http.get(path)).json()
            found |= {item["id"] for item in page["items"]}
            if page["next_cursor"] is None:
                return found
            path = f"/api/notes?limit=200&cursor={page['next_cursor']}"


async def test_every_acknowledged_note_is_there_and_the_chain_holds(hall_sites, hall_database, bearer):
    acknowledged: list[str] = []
    async with hall_sites.lease(hall_database) as site:
        for _ in range(ROUNDS):
            async with serving(site) as server:
                acknowledged += await write_until_killed(server, bearer)
            assert await broken_chains(site) == []
        async with serving(site) as server:
            found = await ids_of_notes(server, bearer)
    assert len(acknowledged) >= WRITERS * 6 * ROUNDS
    assert set(acknowledged) <= found
