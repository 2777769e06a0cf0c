"""`Idempotency-Key`: repeated, raced and interrupted POSTs change things once."""

import asyncio
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from builtin_plugins.postgresql.pool import PostgresPool
from guildhall_sdk import Body, Problem, Route, created, hookimpl, load_queries
from guildhall_sdk.engines.engine import busy
from guildhall_sdk.plugin import Plugin
from guildhall_sdk.schema import obj, string
from guildhall_testing.conformance.samples import new_canary
from guildhall_testing.conformance.trial import Trial
from kernel.db.held_writes import HeldWrites
from kernel.http.idempotency import release_abandoned_calls
from kernel.scope import change_scope, request_of

pytestmark = pytest.mark.any_database
NOTE = {"title": "Once"}
sql = load_queries(Path(__file__).with_name("idempotency_probe.sql"))


async def post(client, path, body, key):
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return await client.request("POST", path, content=content, headers={"Idempotency-Key": key})


async def titles(client):
    return [note["title"] for note in (await client.get("/api/notes")).json()["items"]]


@pytest.mark.every_database
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


@pytest.mark.every_database
async def test_racing_twins_make_one_change_and_get_one_answer(hall):
    answers = await asyncio.gather(*(post(hall.acme.member, "/api/notes", NOTE, "k1") for _ in range(16)))
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert await titles(hall.acme.member) == ["Once"]


@pytest.mark.every_database
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

    async def act(self, call):
        self.calls += 1
        async with call.write() as writer:
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


@pytest.mark.every_database
async def test_a_failure_of_ours_is_not_kept(open_hall):
    fragile = Fragile()
    fragile.failures = 1
    async with open_hall(fragile) as hall:
        assert (await post(hall.acme.member, "/api/fragile", {}, "k1")).status_code == 500
        assert (await post(hall.acme.member, "/api/fragile", {}, "k1")).json() == {"calls": 2}
        assert (await post(hall.acme.member, "/api/fragile", {}, "k1")).json() == {"calls": 2}


async def test_whoever_signs_in_again_repeats_what_their_credential_ended_under(open_hall):
    class Slow(Fragile):
        async def act(self, call):
            hall.clock.advance(minutes=2)
            return await super().act(call)

    async with open_hall(Slow()) as hall:
        ends_at = hall.clock.now_ms() + 60_000
        ending = await hall.with_token(hall.acme.member, expires_at=ends_at)
        assert (await post(ending, "/api/fragile", {}, "k1")).status_code == 401
        assert (await post(hall.acme.member, "/api/fragile", {}, "k1")).status_code == 201


@pytest.mark.every_database
async def test_a_change_whose_answer_was_lost_in_a_crash_is_not_made_again(open_hall):
    fragile = Fragile()
    async with open_hall(fragile) as hall:
        assert (await post(hall.acme.member, "/api/fragile", {}, "k1")).status_code == 201
        async with hall.server.data.write() as writer:
            await writer.run(sql.forget_answers)
        await release_abandoned_calls(hall.server.data)
        again = await post(hall.acme.member, "/api/fragile", {}, "k1")
        assert (again.status_code, again.json()["code"]) == (409, "already_issued")
        assert fragile.calls == 1


@pytest.mark.every_database
async def test_a_call_that_died_before_its_change_is_made_by_the_repeat(open_hall):
    fragile = Fragile()
    async with open_hall(fragile) as hall:
        assert (await post(hall.acme.member, "/api/fragile", {}, "k1")).status_code == 201
        async with hall.server.data.write() as writer:
            await writer.run(sql.back_to_running)
        await release_abandoned_calls(hall.server.data)
        assert (await post(hall.acme.member, "/api/fragile", {}, "k1")).json() == {"calls": 2}


@pytest.mark.every_database
async def test_a_key_that_could_not_be_released_is_free_when_its_lease_is_over(open_hall, monkeypatch):
    """A full disk takes neither the change nor the release: with room again the repeat is done."""
    monkeypatch.setattr("kernel.http.idempotency.WAIT_SECONDS", 0)
    fragile = Fragile()
    async with open_hall(fragile) as hall:
        assert (await post(hall.acme.member, "/api/fragile", {}, "k1")).status_code == 201
        async with hall.server.data.write() as writer:
            await writer.run(sql.back_to_running)
        assert (await post(hall.acme.member, "/api/fragile", {}, "k1")).status_code == 409
        async with hall.server.data.write() as writer:
            await writer.run(sql.let_leases_lapse)
        assert (await post(hall.acme.member, "/api/fragile", {}, "k1")).json() == {"calls": 2}


async def test_the_mark_commits_with_the_change(open_hall):
    """Seen from inside the handler's own transaction being over: the key says applied."""
    seen = []

    class Watching(Fragile):
        async def act(self, call):
            async with call.write() as writer:
                writer.audit("fragile.acted")
            async with call.read() as reader:
                seen.append(await reader.value(sql.state))
            raise Problem("as told")

    async with open_hall(Watching()) as hall:
        await post(hall.acme.member, "/api/fragile", {}, "k1")
    assert seen == ["applied"]


async def test_what_a_reply_waits_for_before_it_is_sent_comes_after_it_is_kept(open_hall):
    seen = []

    class Settling(Fragile):
        async def act(self, call):
            async def settle():
                async with call.host.data.read() as reader:
                    seen.append(await reader.value(sql.state))

            return replace(await super().act(call), before_sending=settle)

    async with open_hall(Settling()) as hall:
        first = await post(hall.acme.member, "/api/fragile", {}, "k1")
        again = await post(hall.acme.member, "/api/fragile", {}, "k1")
        assert (first.json(), again.json(), seen) == ({"calls": 1}, {"calls": 1}, ["done"])
        await hall.acme.member.post("/api/fragile", {})
        assert len(seen) == 2


async def test_an_effect_whose_answer_failed_is_undone(open_hall):
    """The repeat of a 500 does it, so that it happens once."""
    fragile = Fragile()
    fragile.failures = 1
    async with open_hall(fragile) as hall:
        for _ in range(3):
            await post(hall.acme.member, "/api/fragile", {}, "k1")
        events = (await hall.acme.owner.get("/api/audit")).json()["items"]
        assert [event["target"]["id"] for event in events if event["action"] == "fragile.acted"] == ["2"]


@pytest.mark.hall_databases("postgresql")
async def test_a_call_that_lost_its_lease_lands_nothing(open_hall):
    entered, go_on = asyncio.Event(), asyncio.Event()

    class Stalling(Fragile):
        async def act(self, call):
            self.calls += 1
            number = str(self.calls)
            async with call.write() as writer:
                writer.audit("fragile.acted", ("call", number))
                if number == "1":
                    entered.set()
                    await go_on.wait()
            return created({"call": number}, "/api/fragile")

    async with open_hall(Stalling()) as hall:
        first = asyncio.create_task(post(hall.acme.member, "/api/fragile", {}, "k1"))
        await entered.wait()
        async with hall.server.data.write() as writer:
            await writer.run(sql.let_leases_lapse)
        second = await post(hall.acme.member, "/api/fragile", {}, "k1")
        go_on.set()
        late = await first
        assert (second.status_code, second.json()) == (201, {"call": "2"})
        assert late.status_code == 503 and "retry-after" in late.headers
        again = await post(hall.acme.member, "/api/fragile", {}, "k1")
        assert again.json() == {"call": "2"}
        events = (await hall.acme.owner.get("/api/audit")).json()["items"]
        assert [event["target"]["id"] for event in events if event["action"] == "fragile.acted"] == ["2"]


@pytest.mark.hall_databases("postgresql")
async def test_a_change_that_was_made_and_answered_503_is_not_made_again(open_hall, monkeypatch):
    """Another writer of the company makes this one commit first and wait for the disk afterwards."""
    fragile, flush = Fragile(), PostgresPool._flush

    async def broken(pool):
        if fragile.calls == 1 and not failed:
            failed.append(pool)
            raise busy("The connection was lost.")
        await flush(pool)

    failed = []
    monkeypatch.setattr(PostgresPool, "_flush", broken)
    begun, enough = asyncio.Event(), asyncio.Event()

    async def write_as_well(hall):
        change_scope(account=request_of(hall.acme.org_id))
        async with hall.server.data.write() as writer:
            await writer.value(sql.state)
            begun.set()
            await enough.wait()

    async with open_hall(fragile) as hall:
        another = asyncio.create_task(write_as_well(hall))
        await begun.wait()
        assert (await post(hall.acme.member, "/api/fragile", {}, "k1")).status_code == 503
        again = await post(hall.acme.member, "/api/fragile", {}, "k1")
        enough.set()
        await another
        assert (len(failed), again.status_code, again.json()) == (1, 201, {"calls": 1})
        events = (await hall.acme.owner.get("/api/audit")).json()["items"]
        assert [event["target"]["id"] for event in events if event["action"] == "fragile.acted"] == ["1"]


async def test_a_writer_kept_beyond_its_scope_cannot_be_used(open_hall):
    said = []

    class Clinging(Fragile):
        async def act(self, call):
            async with call.write() as writer:
                writer.audit("fragile.acted")
            try:
                await writer.one(sql.state)
            except RuntimeError as error:
                said.append(str(error))
            async with call.host.data.write() as another:
                assert await another.value(sql.state) == "applied"
            return created({"calls": 1}, "/api/fragile")

    async with open_hall(Clinging()) as hall:
        assert (await post(hall.acme.member, "/api/fragile", {}, "k1")).status_code == 201
    assert said == ["this scope has ended: its reader or writer cannot be used any more"]


async def test_every_shipped_row_keeps_its_answer_in_the_transaction_of_its_effect(open_hall, monkeypatch):
    """What a handler waits for after its last write would leave a gap in which a death loses the answer."""
    without_answer = []
    real = HeldWrites.commit

    async def commit(self, before=None):
        if self._held is not None and before is None:
            without_answer.append(current)
        return await real(self, before)

    monkeypatch.setattr(HeldWrites, "commit", commit)
    answered = set()
    async with open_hall(SERVICE_DEMO="on", SERVICE_PROVISION_TOKEN="the token of the host") as hall:
        await hall.give_hostnames()
        # What suspends everybody, or limits, comes last: behind it nothing could be written.
        routes = sorted(
            hall.registry.routes(), key=lambda one: re.search("instance|quota", one.row.path) is not None
        )
        for number, bound in enumerate(routes):
            if bound.row.method != "POST" or bound.row.body_kind is not Body.JSON:
                continue
            trial, current = Trial(hall, bound), bound.row.path
            if trial.parameters:
                caller, path = await trial.owner_of_path(hall.acme, new_canary())
            else:  # somebody new each time: a row may end the session that it is called with
                caller, path = await trial.caller(hall.acme, fresh=True), bound.row.path
            answer = await trial.call(caller, path, headers={"Idempotency-Key": f"key-{number}"})
            if answer.status < 300:
                answered.add(current)
    assert {"/api/notes", "/api/jobs", "/api/tokens", "/api/documents", "/api/orgs"} <= answered
    # Each company, or kind of sample, is made in a transaction of its own; a repeat finds what is there.
    assert set(without_answer) <= {"/api/admin/seed", "/api/admin/seed-tenants"}
