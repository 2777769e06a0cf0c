"""Many who follow one job: it is read once for all of them, and nobody has more streams than a share."""

import asyncio
from contextlib import AsyncExitStack

import pytest

from builtin_plugins.jobs import events
from guildhall_sdk import JobKind
from guildhall_sdk.services.jobs import JobEvents, NewJobEvent
from libs import change_watch

pytestmark = pytest.mark.any_database

SAY = "x.toy.say"
MANY, SAID = 30, 5


class Speaker:
    """A job that says what it is told to, until it is told to end."""

    def __init__(self):
        self.words = asyncio.Queue()

    async def say(self, job):
        events = job.host.service(JobEvents)
        while (word := await self.words.get()) is not None:
            async with job.host.data.write() as writer:
                await events.append(writer, job, [NewJobEvent("said", {"word": word})])


@pytest.fixture
def speaker():
    return Speaker()


@pytest.fixture
async def hall(open_jobs_hall, toy, speaker):
    async with open_jobs_hall(toy(job_kinds=[JobKind(SAY, "Says.", handler=speaker.say)])) as opened:
        yield opened


async def queued(client):
    return (await client.post("/api/jobs", {"kind": SAY})).json()["id"]


@pytest.mark.every_database
async def test_what_a_job_says_is_read_once_for_all_who_follow_it(hall, speaker, monkeypatch):
    reads, looks = [], []
    read_events, get = events.events_after, hall.server.declared.scheduler.get

    async def counted_events(*given):
        reads.append(given)
        return await read_events(*given)

    async def counted_get(*given):
        looks.append(given)
        return await get(*given)

    monkeypatch.setattr(events, "events_after", counted_events)
    member = hall.acme.member
    job_id = await queued(member)
    async with AsyncExitStack() as stack:
        streams = [
            await stack.enter_async_context(member.events("GET", f"/api/jobs/{job_id}/events"))
            for _ in range(MANY)
        ]
        speaker.words.put_nowait("first")
        assert {(await anext(events)).data["word"] for events in streams} == {"first"}
        reads.clear()
        monkeypatch.setattr(hall.server.declared.scheduler, "get", counted_get)
        for number in range(SAID):
            speaker.words.put_nowait(number)
            assert {(await anext(events)).data["word"] for events in streams} == {number}
        # One behind what all have seen before, and one behind the new event, where nothing follows yet.
        assert len(reads) <= 3 * SAID
        speaker.words.put_nowait(None)
        assert {(await anext(events)).event for events in streams} == {"done"}
    assert len(looks) <= 5


async def test_a_credential_and_a_company_have_so_many_streams_at_once(hall, speaker, monkeypatch):
    monkeypatch.setattr(change_watch, "MAX_OF_CREDENTIAL", 3)
    monkeypatch.setattr(change_watch, "MAX_OF_COMPANY", 5)
    member, owner = hall.acme.member, hall.acme.owner
    own, others = await queued(member), await queued(owner)
    async with AsyncExitStack() as stack:

        async def follow(client, job_id):
            opened = client.events("GET", f"/api/jobs/{job_id}/events")
            return await stack.enter_async_context(opened)

        async with member.events("GET", f"/api/jobs/{own}/events"):
            for _ in range(2):
                await follow(member, own)
            refused = await member.get(f"/api/jobs/{own}/events")
            assert (refused.status_code, refused.headers["retry-after"]) == (429, "5")
            assert "close one" in refused.json()["detail"]
            for _ in range(2):
                await follow(owner, others)
            refused = await owner.get(f"/api/jobs/{others}/events")
            assert (refused.status_code, "company" in refused.json()["detail"]) == (429, True)
        strangers = await queued(hall.globex.member)
        await follow(hall.globex.member, strangers)
        for _ in range(3):
            speaker.words.put_nowait(None)
    await hall.drain_jobs()
    # Those who have left are not counted: each is told the end.
    for client, job_id in ((member, own), (owner, others)):
        async with client.events("GET", f"/api/jobs/{job_id}/events") as events:
            assert (await anext(events)).event == "done"
