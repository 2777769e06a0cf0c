"""Behind pgbouncer, which pools transactions: everything works, or the setting that is needed is said."""

import asyncio

import httpx
import pytest

from guildhall_sdk import Statement
from guildhall_testing.databases import database_at
from tests import commands
from tests.process.conftest import serving
from tests.process.pgbouncer import PROGRAM, pgbouncer
from tests.process.test_workers import pids, until

pytestmark = [
    pytest.mark.hall_databases("postgresql"),
    pytest.mark.skipif(PROGRAM is None, reason="there is no pgbouncer here: make setup installs Debian's"),
]

CALLERS = 8
# What a machine with other work to do may make of any statement.
#: What a machine that is busy with other things has a server say.
SLOW = {"loop.blocked", "statement.slow"}
KIND = "x.example-tools.word-count"
LAGGING = Statement("lagging", "SELECT 1 AS one", "SELECT 1 AS one", may_lag=True)
NEEDED = "set SERVICE_DATABASE_DIRECT_URL to the address of PostgreSQL itself"
PARAMETERS = (
    "default_transaction_isolation, default_transaction_read_only, lock_timeout, statement_timeout, "
    "plan_cache_mode, jit, idle_in_transaction_session_timeout, tcp_keepalives_idle, "
    "tcp_keepalives_interval, tcp_keepalives_count, tcp_user_timeout"
)


async def notes_jobs_files_and_search(http: httpx.AsyncClient) -> None:
    """What a person does, many at once over the pooler's two connections."""

    async def work(number: int) -> None:
        note = await http.post("/api/notes", json={"title": f"Crate {number}", "body": "of pears"})
        assert note.status_code == 201, note.text
        job = await http.post("/api/jobs", json={"kind": KIND, "payload": {"text": "one two"}})
        put = await http.put(f"/api/repo/crate-{number}.txt", content=b"pears " * 5000)
        assert put.status_code == 201, put.text
        content = await http.get(f"/api/repo-obj/{put.json()['id']}/content")
        assert content.content == b"pears " * 5000
        ended = (await http.get(f"/api/jobs/{job.json()['id']}?wait=30")).json()
        assert ended["result"] == {"words": 2, "characters": 7}
        assert (await http.get(f"/api/notes/{note.json()['id']}")).json()["title"] == f"Crate {number}"

    await asyncio.gather(*(work(number) for number in range(CALLERS)))
    listed = (await http.get("/api/notes?limit=200")).json()["items"]
    assert {f"Crate {number}" for number in range(CALLERS)} <= {note["title"] for note in listed}
    assert (await http.get("/api/search", params={"q": "crate"})).json()["items"]
    broken = await http.post("/api/notes", json={"title": 7})
    assert broken.status_code == 400


async def test_two_processes_work_through_a_pooler(hall_sites, hall_database, bearer):
    async with hall_sites.lease(hall_database) as site:
        direct = site.environment()["SERVICE_DATABASE_URL"]
        with pgbouncer(direct) as pooled:
            settings = {"SERVICE_DATABASE_URL": pooled, "SERVICE_DATABASE_DIRECT_URL": direct}
            async with serving(site, options=("--workers", "2"), **settings) as server:
                await until(lambda: len(pids(server)) == 2)
                async with bearer(server, server.people.acme.team.people["member"]) as http:
                    await notes_jobs_files_and_search(http)
                async with bearer(server, server.people.operator) as http:
                    answer = await http.get("/api/metrics", headers={"Accept": "text/plain"})
                    assert "\nguildhall_processes 2" in answer.text
                server.signal()
                assert await server.exit_code() == 0
                said = [line for line in server.lines if line["level"] in ("error", "warning")]
                assert [line for line in said if line["action"] not in SLOW] == []
            environ = commands.bare_environment(**{**site.environment(), **settings})
            said = await asyncio.to_thread(commands.run, environ, ["doctor"])
            assert "ok (postgresql, through a pooler)" in said.stdout
            await the_setting_is_named(environ, pooled)
        with pgbouncer(direct, ignored=PARAMETERS) as pooled:
            await the_setting_is_named(environ, pooled)


async def the_setting_is_named(environ, pooled):
    alone = {name: value for name, value in environ.items() if name != "SERVICE_DATABASE_DIRECT_URL"}
    for command in ("doctor", "serve"):
        said = await asyncio.to_thread(commands.run, {**alone, "SERVICE_DATABASE_URL": pooled}, [command])
        assert said.returncode != 0
        assert NEEDED in said.output


async def test_a_replica_behind_a_pooler_is_not_asked_and_doctor_says_so(hall_sites, hall_database):
    async with hall_sites.lease(hall_database) as site:
        url = site.environment()["SERVICE_DATABASE_URL"]
        for ignored in ("", PARAMETERS):
            with pgbouncer(url, ignored=ignored) as pooled:
                environ = commands.bare_environment(
                    **{**site.environment(), "SERVICE_DATABASE_REPLICA_URL": pooled}
                )
                said = await asyncio.to_thread(commands.run, environ, ["doctor"])
                assert (
                    "replica     is not used, so all is read from the database: it is behind a pooler "
                    "such as pgbouncer; give the address of the replica itself\n"
                ) in said.stdout
                assert said.returncode == 1
                database = database_at(url, replica_url=pooled, replica_lag_seconds=0)
                await database.connect()
                try:
                    assert await database.pool.replica.rows(LAGGING, {}) is None
                    assert not database.pool.replica.in_use
                finally:
                    await database.disconnect()
