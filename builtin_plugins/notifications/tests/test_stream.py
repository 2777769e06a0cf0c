"""The stream of an inbox."""

import asyncio

import pytest

pytestmark = pytest.mark.shared_server

EVENTS = "/api/notifications/events"


async def the_next(events, name):
    async with asyncio.timeout(60):
        while (event := await anext(events)).event != name:
            pass
    return event


async def test_what_is_new_comes_with_its_id_and_how_many_are_unread(hall, share, inbox):
    acme = hall.acme
    await share(acme.member, acme.colleague, "before")
    async with acme.colleague.events("GET", EVENTS) as events:
        assert (await the_next(events, "unread")).data == {"unread": 1}
        await share(acme.member, acme.viewer, "somebody else's")
        await share(acme.member, acme.colleague, "now")
        event = await the_next(events, "notification")
        (newest, _) = (await inbox(acme.colleague))["items"]
        assert (event.id, event.data) == (newest["id"], newest)
        assert (await the_next(events, "unread")).data == {"unread": 2}
        await acme.colleague.post("/api/notifications/read", {"all": True})
        assert (await the_next(events, "unread")).data == {"unread": 0}


async def test_who_comes_back_hears_what_they_missed_once(hall, share, inbox):
    acme = hall.acme
    for title in ("one", "two", "three"):
        await share(acme.member, acme.colleague, title)
    ids = [item["id"] for item in (await inbox(acme.colleague))["items"]][::-1]
    async with acme.colleague.events("GET", EVENTS, headers={"Last-Event-ID": ids[0]}) as events:
        missed = [(await the_next(events, "notification")).id for _ in range(2)]
        assert missed == ids[1:]
        await share(acme.member, acme.colleague, "four")
        assert (await the_next(events, "notification")).data["params"]["title"] == "four"


@pytest.mark.any_database
async def test_what_is_no_id_is_refused(hall):
    answer = await hall.acme.member.get(EVENTS, headers={"Last-Event-ID": "1"})
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")
