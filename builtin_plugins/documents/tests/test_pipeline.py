"""The whole pipeline through the API: an upload, a run of process-upload, its documents and their origin."""

import json

import pytest

from guildhall_sdk.dimensions import Quotas
from libs.sandbox import measure

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

SCHEMA = {
    "type": "object",
    "properties": {"invoice": {"type": "string"}, "total": {"type": "number"}},
    "required": ["invoice", "total"],
}
TEXT = b"Invoice: INV-7\nTotal: 12.50\n"
TEMPLATE = "# Invoice {{invoice}}\n\nPlease pay {{total}}.\n"


@pytest.fixture
def process(upload):
    """`hall, await process(hall, template=…)`: what was uploaded, and the run once it has ended."""

    async def process(hall, key="in/bill.txt", *, client=None, **inputs):
        author = client or hall.acme.member
        made = await upload(author, key, TEXT)
        given = {"object_id": made["id"], "schema": SCHEMA, "template": TEMPLATE, "locales": ["es", "nl"]}
        response = await author.post("/api/workflows/process-upload/run", {"input": {**given, **inputs}})
        assert response.status_code == 202, response.text
        await hall.drain_jobs()
        return made, (await author.get(f"/api/runs/{response.json()['id']}")).json()

    return process


async def test_an_upload_becomes_fields_a_form_and_its_translations(hall, process, content, listed):
    author = hall.acme.member
    made, run = await process(hall)
    assert (run["state"], run["error"]) == ("succeeded", None)
    names = ["text", "fields", "has_form", "form", "translate_form"]
    assert [step["name"] for step in run["steps"] if step["kind"] != "choice"] == [
        name for name in names if name != "has_form"
    ]
    outputs = {step["name"]: step["output"] for step in run["steps"]}
    assert outputs["fields"]["result"]["fields"] == {"invoice": "INV-7", "total": 12.5}
    assert [one["result"]["locale"] for one in run["output"]["results"]] == ["es", "nl"]
    keys = [
        "in/bill.fields.md",
        "in/bill.form.md",
        "in/bill.form.translate.es.md",
        "in/bill.form.translate.nl.md",
        "in/bill.txt",
    ]
    assert sorted(await listed(author)) == keys
    form = outputs["form"]["result"]["object_id"]
    assert await content(author, form) == "# Invoice INV-7\n\nPlease pay 12.5.\n"
    view = (await author.get(f"/api/repo-obj/{made['id']}/processing")).json()
    assert sorted((one["key"], one["step"]) for one in view["derived"]) == [
        ("in/bill.fields.md", "fields"),
        ("in/bill.form.md", "form"),
    ]
    assert {one["run_id"] for one in view["derived"]} == {run["id"]}
    assert [(one["id"], one["state"]) for one in view["runs"]] == [(run["id"], "succeeded")]
    assert view["runs"][0]["workflow"] == {"slug": "process-upload", "version": 1}
    view = (await author.get(f"/api/repo-obj/{form}/processing")).json()
    assert [one["key"] for one in view["sources"]] == ["in/bill.txt"]
    assert sorted(one["key"] for one in view["derived"]) == keys[2:4]
    assert [one["id"] for one in view["runs"]] == [run["id"]]


async def test_without_a_template_the_upload_itself_is_translated_and_a_second_run_adds_versions(
    hall, process, listed
):
    author = hall.acme.member
    for version in (1, 2):
        made, run = await process(hall, template="", locales=["nl"])
        assert run["state"] == "succeeded", run["error"]
        (translated,) = run["output"]["results"]
        assert (translated["result"]["key"], translated["result"]["version"]) == (
            "in/bill.translate.nl.md",
            version,
        )
    assert sorted(await listed(author)) == ["in/bill.fields.md", "in/bill.translate.nl.md", "in/bill.txt"]
    view = (await author.get(f"/api/repo-obj/{made['id']}/processing")).json()
    assert {one["version"] for one in view["derived"]} == {2}
    assert len(view["runs"]) == 2


async def test_a_run_whose_credential_leaves_models_out_fails_at_the_step_that_needs_one(
    hall, process, listed
):
    scope = ["files:read", "files:write", "workflows:run", "workflows:read"]
    client = await hall.with_token(hall.acme.member, scope=scope)
    _, run = await process(hall, client=client)
    assert (run["state"], run["error"]["code"], run["error"]["step"]) == (
        "failed",
        "permission_denied",
        "fields",
    )
    assert await listed(hall.acme.member) == ["in/bill.txt"]


@pytest.mark.parametrize(
    ("inputs", "code", "step"),
    [
        ({"locales": ["nl", "not a locale"]}, "invalid_request", "translate_form"),
        *(
            pytest.param(*one, marks=pytest.mark.long_form)
            for one in (
                ({"schema": {"type": "nonsense"}}, "invalid_request", "fields"),
                ({"template": "{{#open}}"}, "invalid_template", "form"),
                ({"template": "{{#a}}x{{/a}}" * 80_000}, "invalid_template", "form"),
            )
        ),
    ],
)
async def test_what_is_wrong_with_the_inputs_is_named_by_the_step_and_not_tried_again(
    hall, process, inputs, code, step
):
    _, run = await process(hall, **inputs)
    assert (run["state"], run["error"]["code"], run["error"]["step"]) == ("failed", code, step)
    assert run["steps"][-1]["attempt"] == 1


async def test_fields_that_do_not_fit_are_tried_once_more_and_refused(model_hall, process, listed):
    for _ in range(6):
        model_hall.model.say(json.dumps({"invoice": 7}))
    _, run = await process(model_hall)
    for _ in range(4):  # the step waits for its second try
        model_hall.clock.advance(seconds=60)
        await model_hall.drain_jobs()
    run = (await model_hall.acme.member.get(f"/api/runs/{run['id']}")).json()
    assert (run["state"], run["error"]["code"], run["error"]["step"]) == ("failed", "model_format", "fields")
    assert len(model_hall.model.calls) == 4
    assert await listed(model_hall.acme.member) == ["in/bill.txt"]


async def test_a_step_waits_for_a_model_that_is_busy_and_keeps_its_retries(model_hall, process):
    for _ in range(4):
        model_hall.model.fail(503, "slow down", {"Retry-After": "60"})
    _, run = await process(model_hall, template="", locales=[])
    model_hall.model.forget()
    model_hall.model.say(json.dumps({"invoice": "INV-7", "total": 12.5}))
    model_hall.clock.advance(seconds=60)
    await model_hall.drain_jobs()
    run = (await model_hall.acme.member.get(f"/api/runs/{run['id']}")).json()
    assert run["state"] == "succeeded", run["error"]
    (step,) = [one for one in run["steps"] if one["name"] == "fields"]
    assert (step["attempt"], step["output"]["result"]["fields"]["invoice"]) == (1, "INV-7")


async def test_a_long_translation_goes_on_where_a_busy_model_put_it_off(model_hall, upload, content):
    author, model = model_hall.acme.member, model_hall.model
    first, second = "One. " * 700, "Two. " * 700  # each takes a turn of its own
    made = await upload(author, "in/long.txt", f"{first}\n\n{second}".encode())
    model.say(json.dumps({"invoice": "INV-7", "total": 12.5}))
    model.say(json.dumps({"text": "Een. " * 700, "source": "en"}))
    model.fail(429, "slow down", {"Retry-After": "60"})
    given = {"object_id": made["id"], "schema": SCHEMA, "template": "", "locales": ["nl"]}
    run = (await author.post("/api/workflows/process-upload/run", {"input": given})).json()
    await model_hall.drain_jobs()
    model.say(json.dumps({"text": "Twee. " * 700, "source": "en"}))
    model_hall.clock.advance(seconds=60)
    await model_hall.drain_jobs()
    done = (await author.get(f"/api/runs/{run['id']}")).json()
    assert done["state"] == "succeeded", done["error"]
    assert len(model.calls) == 4, "what was translated before is not paid for again"
    written = await content(author, done["output"]["results"][0]["result"]["object_id"])
    assert (written.count("Een."), written.count("Twee.")) == (700, 700)


async def test_index_documents_reads_what_search_does_not_know_and_is_safe_to_repeat(hall, upload):
    author = hall.acme.member
    made = await upload(author, "a.txt", b"We plant rhubarb.")
    for items in (1, 0):
        run = (await author.post("/api/workflows/index-documents/run", {"input": {}})).json()
        await hall.drain_jobs()
        run = (await author.get(f"/api/runs/{run['id']}")).json()
        assert run["state"] == "succeeded", run["error"]
        # The job of the upload may have been faster.
        assert len(run["output"]["results"]) <= items
    assert (await author.get(f"/api/repo-obj/{made['id']}/text")).json()["text"] == "We plant rhubarb."


async def test_translate_chat_goes_around_the_world_and_back(hall):
    author = hall.acme.member
    response = await author.post("/api/workflows/translate-chat/run", {"input": {"message": "Good morning."}})
    await hall.drain_jobs()
    run = (await author.get(f"/api/runs/{response.json()['id']}")).json()
    assert run["state"] == "succeeded", run["error"]
    assert [step["name"] for step in run["steps"]] == ["chat", "to_all", "back_home"]
    assert [type(one["result"]) for one in run["output"]["results"]] == [str, str, str]


@pytest.mark.own_server
async def test_with_one_job_at_a_time_and_a_model_behind_a_worker_the_run_still_ends(hall, upload):
    """Each turn of a step is a job for the worker, and shares the place of the step that waits for it."""
    made = {"name": "theirs", "mode": "pull", "model": "scripted"}
    worker = hall.bearer((await hall.operator.post("/api/executors", made)).json()["worker_token"])
    await hall.acme.owner.put("/api/model-roles", {"roles": {"utility": "theirs"}})
    async with hall.server.data.write() as writer:
        quotas = hall.server.service(Quotas)
        await quotas.set_limit(writer, "team", hall.acme.id, "jobs.concurrency", "none", 1)
    author = hall.acme.member
    made = await upload(author, "bill.txt", TEXT)
    inputs = {"object_id": made["id"], "schema": SCHEMA, "template": TEMPLATE, "locales": ["nl"]}
    run = (await author.post("/api/workflows/process-upload/run", {"input": inputs})).json()
    replies = ['{"invoice": "INV-7", "total": 12.5}', '{"text": "# Factuur INV-7\\n\\nBetaal 12.5."}']
    for reply in replies:
        turn = (await worker.post("/api/workers/claim", {"kinds": ["ai.turn"], "max_wait": 20})).json()
        done = {"claim_token": turn["claim_token"], "result": {"reply": reply}}
        assert (await worker.post(f"/api/workers/jobs/{turn['id']}/complete", done)).status_code == 200
    await hall.drain_jobs()
    run = (await author.get(f"/api/runs/{run['id']}")).json()
    assert (run["state"], run["error"]) == ("succeeded", None)


async def test_a_trigger_starts_the_pipeline_and_its_outputs_start_no_other(hall, upload, listed):
    owner, author = hall.acme.owner, hall.acme.member
    trigger = {
        "workflow_slug": "process-upload",
        "match_prefix": "in/",
        "match_types": ["text/*"],
        "input": {"schema": SCHEMA, "template": TEMPLATE, "locales": ["nl"]},
    }
    answer = await owner.post("/api/doc-triggers", trigger)
    assert answer.status_code == 201, answer.text
    made = await upload(author, "in/bill.txt", TEXT)
    await hall.drain_jobs()
    keys = ["in/bill.fields.md", "in/bill.form.md", "in/bill.form.translate.nl.md", "in/bill.txt"]
    assert sorted(await listed(author)) == keys
    (run,) = (await author.get(f"/api/repo-obj/{made['id']}/processing")).json()["runs"]
    assert run["state"] == "succeeded"
    fires = (await owner.get(f"/api/doc-triggers/{answer.json()['id']}")).json()["fires"]
    assert [fire["outcome"] for fire in fires if fire["object_id"] == made["id"]] == ["started"]
    assert {fire.get("reason") for fire in fires if fire["object_id"] != made["id"]} <= {"derived"}


@pytest.mark.own_server
async def test_a_step_waits_for_a_text_without_using_up_a_retry(hall, upload, monkeypatch):
    open_to_all = measure.Measured(files=True, signals=True, memory=True)
    monkeypatch.setattr(measure, "_known", open_to_all)
    author = hall.acme.member
    made = await upload(author, "in/bill.txt", TEXT)
    given = {"object_id": made["id"], "schema": SCHEMA, "template": TEMPLATE, "locales": []}
    run = (await author.post("/api/workflows/process-upload/run", {"input": given})).json()
    for _ in range(5):
        await hall.drain_jobs()
        hall.clock.advance(hours=1)
    confined = measure.Measured(network=True, files=True, signals=True, processes=True, memory=True)
    monkeypatch.setattr(measure, "_known", confined)
    await hall.drain_jobs()
    done = (await author.get(f"/api/runs/{run['id']}")).json()
    assert (done["state"], done["steps"][0]["attempt"]) == ("succeeded", 1)
