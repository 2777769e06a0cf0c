"""Browsers that are told: who is, of what, by which service, and when no more."""

import json

import pytest

DEVICES = "/api/push-devices"


async def test_a_browser_is_told_what_its_service_cannot_read(hall, told, share, send, service):
    there = await told(hall.acme.member)
    note = await share(hall.acme.owner, hall.acme.member)
    await send()
    [(line, headers, body)] = service.requests
    assert line == "POST /1 HTTP/1.1"
    assert (headers["content-encoding"], headers["ttl"]) == ("aes128gcm", "86400")
    known = (await hall.acme.member.get(DEVICES)).json()
    assert headers["authorization"].endswith(f"k={known['public_key']}")
    assert b"The plan" not in body
    said = json.loads(there.browser.read(body))
    inbox = (await hall.acme.member.get("/api/notifications")).json()["items"]
    assert said == {name: inbox[0][name] for name in ("id", "text", "link")}
    assert note in said["link"] and "The plan" in said["text"]
    # Once, and nobody who did not ask for it.
    await share(hall.acme.owner, hall.acme.colleague, "Another")
    await send()
    assert len(service.requests) == 1


async def test_what_was_read_meanwhile_is_not_sent(hall, told, share, send, service):
    await told(hall.acme.member)
    await share(hall.acme.owner, hall.acme.member)
    await hall.acme.member.post("/api/notifications/read", {"all": True})
    await send()
    assert service.requests == []


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_a_service_that_is_away_is_tried_again(hall, told, share, send, service, status):
    await told(hall.acme.member)
    await share(hall.acme.owner, hall.acme.member)
    service.answer(b"", status)
    await send()
    await send()
    assert len(service.requests) == 1
    for minutes in (1, 5, 30, 240, 24 * 60):
        hall.clock.advance(minutes=minutes)
        await send()
    assert len(service.requests) == 5
    assert len((await hall.acme.member.get(DEVICES)).json()["items"]) == 1


@pytest.mark.parametrize("status", [403, 404, 410])
async def test_a_browser_that_its_service_does_not_know_is_forgotten(
    hall, told, share, send, service, status
):
    await told(hall.acme.member)
    await share(hall.acme.owner, hall.acme.member)
    service.answer(b"", status)
    await send()
    assert (await hall.acme.member.get(DEVICES)).json()["items"] == []


async def test_who_is_suspended_is_told_nothing(hall, told, share, send, service):
    person = await hall.join(hall.acme, "member")
    await told(person)
    await share(hall.acme.owner, person)
    suspended = await hall.acme.org_owner.post(f"/api/org/members/{person.user_id}/suspend")
    assert suspended.status_code == 200, suspended.text
    await send()
    assert service.requests == []


async def test_a_browser_goes_with_its_session(hall, told, share, send, service):
    person = await hall.join(hall.acme, "member")
    other = hall.bearer(await _another_session(person))
    await told(other, "/other")
    await told(person, "/own")
    listed = (await person.get(DEVICES)).json()["items"]
    assert [one["current"] for one in listed] == [True, False]
    set_first = await person.post("/api/password", {"new_password": hall.password})
    assert set_first.status_code == 200, set_first.text
    assert len((await person.get(DEVICES)).json()["items"]) == 1
    await share(hall.acme.owner, person)
    await send()
    assert [line for line, _, _ in service.requests] == ["POST /own HTTP/1.1"]


async def _another_session(person):
    team = (await person.get("/api/whoami")).json()["team"]["id"]
    return (await person.post("/api/session/team", {"team": team})).json()["token"]


async def test_ten_browsers_and_the_oldest_goes(hall, told):
    first = await told(hall.acme.member, "/0")
    for number in range(1, 11):
        await told(hall.acme.member, f"/{number}")
    ids = [one["id"] for one in (await hall.acme.member.get(DEVICES)).json()["items"]]
    assert len(ids) == 10 and first.id not in ids


async def test_a_browser_is_one_persons_at_a_time(hall, told, share, send, service):
    await told(hall.acme.member)
    await told(hall.acme.colleague)
    assert (await hall.acme.member.get(DEVICES)).json()["items"] == []
    await share(hall.acme.owner, hall.acme.member)
    await send()
    assert service.requests == []


async def test_a_browser_is_taken_away_by_its_person_alone(hall, told):
    there = await told(hall.acme.member)
    for other in (hall.acme.owner, hall.globex.owner):
        assert (await other.delete(f"{DEVICES}/{there.id}")).status_code == 404
    assert (await hall.acme.member.delete(f"{DEVICES}/{there.id}")).status_code == 204
    assert (await hall.acme.member.delete(f"{DEVICES}/{there.id}")).status_code == 404


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"endpoint": "ftp://push.test/1"}, None),
        ({"endpoint": "push.test"}, None),
        ({"keys": {"p256dh": "AAAA", "auth": "BTBZMqHH6r4Tts7J_aSIgg"}}, "/keys/p256dh"),
        ({"keys": {"auth": "AAAA"}}, "/keys/auth"),
    ],
)
async def test_what_is_no_subscription_is_refused(hall, told, change, pointer):
    good = (await told(hall.acme.member)).browser.subscription
    keys = {**good["keys"], **change.get("keys", {})}
    answer = await hall.acme.member.post(DEVICES, {**good, **change, "keys": keys})
    assert answer.status_code == 400, answer.text
    if pointer:
        assert [one["pointer"] for one in answer.json()["errors"]] == [pointer]
