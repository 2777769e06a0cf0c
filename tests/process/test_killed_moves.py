"""A server that is killed outright while it moves a folder: the next one goes on, and each object is there.

SOAK_ROUNDS sets how often it is killed; `make soak` does it many times.
"""

import asyncio
import os
import signal

import pytest

from tests.process.conftest import serving

FILES = 40
ROUNDS = int(os.environ.get("SOAK_ROUNDS", "1"))


async def keys_of(http) -> list[str]:
    return [item["key"] for item in (await http.get("/api/repo?limit=200")).json()["items"]]


async def follow(http, location: str, *, past: float = 1.0) -> dict:
    """Asks for the job until it has come so far, or has ended."""
    while True:
        job = (await http.get(location, params={"wait": "0.05"})).json()
        if job["finished_at"] is not None or (job["progress"] or 0) > past:
            return job


async def move_and_kill(server, http, source: str, target: str) -> str:
    answer = await http.post("/api/repo-folders/move", json={"from": source, "to": target})
    assert answer.status_code == 202, answer.text
    await follow(http, answer.headers["location"], past=0.1)
    server.signal(signal.SIGKILL)
    assert await server.exit_code() == -signal.SIGKILL
    return str(answer.headers["location"])


@pytest.mark.short_on("postgresql")
async def test_a_folder_that_was_being_moved_is_moved_to_its_end(hall_sites, hall_database, bearer):
    names, location = [f"{number:03}.txt" for number in range(FILES)], ""
    async with hall_sites.lease(hall_database) as site:
        for number in range(ROUNDS + 1):
            async with (
                serving(site) as server,
                bearer(server, server.people.acme.team.people["member"]) as http,
                asyncio.timeout(120),
            ):
                if number:
                    job = await follow(http, location)
                    assert (job["state"], job["result"]["moved"]) == ("succeeded", FILES), job
                    assert await keys_of(http) == [f"{number}/{name}" for name in names]
                else:
                    for name in names:
                        made = await http.put(f"/api/repo/0/{name}", content=name.encode())
                        assert made.status_code == 201, made.text
                if number < ROUNDS:
                    location = await move_and_kill(server, http, f"{number}/", f"{number + 1}/")
