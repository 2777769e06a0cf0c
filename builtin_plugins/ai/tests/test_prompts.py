"""What a prompt may hold: documents that were just uploaded, and pictures."""

import asyncio
import itertools
import json

import pytest

from builtin_plugins.ai import prompts
from guildhall_sdk.services.repository import Repository
from guildhall_sdk.services.stored_objects import TextPending

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

CHAT, STREAM, AGENT = "/api/ai/chat", "/api/ai/chat/stream", "/api/agent"
EVENTS = {"Accept": "text/event-stream"}
PICTURE = "data:image/png;base64,iVBORw0KGgo="
WORDS = "Indigo comes from a plant."


async def about_upload(client, content=WORDS, kind="text/plain"):
    """A prompt about a file that is uploaded just now."""
    answer = await client.put("/api/repo/dyes.txt", content=content.encode(), headers={"Content-Type": kind})
    assert answer.status_code in (200, 201), answer.text
    return [{"type": "object", "object_id": answer.json()["id"]}, {"type": "text", "text": "Where from?"}]


@pytest.fixture
def nobody_reads(modelled, monkeypatch):
    """Documents wait to be read until this event is set."""
    texts, may_read = modelled.server.service(Repository).texts, asyncio.Event()
    read = texts.read

    async def read_later(version):
        await may_read.wait()
        return await read(version)

    monkeypatch.setattr(texts, "read", read_later)
    yield may_read
    may_read.set()


async def events_of(client, path, body):
    async with client.events("POST", path, body, headers=EVENTS) as events:
        return [(event.event, event.data) async for event in events]


@pytest.mark.every_database
async def test_what_was_just_uploaded_can_be_asked_about(modelled):
    member = modelled.acme.member
    for path in (CHAT, AGENT):
        for content in (WORDS, "Madder comes from a root."):  # the second is a new version of the first
            answer = await member.post(path, {"prompt": await about_upload(member, content)})
            assert answer.status_code == 200, answer.text
            assert content in json.dumps(modelled.model.calls[-1].body["messages"])


@pytest.mark.parametrize("path", [STREAM, AGENT])
async def test_a_stream_says_that_it_reads(modelled, nobody_reads, path):
    member = modelled.acme.member
    prompt = await about_upload(member)
    async with member.events("POST", path, {"prompt": prompt}, headers=EVENTS) as events:
        first = await anext(events)
        assert (first.event, first.data) == ("status", {"type": "status", "text": "reading"})
        assert modelled.model.calls == []
        nobody_reads.set()
        rest = [event.event async for event in events]
    assert (set(rest), rest[-1]) == ({"delta", "done"}, "done")
    assert WORDS in json.dumps(modelled.model.calls[-1].body["messages"])
    assert (await events_of(member, path, {"prompt": prompt}))[0][0] == "delta"


@pytest.mark.parametrize("path", [CHAT, STREAM, AGENT])
async def test_a_text_that_takes_too_long_is_a_conflict_that_says_when_to_ask_again(
    modelled, nobody_reads, used, monkeypatch, path
):
    monkeypatch.setattr(prompts, "READING_SECONDS", 0.05)
    member = modelled.acme.member
    prompt = await about_upload(member)
    if path == STREAM:
        (_, problem) = (await events_of(member, path, {"prompt": prompt}))[-1]
        assert (problem["status"], problem["code"]) == (409, "text_pending")
    else:
        answer = await member.post(path, {"prompt": prompt})
        assert (answer.status_code, answer.json()["code"]) == (409, "text_pending")
        assert int(answer.headers["retry-after"]) > 0
    assert (modelled.model.calls, await used(member)) == ([], (0, 0, 0))


@pytest.mark.parametrize("path", [CHAT, AGENT])
async def test_in_the_background_it_waits_inside_its_job_and_uses_up_no_attempt(modelled, monkeypatch, path):
    hall, member = modelled, modelled.acme.member
    texts = hall.server.service(Repository).texts

    async def read(version):
        raise TextPending("Nobody reads now.", 60)

    with monkeypatch.context() as patch:
        patch.setattr(texts, "read", read)
        prompt = await about_upload(member)
        job = (await member.post(path, {"prompt": prompt, "background": True})).json()
        for _ in range(5):  # more often than it has attempts
            await hall.drain_jobs()
            waiting = (await member.get(f"/api/jobs/{job['id']}")).json()
            assert (waiting["state"], waiting["attempt"]) == ("queued", 0)
            assert waiting["error"]["code"] == "text_pending"
            hall.clock.advance(seconds=60)
    await hall.drain_jobs()
    ended = (await member.get(f"/api/jobs/{job['id']}")).json()
    assert (ended["state"], ended["attempt"]) == ("succeeded", 1)
    assert WORDS in json.dumps(hall.model.calls[-1].body["messages"])


async def test_what_may_not_be_read_is_refused_as_what_is_not_there(modelled):
    hall, member = modelled, modelled.acme.member
    prompt = await about_upload(member)
    nothing = [{"type": "object", "object_id": "obj_nobodys"}]
    scoped = await hall.with_token(member, scope=["chat:use"])
    asked = [(hall.globex.member, prompt), (scoped, prompt), (member, nothing)]
    for path, background in itertools.product((CHAT, AGENT), (False, True)):
        bodies = [(client, {"prompt": one, "background": background}) for client, one in asked]
        refusals = [await client.post(path, body) for client, body in bodies]
        assert [(one.status_code, one.json()["code"]) for one in refusals] == [(400, "invalid_request")] * 3
        assert [one.json()["errors"][0]["pointer"] for one in refusals] == ["/prompt/0/object_id"] * 3
        assert len({one.json()["detail"] for one in refusals}) == 1


async def test_what_has_no_text_is_refused_at_once(modelled):
    member = modelled.acme.member
    for kind in ("application/zip", "image/png"):
        answer = await member.put("/api/repo/thing", content=b"\0\1", headers={"Content-Type": kind})
        prompt = [{"type": "object", "object_id": answer.json()["id"]}]
        for background in (False, True):
            refused = await member.post(CHAT, {"prompt": prompt, "background": background})
            pointer = refused.json()["errors"][0]["pointer"]
            assert (refused.status_code, pointer) == (400, "/prompt/0/object_id")


@pytest.mark.parametrize("path", [CHAT, STREAM, AGENT])
@pytest.mark.parametrize("url", ["http://127.0.0.1:9/latest/meta-data", "https://example.com/a.png"])
async def test_a_picture_is_given_and_not_fetched(modelled, path, url):
    member = modelled.acme.member
    prompt = [{"type": "text", "text": "What is it?"}, {"type": "image_url", "image_url": {"url": url}}]
    for background in (False, True):
        more = {"background": True} if background and path != STREAM else {}
        refused = await member.post(path, {"prompt": prompt, **more})
        assert (refused.status_code, refused.json()["code"]) == (400, "invalid_request")
        assert refused.json()["errors"][0]["pointer"] == "/prompt/1/image_url/url"
    assert modelled.model.calls == []
    prompt[1]["image_url"]["url"] = PICTURE
    assert (await member.post(path, {"prompt": prompt})).status_code == 200
    assert PICTURE in json.dumps(modelled.model.calls[-1].body["messages"])


async def test_an_operator_may_let_the_models_server_fetch_pictures(open_hall):
    async with open_hall(with_model=True, SERVICE_AI_IMAGE_URLS="1") as hall:
        url = "https://example.com/a.png"
        prompt = [{"type": "image_url", "image_url": {"url": url}}]
        assert (await hall.acme.member.post(CHAT, {"prompt": prompt})).status_code == 200
        assert url in json.dumps(hall.model.calls[-1].body["messages"])
        prompt[0]["image_url"]["url"] = "ftp://example.com/a.png"
        assert (await hall.acme.member.post(CHAT, {"prompt": prompt})).status_code == 400
