"""Who used how much: `GET /api/usage?by=…`, whose sums are those of the quota ledger."""

import asyncio
import csv
import io
import json

import pytest

from builtin_plugins.ai.usage import DAY_MS, UsageBook
from builtin_plugins.quotas import handlers
from guildhall_sdk import Statement, rfc3339

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

CHAT, USAGE = "/api/ai/chat", "/api/usage"


@pytest.fixture
async def hall(share_hall):
    """A hall whose own model is scripted."""
    async with share_hall(with_model=True) as opened:
        yield opened


async def lines(client, by, **query):
    answer = await client.get(USAGE, params={"by": by, **query})
    assert answer.status_code == 200, answer.text
    assert all(item["by"] == by for item in answer.json()["items"])
    return {item["id"]: (item["name"], item["requests"], item["tokens"]) for item in answer.json()["items"]}


async def token_of(client, **more):
    issued = (await client.post("/api/tokens", more)).json()
    return issued["id"], client.bearing(issued["token"])


async def test_use_is_told_by_user_model_and_token_and_adds_up_to_the_ledger(hall, used):
    owner, member = hall.acme.owner, hall.acme.member
    token_id, machine = await token_of(owner, name="nightly")
    hall.model.say("one two three")
    await member.post(CHAT, {"prompt": "Count."})
    await machine.post("/api/ai/echo", {"text": "12345678"})
    queued = (await machine.post(CHAT, {"prompt": "Count on.", "background": True})).json()
    await hall.drain_jobs()
    assert (await machine.get(f"/api/jobs/{queued['id']}")).json()["state"] == "succeeded"
    by_user, by_model, by_token = [await lines(owner, by) for by in ("user", "model", "token")]
    assert by_user == {
        owner.user_id: (owner.username, 2, 4 + 3),
        member.user_id: (member.username, 1, 4),
    }
    assert by_model == {"echo": ("echo", 1, 4), "scripted": ("scripted", 2, 7)}
    assert by_token == {token_id: ("nightly", 2, 7), "session": ("session", 1, 4)}
    requests, tokens, _ = await used(owner)
    assert (requests, tokens) == (3, 11)
    assert await lines(hall.globex.owner, "user") == {}


@pytest.mark.own_server
async def test_use_is_told_day_by_day_to_everybody_in_the_team(hall):
    first = hall.clock.now_ms() // DAY_MS * DAY_MS
    await hall.acme.owner.post("/api/ai/echo", {"text": "12345678"})
    hall.clock.advance(days=2)
    await hall.acme.member.post("/api/ai/echo", {"text": "1234"})
    await hall.acme.owner.post("/api/ai/echo", {"text": "1234"})
    days = {str(first): ("2030-01-01", 1, 4), str(first + 2 * DAY_MS): ("2030-01-03", 2, 4)}
    assert await lines(hall.acme.viewer, "day") == days
    later = rfc3339(first + DAY_MS)
    assert list(await lines(hall.acme.owner, "day", **{"from": later})) == [str(first + 2 * DAY_MS)]
    assert await lines(hall.globex.owner, "day") == {}


async def test_a_turn_over_midnight_counts_where_the_ledger_counts_it(hall, used):
    member = await hall.with_token(hall.acme.member)
    chunk = {"choices": [{"index": 0, "delta": {"content": "one"}, "finish_reason": None}]}
    hall.model.hang(f"data: {json.dumps(chunk)}\n\n".encode())
    async with member.events("POST", f"{CHAT}/stream", {"prompt": "Count."}) as events:
        assert (await anext(events)).event == "delta"
        hall.clock.advance(hours=20)
        midnight = rfc3339(hall.clock.now_ms() // DAY_MS * DAY_MS)
    async with asyncio.timeout(60):
        while not await lines(member, "user"):
            pass
    assert await used(member) == (0, 0, 0)
    assert await lines(member, "user", **{"from": midnight}) == {}
    assert [row[1:] for row in (await lines(member, "user", to=midnight)).values()] == [(1, 3)]


async def test_somebody_without_settings_manage_sees_their_own(hall):
    owner, member = hall.acme.owner, hall.acme.member
    for client in (owner, member):
        await client.post("/api/ai/echo", {"text": "x"})
    assert list(await lines(member, "user")) == [member.user_id]
    assert await lines(member, "token") == {"session": ("session", 1, 2)}
    assert await lines(member, "model") == {"echo": ("echo", 2, 4)}
    scoped = await hall.with_token(owner, scope=["chat:use"])
    assert list(await lines(scoped, "user")) == [owner.user_id]


async def test_a_revoked_token_and_somebody_who_left_still_show(hall):
    owner, guest = hall.acme.owner, await hall.join(hall.acme)
    token_id, machine = await token_of(owner, name="gone tomorrow")
    for client in (machine, guest):
        await client.post("/api/ai/echo", {"text": "x"})
    assert (await owner.delete(f"/api/tokens/{token_id}")).status_code == 204
    assert (await owner.delete(f"/api/members/{guest.user_id}")).status_code == 204
    assert (await lines(owner, "token"))[token_id] == ("gone tomorrow", 1, 2)
    assert (await lines(owner, "user"))[guest.user_id] == (guest.username, 1, 2)


async def test_times_are_half_open_and_bad_ones_are_named(hall):
    owner = hall.acme.owner
    await owner.post("/api/ai/echo", {"text": "x"})
    at = hall.clock.now_ms()
    assert await lines(owner, "model", **{"from": rfc3339(at), "to": rfc3339(at + 1)})
    assert await lines(owner, "model", **{"from": rfc3339(at + 1)}) == {}
    assert await lines(owner, "model", to=rfc3339(at)) == {}
    for name, text in (("from", "yesterday"), ("to", "2026-01-01"), ("from", "")):
        refused = await owner.get(USAGE, params={"by": "user", name: text})
        assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (400, f"?{name}")
    turned = await owner.get(USAGE, params={"by": "user", "from": rfc3339(at + 1), "to": rfc3339(at)})
    assert turned.status_code == 400
    assert (await owner.get(USAGE, params={"by": "company"})).status_code == 400


async def test_it_comes_in_pages_and_as_a_table_without_formulas(hall):
    owner = hall.acme.owner
    people = [await hall.join(hall.acme) for _ in range(2)]
    _, machine = await token_of(owner, name='=cmd|"/c calc"!A0')
    for client in (*people, machine):
        await client.post("/api/ai/echo", {"text": "x"})
    first = (await owner.get(USAGE, params={"by": "user", "limit": 2})).json()
    rest = (await owner.get(USAGE, params={"by": "user", "cursor": first["next_cursor"]})).json()
    assert len(first["items"] + rest["items"]) == 3
    assert rest["next_cursor"] is None
    answer = await owner.get(USAGE, params={"by": "token"}, headers={"Accept": "text/csv"})
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    head, *rows = csv.reader(io.StringIO(answer.text))
    assert head == ["by", "id", "name", "requests", "tokens"]
    assert {row[2] for row in rows} == {"session", '\'=cmd|"/c calc"!A0'}


async def test_the_table_has_all_lines(hall, monkeypatch):
    monkeypatch.setattr(handlers, "_LINES_AT_ONCE", 2)
    everybody = [hall.acme.owner, *[await hall.join(hall.acme) for _ in range(4)]]
    for client in everybody:
        await client.post("/api/ai/echo", {"text": "x"})
    answer = await hall.acme.owner.get(USAGE, params={"by": "user"}, headers={"Accept": "text/csv"})
    _, *rows = csv.reader(io.StringIO(answer.text))
    assert sorted(row[1] for row in rows) == sorted(client.user_id for client in everybody)


async def test_without_by_it_is_as_before(hall):
    items = (await hall.acme.member.get(USAGE)).json()["items"]
    assert {"ai.requests", "ai.tokens.total"} <= {item["dimension"] for item in items}


@pytest.mark.every_database
@pytest.mark.own_server
async def test_old_use_is_put_together_and_its_sums_stay(hall):
    owner, book = hall.acme.owner, hall.server.host_of("ai").service(UsageBook)
    count = Statement("rows", *["SELECT COUNT(*) AS many FROM ai_usage"] * 2)

    async def rows_left():
        await book.fold()
        async with hall.server.data.read() as reader:
            return await reader.value(count)

    for _ in range(3):
        for _ in range(2):
            await owner.post("/api/ai/echo", {"text": "x"})
        hall.clock.advance(hours=1)
    assert await rows_left() == 6
    hall.clock.advance(days=3)
    assert await rows_left() == 3
    hall.clock.advance(days=40)
    owner = await hall.with_token(owner)
    assert await rows_left() <= 2  # the three hours may lie around midnight
    assert await lines(owner, "model") == {"echo": ("echo", 6, 12)}
