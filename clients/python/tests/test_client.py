"""The client against a hall: notes, files and jobs, with asyncio and without."""

import asyncio
import io
import threading
from contextlib import aclosing

import pytest

from guildhall_client import (
    Changed,
    Client,
    Conflict,
    Forbidden,
    InvalidRequest,
    NotFound,
    Retries,
    TooManyRequests,
    Unauthenticated,
    Unavailable,
    Unreachable,
    Worker,
)
from guildhall_client.synchronous.resources.workers import Workers

from .conftest import broken_after, lost, refused

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

WORDS = "x.example-tools.word-count"
LANE = "x.integrator-demo.lane-report"


@pytest.mark.every_database
async def test_a_list_goes_over_all_pages_and_asks_for_no_page_too_many(member, lossy):
    for number in range(5):
        await member.notes.create(title=f"Note {number}", tags=["minutes"])
    lossy.requests.clear()
    titles = [note["title"] async for note in member.notes.list(page_size=2, sort="title")]
    assert titles == [f"Note {number}" for number in range(5)]
    assert len(lossy.requests) == 3
    two = await member.notes.list(page_size=2, sort="title").first(2)
    assert [note["title"] for note in two] == titles[:2]
    assert len(lossy.requests) == 4
    pages = [page["items"] async for page in member.notes.list(page_size=3).pages()]
    assert [len(page) for page in pages] == [3, 2]


async def test_without_asyncio_it_does_the_same(beside):
    def work(hall):
        note = hall.notes.create(title="Minutes", body="We met.", visibility="team")
        changed = hall.notes.update(note["id"], title="Minutes of May")
        assert (changed["body"], changed["title"]) == ("We met.", "Minutes of May")
        assert [one["version"] for one in hall.notes.versions(note["id"])] == [2, 1]
        hall.notes.delete(note["id"])
        hall.notes.delete(note["id"], forever=True)
        return [one["id"] for one in hall.notes.list(deleted=True)], hall.account.whoami()["user"]["username"]

    left, name = await beside(work)
    assert left == []
    assert name


async def test_a_refusal_is_raised_with_its_fields(hall, member, beside):
    with pytest.raises(InvalidRequest) as refusal:
        await member.notes.create(title="", tags=[""])
    assert {error.pointer for error in refusal.value.errors} == {"/title", "/tags/0"}
    assert refusal.value.status == 400 and refusal.value.request_id
    with pytest.raises(NotFound, match="404"):
        await member.notes.get("note_nobody")
    with pytest.raises(Forbidden) as refusal:
        await member.tokens.create()
    assert refusal.value.code == "permission_denied"
    assert refusal.value.problem["code"] == "permission_denied"
    with pytest.raises(Unauthenticated):
        await beside(lambda hall: hall.notes.list().first(1), token="nobodys")
    note = await member.notes.create(title="Kept")
    with pytest.raises(Conflict):
        await member.notes.delete(note["id"], forever=True)


async def test_an_address_and_a_token_are_looked_at_before_anything_is_sent():
    for url in ("hall.example", "ftp://hall.example", "https://me:secret@hall.example"):
        with pytest.raises(ValueError, match="address of a hall") as error:
            Client(url)
        assert "secret" not in str(error.value)
    with pytest.raises(ValueError, match="token is malformed") as error:
        Client("https://hall.example", token="two words")
    assert "two words" not in str(error.value)
    with pytest.raises(ValueError, match="not empty"):
        Client("https://hall.example").notes.get("")


async def test_what_is_done_and_not_heard_of_is_done_once(member, lossy):
    lossy.faults = [lost, lost]
    note = await member.notes.create(title="Once")
    assert [one["id"] async for one in member.notes.list()] == [note["id"]]
    keys = [request.headers.get("Idempotency-Key") for request in lossy.requests[:3]]
    assert keys[0] and len({*keys}) == 1
    lossy.faults = [lost]
    assert [one["id"] async for one in member.notes.list()] == [note["id"]]
    lossy.faults = [lost]
    with pytest.raises(Unreachable, match="does not answer"):
        await member.notes.delete(note["id"])


async def test_it_comes_back_when_the_server_says_so(member, lossy, monkeypatch):
    waited = []

    async def sleep(seconds):
        waited.append(seconds)

    monkeypatch.setattr("guildhall_client.asynchronous.api.sleep", sleep)
    lossy.faults = [refused(429, **{"Retry-After": "7"}), refused(503, **{"Retry-After": "2"})]
    await member.notes.create(title="Late")
    assert waited == [7, 2]
    lossy.faults = [refused(429, **{"Retry-After": "3600"})]
    with pytest.raises(TooManyRequests) as refusal:
        await member.notes.create(title="Much later")
    assert refusal.value.retry_after == 3600
    lossy.faults = [refused(503)] * 4
    with pytest.raises(Unavailable):
        await member.notes.list().first(1)
    assert len(waited) == 5


async def test_nothing_answers_at_the_address():
    hall = Client("http://127.0.0.1:9", retries=Retries(attempts=0))
    with hall, pytest.raises(Unreachable, match="does not answer"):
        hall.instance.health()


@pytest.mark.every_database
async def test_a_file_is_sent_and_read_as_it_comes(member, beside, tmp_path):
    source, content = tmp_path / "budget.csv", b"tea,12\n" * 100_000
    source.write_bytes(content)
    stored = await member.files.upload("2026/budget & more.csv", source)
    assert (stored["key"], stored["size"]) == ("2026/budget & more.csv", len(content))
    assert stored["content_type"] == "text/csv"
    assert await member.files.download(stored["id"]).read() == content
    again = await member.files.upload("2026/budget & more.csv", b"tea,13\n", visibility="private")
    assert (again["id"], again["version"], again["visibility"]) == (stored["id"], 2, "private")

    def work(hall):
        hall.files.upload("open.bin", io.BytesIO(b"all of it"), content_type="application/x-thing")
        assert b"".join(hall.files.download(stored["id"], version=1)) == content
        hall.files.download(stored["id"]).save(tmp_path / "copy.csv")
        return [(file["key"], file["content_type"]) for file in hall.files.list(prefix="open")]

    assert await beside(work) == [("open.bin", "application/x-thing")]
    assert (tmp_path / "copy.csv").read_bytes() == b"tea,13\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["budget.csv", "copy.csv"]


async def test_a_download_goes_on_where_its_connection_broke(member, lossy, tmp_path):
    content = bytes(range(256)) * 4096
    stored = await member.files.upload("large.bin", content)
    lossy.requests.clear()
    lossy.faults = [broken_after(300_000), broken_after(300_000)]
    assert await member.files.download(stored["id"]).read() == content
    ranges = [request.headers.get("Range") for request in lossy.requests]
    assert ranges[0] is None and ranges[1] == "bytes=300000-" and ranges[2] == "bytes=600000-"
    lossy.faults = [lambda response: response, broken_after(1000), *[lost] * 3]
    with pytest.raises(Unreachable):
        await member.files.download(stored["id"]).save(tmp_path / "large.bin")
    (part,) = tmp_path.iterdir()
    assert part.name.endswith(".part") and part.stat().st_size == 1000
    lossy.requests.clear()
    seen = []
    await member.files.download(stored["id"]).save(
        tmp_path / "large.bin", lambda done, size: seen.append((done, size))
    )
    assert lossy.requests[-1].headers["Range"] == "bytes=1000-"
    assert (tmp_path / "large.bin").read_bytes() == content and len(list(tmp_path.iterdir())) == 1
    assert seen[-1] == (len(content), len(content))


async def test_content_that_changes_while_it_is_read_is_said_to_have(member, lossy):
    stored = await member.files.upload("draft.bin", b"a" * 600_000)

    reading = aiter(member.files.download(stored["id"]))
    lossy.faults = [broken_after(1000)]
    assert await anext(reading)
    await member.files.upload("draft.bin", b"b" * 600_000)
    with pytest.raises(Changed):
        async for _ in reading:
            pass


async def test_whoever_has_seen_enough_leaves_no_connection_behind(member):
    stored = await member.files.upload("large.bin", b"a" * 3_000_000)
    job = await member.jobs.create(kind=WORDS, payload={"text": "one two three"})
    for stream in (member.files.download(stored["id"]), member.jobs.events(job["id"])):
        async with aclosing(aiter(stream)) as seen:
            await anext(seen)
    pool = member._http._transport._sent_by._pool
    assert [one for one in pool.connections if not one.is_idle() and not one.is_closed()] == []


async def test_an_upload_that_broke_off_is_sent_anew_from_its_beginning(member, lossy, tmp_path):
    path = tmp_path / "log.txt"
    path.write_bytes(b"line\n" * 1000)
    lossy.faults = [refused(503, **{"Retry-After": "0"})]
    stored = await member.files.upload("log.txt", path)
    assert stored["size"] == 5000
    with path.open("rb") as file:
        file.seek(4990)
        lossy.faults = [lost]
        assert (await member.files.upload("end.txt", file))["size"] == 10


@pytest.mark.every_database
async def test_the_events_of_a_job_are_taken_up_again_behind_the_last(hall, member, lossy, beside):
    job = await member.jobs.create(kind=WORDS, payload={"text": "one two three"})
    whole = [event async for event in member.jobs.events(job["id"])]
    assert whole[-1].event == "done"
    lossy.requests.clear()
    lossy.faults = [broken_after(1), refused(503, **{"Retry-After": "0"})]
    again = [event async for event in member.jobs.events(job["id"])]
    assert again == whole
    done = await beside(lambda hall: list(hall.jobs.events(job["id"])))
    assert done == whole
    assert (await member.jobs.get(job["id"]))["result"] == {"words": 3, "characters": 13}
    assert [one["id"] async for one in member.jobs.list(state="succeeded", kind=WORDS)] == [job["id"]]


async def test_a_worker_works_on_jobs_and_says_what_came_of_them(hall, beside, member):
    executor = await hall.operator.post("/api/executors", {"name": "lanes", "mode": "pull"})
    jobs = [await member.jobs.create(kind=LANE, payload={"lane": lane}) for lane in ("a", "b", "c")]

    def report(payload):
        if payload["lane"] == "b":
            raise ZeroDivisionError("secret words")
        return {"lane": payload["lane"], "days": 3} if payload["lane"] == "a" else {"days": "no"}

    count = await beside(
        lambda hall: Worker(hall, {LANE: report}).run(jobs=3), executor.json()["worker_token"]
    )
    assert count == 3
    a, b, c = [await member.jobs.get(job["id"]) for job in jobs]
    assert (a["state"], a["result"]) == ("succeeded", {"lane": "a", "days": 3})
    assert (b["state"], b["error"]) == ("failed", {"code": "failed", "message": "ZeroDivisionError"})
    assert (c["state"], c["error"]["code"]) == ("failed", "invalid_result")


async def test_a_worker_holds_its_job_until_it_is_done(hall, beside, member, monkeypatch):
    executor = await hall.operator.post("/api/executors", {"name": "held lanes", "mode": "pull"})
    job = await member.jobs.create(kind=LANE, payload={"lane": "a"})
    claim, heartbeat, held = Workers.claim, Workers.heartbeat, threading.Event()

    def claim_for_a_moment(workers, **fields):
        claimed = claim(workers, **fields)
        claimed["lease"]["seconds"] = 0.03
        return claimed

    def renew(workers, job_id, **fields):
        renewed = heartbeat(workers, job_id, **fields)
        held.set()
        return renewed

    monkeypatch.setattr(Workers, "claim", claim_for_a_moment)
    monkeypatch.setattr(Workers, "heartbeat", renew)

    def report(payload):
        return {"lane": payload["lane"], "days": int(held.wait(60))}

    await beside(lambda hall: Worker(hall, {LANE: report}).run(jobs=1), executor.json()["worker_token"])
    assert (await member.jobs.get(job["id"]))["result"] == {"lane": "a", "days": 1}


async def test_a_chat_is_streamed(hall, member):
    await hall.set_feature(hall.acme, "chat", True)
    events = [event.event async for event in member.ai.chat_stream(prompt="What is a guild?")]
    assert events[-1] == "done"


async def test_any_row_is_called_by_its_path(member):
    counted = await member.request("GET", "/api/x/example-tools/word-count", query={"text": "one two"})
    assert counted["words"] == 2
    await asyncio.gather(*(member.notes.create(title=str(number)) for number in range(3)))
    assert len([note async for note in member.pages("/api/notes", query={"limit": 2})]) == 3
