"""`doc_text` and `doc_extract_fields`: what is read, what is asked of the model, and what is refused."""

import json

import pytest

from builtin_plugins.documents import texts
from builtin_plugins.documents.fields import render
from guildhall_sdk import InvalidRequest, NotFound, PermissionDenied, TooManyRequests, UserError
from guildhall_sdk.dimensions import Quotas
from guildhall_sdk.services.models import ModelFormat
from libs.fair_slots import finished

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

SCHEMA = {
    "type": "object",
    "properties": {"invoice": {"type": "string"}, "total": {"type": "number"}},
    "required": ["invoice", "total"],
    "additionalProperties": False,
}
GOOD = '{"invoice": "INV-7", "total": 12.5}'


@pytest.fixture
def fields(model_hall):
    async def fields(client, made, schema=SCHEMA, **more):
        artifact = await model_hall.tool(
            "doc_extract_fields", as_=client, object=made["id"], schema=schema, **more
        )
        return artifact.public()

    return fields


async def test_a_document_is_read_at_once_and_search_finds_it(hall, upload):
    author = hall.acme.member
    made = await upload(author, "a/plan.txt", b"We plant rhubarb.")
    artifact = await hall.tool("doc_text", as_=author, object=made["id"])
    read = artifact.public()
    assert (read["kind"], read["text"], read["truncated"]) == ("text", "We plant rhubarb.", False)
    assert (read["object_id"], read["version"], read["title"]) == (made["id"], 1, "plan.txt")
    assert "rhubarb" in artifact.line()
    answer = (await author.get(f"/api/repo-obj/{made['id']}/text")).json()
    assert answer == {"status": "indexed", "text": "We plant rhubarb.", "version": 1}
    assert (await author.get("/api/search", params={"q": "rhubarb"})).json()["items"]


async def test_the_text_of_an_object_is_null_until_it_is_read(hall, upload):
    author = hall.acme.member
    made = await upload(author, "a.txt", b"one")
    path = f"/api/repo-obj/{made['id']}/text"
    assert (await author.get(path)).json() == {"status": "pending", "text": None, "version": 1}
    await hall.drain_jobs()
    assert (await author.get(path)).json() == {"status": "indexed", "text": "one", "version": 1}
    await upload(author, "a.txt", b"two")
    assert (await author.get(path)).json() == {"status": "stale", "text": None, "version": 2}
    binary = await upload(author, "a.bin", b"\0\1")
    answer = (await author.get(f"/api/repo-obj/{binary['id']}/text")).json()
    assert answer == {"status": "unsupported", "text": None, "version": 1}
    assert (await hall.globex.owner.get(path)).status_code == 404
    writing = await hall.with_token(author, scope=["files:write"])
    assert (await writing.get(path)).status_code in (403, 404)


WITHOUT_TEXT = {"a.bin": b"\0\1", "a.txt": b"", "b.txt": b" \n", "a.pdf": b"%PDF-1.4 nothing"}


async def test_a_document_without_a_text_is_refused_by_name(hall, upload):
    for key, body in WITHOUT_TEXT.items():
        made = await upload(hall.acme.member, key, body)
        for name, more in (("doc_text", {}), ("doc_translate", {"locale": "nl"})):
            with pytest.raises(UserError) as refusal:
                await hall.tool(name, as_=hall.acme.member, object=made["id"], **more)
            assert refusal.value.code == "no_text"


@pytest.mark.parametrize("sign", ["a", "語", "\n", "\x01", "😀"])
def test_a_long_text_is_cut_to_what_a_step_hands_on(sign):
    cut = texts.cut_text(sign * 500_000)
    assert 100_000 <= len(cut) <= texts.MAX_CHARACTERS
    assert len(json.dumps(cut, ensure_ascii=False).encode()) <= texts.MAX_BYTES


async def test_fields_are_asked_of_the_role_judged_and_kept_beside_the_source(
    model_hall, upload, fields, content, within_run
):
    author = model_hall.acme.member
    made = await upload(author, "in/bill.txt")
    text = (await model_hall.tool("doc_text", as_=author, object=made["id"])).public()
    model_hall.model.say(GOOD)
    with within_run("run_1"):
        answer = await fields(author, made, text=text, run="run_1", step="fields")
    assert answer["fields"] == {"invoice": "INV-7", "total": 12.5}
    assert (answer["kind"], answer["key"], answer["repaired"]) == ("document", "in/bill.fields.md", False)
    (call,) = model_hall.model.calls
    assert call.body["messages"][-1]["content"] == text["text"]
    assert call.body["response_format"]["json_schema"]["schema"] == SCHEMA
    written = await content(author, answer["object_id"])
    assert written.startswith("# Fields of bill.txt\n\n- **invoice**: INV-7\n- **total**: 12.5\n")
    assert json.loads(written.partition("```json\n")[2].partition("\n```")[0]) == answer["fields"]
    derived = (await author.get(f"/api/repo-obj/{made['id']}/derivations")).json()["derived"]
    assert [(one["run_id"], one["step"]) for one in derived] == [("run_1", "fields")]


async def test_an_answer_that_does_not_fit_is_repaired_once_and_then_refused(
    model_hall, upload, fields, listed
):
    author = model_hall.acme.member
    made = await upload(author, "bill.txt")
    model_hall.model.say('{"invoice": 7}')
    model_hall.model.say(GOOD)
    assert (await fields(author, made))["repaired"] is True
    for _ in range(2):
        model_hall.model.say('{"invoice": 7}')
    with pytest.raises(ModelFormat) as refusal:
        await fields(author, made)
    assert (refusal.value.status, refusal.value.code) == (502, "model_format")
    assert len(model_hall.model.calls) == 4
    assert await listed(author) == ["bill.fields.md", "bill.txt"]
    assert (await author.get("/api/repo")).json()["items"][0]["version"] == 1


NO_SCHEMAS = [
    {"type": "nonsense"},
    {"properties": {"a": {"$ref": "#"}}},
    {"$ref": "https://example.org/schema"},
    {"enum": ["x" * 70_000]},
    {"properties": 7},
]


async def test_a_schema_or_text_that_is_none_reaches_no_model(model_hall, upload, fields, listed):
    author = model_hall.acme.member
    made = await upload(author, "bill.txt")
    for schema in NO_SCHEMAS:
        with pytest.raises(InvalidRequest) as refusal:
            await fields(author, made, schema=schema)
        assert refusal.value.errors[0]["pointer"].startswith("/schema")
    for text in ("", " \n", {}, {"text": 7}, {"text": ""}):
        with pytest.raises(InvalidRequest):
            await fields(author, made, text=text)
    assert model_hall.model.calls == []
    assert await listed(author) == ["bill.txt"]


async def test_nobody_reaches_a_model_without_the_right_to_use_one_or_to_write(model_hall, upload, fields):
    author = model_hall.acme.member
    made = await upload(author, "bill.txt")
    files_only = await model_hall.with_token(author, scope=["files:read", "files:write"])
    with pytest.raises(PermissionDenied, match="chat:use"):
        await fields(files_only, made)
    with pytest.raises(PermissionDenied, match="chat:use"):
        await model_hall.tool("doc_translate", as_=files_only, object=made["id"], locale="nl")
    chat_only = await model_hall.with_token(author, scope=["files:read", "chat:use"])
    with pytest.raises(PermissionDenied, match="files:write"):
        await fields(chat_only, made)
    with pytest.raises(NotFound):
        await fields(model_hall.globex.member, made)
    # A document of another team that is shared for reading is read, and nothing is put beside it.
    assert model_hall.model.calls == []


async def test_a_spent_quota_is_told_as_such_and_nothing_is_written(model_hall, upload, fields, listed):
    author = model_hall.acme.member
    made = await upload(author, "bill.txt")
    async with model_hall.server.data.write() as writer:
        await model_hall.server.service(Quotas).set_limit(
            writer, "team", model_hall.acme.team_id, "ai.requests", "day", 0
        )
    with pytest.raises(TooManyRequests):
        await fields(author, made)
    assert (model_hall.model.calls, await listed(author)) == ([], ["bill.txt"])


@pytest.mark.every_database
async def test_what_no_database_keeps_is_taken_out_of_the_answer(model_hall, upload, fields, content):
    made = await upload(model_hall.acme.member, "bill.txt")
    model_hall.model.say('{"invoice": "a\\u0000b\\ud800", "total": 1}')
    answer = await fields(model_hall.acme.member, made)
    assert answer["fields"] == {"invoice": "ab?", "total": 1}
    assert "ab?" in await content(model_hall.acme.member, answer["object_id"])


async def test_the_version_that_was_read_is_the_one_that_is_named(model_hall, upload, fields):
    author = model_hall.acme.member
    made = await upload(author, "bill.txt")
    text = (await model_hall.tool("doc_text", as_=author, object=made["id"])).public()
    await upload(author, "bill.txt", b"overwritten")
    model_hall.model.say(GOOD)
    output = await fields(author, made, text=text)
    sources = (await author.get(f"/api/repo-obj/{output['object_id']}/derivations")).json()["sources"]
    assert [one["version"] for one in sources] == [1]
    model_hall.model.say(GOOD)
    with pytest.raises(NotFound):
        await fields(author, made, text={**text, "version": 99})


def test_fields_are_written_so_that_nothing_in_them_is_markdown():
    value = {"*n*": "# x\n```\n- y", "list": [1, {"a": None}, []], "empty": {}}
    written = finished(render("a_b.txt", value))
    listed = "- **\\*n\\***: \\# x \\`\\`\\` - y\n- **list**:\n  - 1\n  -\n    - **a**: null\n"
    assert written.startswith(f"# Fields of a\\_b.txt\n\n{listed}")
    assert "````json\n" in written
    deep: object = "leaf"
    for _ in range(50):
        deep = [deep]
    assert "leaf" in finished(render("a", deep))


async def test_a_schema_that_leaves_everything_open_gives_fields_that_a_form_takes(hall, upload):
    author = hall.acme.member
    made = await upload(author, "a.txt", b"Invoice: INV-7")
    runs = []
    for schema in ({}, {"title": "Whatever"}):
        given = {"object_id": made["id"], "schema": schema, "template": "Thank you.", "locales": []}
        runs.append((await author.post("/api/workflows/process-upload/run", {"input": given})).json())
    await hall.drain_jobs()
    for run in runs:
        ended = (await author.get(f"/api/runs/{run['id']}")).json()
        assert (ended["state"], ended["error"]) == ("succeeded", None)
        assert isinstance(ended["steps"][1]["output"]["result"]["fields"], dict)


HOSTILE = {
    "numbers": "[" + "0," * 60_000 + "0]",
    "signs": '["' + "*" * 200_000 + '"]',
    "nested": "[" * 20 + "[]," * 40_000 + "[]" + "]" * 20,
}


@pytest.mark.own_server
async def test_a_hostile_answer_is_listed_in_short_steps(model_hall, upload, fields, thread_steps):
    made = await upload(model_hall.acme.member, "bill.txt")

    async def longest_step(said):
        thread_steps.clear()
        model_hall.model.say(said)
        await fields(model_hall.acme.member, made, {"type": "array"})
        return max(thread_steps)

    await longest_step("[]")
    for name, answer in HOSTILE.items():
        # What is imported and cold costs once, what the code does it does each time.
        assert await longest_step(answer) < 0.05 or await longest_step(answer) < 0.05, name
