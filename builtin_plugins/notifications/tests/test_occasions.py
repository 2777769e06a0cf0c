"""What people are told of: shares, runs, limits and teams."""

import pytest

from guildhall_sdk import JobFailed, Plugin, Tool, hookimpl
from guildhall_sdk.dimensions import Quotas

pytestmark = pytest.mark.shared_server


async def kinds(client):
    return [item["kind"] for item in (await client.get("/api/notifications")).json()["items"]]


async def test_a_file_that_is_shared_with_a_person_or_a_team(hall, inbox):
    acme = hall.acme
    stored = (await acme.member.put("/api/repo/plans/one.md", "# One")).json()
    body = {"principal_type": "user", "principal_id": acme.colleague.user_id, "capability": "view"}
    assert (await acme.member.post(f"/api/repo-obj/{stored['id']}/share", body)).status_code == 200
    (item,) = (await inbox(acme.colleague))["items"]
    assert (item["kind"], item["link"]) == ("repo.shared", f"/files/{stored['id']}")
    assert "plans/one.md" in item["text"]
    body = {"principal_type": "team", "principal_id": acme.second_team.id, "capability": "view"}
    assert (await acme.member.post(f"/api/repo-obj/{stored['id']}/share", body)).status_code == 200
    assert await kinds(acme.second_team.viewer) == ["repo.shared"]
    assert await kinds(acme.member) == []


class Saying:
    """A tool that says its word, and fails at `no`."""

    PLUGIN = Plugin("saying", "Saying", "1.0", "Says.")

    async def say(self, host, principal, arguments):
        if arguments["word"] == "no":
            raise JobFailed("no_good", "It is no good.")
        return arguments["word"]

    @hookimpl
    def declare_tools(self):
        schema = {"type": "object", "properties": {"word": {}}, "additionalProperties": False}
        return [Tool("say", "Says it.", "workflows:run", hosted=self.say, schema=schema)]


@pytest.mark.own_server
async def test_a_run_that_somebody_started_is_done_or_failed(open_hall, inbox):
    step = {"name": "do", "kind": "tool", "tool": "say", "with": {"word": {"$from": "input.word"}}}
    spec = {"slug": "say-it", "inputs": {"word": {"type": "string"}}, "start": "do", "steps": [step]}
    async with open_hall(Saying()) as hall:
        admin = hall.acme.admin
        assert (await admin.post("/api/workflows", spec)).status_code == 201
        for word in ("yes", "no"):
            assert (
                await admin.post("/api/workflows/say-it/run", {"input": {"word": word}})
            ).status_code == 202
            await hall.drain_jobs()
        failed, done = (await inbox(admin))["items"]
        runs = [f"/runs/{run['id']}" for run in (await admin.get("/api/runs")).json()["items"]]
        assert [(one["kind"], one["link"]) for one in (failed, done)] == [
            ("workflows.failed", runs[0]),
            ("workflows.succeeded", runs[1]),
        ]
        assert failed["text"] == "The run of say-it failed: It is no good."
        assert await kinds(hall.acme.owner) == []


async def test_who_manages_hears_once_that_a_limit_is_near_and_that_it_is_reached(hall, inbox):
    acme = hall.acme
    async with hall.server.data.write() as writer:
        quotas = hall.server.host.service(Quotas)
        await quotas.set_limit(writer, "team", acme.team_id, "storage.bytes", "none", 1000)
    for size in (700, 150, 50, 100):
        await acme.member.post("/api/notes", {"title": "t", "body": "x" * (size - 1)})
    heard = (await inbox(acme.owner))["items"]
    assert [item["kind"] for item in heard] == ["quotas.reached", "quotas.tight"]
    assert heard[0]["params"]["limit"] == 1000
    assert await kinds(acme.member) == []


async def test_who_is_added_to_a_team_or_has_another_role_there(hall, inbox):
    acme = hall.acme
    team, person = acme.second_team, acme.colleague
    body = {"username": person.username, "role": "member", "team": team.id}
    assert (await acme.org_admin.post("/api/org/members", body)).status_code == 201
    await team.owner.patch(f"/api/members/{person.user_id}", {"role": "viewer"})
    changed, joined = (await inbox(person))["items"]
    assert (changed["kind"], changed["params"]["role"]) == ("identity.role_changed", "viewer")
    assert (joined["kind"], joined["team"]["id"]) == ("identity.joined", team.id)
