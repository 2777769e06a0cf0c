"""Teams that get another name, or go."""

import asyncio

import pytest

from builtin_plugins.notes import note as notes
from guildhall_sdk import Statement

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]
_LOCK_WAITERS = Statement(
    "lock_waiters",
    "SELECT 1",
    "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted "
    "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
)


def code(response):
    return response.status_code, response.json().get("code")


async def new_team(hall, name="Research"):
    return (await hall.acme.org_admin.post("/api/org/teams", {"name": name})).json()


async def a_member_of(hall, team, name="rita", role="owner"):
    body = {"username": f"{name}-{hall.acme.slug}", "team": team["id"], "role": role}
    added = await hall.acme.org_owner.post("/api/org/members", body)
    assert added.status_code == 201, added.text
    return added.json()["member"]["user_id"], hall.bearer(added.json()["token"])


async def stored(client):
    items = (await client.get("/api/usage")).json()["items"]
    return next(
        item["used"] for item in items if (item["dimension"], item["level"]) == ("storage.bytes", "team")
    )


async def delete(hall, team, body=None):
    return await hall.acme.org_admin.request("DELETE", f"/api/org/teams/{team['id']}", body)


async def test_a_team_gets_another_name_and_keeps_its_slug(hall, actions_of):
    team = await new_team(hall)
    renamed = await hall.acme.org_admin.patch(f"/api/org/teams/{team['id']}", {"name": "Inquiry"})
    assert renamed.status_code == 200
    assert (renamed.json()["name"], renamed.json()["slug"]) == ("Inquiry", team["slug"])
    assert (await actions_of(hall.acme.reader))[0] == "team.renamed"
    refused = await hall.acme.reader.patch(f"/api/org/teams/{team['id']}", {"name": "Mine"})
    assert code(refused) == (403, "permission_denied")
    elsewhere = await hall.globex.org_owner.patch(f"/api/org/teams/{team['id']}", {"name": "Ours"})
    assert code(elsewhere) == (404, "not_found")


async def test_an_empty_team_is_deleted(hall, actions_of):
    team = await new_team(hall)
    assert (await delete(hall, team)).status_code == 204
    assert team not in (await hall.acme.reader.get("/api/org/teams")).json()["items"]
    assert code(await delete(hall, team)) == (404, "not_found")
    assert (await actions_of(hall.acme.reader))[0] == "team.deleted"
    body = {"username": "late", "team": team["id"], "role": "member"}
    assert code(await hall.acme.org_owner.post("/api/org/members", body)) == (404, "not_found")


@pytest.mark.every_database
async def test_what_is_in_a_team_goes_to_another(hall):
    acme, team = hall.acme, await new_team(hall)
    user_id, rita = await a_member_of(hall, team)
    note = (await rita.post("/api/notes", {"title": "Zebra", "body": "stripes", "visibility": "team"})).json()
    text = {"content-type": "text/plain"}
    for client, words in ((acme.owner, b"ours"), (rita, b"theirs")):
        put = await client.request("PUT", "/api/repo/plan.txt", content=words, headers=text)
        assert put.status_code == 201, put.text
    term = {"term": "hall", "target": "nl", "translation": "zaal"}
    assert (await rita.post("/api/glossary", term)).status_code in (200, 201)
    step = {"name": "find", "kind": "tool", "tool": "repo_list_unindexed"}
    workflow = {"slug": "unread", "start": "find", "steps": [step]}
    assert (await rita.post("/api/workflows", workflow)).status_code == 201
    trigger = (
        await rita.post("/api/doc-triggers", {"workflow_slug": "unread", "match_prefix": "in/"})
    ).json()
    kept = await stored(acme.owner) + await stored(rita)
    refused = await delete(hall, team)
    assert code(refused) == (409, "team_not_empty")
    for words in ("notes", "files", "members", "glossary terms", "workflows", "triggers"):
        assert words in refused.json()["detail"]
    assert code(await delete(hall, team, {"move_to": team["id"]})) == (400, "invalid_request")
    assert code(await delete(hall, team, {"move_to": hall.globex.team_id})) == (400, "invalid_request")

    moved = await delete(hall, team, {"move_to": acme.team_id})
    assert moved.status_code == 204, moved.text
    assert (await rita.get("/api/whoami")).status_code == 401
    assert (await acme.owner.get(f"/api/notes/{note['id']}")).json()["team_id"] == acme.team_id
    found = (await acme.owner.get("/api/search", params={"q": "zebra"})).json()["items"]
    assert [hit["id"] for hit in found] == [note["id"]]
    keys = [one["key"] for one in (await acme.owner.get("/api/repo")).json()["items"]]
    assert sorted(keys) == sorted(["plan.txt", f"{team['slug']}/plan.txt"])
    members = {one["user_id"]: one["role"] for one in (await acme.owner.get("/api/members")).json()["items"]}
    assert members[user_id] == "member"
    assert (await acme.owner.get("/api/workflows/unread")).json()["version"] == 1
    assert [one["id"] for one in (await acme.owner.get("/api/doc-triggers")).json()["items"]] == [
        trigger["id"]
    ]
    assert (await acme.owner.get("/api/glossary")).json()["items"][0]["term"] == "hall"
    assert await stored(acme.owner) == kept
    written = await acme.owner.request("PUT", "/api/repo/in/a.txt", content=b"a", headers=text)
    await hall.drain_jobs()
    fires = (await acme.owner.get(f"/api/doc-triggers/{trigger['id']}")).json()["fires"]
    assert [fire["object_id"] for fire in fires] == [written.json()["id"]]


async def test_a_file_that_is_taken_twice_keeps_the_team(hall):
    acme, team = hall.acme, await new_team(hall)
    _, rita = await a_member_of(hall, team)
    text = {"content-type": "text/plain"}
    for client, key in ((acme.owner, "a.txt"), (acme.owner, f"{team['slug']}/a.txt"), (rita, "a.txt")):
        put = await client.request("PUT", f"/api/repo/{key}", content=b"x", headers=text)
        assert put.status_code == 201, put.text
    assert code(await delete(hall, team, {"move_to": acme.team_id})) == (409, "key_taken")
    assert (await rita.get("/api/whoami")).status_code == 200


@pytest.mark.every_database
async def test_a_key_that_would_be_too_long_in_the_folder_keeps_the_team(hall):
    """A key has 1,024 bytes at most, of which these letters take two each."""
    acme, team = hall.acme, await new_team(hall)
    _, rita = await a_member_of(hall, team)
    for client in (acme.owner, rita):
        put = await client.request(
            "PUT", f"/api/repo/{'é' * 510}", content=b"x", headers={"content-type": "text/plain"}
        )
        assert put.status_code == 201, put.text
    assert code(await delete(hall, team, {"move_to": acme.team_id})) == (409, "key_taken")


@pytest.mark.every_database
async def test_what_is_being_written_while_a_team_goes_is_moved_too(hall, monkeypatch):
    """The note is written and not yet committed when the team is deleted."""
    team = await new_team(hall)
    _, rita = await a_member_of(hall, team)
    written, released = asyncio.Event(), asyncio.Event()
    publish = notes.publish

    async def publish_later(*arguments):
        await publish(*arguments)
        written.set()
        await released.wait()

    monkeypatch.setattr(notes, "publish", publish_later)
    writing = asyncio.create_task(rita.post("/api/notes", {"title": "Just now", "visibility": "team"}))
    await written.wait()
    deleting = asyncio.create_task(delete(hall, team, {"move_to": hall.acme.team_id}))
    if hall.database == "postgresql":
        await until_somebody_waits(hall, deleting)
    late = asyncio.create_task(rita.post("/api/notes", {"title": "Too late"}))
    released.set()
    assert (await deleting).status_code == 204
    note = (await writing).json()
    assert (await hall.acme.member.get(f"/api/notes/{note['id']}")).status_code == 200
    assert (await late).status_code in (201, 401)


async def until_somebody_waits(hall, task):
    """Waits until somebody waits for a lock, or the task is over."""
    async with asyncio.timeout(60), hall.server.data.read() as reader:
        while not (task.done() or await reader.all(_LOCK_WAITERS)):
            pass
