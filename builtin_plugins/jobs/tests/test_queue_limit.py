"""What a team may have waiting is bounded: how many jobs, and how large a payload each has."""

import asyncio

import pytest

from guildhall_sdk import NewJob, TooLarge, TooManyRequests
from guildhall_sdk.services.jobs import Jobs
from kernel.job_limits import queue_limit
from libs.fair_queue import CountedPlaces

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

WORDS = "x.example-tools.word-count"
FAR_OFF = "2100-01-01T00:00:00Z"
KIB = 1024


@pytest.fixture
def queue():
    """The status, the code and the job."""

    async def queue(client, text="one", **fields):
        response = await client.post(
            "/api/jobs", {"kind": WORDS, "payload": {"text": text}, "run_at": FAR_OFF, **fields}
        )
        return response.status_code, response.json().get("code"), response

    return queue


@pytest.fixture
def twenty(monkeypatch):
    monkeypatch.setattr(queue_limit, "MAX_WAITING", 20)


def new_job(client, payload, kind=WORDS):
    return NewJob(kind, client.org_id, client.team_id, client.user_id, payload)


@pytest.mark.parametrize("letter", ["x", "é", "界", "\U0001f600"])
async def test_a_payload_takes_256_kib_as_it_is_sent(jobs_hall, queue, letter):
    fits = letter * ((256 * KIB - len('{"text":""}')) // len(letter.encode()))
    assert (await queue(jobs_hall.acme.member, fits))[0] == 202
    status, code, response = await queue(jobs_hall.acme.member, fits + letter)
    assert (status, code, response.json()["limit"]) == (413, "too_large", 256 * KIB)


async def test_a_plugin_that_enqueues_too_large_a_payload_is_told(jobs_hall):
    author = jobs_hall.acme.member
    jobs = jobs_hall.server.service(Jobs)
    fits, beyond = (new_job(author, {"text": "x" * size}) for size in (KIB, 256 * KIB))
    with pytest.raises(TooLarge, match="262144 bytes"):
        async with jobs_hall.server.data.write() as writer:
            await jobs.enqueue_many(writer, [fits, beyond])
    assert (await author.get("/api/jobs")).json()["items"] == []


async def test_texts_that_are_too_long_are_refused_before_they_are_encoded(jobs_hall, monkeypatch):
    """Of megabytes the event loop would have to let everybody else wait."""
    monkeypatch.delattr(queue_limit, "json")
    new = new_job(jobs_hall.acme.member, {"parts": [{"text": "x" * 200 * KIB}, {"text": "x" * 57 * KIB}]})
    with pytest.raises(TooLarge, match="262144 bytes"):
        async with jobs_hall.server.data.write() as writer:
            await jobs_hall.server.service(Jobs).enqueue(writer, new)


async def test_a_full_queue_takes_no_more_until_jobs_have_left(jobs_hall, queue, twenty):
    author = jobs_hall.acme.member
    made = [await queue(author) for _ in range(20)]
    assert [status for status, _, _ in made] == [202] * 20
    status, code, response = await queue(author)
    assert (status, code, response.json()["limit"]) == (429, "queue_full", 20)
    assert int(response.headers["retry-after"]) > 0
    assert (await queue(jobs_hall.acme.second_team.member))[0] == 202
    await author.post(f"/api/jobs/{made[0][2].json()['id']}/cancel")
    jobs_hall.clock.advance(seconds=1)
    assert (await queue(author))[0] == 202
    assert (await queue(author))[:2] == (429, "queue_full")


async def test_jobs_that_are_done_leave_room(jobs_hall, queue, twenty):
    for _ in range(3):
        for _ in range(15):
            status, _, _ = await queue(jobs_hall.acme.member, run_at="2020-01-01T00:00:00Z")
            assert status == 202
        await jobs_hall.drain_jobs()
        jobs_hall.clock.advance(seconds=1)


@pytest.mark.every_database
async def test_many_at_once_never_pass_the_limit(jobs_hall, queue, twenty):
    answers = await asyncio.gather(*(queue(jobs_hall.acme.member) for _ in range(32)))
    assert sorted(status for status, _, _ in answers) == [202] * 20 + [429] * 12


@pytest.mark.every_database
async def test_a_batch_goes_in_whole_or_not_at_all(jobs_hall, queue, twenty):
    author, other = jobs_hall.acme.member, jobs_hall.acme.second_team.member
    jobs, data = jobs_hall.server.service(Jobs), jobs_hall.server.data

    async def enqueue(*batch):
        async with data.write() as writer:
            await jobs.enqueue_many(writer, [new_job(client, {"text": "a"}) for client in batch])

    await enqueue(*[author] * 18)
    with pytest.raises(TooManyRequests):
        await enqueue(*[other] * 5, *[author] * 3)
    await enqueue(author, author)
    with pytest.raises(TooManyRequests):
        await enqueue(author)
    await enqueue(*[other] * 20)


async def test_a_count_serves_many_jobs(jobs_hall, queue, monkeypatch):
    """Counting with every job would cost the more the longer the queue is."""
    counts = 0
    count = CountedPlaces._recount

    async def counted(*arguments):
        nonlocal counts
        counts += 1
        return await count(*arguments)

    monkeypatch.setattr(CountedPlaces, "_recount", counted)
    for _ in range(100):
        await queue(jobs_hall.acme.member)
    assert counts == 1
