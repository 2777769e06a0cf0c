"""A hall whose inboxes tests fill by sharing notes, and read in few words."""

import json
from types import SimpleNamespace

import pytest

from guildhall_sdk import Plugin, hookimpl
from guildhall_sdk.services.localization import MessageCatalogs
from guildhall_sdk.services.notifications import Notice, NotificationChannel, NotificationKind, notify

RANG = NotificationKind(name="bells.rang", title="bells.title", text="bells.text", mail="never")


@pytest.fixture
def share():
    """`await share(by, person, "A title")`: a note that is shared by name, as the answer shows it."""

    async def share(by, person, title="A note"):
        note = (await by.post("/api/notes", {"title": title})).json()
        body = {"user_id": person.user_id, "permission": "notes:read"}
        answer = await by.post(f"/api/notes/{note['id']}/share", body)
        assert answer.status_code == 200, answer.text
        return note

    return share


@pytest.fixture
def inbox():
    """`await inbox(client, "?unread=1")`: the first page of somebody's inbox."""

    async def inbox(client, query=""):
        answer = await client.get(f"/api/notifications{query}")
        assert answer.status_code == 200, answer.text
        return answer.json()

    return inbox


@pytest.fixture
def texts(inbox):
    async def texts(client, query=""):
        return [item["text"] for item in (await inbox(client, query))["items"]]

    return texts


class Bells:
    """A plugin that tells people of bells, and a channel that writes down what it is given."""

    PLUGIN = Plugin("bells", "Bells", "1.0", "Rings.", requires=("notifications",))

    def __init__(self, folder):
        folder.mkdir()
        text = "{count, plural, one {A bell} other {# bells}} for {who}"
        (folder / "en.json").write_text(json.dumps({"bells.title": "A bell", "bells.text": text}))
        self.folder, self.delivered, self.fault = folder, [], None

    @hookimpl
    def declare_notification_kinds(self):
        return [RANG]

    @hookimpl
    def declare_catalogs(self):
        return [MessageCatalogs(namespace="bells", folder=self.folder)]

    @hookimpl
    def declare_notification_channels(self):
        return [NotificationChannel(name="noting", deliver=self.deliver)]

    async def deliver(self, host, writer, notified):
        if self.fault is not None:
            raise self.fault
        self.delivered += notified


@pytest.fixture
def bells(tmp_path):
    return Bells(tmp_path / "bells")


@pytest.fixture
async def belfry(open_hall, bells):
    """A hall with the plugin; `ring(company, *people)` tells them in one transaction."""
    async with open_hall(bells) as hall:

        async def ring(company, *people, **more):
            hall.clock.advance(milliseconds=1)  # ids of one moment have no order
            fields = {"params": {"count": 1, "who": "all"}, "link": "/", **more}
            notice = Notice(
                kind=RANG, org_id=company.org_id, people=[one.user_id for one in people], **fields
            )
            async with hall.server.data.write() as writer:
                await notify(hall.server.host, writer, notice)

        yield SimpleNamespace(hall=hall, ring=ring, bells=bells)
