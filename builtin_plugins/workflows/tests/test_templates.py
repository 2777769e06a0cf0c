"""Templates: each is published as it is shipped, and runs to its end."""

import pytest

from builtin_plugins.workflows.kinds.wait import HOOK_PATH
from builtin_plugins.workflows.templates import templates
from builtin_plugins.workflows.tests.test_approvals import decide, waiting
from tests.told_server import ToldServer

pytestmark = [pytest.mark.shared_server, pytest.mark.any_database]


@pytest.fixture
async def hall(share_hall, toys):
    async with share_hall(toys, SERVICE_ORG_PRIVATE_ENDPOINTS="on") as opened:
        yield opened


@pytest.fixture
def used(flows):
    """`used(slug, **inputs)`: a run of a template, as far as it comes by itself."""

    async def use(slug, **inputs):
        made = await flows.hall.acme.owner.post(f"/api/workflow-templates/{slug}/use", {})
        assert made.status_code == 201, made.text
        assert made.json()["warnings"] == []
        return await flows.settle(await flows.start(made.json()["slug"], **inputs))

    return use


async def upload(flows, key, text):
    stored = await flows.hall.acme.member.request("PUT", f"/api/repo/{key}", content=text.encode())
    assert stored.status_code in (200, 201), stored.text
    await flows.hall.drain_jobs()
    return stored.json()["id"]


async def say(flows, run, client, decision="approve", **more):
    [approval] = [one for one in await waiting(client) if one["run_id"] == run["id"]]
    answer = await decide(client, approval, decision, **more)
    assert answer.status_code == 200, answer.text
    return await flows.settle(run)


def ended_well(run):
    assert run["state"] == "succeeded", run["error"]
    return run["output"]["result"]


async def test_there_are_ten_and_everybody_of_the_team_sees_them(flows):
    listed = (await flows.hall.acme.viewer.get("/api/workflow-templates")).json()["items"]
    assert [one["slug"] for one in listed] == [*templates()]
    assert len(listed) == 10
    assert all(one["name"] and one["description"] and one["spec"]["steps"] for one in listed)


@pytest.mark.every_database
async def test_a_template_is_used_as_often_as_one_likes_each_under_a_slug_of_its_own(flows):
    owner = flows.hall.acme.owner
    slugs = [(await owner.post("/api/workflow-templates/four-eyes/use", {})).json()["slug"] for _ in range(2)]
    assert slugs == ["four-eyes", "four-eyes-2"]
    named = await owner.post("/api/workflow-templates/four-eyes/use", {"slug": "ours"})
    assert (named.status_code, named.json()["slug"], named.json()["source"]) == (201, "ours", None)
    taken = await owner.post("/api/workflow-templates/four-eyes/use", {"slug": "ours"})
    assert (taken.status_code, taken.json()["code"]) == (409, "workflow_taken")
    assert (await owner.post("/api/workflow-templates/nothing/use", {})).status_code == 404
    refused = await owner.post("/api/workflow-templates/four-eyes/use", {"slug": "Not a slug"})
    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (400, "/slug")
    assert (await flows.hall.acme.member.post("/api/workflow-templates/four-eyes/use", {})).status_code == 403


async def test_weekly_summary(flows, used):
    await flows.hall.acme.member.request(
        "PUT", "/api/repo/in/a.txt", content=b"Title: one\nSummary: It went well."
    )
    found = ended_well(await used("weekly-summary"))
    assert isinstance(found, list)


async def test_approve_and_publish(flows, used):
    given = {"object_id": await upload(flows, "in/text.txt", "What was decided."), "title": "Minutes"}
    run = await used("approve-and-publish", **given)
    published = ended_well(await say(flows, run, flows.hall.acme.admin, comment="Good."))
    text = (await flows.hall.acme.member.get(f"/api/repo-obj/{published['object_id']}/content")).text
    assert "What was decided." in text and "Good" in text
    run = await used("approve-and-publish", **given)
    assert ended_well(await say(flows, run, flows.hall.acme.admin, "reject"))["published"] is False


async def test_translate_and_review(flows, used):
    run = await used("translate-and-review", object_id=await upload(flows, "in/b.txt", "Hello."), locale="nl")
    done = ended_well(await say(flows, run, flows.hall.acme.member, form={"remarks": "Fine."}))
    assert done["translation"].startswith("obj_") and done["remarks"] == "Fine."


async def test_invoices_to_csv(flows, used):
    ids = [await upload(flows, f"in/{n}.txt", f"Number: INV-{n}\nTotal: {n}.5") for n in (1, 2)]
    table = ended_well(await used("invoices-to-csv", object_ids=ids))
    text = (await flows.hall.acme.member.get(f"/api/repo-obj/{table['object_id']}/content")).text
    assert [line.count(";") for line in text.strip().splitlines()] == [2, 2, 2]


async def test_nightly_check(flows, used):
    told = ToldServer()
    await told.start()
    try:
        assert ended_well(await used("nightly-check", url=told.url)) == {"fine": True}
        told.answer(b"old", 404)
        run = await used("nightly-check", url=told.url)
    finally:
        await told.stop()
    assert ended_well(await say(flows, run, flows.hall.acme.admin)) == {"fine": False}


async def test_contract_check(flows, used):
    contract = await upload(flows, "in/c.txt", "Partner: Tar Ltd\nAmount: 50000")
    run = await used("contract-check", object_id=contract, limit=-1)
    if run["state"] == "running":
        run = await say(flows, run, flows.hall.acme.owner, "reject")
    assert ended_well(run)["allowed"] is False


async def test_four_eyes(flows, used):
    acme = flows.hall.acme
    run = await used("four-eyes", title="Pay?")
    run = await say(flows, run, acme.member)
    assert run["state"] == "running"
    assert ended_well(await say(flows, run, acme.admin, "reject")) == {
        "agreed": False,
        "votes": [True, False],
    }


async def test_escalate(flows, used):
    run = await used("escalate", title="Pay?")
    flows.hall.server.clock.advance(hours=25)
    run = await flows.settle(run)
    assert ended_well(await say(flows, run, flows.hall.acme.admin))["decided"] == "admins"


async def test_new_colleague(flows, used):
    run = await used("new-colleague")
    body = {"username": f"new-{run['id'][-8:]}", "role": "viewer"}
    assert (await flows.hall.acme.owner.post("/api/members", body)).status_code == 201
    run = await flows.settle(run)
    form = {"laptop": True, "introduced": False}
    assert ended_well(await say(flows, run, flows.hall.acme.admin, form=form)) == form


async def test_webhook_to_review(flows, used):
    run = await used("webhook-to-review")
    url = run["steps"][0]["output"]["result"]["url"]
    await flows.hall.anonymous.post(
        HOOK_PATH + url.rpartition("/")[2], {"title": "A ship", "text": "It came."}
    )
    run = await flows.settle(run)
    assert ended_well(await say(flows, run, flows.hall.acme.member))["decision"] == "approve"
