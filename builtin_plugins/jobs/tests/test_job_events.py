"""`GET /api/jobs/:id/events`: what a job says, kept as long as the job, for whoever comes back."""

import asyncio

import pytest

from guildhall_sdk import Conflict, JobFailed, JobKind, Statement
from guildhall_sdk.services.jobs import JobEvents, JobRetention, NewJobEvent

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

SAY, MEASURE = "x.toy.say", "x.toy.measure"
MONTH = 31


class Script:
    """What the toy's jobs do, set by each test; `go` lets them on."""

    def __init__(self):
        self.go = asyncio.Event()
        self.stale = False

    async def say(self, job):
        await self._append(job, f"attempt {job.attempt}", begin=True)
        if job.attempt == 1:
            self.first = job
            raise JobFailed("again", "Once more.", retry=True)
        try:
            await self._append(self.first, "too late")
        except Conflict:
            self.stale = True

    async def measure(self, job):
        await job.progress(0.5)
        await self.go.wait()
        return {"measured": True}

    async def _append(self, job, text, *, begin=False):
        events = job.host.service(JobEvents)
        async with job.host.data.write() as writer:
            if begin:
                await events.begin(writer, job)
            await events.append(writer, job, [NewJobEvent("said", {"text": text})])


@pytest.fixture
def script():
    return Script()


@pytest.fixture
async def hall(open_jobs_hall, toy, script):
    kinds = [
        JobKind(SAY, "Says.", handler=script.say),
        JobKind(MEASURE, "Measures.", handler=script.measure),
    ]
    async with open_jobs_hall(toy(job_kinds=kinds)) as opened:
        yield opened


async def queued(client, kind):
    return (await client.post("/api/jobs", {"kind": kind})).json()["id"]


async def followed(client, job_id, **headers):
    async with client.events("GET", f"/api/jobs/{job_id}/events", headers=headers) as events:
        return [(event.id, event.event, event.data) async for event in events]


async def test_a_second_attempt_tells_followers_to_begin_anew_and_the_first_adds_nothing(hall, script):
    member = hall.acme.member
    job_id = await queued(member, SAY)
    await hall.drain_jobs()
    hall.clock.advance(minutes=10)
    await hall.drain_jobs()
    events = await followed(member, job_id)
    assert [event[:2] for event in events] == [("2", "restart"), ("3", "said"), ("end", "done")]
    assert (events[0][2], events[1][2]) == ({"attempt": 2}, {"text": "attempt 2"})
    assert script.stale
    assert await followed(member, job_id, **{"Last-Event-ID": "1"}) == events


async def test_of_a_job_without_events_its_progress_and_its_end_are_told(hall, script, monkeypatch):
    monkeypatch.setattr("builtin_plugins.jobs.events._PROGRESS_SECONDS", 0.05)
    member = hall.acme.member
    job_id = await queued(member, MEASURE)
    async with member.events("GET", f"/api/jobs/{job_id}/events") as events:
        progress = await anext(events)
        assert (progress.event, progress.data, progress.id) == ("progress", {"progress": 0.5}, None)
        script.go.set()
        done = await anext(events)
    assert (done.id, done.event, done.data["state"]) == ("end", "done", "succeeded")
    assert done.data == (await member.get(f"/api/jobs/{job_id}")).json()
    over = await member.get(f"/api/jobs/{job_id}/events", headers={"Last-Event-ID": "end"})
    assert over.status_code == 204


@pytest.mark.every_database
async def test_events_go_with_their_job(hall):
    job_id = await queued(hall.acme.member, SAY)
    await hall.drain_jobs()
    hall.clock.advance(minutes=10)
    await hall.drain_jobs()
    hall.clock.advance(days=MONTH)
    retention = hall.server.service(JobRetention)
    async with hall.server.data.write() as writer:
        before = hall.clock.now_ms() - MONTH * 24 * 3600 * 1000
        last, _ = await retention.find_ended(writer, before, after="", limit=50)
        assert await retention.delete_ended(writer, before, after="", last=last, limit=1) == [job_id]
    member = await hall.with_token(hall.acme.member)
    assert (await member.get(f"/api/jobs/{job_id}")).status_code == 404
    text = "SELECT COUNT(*) AS many FROM job_events"
    async with hall.server.data.read() as reader:
        assert await reader.value(Statement("left", text, text)) == 0


async def test_somebody_elses_job_is_not_there_for_those_who_follow(hall):
    job_id = await queued(hall.acme.member, MEASURE)
    for other in (hall.acme.owner, hall.globex.owner):
        assert (await other.get(f"/api/jobs/{job_id}/events")).status_code == 404
