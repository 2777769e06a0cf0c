"""`Subscription.wanted`: an event is recorded for those whose own query finds something."""

import json

import pytest

from guildhall_sdk import Origin, Statement
from guildhall_sdk.subscriptions import NOTE_CHANGED, OBJECT_WRITTEN, Events, NoteChanged, ObjectWritten

pytestmark = pytest.mark.any_database


def query(sqlite, postgresql=None):
    return Statement("wanted", sqlite, postgresql or sqlite)


SHARED = query(
    "SELECT id FROM notes "
    "WHERE team_id = :team_id AND id = :note_id AND visibility = 'team' AND deleted_at IS NULL"
)
FAILING = query("SELECT json('{')", "SELECT 1 / 0")
UNDER_A = query(
    "SELECT number FROM (SELECT 1 AS number UNION SELECT 2) AS them "
    "WHERE :key = 'a/b' AND :media_type = 'text/x'"
)


async def post_note(client, **fields):
    response = await client.post("/api/notes", {"title": "t", "body": "b", **fields})
    assert response.status_code == 201, response.text
    return response.json()["id"]


@pytest.mark.every_database
async def test_it_is_recorded_where_the_query_finds_something_and_says_what(open_hall, make_ear, rows):
    ear = make_ear(wanted=SHARED)
    async with open_hall(ear.plugin) as hall:
        await post_note(hall.acme.member)
        assert await rows(hall, "SELECT id FROM event_outbox") == []
        note_id = await post_note(hall.acme.member, visibility="team")
        await hall.drain_jobs()
        assert [(call.payload.note_id, call.matches) for call in ear.heard] == [(note_id, [note_id])]


async def test_what_it_found_is_what_was_there_when_the_event_happened(open_hall, make_ear):
    ear = make_ear(wanted=SHARED)
    async with open_hall(ear.plugin) as hall:
        await hall.server.declared.fan_out.stop()
        note_id = await post_note(hall.acme.member, visibility="team")
        await hall.acme.member.delete(f"/api/notes/{note_id}")
        await hall.drain_jobs()
        assert [call.matches for call in ear.heard] == [[note_id]]


async def test_facts_are_looked_at_and_recorded_nowhere(open_hall, make_ear, rows):
    ear = make_ear("object.written", wanted=UNDER_A)
    async with open_hall(ear.plugin) as hall:
        await hall.server.declared.fan_out.stop()
        headers = {"Content-Type": "Text/X; charset=utf-8"}
        for key in ("a/b", "a/c"):
            await hall.acme.member.put(f"/api/repo/{key}", content=b"x", headers=headers)
        (recorded,) = await rows(hall, "SELECT payload, matches FROM event_outbox")
        assert "a/b" not in recorded["payload"] and json.loads(recorded["matches"]) == [1, 2]


@pytest.mark.every_database
async def test_one_that_fails_undoes_nobodys_write_and_loses_no_event(open_hall, make_ear, caplog):
    ear, other = make_ear(wanted=FAILING), make_ear(plugin_id="other", wanted=SHARED)
    async with open_hall(ear.plugin, other.plugin) as hall:
        note_id = await post_note(hall.acme.member, visibility="team")
        assert (await hall.acme.member.get(f"/api/notes/{note_id}")).status_code == 200
        await hall.drain_jobs()
        assert [call.matches for call in ear.heard] == [None]
        assert [call.matches for call in other.heard] == [[note_id]]
    assert "event.wanted_failed" in caplog.text


async def test_more_than_an_event_may_carry_is_left_to_the_handler(open_hall, make_ear):
    long = "x" * 70_000
    ear = make_ear(wanted=query(f"SELECT '{long}'"))
    async with open_hall(ear.plugin) as hall:
        await post_note(hall.acme.member)
        await hall.drain_jobs()
        assert [call.matches for call in ear.heard] == [None]


async def test_a_publisher_gives_the_facts_that_its_event_declares(open_hall, make_ear):
    ear, other = make_ear("object.written"), make_ear(plugin_id="other")
    written = ObjectWritten(
        object_id="obj_1",
        version_id="ver_1",
        number=1,
        content_type="text/plain",
        size=1,
        created=True,
        derived=False,
        fires_triggers=True,
    )
    async with open_hall(ear.plugin, other.plugin) as hall:
        origin = Origin(org_id=hall.acme.org_id, team_id=hall.acme.id, user_id=hall.acme.member.user_id)
        events = hall.server.service(Events)
        for event, payload, facts in (
            (OBJECT_WRITTEN, written, {"key": "a"}),
            (NOTE_CHANGED, NoteChanged(note_id="note_1", change="created"), {"key": "a"}),
        ):
            with pytest.raises(TypeError, match=f"the event {event.name} takes the facts"):
                async with hall.server.data.write() as writer:
                    await events.emit(writer, event, payload, origin, facts=facts)
