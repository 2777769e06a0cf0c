"""A plugin's kind that can be stopped says so; what its handler has produced is the job's result."""

import asyncio
from contextlib import suppress

import pytest

from guildhall_sdk import JobKind, NewJob
from guildhall_sdk.jobs import JobStopped
from guildhall_sdk.services.jobs import Jobs
from kernel.scheduler.queue import Stops

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]


class Handlers:
    """Handlers that wait: `begun` is set when one does, `go_on` lets those go that do not obey."""

    def __init__(self):
        self.begun, self.go_on, self.ends = asyncio.Event(), asyncio.Event(), []

    def kinds(self):
        async def ended(host, writer, job):
            self.ends.append((job.kind, job.state, job.result))

        more = {"stoppable": True, "max_attempts": 3, "ended": ended}
        return [
            JobKind("x.toy.obeys", "Obeys.", handler=self._obey, **more),
            JobKind("x.toy.stubborn", "Does not obey.", handler=self._ignore, **more),
            JobKind("x.toy.parent", "Waits for another.", handler=self._wait_for_child, **more),
            JobKind("x.toy.gives-up", "Gives up.", handler=self._give_up, **more),
            JobKind("x.toy.finishes", "Cannot be stopped.", handler=self._finish),
        ]

    async def _obey(self, job):
        job.on_stop(lambda: {"pages": 3})
        self.begun.set()
        await asyncio.Event().wait()

    async def _ignore(self, job):
        job.on_stop(lambda: {"pages": 4})
        self.begun.set()
        while not self.go_on.is_set():
            with suppress(asyncio.CancelledError):
                await self.go_on.wait()
        return {"pages": 99}

    async def _wait_for_child(self, job):
        jobs = job.host.service(Jobs)
        new = NewJob("x.toy.obeys", job.org_id, job.team_id, job.user_id, within=job.id)
        async with job.host.data.write() as writer:
            child = await jobs.enqueue(writer, new)
        await jobs.wait_for_end(job.team_id, child.id, 600)

    async def _give_up(self, job):
        job.on_stop(lambda: "half")
        raise JobStopped("enough", "It is enough.")

    async def _finish(self, job):
        self.begun.set()
        await self.go_on.wait()


@pytest.fixture
def handlers():
    return Handlers()


@pytest.fixture
async def hall(open_jobs_hall, toy, handlers):
    async with open_jobs_hall(toy(job_kinds=handlers.kinds())) as opened:
        yield opened


async def enqueue(hall, name):
    answer = await hall.acme.member.post("/api/jobs", {"kind": f"x.toy.{name}", "payload": {}})
    assert answer.status_code == 202, answer.text
    return answer.json()["id"]


async def stop(hall, job_id):
    return await hall.acme.member.post(f"/api/jobs/{job_id}/stop")


async def ended(hall, job_id):
    return (await hall.acme.member.get(f"/api/jobs/{job_id}?wait=30")).json()


@pytest.mark.parametrize(("name", "pages"), [("obeys", 3), ("stubborn", 4)])
async def test_a_stopped_job_is_cancelled_with_what_it_produced_whether_it_obeys_or_not(
    hall, handlers, name, pages
):
    job_id = await enqueue(hall, name)
    await handlers.begun.wait()
    assert (await stop(hall, job_id)).status_code == 202
    job = await ended(hall, job_id)
    assert (job["state"], job["result"], job["error"]) == ("cancelled", {"pages": pages}, None)
    handlers.go_on.set()
    await hall.drain_jobs()
    assert handlers.ends == [(f"x.toy.{name}", "cancelled", {"pages": pages})]
    assert (await ended(hall, job_id))["result"] == {"pages": pages}


async def test_a_kind_that_does_not_say_so_cannot_be_stopped(hall, handlers):
    job_id = await enqueue(hall, "finishes")
    await handlers.begun.wait()
    refused = await stop(hall, job_id)
    assert (refused.status_code, refused.json()["code"]) == (409, "not_stoppable")
    handlers.go_on.set()
    assert (await ended(hall, job_id))["state"] == "succeeded"


async def test_what_it_waits_for_is_stopped_along(hall, handlers):
    job_id = await enqueue(hall, "parent")
    await handlers.begun.wait()
    assert (await stop(hall, job_id)).status_code == 202
    assert (await ended(hall, job_id))["state"] == "cancelled"
    await hall.drain_jobs()
    assert sorted(handlers.ends) == [
        ("x.toy.obeys", "cancelled", {"pages": 3}),
        ("x.toy.parent", "cancelled", None),
    ]


async def test_a_handler_may_end_its_job_with_a_reason(hall):
    job = await ended(hall, await enqueue(hall, "gives-up"))
    assert (job["state"], job["result"]) == ("cancelled", "half")
    assert job["error"] == {"code": "enough", "message": "It is enough."}


async def test_a_stop_that_no_word_told_of_is_found_by_looking(hall, handlers, monkeypatch):
    monkeypatch.setattr(Stops, "notify", lambda *_: None)
    job_id = await enqueue(hall, "obeys")
    await handlers.begun.wait()
    assert (await stop(hall, job_id)).status_code == 202
    assert (await ended(hall, job_id))["state"] == "cancelled"


@pytest.mark.every_database
async def test_two_who_stop_at_once_are_both_answered(hall, handlers):
    job_id = await enqueue(hall, "obeys")
    await handlers.begun.wait()
    answers = await asyncio.gather(stop(hall, job_id), stop(hall, job_id))
    assert {answer.status_code for answer in answers} <= {202, 409}
    assert (await ended(hall, job_id))["state"] == "cancelled"
