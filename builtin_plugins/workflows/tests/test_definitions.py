"""Publishing workflows and looking at them."""

import asyncio

import pytest
from jsonschema import Draft202012Validator

from guildhall_sdk.dimensions import Quotas

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]


def spec(slug="hello", **fields):
    step = {"name": "find", "kind": "tool", "tool": "repo_list_unindexed"}
    return {"slug": slug, "start": "find", "steps": [step], **fields}


async def publish(client, raw):
    response = await client.post("/api/workflows", raw)
    assert response.status_code == 201, response.text
    return response.json()


async def listed(client, query=""):
    response = await client.get(f"/api/workflows{query}")
    assert response.status_code == 200, response.text
    return response.json()


async def stored(client):
    items = (await client.get("/api/usage")).json()["items"]
    return next(
        item["used"] for item in items if (item["dimension"], item["level"]) == ("storage.bytes", "team")
    )


async def test_a_published_workflow_is_the_teams_with_its_spec(hall):
    admin = hall.acme.admin
    raw = spec(name="Hello", inputs={"x": {"type": "string"}}, max_steps=7)
    response = await admin.post("/api/workflows", raw)
    assert response.status_code == 201
    assert response.headers["location"] == "/api/workflows/hello"
    made = response.json()
    warnings = [{"pointer": "/inputs/x", "message": "no step uses this input"}]
    assert made.pop("warnings") == warnings
    assert made.pop("spec") == {**raw, "version": 1}
    assert made["id"].startswith("wf_")
    assert {name: made[name] for name in ("slug", "version", "name", "source", "max_steps", "inputs")} == {
        "slug": "hello",
        "version": 1,
        "name": "Hello",
        "source": None,
        "max_steps": 7,
        "inputs": {"x": {"type": "string"}},
    }
    assert made["published_by"] == admin.user_id
    assert made in (await listed(hall.acme.viewer))["items"]
    shown = (await hall.acme.viewer.get("/api/workflows/hello")).json()
    assert shown == {**made, "spec": {**raw, "version": 1}, "warnings": warnings}


async def test_publishing_again_counts_the_version_up_whatever_was_posted(hall):
    admin = hall.acme.admin
    versions = [(await publish(admin, spec(version=posted)))["version"] for posted in (7, 7, 1)]
    assert versions == [1, 2, 3]
    assert (await admin.get("/api/workflows/hello")).json()["spec"]["version"] == 3
    assert (await admin.get("/api/workflows/hello?version=2")).json()["version"] == 2
    assert (await admin.get("/api/workflows/hello?version=9")).status_code == 404
    assert [one["version"] for one in (await listed(admin))["items"] if one["slug"] == "hello"] == [3]


@pytest.mark.every_database
async def test_racing_publishers_get_a_version_each(hall):
    admin = hall.acme.admin
    made = await asyncio.gather(*(publish(admin, spec(name=f"n{number}")) for number in range(12)))
    assert sorted(one["version"] for one in made) == [*range(1, 13)]
    for one in made:
        shown = (await admin.get(f"/api/workflows/hello?version={one['version']}")).json()
        assert (shown["id"], shown["name"]) == (one["id"], one["name"])


async def test_each_team_has_its_own(hall):
    await publish(hall.acme.admin, spec(name="of the first team"))
    for other in (hall.acme.second_team.admin, hall.globex.admin):
        assert (await other.get("/api/workflows/hello")).status_code == 404
        assert (await publish(other, spec(name="another")))["version"] == 1
    assert (await hall.acme.viewer.get("/api/workflows/hello")).json()["name"] == "of the first team"


async def test_publishing_is_audited_and_its_bytes_are_counted(hall):
    admin = hall.acme.admin
    before = await stored(admin)
    made = await publish(admin, spec())
    again = await publish(admin, spec())
    assert await stored(admin) > before
    items = (await admin.get("/api/audit")).json()["items"]
    events = [item for item in items if item["action"] == "workflow.published"]
    assert [event["target"] for event in events] == [
        {"type": "workflow", "id": again["id"]},
        {"type": "workflow", "id": made["id"]},
    ]
    assert events[0]["detail"] == {"slug": "hello", "version": 2, "replaces": 1}


async def test_without_room_for_its_bytes_nothing_is_published(hall):
    admin = hall.acme.admin
    async with hall.server.data.write() as writer:
        await hall.server.service(Quotas).set_limit(
            writer, "team", hall.acme.team_id, "storage.bytes", "none", 100
        )
    response = await admin.post("/api/workflows", spec(name="x" * 100))
    assert (response.status_code, response.json()["code"]) == (429, "quota_exceeded")
    assert (await admin.get("/api/workflows/hello")).status_code == 404
    assert await stored(admin) == 0


async def test_what_is_wrong_is_named_and_nothing_of_it_stays(hall):
    admin = hall.acme.admin
    before = await stored(admin)
    step = {"name": "a", "kind": "tool", "tool": "repo_extract_text", "with": {"id": {"$from": "input.id"}}}
    last = {"name": "b", "kind": "map", "over": {"$from": "steps.c.output.result"}, "tool": "none"}
    response = await admin.post("/api/workflows", {"slug": "bad", "start": "x", "steps": [step, last]})
    assert (response.status_code, response.json()["code"]) == (400, "invalid_request")
    assert [error["pointer"] for error in response.json()["errors"]] == [
        "/start",
        "/steps/0/with/id/$from",
        "/steps/1/tool",
        "/steps/1/over/$from",
    ]
    response = await admin.post(
        "/api/workflows", spec(steps=[{**step, "name": "find", "tool": "none", "with": {}}])
    )
    assert (response.status_code, response.json()["code"]) == (400, "unknown_tool")
    assert (await admin.get("/api/workflows/bad")).status_code == 404
    assert await stored(admin) == before


def wide(values):
    return {
        "slug": "big",
        "start": "a",
        "steps": [{"name": "a", "kind": "tool", "with": {"x": [0] * values}}],
    }


def deep(levels):
    text = '{"slug": "big", "start": "a", "steps": [{"name": "a", "kind": "tool", "tool": "x", "with": {"x": '
    return (text + "[" * levels + "]" * levels + "}}]}").encode()


TOO_LARGE = [
    ({"json": wide(20_000)}, 400, "invalid_request", "more than 10,000 values"),
    ({"json": wide(200_000)}, 400, "invalid_json", "more than 100,000 values"),
    ({"json": wide(1_000_000)}, 413, "too_large", "larger than"),
    ({"content": deep(40)}, 400, "invalid_request", "/steps/0/with/x"),
    ({"content": deep(100)}, 400, "invalid_json", "nested more than 64 levels"),
    ({"content": deep(100_000)}, 400, "invalid_json", "more than 100,000 values"),
]


async def test_what_is_too_large_is_refused_by_name_off_the_loop(hall):
    """The hall watches its loop, and fails a test that holds it."""
    for body, status, code, message in TOO_LARGE:
        response = await hall.acme.admin.post("/api/workflows", **body)
        assert (response.status_code, response.json()["code"]) == (status, code)
        assert message in response.json()["detail"]
        assert (await hall.acme.admin.get("/api/workflows/big")).status_code == 404


async def test_a_publisher_is_warned_of_what_will_not_work(hall):
    admin = hall.acme.admin
    await admin.post("/api/tools/repo_list_unindexed", {"enabled": False})
    steps = [
        {"name": "fork", "kind": "choice", "when": {"empty": ""}, "then": "find", "else": "read"},
        {"name": "find", "kind": "tool", "tool": "repo_list_unindexed"},
        {
            "name": "read",
            "kind": "tool",
            "tool": "repo_extract_text",
            "with": {"key": {"$from": "steps.find.output.result.0"}},
        },
        {"name": "last", "kind": "tool", "tool": "repo_extract_text", "with": {"id": "obj_1"}},
    ]
    made = await publish(admin, spec(start="fork", steps=steps))
    off, needs, unknown = (
        "the tool repo_list_unindexed is off for this team; a run fails here",
        "the tool repo_extract_text needs id; a run fails here",
        "the tool repo_extract_text takes no key; a run fails here",
    )
    maybe = "step find does not run on every way here; then this is nothing"
    assert {one["pointer"]: one["message"] for one in made["warnings"]} == {
        "/steps/1/tool": off,
        "/steps/2": "no step uses the output of read",
        "/steps/2/with/id": needs,
        "/steps/2/with/key": unknown,
        "/steps/2/with/key/$from": maybe,
    }


@pytest.mark.every_database
async def test_the_list_is_paged_by_slug(hall):
    admin = hall.acme.admin
    for number in range(5):
        await publish(admin, spec(f"zz-{number}"))
        await publish(admin, spec(f"zz-{number}"))
    slugs, cursor = [], ""
    while cursor is not None:
        page = await listed(admin, f"?limit=2&cursor={cursor}" if cursor else "?limit=2")
        slugs += [one["slug"] for one in page["items"]]
        cursor = page["next_cursor"]
    assert [slug for slug in slugs if slug.startswith("zz-")] == [f"zz-{number}" for number in range(5)]
    assert slugs == sorted(set(slugs))


async def test_the_format_is_there_for_everybody(hall):
    response = await hall.anonymous.get("/api/workflows/schema")
    assert response.status_code == 200
    told = response.json()
    assert told["version"] == 2
    Draft202012Validator.check_schema(told["schema"])
    Draft202012Validator(told["schema"]).validate(spec())
    assert [one["kind"] for one in told["step_kinds"]] == [
        "tool",
        "map",
        "choice",
        "parallel",
        "approve",
        "wait",
        "workflow",
        "transform",
        "http",
    ]
    assert len(told["predicates"]) == 7
    assert told["input_types"] == ["string", "number", "integer", "boolean", "object", "array"]
    assert (told["limits"]["max_steps"], told["limits"]["items"]) == (20_000, 10_000)
    assert "principal.locale" in [one["reference"] for one in told["references"]]


async def test_no_workflow_can_take_the_formats_address(hall):
    response = await hall.acme.admin.post("/api/workflows", spec("schema"))
    assert response.json()["errors"] == [{"pointer": "/slug", "message": "is reserved; choose another"}]


async def test_a_scope_and_a_role_decide_who_publishes(hall):
    narrow = await hall.with_token(hall.acme.admin, scope=["workflows:read"])
    for client in (hall.acme.member, narrow):
        response = await client.post("/api/workflows", spec())
        assert (response.status_code, response.json()["permission"]) == (403, "workflows:write")
    await hall.set_feature(hall.acme, "workflows", False)
    assert (await hall.acme.admin.post("/api/workflows", spec())).json()["code"] == "feature_disabled"
    assert (await hall.acme.admin.get("/api/workflows")).json()["code"] == "feature_disabled"


@pytest.mark.every_database
async def test_the_versions_of_a_workflow_are_listed_newest_first(hall):
    spec = {
        "slug": "grown",
        "start": "find",
        "steps": [{"name": "find", "kind": "tool", "tool": "repo_list_unindexed"}],
    }
    for name in ("First", "Second", "Third"):
        await hall.acme.admin.call("POST", "/api/workflows", {**spec, "name": name})
    status, first = await hall.acme.viewer.call("GET", "/api/workflows/grown/versions?limit=2")
    assert status == 200 and [one["version"] for one in first["items"]] == [3, 2]
    _, rest = await hall.acme.viewer.call(
        "GET", f"/api/workflows/grown/versions?cursor={first['next_cursor']}"
    )
    assert [(one["version"], one["name"]) for one in rest["items"]] == [(1, "First")]
    assert rest["next_cursor"] is None
    assert (await hall.globex.member.call("GET", "/api/workflows/grown/versions"))[0] == 404
    assert (await hall.acme.viewer.call("GET", "/api/workflows/grown/versions?cursor=eA"))[0] == 400
