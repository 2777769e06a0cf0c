"""Workflows that are turned off, turned on and deleted."""

import pytest

from builtin_plugins.workflows.tests.conftest import spec, tool

pytestmark = pytest.mark.shared_server


async def test_a_workflow_that_is_off_starts_nothing_until_it_is_on_again(flows):
    owner = flows.hall.acme.owner
    await flows.publish(tool("a"))
    changed = await owner.patch("/api/workflows/flow", {"enabled": False})
    assert (changed.status_code, changed.json()["enabled"]) == (200, False)
    refused = await flows.hall.acme.member.post("/api/workflows/flow/run", {})
    assert (refused.status_code, refused.json()["code"]) == (409, "workflow_disabled")
    await flows.publish(tool("b"))
    listed = (await owner.get("/api/workflows")).json()["items"]
    assert [one["enabled"] for one in listed if one["slug"] == "flow"] == [False]
    await owner.patch("/api/workflows/flow", {"enabled": True})
    await flows.start()


async def test_runs_that_began_go_on_and_stay_when_their_workflow_is_deleted(flows):
    owner = flows.hall.acme.owner
    await flows.publish(tool("a"), tool("b", 2))
    run = await flows.start()
    assert (await owner.delete("/api/workflows/flow")).status_code == 204
    ended = await flows.settle(run)
    assert (ended["state"], ended["output"]) == ("succeeded", {"result": 2})
    assert (await owner.get("/api/workflows/flow")).status_code == 404
    assert (await owner.delete("/api/workflows/flow")).status_code == 404
    assert (await flows.hall.acme.member.post("/api/workflows/flow/run", {})).status_code == 404
    assert "flow" not in [one["slug"] for one in (await owner.get("/api/workflows")).json()["items"]]


async def test_a_slug_that_was_deleted_can_be_published_again(flows):
    owner = flows.hall.acme.owner
    await flows.publish(tool("a"))
    run = await flows.settle(await flows.start())
    await owner.delete("/api/workflows/flow")
    made = await owner.post("/api/workflows", spec(tool("new")))
    assert (made.status_code, made.json()["version"]) == (201, 2)
    assert [one["version"] for one in (await owner.get("/api/workflows/flow/versions")).json()["items"]] == [
        2
    ]
    assert (await flows.read(run))["steps"][0]["name"] == "a"


async def test_what_a_deleted_workflow_took_is_given_back(flows):
    owner = flows.hall.acme.owner

    async def used():
        rows = (await owner.get("/api/usage")).json()["items"]
        return next(
            one["used"] for one in rows if (one["dimension"], one["level"]) == ("storage.bytes", "team")
        )

    before = await used()
    await flows.publish(tool("a"), slug="one")
    await flows.publish(tool("b"), slug="one")
    await flows.settle(await flows.start("one"))
    assert await used() > before
    await owner.delete("/api/workflows/one")
    assert await used() == before


@pytest.mark.any_database
async def test_another_company_and_who_may_not_publish_change_nothing(flows):
    await flows.publish(tool("a"))
    assert (await flows.hall.globex.owner.delete("/api/workflows/flow")).status_code == 404
    assert (await flows.hall.globex.owner.patch("/api/workflows/flow", {"enabled": False})).status_code == 404
    assert (await flows.hall.acme.member.delete("/api/workflows/flow")).status_code == 403
    await flows.start()


async def test_a_draft_is_checked_without_being_published(flows):
    owner = flows.hall.acme.owner
    good = (await owner.post("/api/workflow-checks", {"spec": spec(tool("a"))})).json()
    assert good == {"problems": [], "warnings": []}
    bad = (await owner.post("/api/workflow-checks", {"spec": spec(tool("a", tool="nothing"))})).json()
    assert [one["pointer"] for one in bad["problems"]] == ["/steps/0/tool"]
    none = (await owner.post("/api/workflow-checks", {"spec": 7})).json()
    assert none["problems"] == [{"pointer": "", "message": "must be an object"}]
    assert (await owner.get("/api/workflows/flow")).status_code == 404
