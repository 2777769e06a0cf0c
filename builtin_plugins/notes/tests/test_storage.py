"""Notes take of the team's and the company's storage what their texts take in UTF-8."""

import asyncio

import pytest

from guildhall_sdk.dimensions import Quotas

pytestmark = [pytest.mark.shared_server, pytest.mark.any_database]


@pytest.fixture
def limit_storage(hall):
    async def limit(level, subject_id, most):
        async with hall.server.data.write() as writer:
            await hall.server.service(Quotas).set_limit(
                writer, level, subject_id, "storage.bytes", "none", most
            )

    return limit


@pytest.fixture
def stored(hall):
    """By the team and by its company."""

    async def stored(client):
        items = (await client.get("/api/usage")).json()["items"]
        found = {item["level"]: item["used"] for item in items if item["dimension"] == "storage.bytes"}
        return found["team"], found["org"]

    return stored


async def test_storage_follows_a_note_through_its_life(hall, write_note, stored):
    author = hall.acme.member
    note = await write_note(author, title="åß", body="12345")
    path = f"/api/notes/{note['id']}"
    assert await stored(author) == (9, 9)
    await author.put(path, {"body": "日本語"})
    assert await stored(author) == (13, 13)
    await author.put(path, {"title": "x", "body": ""})
    assert await stored(author) == (1, 1)
    await author.put(path, {"visibility": "team"})
    assert await stored(author) == (1, 1)
    assert await stored(hall.acme.second_team.member) == (0, 1)
    await author.delete(path)
    assert await stored(author) == (0, 0)


async def test_growth_past_the_limit_changes_nothing(hall, write_note, limit_storage, stored):
    author = hall.acme.member
    note = await write_note(author, title="1234", body="5678")
    path = f"/api/notes/{note['id']}"
    await limit_storage("org", hall.acme.org_id, 10)
    before = await author.get(path)
    for refused in (
        await author.post("/api/notes", {"title": "abc"}),
        await author.put(path, {"body": "5678901"}),
    ):
        assert (refused.status_code, refused.json()["code"]) == (429, "quota_exceeded")
        facts = ("dimension", "level", "limit", "used", "window")
        assert [refused.json()[name] for name in facts] == ["storage.bytes", "org", 10, 8, "none"]
        assert "retry-after" not in refused.headers
    after = await author.get(path)
    assert (after.json(), after.headers["etag"]) == (before.json(), before.headers["etag"])
    assert len((await author.get("/api/notes")).json()["items"]) == 1
    assert (await author.put(path, {"body": "567890"})).status_code == 200
    assert await stored(author) == (10, 10)


async def test_over_the_limit_a_note_can_still_shrink_and_go(hall, write_note, limit_storage, stored):
    author = hall.acme.member
    note = await write_note(author, title="1234", body="5678")
    path = f"/api/notes/{note['id']}"
    await limit_storage("team", hall.acme.team_id, 2)
    assert (await author.put(path, {"body": "56"})).status_code == 200
    assert (await author.delete(path)).status_code == 204
    assert await stored(author) == (0, 0)


async def test_a_colleague_of_another_team_writes_on_the_notes_own_account(hall, write_note, share, stored):
    note = await write_note(hall.acme.member, title="x")
    await share(hall.acme.member, note, hall.acme.second_team.member, "notes:write")
    answer = await hall.acme.second_team.member.put(f"/api/notes/{note['id']}", {"body": "12345"})
    assert answer.status_code == 200, answer.text
    assert await stored(hall.acme.member) == (6, 6)
    assert await stored(hall.acme.second_team.member) == (0, 6)


@pytest.mark.every_database
async def test_parallel_writers_never_pass_the_limit(hall, limit_storage, stored):
    await limit_storage("org", hall.acme.org_id, 100)
    clients = [hall.acme.member, hall.acme.second_team.member] * 16
    answers = await asyncio.gather(*(client.post("/api/notes", {"title": "9 bytes.."}) for client in clients))
    assert sorted(answer.status_code for answer in answers) == [201] * 11 + [429] * 21
    assert (await stored(hall.acme.member))[1] == 99


@pytest.mark.every_database
async def test_a_note_deleted_by_many_at_once_gives_its_bytes_back_once(hall, write_note, stored):
    author = hall.acme.member
    await write_note(author, title="stays")
    path = f"/api/notes/{(await write_note(author, title='goes'))['id']}"
    await asyncio.gather(*(author.delete(path) for _ in range(8)))
    assert await stored(author) == (5, 5)
