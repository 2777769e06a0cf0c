"""Vectors of a model outside: by role, metered once, and whatever such a model does wrong."""

import asyncio
import base64
import json
from array import array

import pytest

from builtin_plugins.embeddings.reading import PassageReader
from builtin_plugins.embeddings.tests.conftest import ON, SubjectModel, tools_of
from builtin_plugins.embeddings.upkeep import Upkeep
from guildhall_sdk import Statement
from guildhall_sdk.services.search import Embeddings

ROLE = {"SERVICE_MODEL_ROLES": '{"embedding": "local"}', **ON}
QUEUED = Statement("queued", *["SELECT COUNT(*) FROM embedding_queue"] * 2)
SPACES = Statement("spaces", *["SELECT COUNT(DISTINCT space_id) FROM embedding_passages"] * 2)


@pytest.fixture
async def outside(share_hall):
    """A hall whose embeddings come from the scripted model."""
    async with share_hall(with_model=True, **ROLE) as hall:
        hall.model.vector = SubjectModel()._vector
        yield tools_of(hall)


async def used(hall):
    items = (await hall.acme.owner.get("/api/usage")).json()["items"]
    return {item["dimension"]: item["used"] for item in items if item["level"] == "team"}


async def value(hall, statement):
    async with hall.server.data.read() as reader:
        return await reader.value(statement)


async def test_a_model_outside_embeds_and_is_metered_once(outside):
    hall = outside.hall
    note = await outside.note("Berths", "Each vessel pays for the night.")
    await outside.read()
    asked = [call.body for call in hall.model.calls]
    assert asked[-1]["input"] == ["Berths\nEach vessel pays for the night."]
    assert {call.headers["authorization"] for call in hall.model.calls} == {
        "Bearer sk-the-key-of-the-scripted-model"
    }
    tokens = 7 * sum(len(body["input"]) for body in asked)
    assert await used(hall) | {"ai.requests": len(asked), "ai.tokens.total": tokens} == await used(hall)
    assert await outside.ids("boat", mode="meaning") == [note]
    people = (await hall.acme.owner.get("/api/usage?by=user")).json()["items"]
    assert {one["id"] for one in people} == {"background", hall.acme.member.user_id}


@pytest.mark.short_on("sqlite")
async def test_a_question_that_is_asked_again_costs_nothing(outside):
    await outside.note("Berths", "Each vessel pays.")
    await outside.read()
    await outside.ids("boat", mode="meaning")
    before = len(outside.hall.model.calls)
    await outside.ids("boat", mode="meaning")
    assert len(outside.hall.model.calls) == before


@pytest.mark.parametrize(
    "data",
    [
        b"not json",
        b'{"data": []}',
        b'{"data": [{"embedding": [NaN, 1]}]}',
        b'{"data": [{"embedding": ["x"]}]}',
        b'{"data": [{"embedding": []}]}',
        b'{"data": [{"embedding": [0, 0]}]}',
        b'{"data": [{"embedding": [1e400]}]}',
        b'{"data": [{"embedding": [1, 2, 3]}]}',
        b'{"data": [{"embedding": null}]}',
        b'{"data": {"embedding": [1]}}',
        b'{"error": {"message": "no"}}',
    ],
)
@pytest.mark.short_on("sqlite")
async def test_vectors_that_are_none_are_not_stored_and_asked_for_again(outside, data):
    hall = outside.hall
    await outside.note("First", "A forest.")
    await outside.read()
    note = await outside.note("Berths", "Each vessel pays.")
    hall.model.send(data, content_type="application/json")
    await outside.read()
    assert await value(hall, QUEUED) == 1
    assert await outside.ids("vessel") == [note]  # by its words
    hall.clock.advance(hours=2)
    await outside.read()
    assert await value(hall, QUEUED) == 0
    assert await outside.ids("boat", mode="meaning") == [note]


async def test_a_busy_model_is_left_alone_for_as_long_as_it_says(outside):
    hall = outside.hall
    await outside.note("First", "A forest.")
    await outside.read()
    await outside.note("Berths", "Each vessel pays.")
    hall.model.fail(429, headers={"Retry-After": "120"})
    await outside.read()
    before = len(hall.model.calls)
    hall.clock.advance(seconds=60)
    await outside.read()
    assert len(hall.model.calls) == before
    hall.clock.advance(seconds=61)
    await outside.read()
    assert await value(hall, QUEUED) == 0


async def test_search_goes_on_by_words_while_the_model_is_away(outside):
    note = await outside.note("A boat", "Each vessel pays.")
    await outside.read()
    outside.hall.model.fail(500)
    found = await outside.search("boat")
    assert [item["id"] for item in found["items"]] == [note]
    assert found["unavailable"] == ["meaning"]
    outside.hall.model.fail(500)
    answer = await outside.hall.acme.member.get("/api/search", params={"q": "a boat", "mode": "meaning"})
    assert (answer.status_code, answer.json()["code"]) == (502, "model_unavailable")


async def test_a_killed_reading_goes_on_behind_what_it_had(outside, monkeypatch):
    hall = outside.hall
    long = "\n\n".join(f"Paragraph {number}. " + "A vessel in the harbour. " * 40 for number in range(60))
    note = await outside.note("Long", long)
    reader, calls = hall.server.service(PassageReader), []
    embed = reader._embed

    async def killed(principal, chosen, space, pieces):
        calls.append(len(pieces))
        if len(calls) == 3:
            raise SystemExit("killed")
        await embed(principal, chosen, space, pieces)

    monkeypatch.setattr(reader, "_embed", killed)
    with pytest.raises(SystemExit):
        await reader._read_some(hall.acme.org_id, hall.acme.team_id)
    monkeypatch.setattr(reader, "_embed", embed)
    assert await outside.ids("boat", mode="meaning") == []  # half of it says nothing yet
    hall.clock.advance(seconds=181)
    await outside.read()
    assert await outside.ids("boat", mode="meaning") == [note]
    inputs = [text for call in hall.model.calls for text in call.body["input"] if text.startswith("Long")]
    assert len(inputs) == len(set(inputs))  # nothing was embedded twice, nor paid for
    assert (await used(hall))["ai.tokens.total"] >= 7 * len(inputs)


async def test_a_text_that_changes_while_it_is_read_is_read_again(outside, monkeypatch):
    hall = outside.hall
    note = await outside.note("Plan", "A vessel.")
    reader = hall.server.service(PassageReader)
    embed = reader._embed

    async def overtaken(principal, chosen, space, pieces):
        monkeypatch.setattr(reader, "_embed", embed)
        await hall.acme.member.put(f"/api/notes/{note}", {"body": "A forest."})
        await embed(principal, chosen, space, pieces)

    monkeypatch.setattr(reader, "_embed", overtaken)
    await outside.read()
    assert await outside.ids("boat", mode="meaning") == []
    assert await outside.ids("tree", mode="meaning") == [note]


@pytest.mark.short_on("sqlite")
async def test_another_model_makes_all_anew_while_the_old_ones_answer(open_again, subject_model):
    async with open_again(**ON) as hall:
        tools = tools_of(hall)
        notes = [await tools.note(f"Berth {number}", "Each vessel pays.") for number in range(40)]
        await tools.read()
        assert sorted(await tools.ids("boat", mode="meaning", limit=100)) == sorted(notes)
    executors = json.dumps([{"name": "vectors", "url": "http://127.0.0.1:9/v1", "model": "v"}])
    settings = {"SERVICE_EXECUTORS": executors, "SERVICE_MODEL_ROLES": '{"embedding": "vectors"}'}
    async with open_again(**ON, **settings) as hall:  # the new one cannot be reached yet
        tools = tools_of(hall)
        assert sorted(await tools.ids("boat", mode="meaning", limit=100)) == sorted(notes)
    async with open_again(with_model=True, **ROLE) as hall:
        hall.model.vector = subject_model._vector
        tools = tools_of(hall)
        assert await hall.server.service(Upkeep).renew() == len(notes)
        assert await value(hall, SPACES) == 1
        assert sorted(await tools.ids("boat", mode="meaning", limit=100)) == sorted(notes)
        assert await hall.server.service(Upkeep).renew() == 0


async def test_a_team_may_have_a_model_of_its_own(outside):
    refused = await outside.hall.acme.admin.put("/api/model-roles", {"roles": {"embedding": "nobody"}})
    assert refused.json()["code"] == "unknown_executor"
    answer = await outside.hall.acme.admin.put("/api/model-roles", {"roles": {"embedding": "local"}})
    assert answer.json()["roles"]["embedding"] == "local"


async def test_the_service_embeds_for_others(outside):
    caller = await outside.hall.principal(outside.hall.acme.member)
    vectors = await outside.hall.server.service(Embeddings).embed(caller, ["a boat", "a tree"] * 20)
    assert len(vectors.vectors) == 40 and vectors.usage.total == 7 * 40


async def test_a_worker_that_pulls_embeds_too(open_hall):
    async with open_hall(**ON) as hall:
        made = (
            await hall.operator.post("/api/executors", {"name": "m", "mode": "pull", "model": "v"})
        ).json()
        roles = await hall.acme.admin.put("/api/model-roles", {"roles": {"embedding": "m"}})
        assert roles.status_code == 200, roles.text
        tools, worker = tools_of(hall), hall.bearer(made["worker_token"])
        note = await tools.note("Berths", "Each vessel pays.")
        pulling = asyncio.create_task(_pull(worker))
        await tools.read()
        assert await tools.ids("boat", mode="meaning") == [note]
        pulling.cancel()


async def _pull(worker):
    vector = SubjectModel()._vector
    while True:
        claimed = await worker.post("/api/workers/claim", {"kinds": ["ai.turn"], "max_wait": 20})
        if claimed.status_code != 200:
            continue
        job = claimed.json()
        result = {"embeddings": [vector(text) for text in job["payload"]["input"]]}
        sent = {"claim_token": job["claim_token"], "result": result}
        answer = await worker.post(f"/api/workers/jobs/{job['id']}/complete", sent)
        assert answer.status_code == 200, answer.text


@pytest.mark.short_on("sqlite")
async def test_what_changed_while_it_was_off_is_read_again(open_again, subject_model):
    async with open_again(**ON) as hall:
        tools = tools_of(hall)
        note = await tools.note("Plan", "A vessel.")
        await tools.read()
        assert await tools.ids("boat", mode="meaning") == [note]
    async with open_again() as hall:
        assert await tools_of(hall).ids("boat", mode="meaning") == []
        await hall.acme.member.put(f"/api/notes/{note}", {"body": "A forest."})
    async with open_again(**ON) as hall:
        tools = tools_of(hall)
        await tools.read()
        assert await tools.ids("boat", mode="meaning") == []
        assert await tools.ids("tree", mode="meaning") == [note]


@pytest.mark.short_on("sqlite")
async def test_what_was_there_before_the_plugin_is_read_too(open_again, subject_model):
    async with open_again(SERVICE_PLUGINS_BLOCKED="embeddings") as hall:
        tools = tools_of(hall)
        note = await tools.note("Plan", "A vessel.")
        file = await tools.file("a.txt", b"A ship.")
        await hall.drain_jobs()
    async with open_again(**ON) as hall:
        tools = tools_of(hall)
        await tools.read()
        assert sorted(await tools.ids("boat", mode="meaning")) == sorted([note, file["id"]])


@pytest.mark.any_database
@pytest.mark.parametrize("asked", ["a boat", ["a boat", "a tree"]])
async def test_the_model_inside_answers_the_gateway_in_numbers_and_in_base64(share_hall, asked):
    pytest.importorskip("wordllama")
    async with share_hall(**ON) as hall:
        body = {"model": "default", "input": asked}
        answer = await hall.acme.member.post("/v1/embeddings", body)
        assert answer.status_code == 200, answer.text
        packed = await hall.acme.member.post("/v1/embeddings", {**body, "encoding_format": "base64"})
        assert len(answer.json()["data"]) == len(packed.json()["data"]) == (2 if len(asked) == 2 else 1)
        for one, other in zip(answer.json()["data"], packed.json()["data"], strict=True):
            vector = array("f", base64.b64decode(other["embedding"])).tolist()
            assert len(vector) > 100 and one["embedding"] == vector
