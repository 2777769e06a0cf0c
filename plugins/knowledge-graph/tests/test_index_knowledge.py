"""The workflow index-knowledge, from a document to the graph."""

import pytest

pytestmark = pytest.mark.any_database

HARBOUR = "Anna Jansen works for Acme Shipping B.V. in Rotterdam."


async def test_a_run_reads_what_was_not_read_yet(hall):
    member = hall.acme.member
    body = {"title": "Harbour", "body": HARBOUR, "visibility": "team"}
    document = (await member.post("/api/documents", body)).json()
    started = await member.post("/api/kg/extract", {})
    assert started.status_code == 202
    run = started.json()
    assert (run["workflow"], run["state"]) == ({"slug": "index-knowledge", "version": 1}, "running")
    assert started.headers["location"] == f"/api/runs/{run['id']}"
    by_slug = (await member.post("/api/workflows/index-knowledge/run", {"input": {}})).json()
    assert by_slug.keys() == run.keys()

    await hall.drain_jobs()
    done = (await member.get(f"/api/runs/{run['id']}")).json()
    assert (done["state"], done["error"]) == ("succeeded", None)
    assert [one["result"]["object_id"] for one in done["output"]["results"]] == [document["id"]]
    names = {one["name"] for one in (await member.get("/api/kg/entities")).json()["items"]}
    assert {"Anna Jansen", "Acme Shipping B.V.", "Rotterdam"} <= names


@pytest.mark.every_database
async def test_one_document_that_no_model_answers_for_fails_the_step_and_keeps_the_others(open_hall):
    async with open_hall(with_model=True) as hall:
        member = hall.acme.member
        for name in ("Anna", "Piet"):
            body = {"title": name, "body": f"{name} sings.", "visibility": "team"}
            assert (await member.post("/api/documents", body)).status_code == 201
        good = '{"entities": [{"name": "%s", "type": "person", "quote": "sings."}], "relations": []}'
        hall.model.say("no JSON")
        hall.model.say("no JSON either")
        hall.model.say(good % "Somebody")
        run = (await member.post("/api/kg/extract", {})).json()
        await hall.drain_jobs()
        done = (await member.get(f"/api/runs/{run['id']}")).json()
        assert (done["state"], done["error"]["code"], done["error"]["step"]) == (
            "failed",
            "model_format",
            "extract",
        )


async def test_who_may_not_run_workflows_starts_nothing(hall):
    refused = await hall.acme.viewer.post("/api/kg/extract", {})
    assert (refused.status_code, refused.json()["permission"]) == (403, "workflows:run")
    await hall.set_feature(hall.acme, "workflows", False)
    off = await hall.acme.member.post("/api/kg/extract", {})
    assert (off.status_code, off.json()["code"]) == (403, "feature_disabled")
    assert (await hall.acme.member.post("/api/kg/extract", {"all": True})).status_code == 403


async def test_a_team_that_has_the_workflow_off_is_told_what_is_missing(hall):
    await hall.acme.admin.post("/api/plugins/knowledge-graph", {"enabled": False})
    refused = await hall.acme.member.post("/api/kg/extract", {})
    assert (refused.status_code, refused.json()["code"]) == (404, "not_found")
    assert "index-knowledge" in refused.json()["detail"]
