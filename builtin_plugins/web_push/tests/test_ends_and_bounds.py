"""Browsers that are told no more as soon as their session is over; and that nobody waits for a slow one."""

import asyncio

import pytest

from builtin_plugins.web_push import sending
from builtin_plugins.web_push.sending import PushSender
from builtin_plugins.web_push.tests.conftest import Browser
from tests.told_server import ToldServer

DEVICES = "/api/push-devices"


class Requests(list):
    """What a service is sent; it can be waited for."""

    def __init__(self):
        self.came = asyncio.Event()

    def append(self, one):
        super().append(one)
        self.came.set()

    async def until(self, many):
        async with asyncio.timeout(10):
            while len(self) < many:
                self.came.clear()
                await self.came.wait()


async def another_session(hall, person):
    team = (await person.get("/api/whoami")).json()["team"]["id"]
    return hall.bearer((await person.post("/api/session/team", {"team": team})).json()["token"])


@pytest.mark.parametrize("way_out", ["/api/logout", "/api/auth/logout"])
async def test_a_browser_that_signed_out_is_told_nothing(hall, told, share, send, service, way_out):
    person = await hall.join(hall.acme, "member")
    leaving = await another_session(hall, person)
    await told(leaving)
    assert (await leaving.post(way_out)).status_code in (200, 204)
    await share(hall.acme.owner, person)
    await send()
    assert service.requests == []
    assert (await person.get(DEVICES)).json()["items"] == []


async def test_a_session_that_expired_is_told_nothing(hall, told, share, send, service):
    person = await hall.join(hall.acme, "member")
    await told(await another_session(hall, person))
    await share(hall.acme.owner, person)
    hall.clock.advance(days=365)
    await send()
    assert service.requests == []


async def test_nobody_of_a_suspended_company_is_told(hall, told, share, send, service):
    person = await hall.join(hall.acme, "member")
    await told(person)
    await share(hall.acme.owner, person)
    suspended = await hall.operator.post(f"/api/orgs/{hall.acme.org_id}/suspend")
    assert suspended.status_code == 200, suspended.text
    await send()
    assert service.requests == []


async def test_a_browser_taken_over_is_the_newest_and_stays(hall, told):
    await told(hall.acme.colleague, "/shared")
    for number in range(10):
        await told(hall.acme.member, f"/{number}")
    taken = await told(hall.acme.member, "/shared")
    ids = [one["id"] for one in (await hall.acme.member.get(DEVICES)).json()["items"]]
    assert ids[0] == taken.id and len(ids) == 10


async def test_one_browser_whose_service_is_away_is_tried_once_for_all_its_messages(
    hall, told, share, send, service, monkeypatch
):
    monkeypatch.setattr(sending, "_OF_COMPANY", 1)
    await told(hall.acme.member)
    for number in range(3):
        await share(hall.acme.owner, hall.acme.member, f"Plan {number}")
    service.answer(b"", 503)
    await send()
    assert len(service.requests) == 1
    service.answer(b"", 201)
    hall.clock.advance(minutes=1)
    await send()
    assert len(service.requests) == 4


async def test_a_slow_service_of_one_company_keeps_no_other_waiting(hall, told, share, service, monkeypatch):
    monkeypatch.setattr(sending, "_OF_COMPANY", 2)
    slow = ToldServer()
    await slow.start()
    slow.silent, slow.requests, service.requests = True, Requests(), Requests()
    for number in range(4):
        subscription = Browser(f"{slow.url}/{number}").subscription
        assert (await hall.acme.member.post(DEVICES, subscription)).status_code == 201
    chosen = {"notes.shared": {"push": True}}
    assert (await hall.acme.member.put("/api/notification-settings", chosen)).status_code == 200
    await share(hall.acme.owner, hall.acme.member)
    hall.clock.advance(seconds=1)
    other = await hall.join(hall.globex, "member")
    await told(other)
    await share(hall.globex.owner, other)
    working = asyncio.ensure_future(hall.server.host.service(PushSender).work())
    try:
        await slow.requests.until(2)
        await service.requests.until(1)
        # Whoever is told meanwhile is told at once.
        await share(hall.globex.owner, other, "Another")
        await service.requests.until(2)
        assert len(slow.requests) == 2
    finally:
        working.cancel()
        await asyncio.wait({working})
        await slow.stop()
