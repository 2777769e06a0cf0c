"""The sample notes of a team: each once, ordinary otherwise."""

import asyncio

import pytest

from builtin_plugins.notes.samples import NOTES
from guildhall_sdk.dimensions import Quotas

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

ALL_NEW = {"created": len(NOTES), "existing": 0}
ALL_THERE = {"created": 0, "existing": len(NOTES)}


async def seed(client):
    answer = await client.post("/api/admin/seed")
    assert answer.status_code == 200, answer.text
    return answer.json()["notes"]


async def notes_of(client):
    return (await client.get("/api/notes")).json()["items"]


async def stored(client):
    items = (await client.get("/api/usage")).json()["items"]
    return next(
        item["used"] for item in items if (item["dimension"], item["level"]) == ("storage.bytes", "team")
    )


async def test_a_team_gets_each_sample_once_and_no_other_team_any(hall):
    assert await seed(hall.acme.admin) == ALL_NEW
    notes = await notes_of(hall.acme.viewer)
    assert {(note["title"], note["body"]) for note in notes} == {(note.title, note.body) for note in NOTES}
    assert {note["visibility"] for note in notes} == {"team"}
    assert {note["owner"]["id"] for note in notes} == {hall.acme.admin.user_id}
    assert await seed(hall.acme.owner) == ALL_THERE
    assert await notes_of(hall.acme.viewer) == notes
    for client in (hall.acme.second_team.owner, hall.globex.owner):
        assert await notes_of(client) == []
    assert await seed(hall.acme.second_team.admin) == ALL_NEW
    assert len(await notes_of(hall.acme.viewer)) == len(NOTES)


@pytest.mark.every_database
async def test_of_many_who_seed_at_once_one_set_stays(hall):
    callers = [hall.acme.admin, hall.acme.owner, hall.acme.org_admin, hall.acme.org_owner] * 2
    answers = await asyncio.gather(*(seed(client) for client in callers))
    assert sorted(answer["created"] for answer in answers) == [0] * 7 + [len(NOTES)]
    assert len(await notes_of(hall.acme.viewer)) == len(NOTES)
    size = sum(len((note.title + note.body).encode()) for note in NOTES)
    others = (await hall.acme.admin.get("/api/repo")).json()["items"]
    assert await stored(hall.acme.member) == size + sum(item["size"] for item in others)
    events = (await hall.acme.admin.get("/api/audit")).json()["items"]
    seeded = [event["detail"] for event in events if event["action"] == "team.seeded"]
    assert seeded.count({"notes": len(NOTES)}) == 1
    assert [event["action"] for event in events].count("note.created") == len(NOTES)


async def test_a_changed_sample_stays_as_it_is_and_a_deleted_one_comes_back(hall):
    await seed(hall.acme.admin)
    changed, deleted, *_ = await notes_of(hall.acme.admin)
    await hall.acme.admin.put(f"/api/notes/{changed['id']}", {"title": "Ours now", "body": "Changed"})
    await hall.acme.admin.delete(f"/api/notes/{deleted['id']}")
    assert await seed(hall.acme.admin) == {"created": 1, "existing": len(NOTES) - 1}
    titles = [note["title"] for note in await notes_of(hall.acme.admin)]
    assert len(titles) == len(NOTES)
    assert {"Ours now", deleted["title"]} <= set(titles)
    assert changed["title"] not in titles


async def test_a_sample_leaves_the_teams_own_notes_alone(hall, write_note):
    own = await write_note(hall.acme.member, title=NOTES[0].title, body=NOTES[0].body)
    assert await seed(hall.acme.admin) == ALL_NEW
    assert len(await notes_of(hall.acme.member)) == len(NOTES) + 1
    assert (await hall.acme.member.get(f"/api/notes/{own['id']}")).json() == own


@pytest.mark.parametrize("level", ["team", "org"])
async def test_samples_that_do_not_fit_are_not_made_in_part(hall, level):
    subject = hall.acme.team_id if level == "team" else hall.acme.org_id
    async with hall.server.data.write() as writer:
        await hall.server.service(Quotas).set_limit(
            writer, level, subject, "storage.bytes", "none", len(NOTES[0].title + NOTES[0].body) + 1
        )
    answer = await hall.acme.admin.post("/api/admin/seed")
    assert (answer.status_code, answer.json()["code"]) == (429, "quota_exceeded")
    assert await notes_of(hall.acme.admin) == []
    assert await stored(hall.acme.admin) == 0
