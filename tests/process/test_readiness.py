"""PostgreSQL goes away and comes back: the server says so, goes on, and stops as cleanly without it."""

import asyncio

import httpx
import pytest

from guildhall_testing.postgres import PostgresServer
from tests.process.conftest import ready_says

pytestmark = pytest.mark.hall_databases("sqlite")  # it only says where the data folder comes from

FOUNDER = {"username": "ada", "password": "a long one for the founder"}


@pytest.fixture
def postgresql():
    server = PostgresServer().start()
    yield server
    server.stop()


async def test_a_database_goes_away_comes_back_and_is_not_there_when_the_server_stops(serve, postgresql):
    async with (
        serve(SERVICE_DATABASE_URL=postgresql.create_database()) as server,
        httpx.AsyncClient(base_url=server.base_url, trust_env=False, timeout=60) as http,
    ):
        assert (await ready_says(server, 200)).json() == {"ready": True}
        await asyncio.to_thread(postgresql.halt)
        assert (await ready_says(server, 503)).json()["reason"] == "database"
        for _ in range(3):
            assert (await http.get("/ready")).status_code == 503
            assert (await http.get("/health")).json() == {"ok": True, "multitenant": True}
            assert (await http.get("/api/config")).status_code == 503
        await asyncio.to_thread(postgresql.launch)
        await ready_says(server, 200)
        assert (await http.post("/api/bootstrap", json=FOUNDER)).status_code == 201
        lost, regained = server.logged("readiness.lost"), server.logged("readiness.regained")
        assert [line["reason"] for line in (*lost, *regained)] == ["database", "database"]
        assert lost[0]["level"] == "error" and "the database test_" in lost[0]["detail"]
        assert len(server.logged("db.not_listening")) <= 1

        await asyncio.to_thread(postgresql.halt)
        await ready_says(server, 503)
        server.signal()
        assert await server.exit_code() == 0
    assert server.errors == []
