"""Whoever causes an event that no webhook wants pays nothing for webhooks, in every process."""

import pytest

from builtin_plugins.webhooks.hearing import Hearing
from guildhall_sdk.subscriptions import NOTE_CHANGED, Events

pytestmark = pytest.mark.shared_server


@pytest.fixture
def asked(hall, monkeypatch):
    """The events for which the server asks whether a webhook wants them."""
    found, outbox = [], hall.server.service(Events)
    matches = outbox._matches

    async def asks(writer, listener, payload, given):
        if listener.kind == "events.webhooks.on-event":
            found.append((given["event"], given["team_id"]))
        return await matches(writer, listener, payload, given)

    monkeypatch.setattr(outbox, "_matches", asks, raising=False)
    return found


async def test_only_what_a_team_wants_is_asked_for(hall, outgoing, asked):
    hearing = hall.server.host.service(Hearing)
    await hearing.look()
    await outgoing.write_note()
    assert asked == []
    webhook = await outgoing.create()
    await outgoing.write_note(as_=hall.globex.owner)
    assert asked == []
    await outgoing.write_note()
    assert asked == [("note.changed", hall.acme.team_id)]
    await outgoing.owner.delete(f"/api/webhooks/{webhook['id']}")
    await hearing.look()
    await outgoing.write_note()
    assert len(asked) == 1


async def test_what_another_process_made_is_known_after_a_look(hall, outgoing, receiver, monkeypatch):
    look = Hearing.look

    async def not_yet(hearing):
        return None

    monkeypatch.setattr(Hearing, "look", not_yet)
    await outgoing.create()
    hall.server.service(Events).narrow("webhooks.on-event", {})
    await outgoing.write_note()
    assert receiver.requests == []
    await look(hall.server.host.service(Hearing))
    await outgoing.write_note()
    assert len(receiver.requests) == 1


async def test_in_doubt_every_event_is_asked_for(hall, outgoing, receiver):
    await outgoing.create()
    hall.server.service(Events).narrow("webhooks.on-event", None)
    assert hall.server.service(Events).wanted(NOTE_CHANGED)
    await outgoing.write_note()
    assert len(receiver.requests) == 1
