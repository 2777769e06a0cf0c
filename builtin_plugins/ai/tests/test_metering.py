"""How turns are metered and measured: reserved before the model is called, settled after."""

import asyncio
import json
from collections import Counter
from dataclasses import replace

import pytest

from builtin_plugins.ai.metering import label_of
from builtin_plugins.ai.sources import EndpointSource
from guildhall_sdk import Unavailable
from guildhall_sdk.dimensions import Quotas
from guildhall_sdk.services.models import ModelChoice

pytestmark = pytest.mark.any_database

CHAT = "/api/ai/chat"


@pytest.fixture
async def hall(open_hall):
    """A hall whose own model is scripted."""
    async with open_hall(with_model=True) as opened:
        yield opened


def chunk(text):
    body = {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]}
    return f"data: {json.dumps(body)}\n\n".encode()


async def measured(hall, name):
    items = (await hall.operator.get("/api/metrics")).json()["items"]
    (family,) = [item for item in items if item["name"] == f"guildhall_ai_{name}"]
    return {tuple(sample["labels"].values()): sample["value"] for sample in family["samples"]}


@pytest.mark.every_database
@pytest.mark.parametrize(
    ("dimension", "room"), [("ai.requests", 1), ("ai.tokens.total", 150), ("ai.concurrency", 1)]
)
async def test_of_eight_callers_with_room_for_one_exactly_one_reaches_the_model(hall, limit, dimension, room):
    window = "none" if dimension == "ai.concurrency" else "day"
    await limit(hall.acme, dimension, room, window)
    hall.model.hang()
    turn = {"prompt": "Count.", "max_tokens": 100}
    asking = [asyncio.create_task(hall.acme.member.post(CHAT, turn)) for _ in range(8)]
    done = []
    for answer in asyncio.as_completed(asking):
        done.append(await answer)
        if len(done) == 7:
            break
    assert {(one.status_code, one.json()["dimension"]) for one in done} == {(429, dimension)}
    async with asyncio.timeout(60):
        while not hall.model.calls:  # the one may be on its way there
            await hall.acme.member.get("/api/whoami")
    assert len(hall.model.calls) == 1
    assert await measured(hall, "refusals_total") == {("local",): 7}
    for task in asking:
        task.cancel()
    await asyncio.wait(asking)


async def test_a_turn_that_fails_keeps_its_request_and_returns_its_tokens(hall, used):
    hall.model.fail(500)
    assert (await hall.acme.member.post(CHAT, {"prompt": "Count."})).status_code == 502
    hall.model.send(chunk("half"))
    async with hall.acme.member.events("POST", f"{CHAT}/stream", {"prompt": "Count."}) as events:
        assert [event.event async for event in events] == ["delta", "error"]
    assert await used(hall.acme.member) == (2, 3, 0), "of the second, what was delivered"


@pytest.mark.parametrize("method", ["call", "stream"])
async def test_nor_does_a_turn_cost_tokens_that_failed_by_a_fault_of_the_server(
    hall, used, monkeypatch, method
):
    monkeypatch.delattr(EndpointSource, method)
    path = CHAT if method == "call" else f"{CHAT}/stream"
    assert (await hall.acme.member.post(path, {"prompt": "Count."})).status_code == 500
    assert await used(hall.acme.member) == (1, 0, 0)
    assert await measured(hall, "turns_total") == {("local", "failed"): 1}


async def test_a_database_that_is_busy_when_a_long_turn_is_held_ends_no_stream(hall, used, monkeypatch):
    async def busy(*_arguments):
        raise Unavailable("The database is busy.")

    monkeypatch.setattr("builtin_plugins.ai.metering._EXTEND_AFTER_MS", -1)
    monkeypatch.setattr(hall.server.service(Quotas), "extend", busy)
    hall.model.say("one two")
    async with hall.acme.member.events("POST", f"{CHAT}/stream", {"prompt": "Count."}) as events:
        assert [event.event async for event in events] == ["delta", "delta", "done"]
    assert await used(hall.acme.member) == (1, 3, 0)


async def test_turns_are_measured_by_executor_and_open_streams_are_counted(hall):
    member = hall.acme.member
    hall.model.say("one two")
    await member.post(CHAT, {"prompt": "Count."})
    hall.model.fail(500)
    await member.post(CHAT, {"prompt": "Count."})
    hall.model.hang(chunk("half"))
    async with member.events("POST", f"{CHAT}/stream", {"prompt": "Count."}) as events:
        assert (await anext(events)).data == {"text": "half"}
        assert await measured(hall, "open_streams") == {(): 1}
    async with asyncio.timeout(60):
        await hall.model.calls[-1].left.wait()
        while await measured(hall, "open_streams") != {(): 0}:
            pass
    outcomes = Counter({("local", "answered"): 1, ("local", "failed"): 1, ("local", "left"): 1})
    assert await measured(hall, "turns_total") == outcomes
    assert await measured(hall, "tokens_total") == {("local",): (1 + 2) + (2 + 1)}
    assert await measured(hall, "first_token_seconds") == {("local",): 1}


def test_the_executors_of_companies_are_one_label():
    own = ModelChoice("ours", "exe_1", "push", "m", simulated=False, company=True)
    assert (label_of(own), label_of(replace(own, company=False))) == ("company", "ours")
