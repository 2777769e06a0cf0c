"""Messages of other services that start a workflow: each once, from who has the secret."""

import asyncio
import hashlib
import hmac
import json

import pytest

from builtin_plugins.webhooks.receiving import Receiver
from builtin_plugins.webhooks.tests.conftest import SLUG
from builtin_plugins.webhooks.webhook import signature
from libs.rate_limits import RateLimiter

pytestmark = pytest.mark.shared_server


def signed(hall, hook, body, message_id="msg_1", seconds=0):
    content = json.dumps(body).encode()
    at = hall.clock.now_ms() // 1000 + seconds
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(at),
        "webhook-signature": signature(hook["secret"], message_id, at, content),
    }


async def test_a_message_starts_the_workflow_with_the_inputs_that_it_declares(hall, incoming, tools):
    hook = await incoming.create()
    assert (hook["secret"], hook["url"].endswith(f"/hooks/{hook['id']}")) == (None, True)
    answer = await incoming.send(hook, {"value": "tar", "other": {"left": "out"}})
    assert answer.status_code == 202, answer.text
    assert answer.json().keys() == {"delivery_id", "run_id"}
    await hall.drain_jobs()
    assert [(call.value, call.principal.user_id) for call in tools.calls] == [("tar", incoming.owner.user_id)]
    run = (await incoming.owner.get(f"/api/runs/{answer.json()['run_id']}")).json()
    assert (run["state"], run["trigger_id"], run["input"]) == ("succeeded", hook["id"], {"value": "tar"})
    [delivery] = await incoming.deliveries(hook)
    assert (delivery["id"], delivery["run_id"]) == (answer.json()["delivery_id"], run["id"])
    assert json.loads(delivery["body"]) == {"value": "tar", "other": {"left": "out"}}


async def test_the_run_has_no_more_rights_than_the_credential_that_made_the_address(hall, incoming, tools):
    scope = ["workflows:read", "workflows:write", "workflows:run"]
    token = await hall.with_token(incoming.owner, scope=scope)
    hook = await incoming.create(as_=token)
    assert (await incoming.send(hook, {"value": "tar"})).status_code == 202
    await hall.drain_jobs()
    assert {one.principal.permissions for one in tools.calls} == {frozenset(scope)}


async def test_who_subscribed_hears_that_a_message_started_the_run(hall, incoming, outgoing):
    await outgoing.create(["run.ended"], filter={"started_by": "webhook"})
    await incoming.send(await incoming.create(), {"value": "tar"})
    await hall.drain_jobs()
    await hall.drain_jobs()
    assert [body["data"]["workflow_slug"] for body in outgoing.bodies] == [SLUG]


async def test_a_repeat_answers_as_the_first_did_and_starts_nothing(hall, incoming, tools):
    hook = await incoming.create("standard")
    body = {"value": "once"}
    first = await incoming.send(hook, body, signed(hall, hook, body))
    again = await incoming.send(hook, body, signed(hall, hook, body))
    assert (first.status_code, again.status_code, again.json()) == (202, 202, first.json())
    other = await incoming.send(hook, body, signed(hall, hook, body, "msg_2"))
    assert other.json() != first.json()
    await hall.drain_jobs()
    assert len(tools.calls) == 2


async def test_the_same_message_many_times_at_once_is_one_run(hall, incoming, tools):
    hook, body = await incoming.create("standard"), {"value": "raced"}
    answers = await asyncio.gather(
        *(incoming.send(hook, body, signed(hall, hook, body, "msg_raced")) for _ in range(6))
    )
    assert {answer.status_code for answer in answers} == {202}
    assert len({answer.json()["run_id"] for answer in answers}) == 1
    await hall.drain_jobs()
    assert len(tools.calls) == 1


@pytest.mark.any_database
async def test_a_message_without_a_good_signature_or_of_long_ago_is_refused(hall, incoming, tools):
    hook, body = await incoming.create("standard"), {"value": "x"}
    other = await incoming.create("standard")
    for headers in (
        {},
        signed(hall, other, body),
        signed(hall, hook, {"value": "y"}),
        signed(hall, hook, body, seconds=-301),
        signed(hall, hook, body, seconds=301),
    ):
        answer = await incoming.send(hook, body, headers)
        assert (answer.status_code, answer.json()["code"]) == (401, "signature_invalid")
    await hall.drain_jobs()
    assert (tools.calls, await incoming.deliveries(hook)) == ([], [])


@pytest.mark.any_database
async def test_github_stripe_and_slack_are_known_by_their_own_ids(hall, incoming, tools):
    hook = await incoming.create("github", secret="a-secret-of-github")
    content = json.dumps({"value": "pushed"}).encode()
    mac = hmac.new(b"a-secret-of-github", content, hashlib.sha256).hexdigest()
    headers = {"x-hub-signature-256": f"sha256={mac}", "x-github-delivery": "guid-7"}
    runs = [(await incoming.send(hook, content, headers)).json()["run_id"] for _ in range(2)]
    assert runs[0] == runs[1]
    assert (await incoming.deliveries(hook))[0]["delivery_key"] == "guid-7"


@pytest.mark.any_database
async def test_slack_finds_out_whose_address_it_is(hall, incoming):
    hook = await incoming.create("slack", secret="8f742231b10e8888abcd99yyyzzz85a5")
    content, at = b'{"type": "url_verification", "challenge": "3eZbrw1a"}', hall.clock.now_ms() // 1000
    mac = hmac.new(hook["secret"].encode(), b"v0:%d:%s" % (at, content), hashlib.sha256).hexdigest()
    headers = {"x-slack-request-timestamp": str(at), "x-slack-signature": f"v0={mac}"}
    answer = await incoming.send(hook, content, headers)
    assert (answer.status_code, answer.json()) == (200, {"challenge": "3eZbrw1a"})


async def test_who_waits_gets_the_output(hall, incoming, tools):
    hook = await incoming.create(wait_seconds=30)
    sending = asyncio.create_task(incoming.send(hook, {"value": "tar"}, {"webhook-id": "w1"}))
    while not sending.done():
        await asyncio.sleep(0)
        await hall.drain_jobs()
    answer = await sending
    run = (await incoming.owner.get("/api/runs?limit=1")).json()["items"][0]
    output = (await incoming.owner.get(f"/api/runs/{run['id']}")).json()["output"]
    assert (answer.status_code, answer.json()) == (200, output)
    again = await incoming.send(hook, {"value": "tar"}, {"webhook-id": "w1"})
    assert (again.status_code, again.json()) == (200, output)
    assert len(tools.calls) == 1


async def test_a_wait_that_is_over_and_a_run_that_fails_answer_202(hall, incoming, tools, monkeypatch):
    hook = await incoming.create(wait_seconds=1)
    tools.held = True
    late = await incoming.send(hook, {"value": "tar"})
    assert late.status_code == 202, late.text
    tools.held = False
    failing = asyncio.create_task(incoming.send(hook, {"value": "fail"}))
    while not failing.done():
        await asyncio.sleep(0)
        hall.clock.advance(seconds=5)
        await hall.drain_jobs()
    assert (await failing).status_code == 202


async def test_a_body_against_the_schema_is_refused_and_may_come_again(hall, incoming, tools):
    schema = {"type": "object", "properties": {"value": {"type": "string"}}, "required": ["value"]}
    hook = await incoming.create(schema=schema)
    refused = await incoming.send(hook, {"value": 7}, {"webhook-id": "m1"})
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid_request")
    [delivery] = await incoming.deliveries(hook)
    assert (delivery["state"], delivery["run_id"]) == ("refused", None)
    assert (await incoming.send(hook, {"value": "7"}, {"webhook-id": "m1"})).status_code == 202
    await hall.drain_jobs()
    assert [call.value for call in tools.calls] == ["7"]


@pytest.mark.any_database
async def test_inputs_that_the_workflow_does_not_take_are_refused(hall, incoming):
    hook = await incoming.create()
    refused = await incoming.send(hook, {"value": 7})
    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (400, "/input/value")


@pytest.mark.any_database
async def test_what_is_no_json_or_too_much_is_refused(hall, incoming):
    hook = await incoming.create()
    assert (await incoming.send(hook, b"{not json")).json()["code"] == "invalid_json"
    assert (await incoming.send(hook, b"[" * 200_000)).status_code == 400
    assert (await incoming.send(hook, b'"' + b"x" * (1024 * 1024) + b'"')).status_code == 413
    assert (await incoming.send(hook, b'"' + b"x" * (1024 * 1024 - 2) + b'"')).status_code == 202


@pytest.mark.any_database
async def test_a_form_is_an_object_of_texts(hall, incoming, tools):
    hook = await incoming.create()
    headers = {"content-type": "application/x-www-form-urlencoded"}
    assert (await incoming.send(hook, b"value=tar+and+feathers&other=1", headers)).status_code == 202
    await hall.drain_jobs()
    assert [call.value for call in tools.calls] == ["tar and feathers"]


async def test_what_came_in_starts_the_workflow_again_by_hand(hall, incoming, tools):
    hook = await incoming.create()
    first = (await incoming.send(hook, {"value": "tar"}, {"webhook-id": "m1"})).json()
    path = f"/api/hooks-in/{hook['id']}/deliveries/{first['delivery_id']}"
    again = await incoming.owner.post(f"{path}/replay")
    assert again.status_code == 202, again.text
    assert again.json()["run_id"] != first["run_id"]
    await hall.drain_jobs()
    assert [call.value for call in tools.calls] == ["tar", "tar"]
    assert (await incoming.deliveries(hook))[1]["replay_of"] == first["delivery_id"]
    assert (await incoming.owner.get(path)).json()["body"] == '{"value": "tar"}'
    assert (await hall.globex.owner.post(f"{path}/replay")).status_code == 404
    assert (await hall.acme.viewer.get(path)).status_code == 403
    shown = (await hall.acme.viewer.get(f"/api/hooks-in/{hook['id']}/deliveries")).json()["items"]
    assert {one["body"] for one in shown} == {None}


@pytest.mark.every_database
async def test_what_rested_with_a_suspended_person_goes_on_when_they_are_back(hall, incoming):
    person = await hall.join(hall.acme, "admin")
    hook = await incoming.create(as_=person)
    path = f"/api/org/members/{person.user_id}"
    await hall.acme.org_owner.post(f"{path}/suspend")
    assert (await incoming.send(hook, {"value": "tar"})).status_code == 404
    await hall.acme.org_owner.post(f"{path}/resume")
    await hall.drain_jobs()
    assert (await incoming.send(hook, {"value": "tar"})).status_code == 202
    assert (await person.get(f"/api/hooks-in/{hook['id']}")).json()["stopped"] is None


async def test_what_is_off_or_stopped_is_not_there(hall, incoming):
    hook = await incoming.create()
    await incoming.owner.patch(f"/api/hooks-in/{hook['id']}", {"enabled": False})
    assert (await incoming.send(hook)).status_code == 404
    await incoming.owner.patch(f"/api/hooks-in/{hook['id']}", {"enabled": True})
    assert (await incoming.send(hook)).status_code == 202
    assert (await incoming.owner.delete(f"/api/hooks-in/{hook['id']}")).status_code == 204
    assert (await incoming.send(hook)).status_code == 404
    assert (await incoming.send({"url": "/hooks/hki_nothing"})).status_code == 404


async def test_it_stops_with_who_it_acts_as_and_says_why(hall, incoming, tools):
    colleague = await hall.join(hall.acme, role="admin")
    hook = await incoming.create(as_=colleague)
    await incoming.owner.delete(f"/api/members/{colleague.user_id}")
    assert (await incoming.send(hook)).status_code == 404
    stopped = (await incoming.owner.get(f"/api/hooks-in/{hook['id']}")).json()["stopped"]
    assert stopped["code"] == "person_removed"
    revived = await incoming.owner.patch(f"/api/hooks-in/{hook['id']}", {"enabled": True})
    assert (revived.json()["stopped"], revived.json()["owner"]["id"]) == (None, incoming.owner.user_id)
    assert (await incoming.send(hook)).status_code == 202


@pytest.mark.any_database
async def test_another_scheme_has_another_secret_and_a_secret_is_shown_once(hall, incoming):
    hook = await incoming.create("standard")
    assert hook["secret"].startswith("whsec_")
    path = f"/api/hooks-in/{hook['id']}"
    assert "secret" not in (await incoming.owner.get(path)).json()
    changed = (await incoming.owner.patch(path, {"scheme": "github"})).json()
    assert changed["secret"] not in ("", hook["secret"])
    assert "secret" not in (await incoming.owner.patch(path, {"wait_seconds": 5})).json()


@pytest.mark.any_database
@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"workflow_slug": "not-there"}, "/workflow_slug"),
        ({"scheme": "other"}, "/scheme"),
        ({"wait_seconds": 31}, "/wait_seconds"),
        ({"schema": {"type": "nothing"}}, "/schema"),
        ({"scheme": "standard", "secret": "whsec_short"}, "/secret"),
        ({"scheme": "stripe", "secret": "short"}, "/secret"),
        ({"scheme": "none", "secret": "a-long-secret"}, "/secret"),
    ],
)
async def test_what_makes_no_sense_is_named(hall, incoming, fields, pointer):
    answer = await incoming.owner.post("/api/hooks-in", {"workflow_slug": SLUG, "scheme": "none", **fields})
    assert answer.status_code == 400, answer.text
    assert answer.json()["errors"][0]["pointer"].startswith(pointer)


@pytest.mark.any_database
@pytest.mark.own_server
async def test_an_address_that_is_called_too_often_says_when_to_come_back(hall, incoming, monkeypatch):
    hook, other = await incoming.create(), await incoming.create()
    receiver = hall.server.host.service(Receiver)
    monkeypatch.setattr(receiver, "_rates", RateLimiter(60, 1, hall.clock))
    assert (await incoming.send(hook)).status_code == 202
    refused = await incoming.send(hook)
    assert (refused.status_code, int(refused.headers["Retry-After"])) == (429, 1)
    assert (await incoming.send(other)).status_code == 202


@pytest.mark.any_database
async def test_another_company_sees_nothing_of_it(hall, incoming):
    hook = await incoming.create()
    for method, path in (("GET", ""), ("DELETE", ""), ("GET", "/deliveries")):
        answer = await hall.globex.owner.request(method, f"/api/hooks-in/{hook['id']}{path}")
        assert answer.status_code == 404
    assert (await hall.globex.owner.get("/api/hooks-in")).json()["items"] == []
    assert (
        await hall.acme.viewer.patch(f"/api/hooks-in/{hook['id']}", {"enabled": False})
    ).status_code == 403
