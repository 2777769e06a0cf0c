"""`Idempotency-Key`: repeated, raced and interrupted POSTs change things once."""

import asyncio
import json
from pathlib import Path

import pytest

from guildhall_sdk import Problem, Route, created, hookimpl, load_queries
from guildhall_sdk.plugin import Plugin
from guildhall_sdk.schema import obj, string
from kernel.http.idempotency import settle_leftovers

NOTE = {"title": "Once"}
sql = load_queries(Path(__file__).with_name("idempotency_probe.sql"))


async def post(client, path, body, key):
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return await client.request("POST", path, content=content, headers={"Idempotency-Key": key})


async def titles(client):
    return [note["title"] for note in (await client.get("/api/notes")).json()["items"]]


async def test_a_repeated_post_gets_the_first_answer_and_does_nothing(hall):
    first = await post(hall.acme.member, "/api/notes", NOTE, "k1")
    again = await post(hall.acme.member, "/api/notes", NOTE, "k1")
    assert first.status_code == again.status_code == 201
    assert first.json() == again.json()
    assert first.headers["location"] == again.headers["location"]
    assert first.headers["etag"] == again.headers["etag"]
    assert again.headers["idempotency-replayed"] == "true"
    assert await titles(hall.acme.member) == ["Once"]


async def test_the_same_key_with_another_body_is_a_conflict(hall):
    await post(hall.acme.member, "/api/notes", NOTE, "k1")
    other = await post(hall.acme.member, "/api/notes", {"title": "Twice"}, "k1")
    assert (other.status_code, other.json()["code"]) == (409, "idempotency_conflict")
    assert await titles(hall.acme.member) == ["Once"]


async def test_another_caller_may_use_the_same_key(hall):
    for client in (hall.acme.member, hall.acme.owner, hall.globex.member):
        assert (await post(client, "/api/notes", NOTE, "k1")).status_code == 201


async def test_racing_twins_make_one_change_and_get_one_answer(hall):
    answers = await asyncio.gather(*(post(hall.acme.member, "/api/notes", NOTE, "k1") for _ in range(16)))
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert await titles(hall.acme.member) == ["Once"]


async def test_after_a_day_the_key_is_free_again(hall):
    await post(hall.acme.member, "/api/notes", NOTE, "k1")
    hall.clock.advance(seconds=24 * 3600 + 1)
    client = await hall.with_token(hall.acme.member)
    assert (await post(client, "/api/notes", {"title": "Next day"}, "k1")).status_code == 201


async def test_a_refusal_is_kept_too(hall):
    missing = {"user_id": "usr_nobody", "permission": "notes:read"}
    note = (await hall.acme.member.post("/api/notes", NOTE)).json()["id"]
    first = await post(hall.acme.member, f"/api/notes/{note}/share", missing, "k1")
    again = await post(hall.acme.member, f"/api/notes/{note}/share", missing, "k1")
    assert first.status_code == again.status_code == 400
    assert first.json() == again.json()
    assert again.headers["content-type"] == "application/problem+json"


async def test_an_answer_with_a_secret_is_not_kept(hall):
    first = await post(hall.acme.owner, "/api/tokens", {"name": "once"}, "k1")
    again = await post(hall.acme.owner, "/api/tokens", {"name": "once"}, "k1")
    assert first.status_code == 201
    assert (again.status_code, again.json()["code"]) == (409, "already_issued")
    assert again.json()["id"] == first.json()["id"]
    assert first.json()["token"] not in again.text
    listed = (await hall.acme.owner.get("/api/tokens")).json()["items"]
    assert [token["name"] for token in listed].count("once") == 1


@pytest.mark.parametrize("key", ["x" * 256, "a\tb"])
async def test_a_key_that_is_no_key_is_refused(hall, key):
    answer = await post(hall.acme.member, "/api/notes", NOTE, key)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")
    assert await titles(hall.acme.member) == []


class Fragile:
    """A plugin whose one route fails as often as it is told to."""

    PLUGIN = Plugin("fragile", "Fragile", "0.1.0", "Fails on demand.")

    def __init__(self) -> None:
        self.failures = 0
        self.calls = 0

    async def act(self, ctx):
        self.calls += 1
        async with ctx.write() as writer:
            writer.audit("fragile.acted", ("call", str(self.calls)))
        if self.calls <= self.failures:
            raise RuntimeError("as told")
        return created({"calls": self.calls}, "/api/fragile")

    @hookimpl
    def declare_routes(self):
        return [Route("POST", "/api/fragile", "act", "Act", status=201, body=obj({"x": string()}))]

    @hookimpl
    def declare_handlers(self):
        return {"act": self.act}


async def test_a_failure_of_ours_is_not_kept(open_hall):
    fragile = Fragile()
    fragile.failures = 1
    async with open_hall(fragile) as hall:
        assert (await post(hall.acme.member, "/api/fragile", {}, "k1")).status_code == 500
        assert (await post(hall.acme.member, "/api/fragile", {}, "k1")).json() == {"calls": 2}
        assert (await post(hall.acme.member, "/api/fragile", {}, "k1")).json() == {"calls": 2}


async def test_a_change_whose_answer_was_lost_in_a_crash_is_not_made_again(open_hall):
    fragile = Fragile()
    async with open_hall(fragile) as hall:
        assert (await post(hall.acme.member, "/api/fragile", {}, "k1")).status_code == 201
        async with hall.server.data.write() as writer:
            await writer.run(sql.forget_answers)
        await settle_leftovers(hall.server.data)
        again = await post(hall.acme.member, "/api/fragile", {}, "k1")
        assert (again.status_code, again.json()["code"]) == (409, "already_issued")
        assert fragile.calls == 1


async def test_a_call_that_died_before_its_change_is_made_by_the_repeat(open_hall):
    fragile = Fragile()
    async with open_hall(fragile) as hall:
        assert (await post(hall.acme.member, "/api/fragile", {}, "k1")).status_code == 201
        async with hall.server.data.write() as writer:
            await writer.run(sql.back_to_running)
        await settle_leftovers(hall.server.data)
        assert (await post(hall.acme.member, "/api/fragile", {}, "k1")).json() == {"calls": 2}


async def test_the_mark_commits_with_the_change(open_hall):
    """Seen from inside the handler's own transaction being over: the key says applied."""
    seen = []

    class Watching(Fragile):
        async def act(self, ctx):
            async with ctx.write() as writer:
                writer.audit("fragile.acted")
            async with ctx.read() as reader:
                seen.append(await reader.value(sql.state))
            raise Problem("as told")

    async with open_hall(Watching()) as hall:
        await post(hall.acme.member, "/api/fragile", {}, "k1")
    assert seen == ["applied"]
