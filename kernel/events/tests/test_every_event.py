"""Subscriptions to every event, and those that hear of some teams alone."""

import pytest

from guildhall_sdk import Statement
from guildhall_sdk.subscriptions import (
    COMPANY_RESUMED,
    EVERY_EVENT,
    NOTE_CHANGED,
    Events,
    NoteChanged,
    ObjectWritten,
)

pytestmark = pytest.mark.any_database

NAMED = "SELECT 1 WHERE :team_id <> '' AND :event IN ('note.changed', 'object.written')"
WANTED = Statement("wanted", NAMED, NAMED)


@pytest.fixture
def ear(make_ear):
    return make_ear(EVERY_EVENT, optional=True, wanted=WANTED)


async def cause_both(client):
    await client.post("/api/notes", {"title": "t", "body": "b"})
    await client.put("/api/repo/plan.txt", content=b"x", headers={"Content-Type": "text/plain"})


@pytest.mark.every_database
async def test_each_event_comes_as_what_it_is(open_hall, ear):
    async with open_hall(ear.plugin) as hall:
        await cause_both(hall.acme.member)
        await hall.drain_jobs()
        heard = {call.event: type(call.payload) for call in ear.heard}
        assert heard == {"note.changed": NoteChanged, "object.written": ObjectWritten}


async def test_who_hears_of_some_teams_alone_is_not_asked_for_others(open_hall, ear):
    async with open_hall(ear.plugin) as hall:
        events = hall.server.service(Events)
        events.narrow("ear.hear", {"note.changed": {hall.acme.team_id}})
        for company in (hall.acme, hall.globex):
            await cause_both(company.member)
        await hall.drain_jobs()
        told = [(call.event, call.origin.team_id) for call in ear.heard]
        assert told == [("note.changed", hall.acme.team_id)]
        events.narrow("ear.hear", {"note.changed": None, "object.written": ()})
        await cause_both(hall.globex.member)
        await hall.drain_jobs()
        assert (len(ear.heard), ear.heard[-1].origin.team_id) == (2, hall.globex.team_id)
        del events.wanted  # of the hall, which records what nobody wants
        assert events.wanted(NOTE_CHANGED)
        events.declare([COMPANY_RESUMED], [("ear", *ear.plugin.declare_subscriptions())])
        events.narrow("ear.hear", {})
        assert not events.wanted(COMPANY_RESUMED)
        events.narrow("ear.hear", None)
        assert events.wanted(COMPANY_RESUMED)
