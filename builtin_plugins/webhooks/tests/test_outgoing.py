"""Events that are sent to an address: signed, once each, and what the owner may know alone."""

import asyncio

import pytest

from builtin_plugins.webhooks.tests.conftest import is_signed

pytestmark = pytest.mark.shared_server


async def test_an_event_is_sent_signed_and_listed_with_both_bodies(hall, outgoing, receiver):
    receiver.answer(b"Thanks", 202)
    webhook = await outgoing.create()
    assert webhook["secret"].startswith("whsec_")
    note = await outgoing.write_note()
    [request] = receiver.requests
    line, headers, _ = request
    assert (line, headers["content-type"]) == ("POST /in HTTP/1.1", "application/json")
    assert is_signed(request, webhook["secret"])
    [body] = outgoing.bodies
    assert body.keys() == {"type", "timestamp", "data"}
    assert (body["type"], body["data"]) == ("note.changed", {"note_id": note["id"], "change": "created"})
    [delivery] = await outgoing.deliveries(webhook)
    assert delivery["id"] == headers["webhook-id"]
    assert (delivery["state"], delivery["attempts"], delivery["status"]) == ("delivered", 1, 202)
    assert delivery["response"] == {"status": 202, "body": "Thanks"}
    assert delivery["request"]["body"].encode() == request[2]
    shown = await outgoing.owner.get("/api/webhooks")
    assert webhook["secret"] not in shown.text
    assert [one["id"] for one in shown.json()["items"]] == [webhook["id"]]


async def test_a_filter_and_the_names_of_events_leave_out_the_rest(hall, outgoing):
    await outgoing.create(filter={"change": "deleted"})
    note = await outgoing.write_note()
    assert outgoing.bodies == []
    await outgoing.owner.delete(f"/api/notes/{note['id']}")
    await hall.drain_jobs()
    assert [body["data"]["change"] for body in outgoing.bodies] == ["deleted"]


async def test_in_a_filter_true_is_no_number(hall, outgoing):
    text = {"content-type": "text/plain"}
    await outgoing.create(["object.written"], filter={"created": 1})
    await outgoing.create(["object.written"], filter={"created": True, "number": 1})
    for _ in range(2):
        put = await outgoing.owner.request("PUT", "/api/repo/plan.txt", content=b"tar", headers=text)
        assert put.status_code in (200, 201), put.text
    await hall.drain_jobs()
    assert [(body["data"]["created"], body["data"]["number"]) for body in outgoing.bodies] == [(True, 1)]


async def test_a_webhook_hears_of_its_own_team_alone(hall, outgoing):
    await outgoing.create()
    await outgoing.write_note(as_=hall.globex.owner)
    assert outgoing.bodies == []
    webhook = await outgoing.create()
    for method, path in (
        ("GET", ""),
        ("PATCH", ""),
        ("DELETE", ""),
        ("POST", "/rotate"),
        ("POST", "/test"),
        ("GET", "/deliveries"),
    ):
        foreign = await hall.globex.owner.request(
            method, f"/api/webhooks/{webhook['id']}{path}", {} if method == "PATCH" else None
        )
        assert foreign.status_code == 404, path


async def test_what_the_owner_may_not_read_at_that_moment_is_not_sent(hall, outgoing, receiver):
    webhook = await outgoing.create()
    private = await outgoing.write_note(as_=hall.acme.member, visibility="private")
    await hall.acme.member.delete(f"/api/notes/{private['id']}")
    await hall.drain_jobs()
    assert receiver.requests == []
    states = [(one["state"], one["error"]) for one in await outgoing.deliveries(webhook)]
    assert states == [("skipped", "not_readable")] * 2


async def test_nobody_receives_for_somebody_who_has_left(hall, outgoing, receiver):
    colleague = await hall.join(hall.acme, role="admin")
    webhook = await outgoing.create(as_=colleague)
    left = await outgoing.owner.delete(f"/api/members/{colleague.user_id}")
    assert left.status_code == 204, left.text
    await outgoing.write_note()
    assert receiver.requests == []
    stopped = await outgoing.read(webhook)
    assert (stopped["enabled"], stopped["stopped"]["code"]) == (False, "person_removed")
    revived = await outgoing.owner.patch(f"/api/webhooks/{webhook['id']}", {"enabled": True})
    assert (revived.json()["stopped"], revived.json()["owner"]["id"]) == (None, outgoing.owner.user_id)
    await outgoing.write_note()
    assert len(receiver.requests) == 2, "what waited is sent too, as its new owner may know it"


async def test_a_new_secret_signs_beside_the_one_before_for_a_day(hall, outgoing, receiver):
    webhook = await outgoing.create()
    rotated = (await outgoing.owner.post(f"/api/webhooks/{webhook['id']}/rotate")).json()
    assert rotated["secret"] != webhook["secret"]
    await outgoing.write_note()
    assert is_signed(receiver.requests[0], rotated["secret"])
    assert is_signed(receiver.requests[0], webhook["secret"])
    hall.clock.advance(hours=25)
    await outgoing.write_note()
    assert is_signed(receiver.requests[1], rotated["secret"])
    assert not is_signed(receiver.requests[1], webhook["secret"])


async def test_a_test_is_sent_and_a_delivery_is_sent_again_under_its_id(hall, outgoing, receiver):
    webhook = await outgoing.create()
    tried = await outgoing.owner.post(f"/api/webhooks/{webhook['id']}/test")
    assert tried.status_code == 202, tried.text
    await hall.drain_jobs()
    assert outgoing.bodies[0]["type"] == "webhook.test"
    path = f"/api/webhooks/{webhook['id']}/deliveries/{tried.json()['id']}/redeliver"
    again = await outgoing.owner.post(path)
    assert (again.status_code, again.json()["state"]) == (202, "waiting")
    await hall.drain_jobs()
    assert outgoing.ids == [tried.json()["id"]] * 2
    assert receiver.requests[0][2] == receiver.requests[1][2]


async def test_what_is_off_is_sent_nothing(hall, outgoing, receiver):
    webhook = await outgoing.create(enabled=False)
    await outgoing.write_note()
    await outgoing.owner.patch(f"/api/webhooks/{webhook['id']}", {"enabled": True})
    await hall.drain_jobs()
    assert receiver.requests == []
    await outgoing.write_note()
    assert len(receiver.requests) == 1
    await outgoing.owner.delete(f"/api/webhooks/{webhook['id']}")
    await outgoing.write_note()
    assert len(receiver.requests) == 1


async def test_events_of_jobs_do_not_cause_themselves(hall, outgoing, receiver):
    webhook = await outgoing.create(["job.ended"])
    job = await outgoing.owner.post(
        "/api/jobs", {"kind": "x.example-tools.word-count", "payload": {"text": "one two"}}
    )
    if job.status_code == 202:
        await outgoing.owner.post(f"/api/jobs/{job.json()['id']}/cancel")
    await outgoing.owner.post(f"/api/webhooks/{webhook['id']}/test")
    for _ in range(3):
        await hall.drain_jobs()
    assert len([body for body in outgoing.bodies if body["type"] == "job.ended"]) <= 1


async def test_in_order_an_address_has_one_after_the_other(hall, outgoing, receiver):
    webhook = await outgoing.create(ordered=True)
    receiver.answer(b"", 500)
    notes = [(await outgoing.write_note(f"Tar {number}"))["id"] for number in range(3)]
    await outgoing.pass_by(seconds=2)
    assert [body["data"]["note_id"] for body in outgoing.bodies] == [notes[0]]
    receiver.answer(b"", 200)
    await outgoing.pass_by(seconds=10)
    await outgoing.pass_by(seconds=10)
    assert [body["data"]["note_id"] for body in outgoing.bodies] == [notes[0], *notes]
    assert {one["state"] for one in await outgoing.deliveries(webhook)} == {"delivered"}


@pytest.mark.any_database
@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"events": ["nothing.happened"]}, "/events/0"),
        ({"events": []}, "/events"),
        ({"filter": {"change": ["a"]}}, "/filter/change"),
        ({"ordered": "yes"}, "/ordered"),
        ({"secret": "mine"}, "/secret"),
    ],
)
async def test_what_makes_no_sense_is_named(hall, outgoing, fields, pointer):
    body = {"url": "https://example.com/in", "events": ["note.changed"], **fields}
    answer = await outgoing.owner.post("/api/webhooks", body)
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (400, pointer)


@pytest.mark.any_database
async def test_who_may_not_change_workflows_changes_no_webhook(hall, outgoing):
    webhook = await outgoing.create()
    body = {"url": "https://example.com/in", "events": ["note.changed"]}
    assert (await hall.acme.viewer.post("/api/webhooks", body)).status_code == 403
    assert (await hall.acme.viewer.get(f"/api/webhooks/{webhook['id']}")).status_code == 200
    assert (await hall.acme.viewer.delete(f"/api/webhooks/{webhook['id']}")).status_code == 403


@pytest.mark.any_database
@pytest.mark.own_server
async def test_an_address_inside_is_refused_when_it_is_chosen_and_when_it_is_used(open_hall, tools, receiver):
    body = {"url": f"{receiver.url}/in", "events": ["note.changed"]}
    async with open_hall(tools) as hall:
        answer = await hall.acme.owner.post("/api/webhooks", body)
        assert (answer.status_code, answer.json()["code"]) == (400, "endpoint_refused")
        for url in (
            "ftp://example.com/",
            "http://169.254.169.254/latest/meta-data",
            "http://user@example.com/",
        ):
            assert (await hall.acme.owner.post("/api/webhooks", {**body, "url": url})).status_code == 400


@pytest.mark.any_database
async def test_every_event_can_be_chosen_with_when_it_happens(hall, outgoing):
    items = (await outgoing.owner.get("/api/webhook-events")).json()["items"]
    names = {one["name"] for one in items}
    assert {"object.written", "note.changed", "run.ended", "job.ended", "member.joined"} <= names
    assert all(one["doc"] for one in items)


async def test_many_at_once_are_each_sent_once(hall, outgoing, receiver):
    await outgoing.create()
    async with asyncio.TaskGroup() as group:
        for number in range(20):
            group.create_task(hall.acme.owner.post("/api/notes", {"title": f"Tar {number}", "body": ""}))
    for _ in range(3):
        await hall.drain_jobs()
    told = [body["data"]["note_id"] for body in outgoing.bodies]
    assert len(told) == len({*told}) == 20
