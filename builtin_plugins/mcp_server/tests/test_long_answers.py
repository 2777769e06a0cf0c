"""Batches and long answers: what they take counts for their caller before it is collected."""

import asyncio

import pytest

from builtin_plugins.mcp_server import resources
from builtin_plugins.mcp_server.handlers import MAX_BATCH

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

WITH_BATCHES = "2025-03-26"
LONG = 250_000


@pytest.fixture
async def long_note(hall):
    body = {"title": "Long", "body": "x" * LONG, "visibility": "team"}
    return "guildhall://notes/" + (await hall.acme.owner.post("/api/notes", body)).json()["id"]


def batch(method, **params):
    return [
        {"jsonrpc": "2.0", "id": number, "method": method, "params": params} for number in range(MAX_BATCH)
    ]


async def test_batches_of_long_answers_are_refused_before_they_are_collected(
    hall, speak, long_note, monkeypatch
):
    reads, go_on = asyncio.Queue(), asyncio.Event()
    read_note = resources.read_note

    async def wait_and_read(caller, note_id):
        reads.put_nowait(note_id)
        await go_on.wait()
        return await read_note(caller, note_id)

    monkeypatch.setattr(resources, "read_note", wait_and_read)
    session = speak(hall.acme.member, WITH_BATCHES)
    messages = batch("resources/read", uri=long_note)
    under_way = [asyncio.create_task(session.post(messages)) for _ in range(3)]
    for _ in under_way:
        await reads.get()
    refused = await session.post(messages)
    assert (refused.status_code, refused.json()["code"], refused.headers["Retry-After"]) == (
        429,
        "rate_limited",
        "1",
    )
    assert reads.empty()
    go_on.set()
    for answer in await asyncio.gather(*under_way):
        assert [len(one["result"]["contents"][0]["text"]) for one in answer.json()] == [LONG] * MAX_BATCH
    assert (await session.post(messages)).status_code == 200  # all that was counted is given back


async def test_what_is_counted_in_advance_is_given_back_once_an_answer_is_known(hall, speak, monkeypatch):
    monkeypatch.setattr("libs.fair_slots.shares.BYTES_PER_COMPANY", 1)
    session = speak(hall.acme.member, WITH_BATCHES)
    for _ in range(3):
        assert (await session.post(batch("tools/list"))).status_code == 200
        assert (await session.post(batch("ping"))).status_code == 200


@pytest.mark.hall_settings(SERVICE_RATE_LIMIT="240")
async def test_the_messages_of_a_batch_count_as_requests(hall, speak):
    session = speak(hall.acme.member, WITH_BATCHES)  # 40 at once
    answers = [await session.post(batch("ping")) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert (answers[2].json()["code"], int(answers[2].headers["Retry-After"]) >= 1) == ("rate_limited", True)
    hall.clock.advance(seconds=5)
    assert (await session.post(batch("ping"))).status_code == 200
