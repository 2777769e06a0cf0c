"""Who writes in a note just now."""

import asyncio

import pytest

from builtin_plugins.notes.live import EDITING_MS

pytestmark = pytest.mark.shared_server


def code(response):
    return response.status_code, response.json().get("code")


async def names(client, note):
    answer = await client.get(f"/api/notes/{note['id']}/editing")
    assert answer.status_code == 200, answer.text
    return [one["user_id"] for one in answer.json()["items"]]


async def test_who_writes_is_told_to_who_may_read_and_to_nobody_else(hall, write_note, share):
    acme = hall.acme
    author, note = acme.member, await write_note(acme.member)
    path = f"/api/notes/{note['id']}/editing"
    assert (await author.post(path)).json() == {"items": [], "next_cursor": None}
    for stranger in (acme.admin, hall.globex.owner):
        for call in (stranger.get, stranger.post, stranger.delete):
            assert code(await call(path)) == (404, "not_found")
    await share(author, note, acme.colleague)
    assert await names(acme.colleague, note) == [author.user_id]
    assert await names(author, note) == []
    assert code(await acme.colleague.post(path)) == (403, "permission_denied")
    await share(author, note, acme.colleague, "notes:write")
    others = (await acme.colleague.post(path)).json()["items"]
    assert [one["user_id"] for one in others] == [author.user_id] and others[0]["name"]
    assert code(await acme.reader.get(f"{path}?scope=org")) == (404, "not_found")
    assert (await author.delete(path)).status_code == 204
    assert await names(acme.colleague, note) == []
    assert await names(author, note) == [acme.colleague.user_id]


async def test_who_is_not_heard_of_again_writes_no_more(hall, write_note):
    author, note = hall.acme.member, await write_note(hall.acme.member, visibility="team")
    path = f"/api/notes/{note['id']}/editing"
    await asyncio.gather(*(author.post(path) for _ in range(5)))
    assert await names(hall.acme.viewer, note) == [author.user_id]
    assert len((await hall.acme.reader.get(f"{path}?scope=org")).json()["items"]) == 1
    hall.clock.advance(seconds=EDITING_MS / 1000 - 1)
    assert await names(hall.acme.viewer, note) == [author.user_id]
    hall.clock.advance(seconds=1)
    assert await names(hall.acme.viewer, note) == []
    assert EDITING_MS <= 30_000
    await author.delete(f"/api/notes/{note['id']}")
    assert code(await author.post(path)) == (404, "not_found")
