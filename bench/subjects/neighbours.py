"""What one company asks for must not be felt by another: its slowest requests against a quiet house.

One company has a library of notes that all hold the same word, and a long history of jobs. Twenty of its
connections ask for the worst of both, over and over, while another company goes about its day.
"""

import asyncio
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import asyncpg

from bench.growth_sizes import grown
from bench.guildhall import PASSWORD, Founder, found, guildhall, postgresql
from bench.loads import client
from bench.report import Aim, Report
from bench.servers import BenchFailed, Server, get
from builtin_plugins.search.indexing import document_binds, sql, take_apart
from guildhall_sdk import Statement
from guildhall_sdk.services.search import Findable
from guildhall_testing.databases import database_at

NAME = "neighbours"
JOBS = 200_000
NOTES = 10_000
CROWD = 20
ROUNDS = 9
REQUESTS = 150
WARM_UP = 100
WORST = {"jobs by state": "/api/jobs?state=failed", "a search": "/api/search?q=harbour+ships"}
WATCHED = ("/api/whoami", "/api/notes")
_FLOOD = Path(__file__).parent.with_name("flood.py")
_HISTORY = (
    "INSERT INTO jobs (id, org_id, team_id, user_id, kind, pool, state, priority, run_at, max_attempts, "
    "payload, created_at) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
    "WHERE i < CAST(:jobs AS BIGINT)) SELECT 'job_' || CAST(1000000000 + i AS TEXT), CAST(:org_id AS TEXT), "
    "CAST(:team_id AS TEXT), CAST(:user_id AS TEXT), 'x.old', 'none', 'succeeded', 0, 0, 1, '{}', 0 FROM n"
)
_NOTE = (
    "INSERT INTO notes (id, org_id, team_id, owner_id, visibility, revision, created_at, updated_at, size, "
    "title, body) VALUES (:id, :org_id, :team_id, :user_id, 'team', 1, 0, 0, 0, 'Ships', 'harbour')"
)


def run(report: Report) -> None:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-")))
        cluster = stack.enter_context(postgresql())
        for database, url in (("SQLite", None), ("PostgreSQL", cluster.create_database())):
            _measure(report, database, folder / database, url)


def _measure(report: Report, database: str, data: Path, url: str | None) -> None:
    with guildhall(data, url) as server:
        loud = found(server)
        owner = {"username": "bob", "password": PASSWORD}
        quiet = server.ask("POST", "/api/orgs", {"name": "Quiet", "owner": owner}, loud.token)["token"]
    asyncio.run(_fill(url or f"sqlite:///{data / 'guildhall.db'}", loud))
    with guildhall(data, url) as server:
        for watched in WATCHED:
            for worst, path in WORST.items():
                alone, beside = _slowest(server, get(watched, quiet), get(path, loud.token))
                what = f"p99 of {watched} beside {CROWD} × {worst}, {database}"
                report.compare(NAME, what, beside, "a quiet house", alone, Aim(3.0))
                report.reading(NAME, what, beside, "µs")


def _slowest(server: Server, request: bytes, worst: bytes) -> tuple[list[float], list[float]]:
    """The 99th percentile of each round, alone and beside the crowd."""
    alone, beside = [], []
    with client(server, request, connections=1) as asking:
        asking.load(WARM_UP)
        for _ in range(ROUNDS):
            server.wait_until_idle()
            alone.append(asking.load(REQUESTS).slowest_us)
            with _crowd(server, worst):
                beside.append(asking.load(REQUESTS).slowest_us)
    return alone, beside


@contextmanager
def _crowd(server: Server, request: bytes) -> Iterator[None]:
    command = [sys.executable, "-IS", str(_FLOOD), str(server.port), str(CROWD)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdin is not None and process.stdout is not None
            process.stdin.write(json.dumps(request.decode("ascii")) + "\n")
            process.stdin.flush()
            if process.stdout.readline().strip() != "begun":
                raise BenchFailed("the crowd could not begin")
            yield
        finally:
            process.kill()


async def _fill(url: str, loud: Founder) -> None:
    """While no server has it open; and takes stock afterwards, as an autovacuum would."""
    data = database_at(url)
    await data.connect()
    who = {"org_id": loud.org_id, "team_id": loud.team_id, "user_id": loud.user_id}
    async with data.write() as writer:
        await writer.run(Statement("history", _HISTORY, _HISTORY), jobs=grown(JOBS), **who)
        for number in range(NOTES):
            note = Findable(
                "note", f"note_{number:06}", loud.org_id, loud.team_id, "Ships", f"harbour {number}"
            )
            indexed = take_apart(note)
            await writer.run(Statement("note", _NOTE, _NOTE), id=note.ref_id, **who)
            await writer.run(sql.put_document, **document_binds(note, indexed, None))
    await data.disconnect()
    if data.dialect == "postgresql":
        connection = await asyncpg.connect(url)
        await connection.execute("VACUUM ANALYZE")
        await connection.close()
