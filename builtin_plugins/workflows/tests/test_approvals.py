"""Approvals: who is asked, what their decision does, and what a second one does."""

import asyncio

import pytest

from builtin_plugins.workflows.approvals.reminders import Reminders, next_reminder
from builtin_plugins.workflows.tests.conftest import ref, tool

pytestmark = pytest.mark.shared_server

FORM = {"type": "object", "properties": {"amount": {"type": "integer"}}, "required": ["amount"]}


def ask(flows, *, of="admin", **fields):
    people = {"people": [getattr(flows.hall.acme, of).user_id]} if of else {}
    return {"name": "ask", "kind": "approve", "title": "Pay?", **people, **fields}


async def waiting(client):
    answer = await client.get("/api/approvals?mine=1")
    assert answer.status_code == 200, answer.text
    return answer.json()["items"]


async def decide(client, approval, decision="approve", **more):
    return await client.post(f"/api/approvals/{approval['id']}", {"decision": decision, **more})


async def test_who_is_asked_approves_and_the_run_goes_on_at_once(flows):
    acme = flows.hall.acme
    run = await flows.run(
        ask(flows, body=ref("input.x"), form=FORM),
        tool("z", ref("steps.ask.output.result")),
        inputs={"x": "string"},
        x="why",
    )
    assert (run["state"], run["steps"][0]["state"]) == ("running", "waiting")
    [approval] = await waiting(acme.admin)
    assert (
        approval | {"title": "Pay?", "body": "why", "form": FORM, "run_id": run["id"], "step": "ask"}
        == approval
    )
    assert approval.keys() == {"id", "title", "body", "form", "run_id", "step", "requested_at", "expires_at"}
    answer = await decide(acme.admin, approval, form={"amount": 5}, comment="Fine.")
    assert (answer.status_code, answer.json()["decision"]) == (200, "approve")
    assert (await flows.read(run))["steps"][0]["state"] == "succeeded"
    assert await waiting(acme.admin) == []
    ended = await flows.settle(run)
    result = {"decision": "approve", "by": acme.admin.user_id, "comment": "Fine.", "form": {"amount": 5}}
    assert (ended["state"], ended["output"]) == ("succeeded", {"result": result})


async def test_a_decision_and_its_comment_are_in_the_trail(flows):
    acme = flows.hall.acme
    await flows.run(ask(flows))
    [approval] = await waiting(acme.admin)
    await decide(acme.admin, approval, "reject", comment="Too much.")
    [event] = [
        one
        for one in (await acme.owner.get("/api/audit?action=approval.decided")).json()["items"]
        if one["target"]["id"] == approval["id"]
    ]
    assert (event["detail"]["decision"], event["detail"]["comment"]) == ("reject", "Too much.")


async def test_who_is_not_asked_finds_nothing_neither_does_another_company(flows):
    await flows.run(ask(flows))
    [approval] = await waiting(flows.hall.acme.admin)
    for client in (flows.hall.acme.viewer, flows.hall.acme.owner, flows.hall.globex.admin):
        assert await waiting(client) == []
        assert (await decide(client, approval)).status_code == 404
    assert (await flows.hall.acme.member.get("/api/approvals")).json()["items"] == [approval]
    assert (await decide(flows.hall.acme.member, approval)).status_code == 404


async def test_a_role_is_asked_and_those_who_may_more(flows):
    run = await flows.run(ask(flows, of=None, role="admin"))
    assert await waiting(flows.hall.acme.member) == []
    [approval] = await waiting(flows.hall.acme.owner)
    assert [approval] == await waiting(flows.hall.acme.admin)
    assert (await decide(flows.hall.acme.member, approval)).status_code == 404
    assert (await decide(flows.hall.acme.admin, approval)).status_code == 200
    assert (await flows.settle(run))["state"] == "succeeded"
    assert await waiting(flows.hall.acme.owner) == []


async def test_of_two_decisions_at_once_one_counts(flows):
    acme = flows.hall.acme
    people = [acme.admin.user_id, acme.owner.user_id]
    for _ in range(3):
        run = await flows.run(
            {"name": "ask", "kind": "approve", "title": "t", "people": people}, tool("z", 1)
        )
        [approval] = await waiting(acme.admin)
        answers = await asyncio.gather(
            decide(acme.admin, approval), decide(acme.owner, approval, "reject"), decide(acme.admin, approval)
        )
        assert sorted(answer.status_code for answer in answers) == [200, 409, 409]
        codes = {answer.json()["code"] for answer in answers if answer.status_code == 409}
        assert codes == {"already_decided"}
        ended = await flows.settle(run)
        approved = answers[1].status_code == 409
        assert ended["state"] == ("succeeded" if approved else "failed")
        assert len(ended["steps"]) == 1 + approved


async def test_a_rejection_fails_the_run_or_leads_elsewhere(flows):
    admin = flows.hall.acme.admin
    run = await flows.run(ask(flows), tool("z", 1))
    [approval] = await waiting(admin)
    await decide(admin, approval, "reject", comment="No.")
    ended = await flows.settle(run)
    assert (ended["state"], ended["error"]) == (
        "failed",
        {"code": "rejected", "message": "No.", "step": "ask"},
    )
    run = await flows.run(ask(flows, rejected="no", next="yes"), tool("yes", 1, end=True), tool("no", 2))
    [approval] = await waiting(admin)
    await decide(admin, approval, "reject")
    ended = await flows.settle(run)
    assert (ended["state"], ended["output"]) == ("succeeded", {"result": 2})


@pytest.mark.parametrize(
    ("on_timeout", "state", "code"),
    [
        ("approve", "succeeded", None),
        ("reject", "failed", "rejected"),
        ("fail", "failed", "approval_timeout"),
    ],
)
async def test_what_nobody_decides_in_time_ends_as_said(flows, on_timeout, state, code):
    admin = flows.hall.acme.admin
    run = await flows.run(ask(flows, timeout_seconds=60, on_timeout=on_timeout))
    [approval] = await waiting(admin)
    flows.hall.server.clock.advance(seconds=61)
    ended = await flows.settle(run)
    assert (ended["state"], (ended["error"] or {}).get("code")) == (state, code)
    assert await waiting(admin) == []
    refused = await decide(admin, approval)
    assert (refused.status_code, refused.json()["code"]) == (409, "already_decided")


@pytest.mark.parametrize("form", [None, {}, {"amount": "5"}])
async def test_what_the_form_does_not_take_is_refused_and_decides_nothing(flows, form):
    admin = flows.hall.acme.admin
    await flows.run(ask(flows, form=FORM))
    [approval] = await waiting(admin)
    refused = await decide(admin, approval, **({} if form is None else {"form": form}))
    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (400, "/form")
    assert await waiting(admin) == [approval]
    assert (await decide(admin, approval, "reject")).status_code == 200


@pytest.mark.any_database
@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"form": {"type": "nothing"}}, "/steps/0/form"),
        ({"role": "admin"}, "/steps/0/people"),
        ({"people": []}, "/steps/0/people"),
        ({"on_timeout": "fail"}, "/steps/0/on_timeout"),
        ({"timeout_seconds": 0}, "/steps/0/timeout_seconds"),
        ({"rejected": "nowhere"}, "/steps/0/rejected"),
        ({"deadline": 5}, "/steps/0/deadline"),
    ],
)
async def test_a_step_that_could_not_ask_is_refused_at_its_place(flows, fields, pointer):
    spec = {"slug": "x", "start": "ask", "steps": [ask(flows, **fields)]}
    refused = await flows.hall.acme.owner.post("/api/workflows", spec)
    assert refused.status_code == 400
    assert refused.json()["errors"][0]["pointer"].startswith(pointer), refused.text


async def test_a_step_that_asks_nobody_of_the_team_fails(flows):
    step = {"name": "ask", "kind": "approve", "title": "t", "people": [flows.hall.globex.owner.user_id]}
    run = await flows.run(step)
    assert (run["state"], run["error"]["code"]) == ("failed", "nobody_to_ask")


async def test_a_cancelled_run_asks_nobody_any_more(flows):
    admin = flows.hall.acme.admin
    run = await flows.run(ask(flows))
    [approval] = await waiting(admin)
    await flows.hall.acme.member.post(f"/api/runs/{run['id']}/cancel")
    assert await waiting(admin) == []
    assert (await decide(admin, approval)).status_code == 409
    assert [step["state"] for step in (await flows.read(run))["steps"]] == ["cancelled"]


async def inboxes(*clients, kind="workflows.asked"):
    found = [(await client.get("/api/notifications")).json()["items"] for client in clients]
    return [[one["text"] for one in items if one["kind"] == kind] for items in found]


async def test_those_who_are_asked_are_told(flows):
    acme = flows.hall.acme
    await flows.run(ask(flows))
    assert await inboxes(acme.admin, acme.member) == [["You are asked to decide: Pay?"], []]
    await flows.run(ask(flows, of=None, role="org_admin"))
    told = await inboxes(acme.org_admin, acme.org_owner, acme.member, acme.owner)
    assert [len(texts) for texts in told] == [1, 1, 0, 0]


HOUR = 3600


@pytest.mark.any_database
@pytest.mark.parametrize(
    ("seconds", "times"),
    [
        (None, [24 * HOUR]),
        (HOUR - 1, []),
        (4 * HOUR, [3 * HOUR]),
        (48 * HOUR, [24 * HOUR, 36 * HOUR]),
        (30 * 24 * HOUR, [24 * HOUR, 29 * 24 * HOUR]),
    ],
)
def test_a_reminder_comes_after_a_day_and_before_the_end(seconds, times):
    asked, found = 1_000_000, []
    until = None if seconds is None else asked + 1000 * seconds
    at = next_reminder(asked, until, asked)
    while at is not None:
        found.append((at - asked) // 1000)
        at = next_reminder(asked, until, at)
    assert found == times


@pytest.mark.own_server
async def test_who_has_not_decided_is_reminded_once_at_each_time_and_not_after_a_decision(flows):
    acme, clock = flows.hall.acme, flows.hall.server.clock
    processes = [Reminders(flows.hall.server.host_of("workflows")) for _ in range(3)]

    async def remind():
        return sum(await asyncio.gather(*(one.send_due() for one in processes)))

    async def told():
        return [len(texts) for texts in await inboxes(acme.admin, acme.member, kind="workflows.reminded")]

    await flows.run(ask(flows, timeout_seconds=48 * HOUR))
    assert (await remind(), await told()) == (0, [0, 0])
    clock.advance(seconds=25 * HOUR)
    assert (await remind(), await told()) == (1, [1, 0])
    clock.advance(seconds=12 * HOUR)
    assert (await remind(), await told()) == (1, [2, 0])
    [text, _] = (await inboxes(acme.admin, kind="workflows.reminded"))[0]
    assert text == "Your decision is still awaited: Pay?"
    [approval] = await waiting(acme.admin)
    await decide(acme.admin, approval)
    await flows.run(ask(flows))
    [approval] = await waiting(acme.admin)
    await decide(acme.admin, approval)
    clock.advance(seconds=48 * HOUR)
    assert (await remind(), await told()) == (0, [2, 0])


async def test_a_viewer_who_is_asked_sees_it_and_decides(flows):
    viewer = flows.hall.acme.viewer
    step = {"name": "ask", "kind": "approve", "title": "Pay?", "people": [viewer.user_id]}
    run = await flows.run(step)
    assert await inboxes(viewer) == [["You are asked to decide: Pay?"]]
    [approval] = await waiting(viewer)
    assert (await decide(viewer, approval)).status_code == 200
    assert (await flows.settle(run))["state"] == "succeeded"
