"""`guildhall worker` beside a real server, over HTTP."""

import asyncio
import signal
from contextlib import asynccontextmanager
from importlib.metadata import entry_points

import pytest

import builtin_plugins.jobs
from tests import commands

pytestmark = pytest.mark.any_database

_INSTALLED = {point.name for point in entry_points(group="guildhall.plugins")}
_BROUGHT = () if builtin_plugins.jobs.PLUGIN.id in _INSTALLED else (builtin_plugins.jobs,)

LANE_REPORT = "x.integrator-demo.lane-report"


@pytest.fixture
async def hall(open_hall):
    async with open_hall(*_BROUGHT) as opened:
        yield opened


@asynccontextmanager
async def worker(hall, token):
    environ = commands.bare_environment(GUILDHALL_WORKER_TOKEN=token)
    process = await commands.start(environ, "worker", "--url", hall.base_url, "--kinds", LANE_REPORT)
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def enqueue(client, lane):
    status, job = await client.call("POST", "/api/jobs", {"kind": LANE_REPORT, "payload": {"lane": lane}})
    assert status == 202
    return job["id"]


async def ended(client, job_id):
    job = (await client.get(f"/api/jobs/{job_id}?wait=30")).json()
    assert job["state"] in ("succeeded", "failed"), job
    return job


async def test_a_job_is_run_by_a_worker_of_its_team(hall):
    member = hall.acme.member
    who = await hall.join(hall.acme, "worker")
    waiting = await enqueue(member, "rotterdam-newyork")
    async with worker(hall, who.token) as process:
        job = await ended(member, waiting)
        assert job["state"] == "succeeded"
        assert job["result"] == {"lane": "rotterdam-newyork", "days": 11, "notes": "attempt 1"}
        job = await ended(member, await enqueue(member, "nowhere"))
        assert (job["state"], job["error"]["code"]) == ("failed", "unknown_lane")
        process.send_signal(signal.SIGTERM)
        out, err = await asyncio.wait_for(process.communicate(), 60)
    assert (process.returncode, err) == (0, b"")
    assert out.decode().endswith("stopped: 1 done, 1 failed\n")


async def test_a_worker_whose_executor_is_retired_ends(hall):
    status, executor = await hall.operator.call("POST", "/api/executors", {"name": "yard", "mode": "pull"})
    assert status == 201
    member = hall.acme.member
    async with worker(hall, executor["worker_token"]) as process:
        job = await ended(member, await enqueue(member, "hamburg-shanghai"))
        assert (job["result"]["days"], job["executor"]) == (32, "yard")
        assert (await hall.operator.delete(f"/api/executors/{executor['id']}")).status_code == 204
        waiting = await enqueue(member, "hamburg-shanghai")
        _, err = await asyncio.wait_for(process.communicate(), 60)
        assert process.returncode == 2
        assert err.startswith(b"guildhall: the server does not take this worker's token")
    assert (await member.get(f"/api/jobs/{waiting}")).json()["state"] == "queued"
