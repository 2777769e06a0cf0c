"""Who is told what, once, within the transaction of what happened."""

import asyncio

import pytest

from builtin_plugins.notifications.service import MAX_OF_PERSON, MAX_PARAM, OLD_NOTIFICATIONS, sql
from builtin_plugins.notifications.tests.conftest import RANG
from guildhall_sdk import Plugin, hookimpl
from guildhall_sdk.services.localization import MessageCatalogs
from guildhall_sdk.services.notifications import Notice, NotificationKind, notify
from guildhall_testing.hall import PluginRefused


async def test_people_are_told_by_id_and_by_role_but_not_who_did_it(belfry, texts):
    acme, globex = belfry.hall.acme, belfry.hall.globex
    await belfry.ring(
        acme, acme.member, globex.member, roles=["owner"], team_id=acme.team_id, by=acme.owner.user_id
    )
    told = {name: await texts(acme[name]) for name in ("owner", "org_owner", "member", "admin")}
    assert told == {"owner": [], "org_owner": ["A bell for all"], "member": ["A bell for all"], "admin": []}
    assert await texts(globex.member) == []


async def test_a_key_tells_once_however_often_and_by_however_many(belfry, texts):
    acme = belfry.hall.acme
    await asyncio.gather(*(belfry.ring(acme, acme.member, key="noon") for _ in range(6)))
    await acme.member.post("/api/notifications/read", {"all": True})
    await belfry.ring(acme, acme.member, key="noon")
    await belfry.ring(acme, acme.member, key="midnight", params={"count": 2, "who": "x"})
    assert await texts(acme.member) == ["2 bells for x", "A bell for all"]
    assert len(belfry.bells.delivered) == 2


async def test_what_is_rolled_back_is_told_to_nobody(belfry, texts):
    acme, host = belfry.hall.acme, belfry.hall.server.host
    notice = Notice(kind=RANG, org_id=acme.org_id, people=[acme.member.user_id], link="/")
    with pytest.raises(ZeroDivisionError):
        async with host.data.write() as writer:
            await notify(host, writer, notice)
            raise ZeroDivisionError
    assert await texts(acme.member) == []


async def test_a_channel_is_given_what_each_person_chose_and_its_fault_stops_nothing(belfry, texts):
    acme = belfry.hall.acme
    await acme.member.put("/api/notification-settings", {"bells.rang": {"mail": "daily", "push": True}})
    await belfry.ring(acme, acme.member, acme.viewer)
    chosen = {one.user_id: (one.mail, one.push) for one in belfry.bells.delivered}
    assert chosen == {acme.member.user_id: ("daily", True), acme.viewer.user_id: ("never", False)}
    belfry.bells.fault = ZeroDivisionError()
    await belfry.ring(acme, acme.member)
    assert len(await texts(acme.member)) == 2


async def test_an_inbox_keeps_the_newest_and_those_of_some_months(belfry, inbox):
    acme, data = belfry.hall.acme, belfry.hall.server.data
    for number in range(MAX_OF_PERSON + 3):
        await belfry.ring(acme, acme.member, params={"count": number, "who": "x" * 300})
    told = await inbox(acme.member, "?limit=1")
    assert told["unread"] == MAX_OF_PERSON
    assert told["items"][0]["params"] == {"count": MAX_OF_PERSON + 2, "who": "x" * MAX_PARAM}
    belfry.hall.clock.advance(days=1)
    now = belfry.hall.clock.now_ms()
    async with data.write() as writer:
        assert await OLD_NOTIFICATIONS.count(writer, now) == MAX_OF_PERSON
        assert await OLD_NOTIFICATIONS.delete_expired(writer, now, 100) == 100
        assert int(await writer.value(sql.count_old, before="ntf_~")) == MAX_OF_PERSON - 100


@pytest.mark.any_database
@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"name": "others.rang"}, "must be named bells"),
        ({"mail": "hourly"}, "mail must be one of"),
        ({"text": "notes.title"}, "the plugin's own catalog"),
    ],
)
async def test_a_kind_that_is_wrong_keeps_its_plugin_out(open_hall, bells, fields, words):
    kind = NotificationKind(**{"name": "bells.rang", "title": "bells.title", "text": "bells.text", **fields})

    class Wrong:
        PLUGIN = Plugin("bells", "Bells", "1.0", "Rings.", requires=("notifications",))

        @hookimpl
        def declare_notification_kinds(self):
            return [kind]

        @hookimpl
        def declare_catalogs(self):
            return [MessageCatalogs(namespace="bells", folder=bells.folder)]

    with pytest.raises(PluginRefused, match=words):
        async with open_hall(Wrong()):
            pass


@pytest.mark.any_database
async def test_without_the_plugin_everything_else_goes_on(open_hall, share):
    async with open_hall(SERVICE_PLUGINS_BLOCKED="notifications") as hall:
        await share(hall.acme.member, hall.acme.colleague)
        assert (await hall.acme.colleague.get("/api/notifications")).status_code == 404
