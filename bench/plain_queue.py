"""The least that pull workers need: a table of jobs behind stock Quart; `plain_queue.py PORT FILE` serves it.

It is as durable as ours and knows nobody: no token, no team, no cap, no lease and no audit trail.
"""

import asyncio
import json
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.peers import serve
from bench.servers import Server, free_port, plain_environment, running

_READY = "/health"


@contextmanager
def plain_queue(folder: Path) -> Iterator[Server]:
    port = free_port()
    command = [sys.executable, "-m", "bench.plain_queue", str(port), str(folder / "plain-queue.db")]
    with running(command, port, _READY, folder, plain_environment()) as server:
        yield server


def app_over(file: str) -> Any:
    """Answers what `pull_workers` asks; each change is on the disk before its answer."""
    from quart import Quart, request

    app = Quart("plain-queue")
    jobs = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    jobs.execute("PRAGMA journal_mode=WAL")
    jobs.execute("PRAGMA synchronous=FULL")
    jobs.execute("CREATE TABLE jobs (id INTEGER PRIMARY KEY, state TEXT, payload TEXT, result TEXT)")
    jobs.execute("CREATE INDEX jobs_waiting ON jobs (id) WHERE state = 'queued'")

    @app.get(_READY)
    async def health() -> Any:
        return {"status": "ok"}

    @app.post("/api/jobs")
    async def ask() -> Any:
        payload = json.dumps((await request.get_json(force=True))["payload"])
        made = jobs.execute("INSERT INTO jobs (state, payload) VALUES ('queued', ?)", [payload])
        return {"id": str(made.lastrowid)}, 201

    @app.post("/api/workers/claim")
    async def claim() -> Any:
        await request.get_json(force=True)
        found = jobs.execute(
            "UPDATE jobs SET state = 'running' WHERE id = "
            "(SELECT id FROM jobs WHERE state = 'queued' ORDER BY id LIMIT 1) RETURNING id, payload"
        ).fetchall()
        if not found:
            return "", 204
        [(job_id, payload)] = found
        return {"id": str(job_id), "payload": json.loads(payload), "claim_token": "none"}

    @app.post("/api/workers/jobs/<job_id>/complete")
    async def complete(job_id: str) -> Any:
        result = json.dumps((await request.get_json(force=True))["result"])
        jobs.execute("UPDATE jobs SET state = 'succeeded', result = ? WHERE id = ?", [result, job_id])
        return {"id": job_id, "state": "succeeded"}

    return app


if __name__ == "__main__":
    asyncio.run(serve(app_over(sys.argv[2]), int(sys.argv[1])))
