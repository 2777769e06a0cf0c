"""The trail as people look for something in it: by words, dates, what it was done to, and by the day."""

import pytest

from guildhall_sdk import rfc3339

pytestmark = pytest.mark.every_database

PATHS = ("/api/audit", "/api/org/audit")


async def seen(client, path, **params):
    answer = await client.get(path, params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_what_is_sought_by_words_dates_and_thing_is_found_and_counted_by_the_day(hall):
    owner, member = hall.acme.org_owner, hall.acme.member
    note = (await member.post("/api/notes", {"title": "Secret name", "body": ""})).json()["id"]
    first = hall.clock.now_ms()
    hall.clock.advance(days=2)
    await owner.post("/api/features/chat", {"enabled": False})
    await owner.post("/api/features/chat", {"enabled": True})
    await member.put(f"/api/notes/{note}", {"body": "more"})
    await hall.globex.admin.post("/api/features/chat", {"enabled": False})
    for path in PATHS:

        async def actions(path=path, **params):
            return [event["action"] for event in (await seen(owner, path, **params))["items"]]

        assert await actions(target=note) == ["note.updated", "note.created"]
        assert await actions(target=note, action="note.created") == ["note.created"]
        assert await actions(target=note, actor=owner.user_id) == []
        assert await actions(q="CHAT true") == ["feature.changed"]
        assert await actions(q=f"{member.person.username} created") == ["note.created"]
        assert await actions(q="secret") == []
        since = rfc3339(first + 1)
        assert await actions(**{"from": since, "actor": member.user_id}) == ["note.updated"]
        assert await actions(to=since, actor=member.user_id) == ["note.created"]

        days = (await seen(owner, f"{path}/days"))["items"]
        assert len(days) in (30, 31) and days[-1]["events"] >= 3 and not days[-1]["more"]
        assert days[-2]["events"] == 0 and days[-3]["events"] >= 1
        days = (await seen(owner, f"{path}/days", actor=member.user_id, **{"from": since}))["items"]
        assert days[-1]["events"] == 1
        for wrong in ({"from": "yesterday"}, {"from": "2020-01-01T00:00:00Z"}):
            assert (await owner.get(f"{path}/days", params=wrong)).status_code == 400
        assert (await owner.get(path, params={"from": rfc3339(first), "to": rfc3339(0)})).status_code == 400
    assert (await member.get("/api/audit/days")).status_code == 403
