"""The workflow index-knowledge, from a document to the graph."""

import pytest

from libs.sandbox import measure

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

HARBOUR = "Anna Jansen works for Acme Shipping B.V. in Rotterdam."
CLOSED = measure.Measured(network=True, files=True, signals=True, processes=True, memory=True)
POROUS = measure.Measured(files=True, signals=True, memory=True)


async def upload(client, key, content=HARBOUR):
    made = await client.put(f"/api/repo/{key}", content=content, headers={"content-type": "text/plain"})
    assert made.status_code in (200, 201), made.text
    return made.json()


async def read_run(client, run):
    return (await client.get(f"/api/runs/{run['id']}")).json()


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


@pytest.mark.every_database
async def test_what_was_uploaded_before_is_part_of_the_run(hall):
    """Also an overwrite whose text is still that of the version before."""
    member = hall.acme.member
    old = await upload(member, "old.txt", b"Nobody is named here.")
    await hall.drain_jobs()
    await upload(member, "old.txt", b"Piet Smit lives in Hamburg.")
    new = await upload(member, "new.txt")
    run = (await member.post("/api/kg/extract", {})).json()
    await hall.drain_jobs()
    done = await read_run(member, run)
    assert (done["state"], done["error"]) == ("succeeded", None)
    read = {one["result"]["object_id"]: one["result"] for one in done["output"]["results"]}
    assert read.keys() == {old["id"], new["id"]}
    assert read[old["id"]]["version"] == 2
    names = {one["name"] for one in (await member.get("/api/kg/entities")).json()["items"]}
    assert {"Anna Jansen", "Piet Smit", "Rotterdam", "Hamburg"} <= names


async def test_a_run_waits_for_a_text_without_using_up_an_attempt(hall, monkeypatch):
    monkeypatch.setattr(measure, "_known", POROUS)
    member = hall.acme.member
    made = await upload(member, "harbour.txt")
    run = (await member.post("/api/kg/extract", {})).json()
    for _ in range(5):
        await hall.drain_jobs()
        hall.clock.advance(hours=4)
    waiting = await read_run(member, run)
    assert waiting["state"] == "running"
    monkeypatch.setattr(measure, "_known", CLOSED)
    await hall.drain_jobs()
    done = await read_run(member, run)
    assert (done["state"], [step["attempt"] for step in done["steps"]]) == ("succeeded", [1, 1])
    assert [one["result"]["object_id"] for one in done["output"]["results"]] == [made["id"]]


async def test_a_run_that_waited_for_a_day_says_what_for(hall, monkeypatch):
    monkeypatch.setattr(measure, "_known", POROUS)
    member = hall.acme.member
    await upload(member, "harbour.txt")
    run = (await member.post("/api/kg/extract", {})).json()
    for _ in range(24 * 6 + 1):
        await hall.drain_jobs()
        hall.clock.advance(minutes=10)
    done = await read_run(member, run)
    assert (done["state"], done["error"]["code"]) == ("failed", "text_pending")
    assert "operator" in done["error"]["message"]


async def test_a_document_that_turns_out_to_have_no_text_fails_no_run(hall):
    member = hall.acme.member
    broken = await member.put(
        "/api/repo/broken.pdf", content=b"%PDF-1.7 and no more", headers={"content-type": "application/pdf"}
    )
    made = await upload(member, "harbour.txt")
    run = (await member.post("/api/kg/extract", {})).json()
    await hall.drain_jobs()
    done = await read_run(member, run)
    assert done["state"] == "succeeded"
    read = {one["result"]["object_id"]: one["result"]["without_text"] for one in done["output"]["results"]}
    assert read.keys() == {broken.json()["id"], made["id"]}
    assert (read[made["id"]], bool(read[broken.json()["id"]])) == (None, True)


@pytest.mark.every_database
async def test_what_was_made_from_a_document_is_read_when_asked_for(hall):
    member = hall.acme.member
    made = await upload(member, "harbour.txt")
    form = await hall.tool(
        "doc_render", as_=member, object=made["id"], template="{{name}} sings.", data={"name": "Piet Smit"}
    )

    async def extract(body):
        run = (await member.post("/api/kg/extract", body)).json()
        await hall.drain_jobs()
        done = await read_run(member, run)
        assert done["state"] == "succeeded", done
        return [one["result"]["object_id"] for one in done["output"]["results"]]

    assert await extract({}) == [made["id"]]
    assert await extract({}) == []
    assert await hall.tool("kg_list_unextracted", as_=member, include_derived=True) == [form.object_id]
    assert await extract({"include_derived": True}) == [form.object_id]
    assert await extract({"include_derived": True}) == []


@pytest.mark.every_database
async def test_nobody_asks_for_derived_documents_that_they_cannot_read(hall):
    member, colleague = hall.acme.member, hall.acme.colleague
    made = await member.post("/api/documents", {"title": "Mine", "body": HARBOUR, "visibility": "private"})
    await hall.tool(
        "doc_render", as_=member, object=made.json()["id"], template="{{name}}", data={"name": "Anna Jansen"}
    )
    await colleague.post("/api/kg/extract", {"include_derived": True})
    await hall.drain_jobs()
    assert await hall.tool("kg_list_unextracted", as_=member) == [made.json()["id"]]


async def test_what_a_person_writes_over_a_derived_document_is_theirs(hall):
    member = hall.acme.member
    made = await upload(member, "harbour.txt")
    form = await hall.tool(
        "doc_render", as_=member, object=made["id"], template="{{name}} sings.", data={"name": "Piet Smit"}
    )
    await upload(member, form.extra["key"], b"By hand.")
    assert {*await hall.tool("kg_list_unextracted", as_=member)} == {made["id"], form.object_id}
