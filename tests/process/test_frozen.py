"""A process that stands still in the middle of a transaction holds up nobody for long."""

import asyncio
import os
import signal
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from guildhall_testing.databases import database_at, statement
from guildhall_testing.postgres import session_server
from kernel.config import shipped_plugins
from kernel.db.migrations import migrate
from libs.migration_files import MigrationSource
from tests import commands
from tests.process.conftest import serving
from tests.process.pgbouncer import PROGRAM, pgbouncer

pytestmark = pytest.mark.hall_databases("postgresql")

# Real ones: the subject is a process that stands still, which no fake clock does.
SECONDS = 10
KIND = "x.freezing.ends"
KEYS = {"before_the_answer": {"Idempotency-Key": "once"}}
# What each does holds the lock that every write of its company waits for. The database ends what stands still
# sooner than it does by default, which the test of one that migrates waits for.
FREEZING = """
import asyncio
import os
import signal
from builtin_plugins.postgresql import announcements, connections, stuck_transactions
from guildhall_sdk import JobKind, Reply, Route, Statement, hookimpl

WAITING = "SELECT COUNT(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
COUNT = Statement("waiting", WAITING, WAITING)
# No connection has prepared it: the driver sends its text, and its binds in a message of their own.
NEW = Statement("new", "SELECT 1", "SELECT 1 AS not_prepared_yet")
# More than a socket takes off the database at once.
LARGE = Statement("large", "SELECT 1", "SELECT repeat('x', 8000000) FROM pg_sleep(0.3)")

connections.IDLE_TRANSACTION_SECONDS = 1.5
announcements.LOOK_SECONDS = 0.5
stuck_transactions._STUCK = stuck_transactions._STUCK.replace("4.0 seconds", "1.5 seconds")

def freeze():
    os.kill(os.getpid(), signal.SIGSTOP)

async def in_a_transaction(call):
    async with call.write() as writer:
        await writer.serialize(f"quota:{call.principal.org_id}")
        freeze()
        await writer.value(COUNT)
    return Reply({})

async def in_a_savepoint(call):
    async with call.write() as writer:
        await writer.serialize(f"quota:{call.principal.org_id}")
        async with writer.savepoint():
            await writer.value(COUNT)
            freeze()
    return Reply({})

async def in_a_statement(call):
    async with call.write() as writer:
        await writer.serialize(f"quota:{call.principal.org_id}")
        asking = asyncio.create_task(writer.value(NEW))
        await asyncio.sleep(0)
        freeze()
        await asking
    return Reply({})

async def in_a_result(call):
    async with call.write() as writer:
        await writer.serialize(f"quota:{call.principal.org_id}")
        asking = asyncio.create_task(writer.value(LARGE))
        await asyncio.sleep(0.1)
        freeze()
        await asking
    return Reply({})

async def before_the_answer(call):
    async with call.write() as writer:
        await writer.serialize(f"quota:{call.principal.org_id}")
    freeze()
    return Reply({})

async def with_others_behind_it(call):
    held = asyncio.Event()

    async def wait_behind():
        await held.wait()
        async with call.write() as writer:
            await writer.serialize(f"quota:{call.principal.org_id}")
            await writer.value(COUNT)

    behind = [asyncio.create_task(wait_behind()) for _ in range(2)]
    async with call.write() as writer:
        await writer.serialize(f"quota:{call.principal.org_id}")
        held.set()
        while await writer.value(COUNT) < 2:
            pass
        freeze()
        await writer.value(COUNT)
    await asyncio.gather(*behind)
    return Reply({})

async def work(job):
    return {}

async def ended(host, writer, job):
    await writer.serialize(f"quota:{job.org_id}")
    freeze()

HANDLERS = {
    "in_a_transaction": in_a_transaction,
    "in_a_savepoint": in_a_savepoint,
    "in_a_statement": in_a_statement,
    "in_a_result": in_a_result,
    "before_the_answer": before_the_answer,
    "with_others_behind_it": with_others_behind_it,
}

@hookimpl
def declare_routes():
    return [
        Route("POST", f"/api/freezing/{name}", name, "Stands still.", permission="notes:write")
        for name in HANDLERS
    ]

@hookimpl
def declare_handlers():
    return HANDLERS

@hookimpl
def declare_job_kinds():
    return [JobKind("x.freezing.ends", "Stands still as it ends", handler=work, ended=ended)]
"""


def is_frozen(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"


async def until_frozen(pid: int, request: asyncio.Task | None = None) -> None:
    async with asyncio.timeout(60):
        while not is_frozen(pid):
            assert request is None or not request.done(), request.result().text
            await asyncio.sleep(0.01)


@contextmanager
def woken_in_the_end(pid: int):
    try:
        yield
    finally:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)


@pytest.fixture
def freezing(plugin_folder):
    return {"SERVICE_PLUGINS": f"{shipped_plugins()}:{plugin_folder('freezing', FREEZING)}"}


async def writes_again(http) -> list:
    """Writes once the company can; gives the refusals until then."""
    refused = []
    async with asyncio.timeout(SECONDS):
        while (answer := await http.post("/api/notes", json={"title": "On we go"})).status_code != 201:
            assert answer.status_code == 503, answer.text
            refused.append(answer)
    return refused


async def others_go_on(server, other, bearer, path, headers=None):
    """The company's next write by another server, and what comes of the frozen one when it wakes."""
    member = server.people.acme.team.people["member"]
    async with bearer(server, member) as http, bearer(other, member) as other_http:
        with woken_in_the_end(server.running.pid):
            frozen = asyncio.create_task(http.post(f"/api/freezing/{path}", json={}, headers=headers))
            await until_frozen(server.running.pid, frozen)
            refused = await writes_again(other_http)
        assert (await frozen).status_code == 503
        assert (await http.post("/api/notes", json={"title": "Awake"})).status_code == 201
    return refused


@pytest.mark.parametrize(
    "paths",
    [
        ("in_a_transaction", "in_a_statement", "before_the_answer"),
        pytest.param(("in_a_savepoint", "in_a_result"), marks=pytest.mark.long_form),
    ],
    ids=["short", "long"],
)
async def test_a_frozen_process_holds_up_the_others_for_seconds(
    hall_sites, hall_database, bearer, freezing, paths
):
    """Also one that stands still again, and one with a queue of its own."""
    async with (
        hall_sites.lease(hall_database) as site,
        serving(site, **freezing) as server,
        serving(site, **freezing) as other,
    ):
        for path in paths:
            await others_go_on(server, other, bearer, path, KEYS.get(path))
        refused = await others_go_on(server, other, bearer, "with_others_behind_it")
        for answer in refused:
            assert answer.headers["Retry-After"] == "1"
            assert "Another change to the same data is under way" in answer.json()["detail"]
        assert len(refused) <= 1


async def test_so_does_one_that_freezes_as_a_job_ends(hall_sites, hall_database, bearer, freezing):
    async with hall_sites.lease(hall_database) as site, serving(site, **freezing) as server:
        member = server.people.acme.team.people["member"]
        async with bearer(server, member) as http:
            await http.post("/api/jobs", json={"kind": KIND, "payload": {}})
        with woken_in_the_end(server.running.pid):
            await until_frozen(server.running.pid)
            async with serving(site) as other, bearer(other, member) as other_http:
                await writes_again(other_http)


@pytest.mark.skipif(PROGRAM is None, reason="there is no pgbouncer here: make setup installs Debian's")
@pytest.mark.parametrize(
    "path", [pytest.param("in_a_transaction", marks=pytest.mark.long_form), "in_a_statement"]
)
@pytest.mark.long_form
async def test_so_does_one_behind_a_pooler(hall_sites, hall_database, bearer, freezing, path):
    async with hall_sites.lease(hall_database) as site:
        direct = site.environment()["SERVICE_DATABASE_URL"]
        with pgbouncer(direct) as pooled:
            settings = {**freezing, "SERVICE_DATABASE_URL": pooled, "SERVICE_DATABASE_DIRECT_URL": direct}
            async with serving(site, **settings) as server, serving(site, **settings) as other:
                await others_go_on(server, other, bearer, path)


@pytest.mark.long_form
async def test_so_does_one_that_migrates(tmp_path):
    (tmp_path / "0001_counters.sql").write_text("CREATE TABLE counters (id TEXT PRIMARY KEY)")
    url = session_server().create_database()
    environ = commands.bare_environment(SERVICE_DATABASE_URL=url, STEPS=str(tmp_path))
    frozen = await commands.start(environ, "-m", "tests.process.frozen_migration")
    with woken_in_the_end(frozen.pid):
        await until_frozen(frozen.pid)
        database = database_at(url)
        await database.connect()
        async with asyncio.timeout(SECONDS):
            await migrate(database, [MigrationSource("kernel", tmp_path)], 1)
        async with database.read() as reader:
            assert await reader.value(statement("SELECT COUNT(*) FROM schema_ledger")) == 1
        await database.disconnect()
    assert await frozen.wait() != 0
    session_server().drop_database(url)
