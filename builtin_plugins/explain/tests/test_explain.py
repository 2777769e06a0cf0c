"""Why somebody may or may not: by the API, by the command, and in a refusal itself."""

import asyncio

import pytest

from tests import commands

ORDER = ["rate", "suspension", "feature", "permission", "scope", "quota"]


def gate_of(answer, name):
    return next(one for one in answer["gates"] if one["gate"] == name)


async def explained(client, **query):
    answer = await client.get("/api/explain", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def refused(client, method, path, **body):
    answer = await client.request(method, path, json=body)
    assert answer.status_code in (403, 429), answer.text
    return {name: answer.json()[name] for name in ("gate", "rule", "who")}


@pytest.mark.any_database
async def test_a_missing_permission_is_told_and_who_can_give_it(hall):
    viewer = hall.acme.viewer
    answer = await explained(hall.acme.admin, method="POST", path="/api/notes", user=viewer.user_id)
    assert [one["gate"] for one in answer["gates"]] == ORDER and not answer["allowed"]
    assert [one["gate"] for one in answer["gates"] if one["decision"] == "deny"] == ["permission"]
    found = gate_of(answer, "permission")
    assert (found["plugin"], found["rule"]) == ("notes", "notes:write")
    assert "viewer of the team" in found["because"] and "member or admin or owner" in found["lifted_by"]
    told = await refused(viewer, "POST", "/api/notes", title="mine", body="")
    assert "why" not in (await viewer.post("/api/notes", {"title": "mine", "body": ""})).json()
    assert told == {"gate": "permission", "rule": "notes:write", "who": found["lifted_by"]}


async def test_who_may_is_told_why(hall):
    by_name = await explained(
        hall.acme.admin, method="POST", path="/api/notes", user="acme-member", team=hall.acme.team_id
    )
    assert by_name["allowed"] and gate_of(by_name, "permission")["decision"] == "allow"
    own = await explained(hall.acme.admin, path="/api/notes")
    assert own["allowed"] and gate_of(own, "suspension")["decision"] == "skip"
    public = await explained(hall.acme.admin, path="/health")
    assert public["allowed"] and [one["gate"] for one in public["gates"]] == ["rate", "permission"]
    by_host = await explained(hall.acme.admin, method="POST", path="/api/provision")
    assert not by_host["allowed"] and gate_of(by_host, "permission")["rule"] == "provision"


async def test_a_feature_that_is_off_is_told(hall):
    await hall.set_feature(hall.acme, "workflows", False)
    answer = await explained(
        hall.acme.admin, method="POST", path="/api/workflows", user=hall.acme.owner.user_id
    )
    found = gate_of(answer, "feature")
    assert (found["decision"], found["rule"]) == ("deny", "workflows")
    told = await refused(hall.acme.owner, "POST", "/api/workflows")
    assert told == {"gate": "feature", "rule": "workflows", "who": found["lifted_by"]}


@pytest.mark.any_database
async def test_a_scope_is_told_apart_from_a_role(hall):
    narrow = await hall.with_token(hall.acme.admin, scope=["members:manage", "notes:read"])
    answer = await explained(narrow, method="POST", path="/api/notes")
    assert gate_of(answer, "permission")["decision"] == "allow"
    found = gate_of(answer, "scope")
    assert (found["decision"], found["rule"]) == ("deny", "notes:write")
    told = await refused(narrow, "POST", "/api/notes", title="mine", body="")
    assert told == {"gate": "scope", "rule": "notes:write", "who": found["lifted_by"]}
    address = (await narrow.post("/api/notes", {"title": "mine", "body": ""})).json()["why"]
    assert gate_of((await narrow.get(address)).json(), "scope") == found
    by_token = await explained(narrow, method="POST", path="/api/tokens")
    assert gate_of(by_token, "scope")["decision"] == "deny"


async def test_a_suspended_company_and_person_are_told(hall):
    colleague = hall.acme.colleague
    path = f"/api/org/members/{colleague.user_id}/suspend"
    assert (await hall.acme.org_owner.post(path)).status_code == 200
    answer = await explained(hall.acme.admin, method="POST", path="/api/notes", user=colleague.user_id)
    assert gate_of(answer, "suspension")["rule"] == "person_suspended" and not answer["allowed"]
    told = await refused(colleague, "GET", "/api/notes")
    assert told["gate"] == "suspension" and "org_admin or org_owner of the company" in told["who"]
    await hall.suspend(hall.acme)
    member = await explained(hall.acme.admin, method="POST", path="/api/notes", user=hall.acme.member.user_id)
    assert gate_of(member, "suspension")["rule"] == "org_suspended"


async def test_a_limit_that_is_used_up_is_told(hall):
    limit = {"dimension": "ai.requests", "window": "day", "limit": 0}
    assert (await hall.operator.post("/api/quota", json=limit)).status_code == 200
    operator = hall.operator
    answer = await explained(operator, method="POST", path="/api/ai/chat")
    found = gate_of(answer, "quota")
    assert (found["decision"], found["rule"]) == ("deny", "ai.requests")
    told = await refused(operator, "POST", "/api/ai/chat", prompt="hi")
    assert told == {"gate": "quota", "rule": "ai.requests", "who": found["lifted_by"]}


async def test_a_limit_of_another_plugin_is_told_where_a_refusal_named_it(hall):
    limit = {"dimension": "storage.bytes", "window": "none", "limit": 0}
    assert (await hall.operator.post("/api/quota", json=limit)).status_code == 200
    refusal = (await hall.operator.post("/api/notes", {"title": "mine", "body": "long"})).json()
    assert (refusal["gate"], refusal["rule"]) == ("quota", "storage.bytes")
    found = gate_of((await hall.operator.get(refusal["why"])).json(), "quota")
    assert (found["decision"], found["rule"]) == ("deny", "storage.bytes")
    plain = await explained(hall.operator, method="POST", path="/api/notes")
    assert gate_of(plain, "quota")["decision"] == "allow"


@pytest.mark.any_database
async def test_nobody_learns_of_people_and_teams_that_are_not_theirs(hall):
    admin, stranger = hall.acme.admin, hall.globex.member
    for query in (
        {"path": "/api/notes", "user": stranger.user_id},
        {"path": "/api/notes", "user": "globex-member"},
        {"path": "/api/notes", "team": hall.globex.team_id},
        {"path": "/api/notes", "team": hall.acme.second_team.id},
        {"path": "/api/nothing"},
        {"path": "/api/notes", "method": "PATCH"},
    ):
        assert (await admin.get("/api/explain", params=query)).status_code == 404, query
    assert (await admin.get("/api/explain")).status_code == 400
    assert (await hall.acme.member.get("/api/explain?path=/api/notes")).status_code == 403
    over = await explained(hall.operator, path="/api/notes", user=stranger.user_id, team=hall.globex.team_id)
    assert over["allowed"]


@pytest.mark.any_database
async def test_the_operator_asks_at_the_machine(hall):
    settings = hall.server.settings
    environ = commands.bare_environment(
        SERVICE_DATA=str(settings.data), SERVICE_DATABASE_URL=settings.database_url
    )

    async def run(*arguments):
        return await asyncio.to_thread(commands.run, environ, ["explain", *arguments])

    no = await run("POST", "/api/notes", "--as", "acme-viewer")
    assert no.returncode == 1 and "NO  permission notes:write" in no.stdout and "refused" in no.stdout
    yes = await run("post", "/api/notes", "--as", "acme-member", "--team", "acme")
    assert yes.returncode == 0 and yes.stdout.endswith("allowed\n"), yes.output
    nobody = await run("GET", "/api/notes", "--as", "nobody")
    assert nobody.returncode == 2 and "guildhall people list" in nobody.stderr
    elsewhere = await run("GET", "/api/notes", "--as", "acme-member", "--team", "globex")
    assert elsewhere.returncode == 2 and "they are in acme--acme" in elsewhere.stderr
