"""`Idempotency-Key` and killed servers: a repeat gets the answer, and nothing happens twice."""

import asyncio

import httpx
import pytest

from tests import commands

PERSON = {"username": "ada", "password": "difference engine"}


class Process:
    """One life of a server."""

    def __init__(self, process, port):
        self._process = process
        self.url = f"http://127.0.0.1:{port}"

    async def dead(self):
        await asyncio.wait_for(self._process.wait(), 60)

    async def kill(self):
        if self._process.returncode is None:
            self._process.kill()
        await self._process.wait()


@pytest.fixture
async def start(hall_sites, hall_database):
    """Starts servers of one site: on PostgreSQL as many as one likes."""
    async with hall_sites.lease(hall_database, populated=False) as site:
        started = []

        async def start(*, dies=False):
            settings = {"SERVICE_LOG_LEVEL": "error", "DIES": "yes" if dies else "no"}
            environ = commands.bare_environment(**site.environment(), **settings)
            process = await commands.start(environ, "-m", "kernel.http.tests.dying")
            port = int(await asyncio.wait_for(process.stdout.readline(), 60))
            started.append(Process(process, port))
            return started[-1]

        yield start
        for process in started:
            await process.kill()


async def token_of(server):
    async with httpx.AsyncClient() as http:
        return (await http.post(f"{server.url}/api/bootstrap", json=PERSON)).json()["token"]


async def act(server, token, at, key):
    headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": key}
    async with httpx.AsyncClient(timeout=60) as http:
        return await http.post(f"{server.url}/api/dying", json={"at": at}, headers=headers)


async def jobs(server, token):
    async with httpx.AsyncClient() as http:
        listed = await http.get(f"{server.url}/api/jobs", headers={"Authorization": f"Bearer {token}"})
    return [job["id"] for job in listed.json()["items"]]


@pytest.mark.parametrize("at", ["commit", "before"])
@pytest.mark.short_on("sqlite")  # on PostgreSQL the next test has both moments
async def test_a_repeat_after_a_kill_gets_one_answer_and_one_effect(start, at):
    server = await start(dies=True)
    token = await token_of(server)
    answers = await asyncio.gather(
        *(act(server, token, at, f"key-{number}") for number in range(4)), return_exceptions=True
    )
    assert all(isinstance(answer, httpx.HTTPError) for answer in answers), "nobody was answered"
    await server.dead()
    left = await start()
    effects = await jobs(left, token)
    # All of them may share the commit at which it dies.
    assert len(effects) <= (4 if at == "commit" else 0)
    for _ in range(2):
        repeats = [await act(left, token, at, f"key-{number}") for number in range(4)]
        assert {answer.status_code for answer in repeats} == {202}
        made = await jobs(left, token)
        assert sorted(answer.json()["id"] for answer in repeats) == sorted(made)
        assert set(effects) <= set(made)
        assert {answer.headers["location"].rpartition("/")[2] for answer in repeats} == set(made)


@pytest.mark.hall_databases("postgresql")
async def test_another_server_takes_up_the_keys_of_a_dead_one(start):
    alive = await start()
    token = await token_of(alive)
    for at in ("before", "commit"):
        mortal = await start(dies=True)
        with pytest.raises(httpx.HTTPError):
            await act(mortal, token, at, at)
        await mortal.dead()
        assert (await act(alive, token, at, at)).status_code == 202
    assert len(await jobs(alive, token)) == 2
