"""What a newer version of a plugin adds waits until an operator approves it; all else of it goes on."""

import asyncio
from types import SimpleNamespace

import pytest

from builtin_plugins.installing.approvals import Approvals
from guildhall_sdk import Auth, JobKind, NewJob, Permission, Plugin, Reply, Route, hookimpl
from guildhall_sdk.services.jobs import Jobs

SORT = "x.shelf.sort"
WRITE = "POST /api/x/shelf/items (shelf:write)"
OPEN = "GET /api/shelf/open (public)"
HELD = [f"job kind {SORT}", "permission shelf:write", f"route {OPEN}", f"route {WRITE}"]


async def answer(call):
    return Reply({"shelf": True})


async def work(job):
    return {}


def shelf(version, *, more=False):
    """A version of a plugin, the newer one with a right of each sort that the older one has not."""
    routes = [Route("GET", "items", answer, "Read", permission="shelf:read")]
    permissions, kinds = [Permission(name="shelf:read", description="Read.", roles=["viewer"])], []
    if more:
        routes.append(Route("POST", "items", answer, "Write", permission="shelf:write"))
        routes.append(Route("GET", "/api/shelf/open", answer, "Anybody", Auth.PUBLIC))
        permissions.append(Permission(name="shelf:write", description="Write.", roles=["member"]))
        kinds.append(JobKind(SORT, "Sorts", handler=work))
    return SimpleNamespace(
        PLUGIN=Plugin("shelf", "Shelf", version, "A shelf."),
        declare_routes=hookimpl(lambda: routes),
        declare_permissions=hookimpl(lambda: permissions),
        declare_job_kinds=hookimpl(lambda: kinds),
    )


@pytest.fixture
def installed(monkeypatch):
    """As if an installer had brought the plugin, and not its author."""
    monkeypatch.setattr("builtin_plugins.installing.approvals._is_source", lambda plugin_id: False)


async def held(hall):
    items = (await hall.operator.get("/api/plugins")).json()["items"]
    return next(one["held"] for one in items if one["id"] == "shelf")


async def approve(hall, **body):
    response = await hall.operator.post("/api/plugins/shelf/approve", body)
    assert response.status_code == 200, response.text
    return response.json()


def refusal(response):
    return response.status_code, response.json().get("code")


async def test_what_widened_is_held_until_it_is_approved(open_again, installed):
    async with open_again(shelf("1.0")) as hall:
        assert await held(hall) == []
        member = hall.acme.member
        assert (await member.get("/api/x/shelf/items")).status_code == 200
    async with open_again(shelf("2.0", more=True)) as hall:
        member = hall.acme.member
        assert await held(hall) == HELD
        assert (await member.get("/api/x/shelf/items")).status_code == 200
        refused = await member.post("/api/x/shelf/items")
        assert refusal(refused) == (403, "plugin_held")
        assert refused.json()["gate"] == "feature" and "approves it" in refused.json()["who"]
        assert refusal(await hall.anonymous.get("/api/shelf/open")) == (403, "plugin_held")
        assert refusal(await hall.operator.post("/api/x/shelf/items")) == (403, "plugin_held")
        assert refusal(await member.post("/api/jobs", {"kind": SORT})) == (403, "plugin_held")
        assert "shelf:write" not in (await member.get("/api/session")).text
        waiting = await own_job(hall)
        await hall.drain_jobs()
        assert await state(hall, waiting) == "queued"
        why = (await hall.acme.admin.get("/api/explain?method=POST&path=/api/x/shelf/items")).json()
        assert [one["rule"] for one in why["gates"] if one["gate"] == "feature"] == ["plugin_held"]

        assert refusal(await hall.acme.owner.post("/api/plugins/shelf/approve", {}))[0] == 403
        done = await approve(hall)
        assert done == {"id": "shelf", "version": "2.0", "approved": HELD, "held": []}
        assert (await member.post("/api/x/shelf/items")).status_code == 200
        assert (await hall.anonymous.get("/api/shelf/open")).status_code == 200
        assert (await member.post("/api/jobs", {"kind": SORT})).status_code == 202
        hall.clock.advance(minutes=1)
        await hall.drain_jobs()
        assert await state(hall, waiting) == "succeeded"
        assert await approve(hall) == {"id": "shelf", "version": "2.0", "approved": [], "held": []}
        trail = (await hall.operator.get("/api/audit")).json()["items"]
        events = [one for one in trail if one["action"] == "plugin.approved"]
        assert [one["detail"] for one in events] == [{"version": "2.0", "approved": HELD}]
    async with open_again(shelf("2.0", more=True)) as hall:
        assert await held(hall) == []


async def own_job(hall):
    """A job that the plugin itself asks for."""
    new = NewJob(SORT, hall.acme.org_id, hall.acme.id, hall.acme.owner.user_id)
    async with hall.server.data.write() as writer:
        return (await hall.server.service(Jobs).enqueue(writer, new)).id


async def state(hall, job_id):
    return (await hall.acme.owner.get(f"/api/jobs/{job_id}")).json()["state"]


@pytest.mark.any_database
async def test_a_part_is_approved_and_the_rest_waits_over_a_restart(open_again, installed):
    async with open_again(shelf("1.0")):
        pass
    async with open_again(shelf("2.0", more=True)) as hall:
        done = await approve(hall, held=["permission shelf:write", f"route {WRITE}", "route GET /else (x)"])
        assert done["approved"] == ["permission shelf:write", f"route {WRITE}"]
        assert done["held"] == [f"job kind {SORT}", f"route {OPEN}"]
        assert (await hall.acme.member.post("/api/x/shelf/items")).status_code == 200
    async with open_again(shelf("2.0", more=True)) as hall:
        assert await held(hall) == done["held"]
        assert refusal(await hall.anonymous.get("/api/shelf/open")) == (403, "plugin_held")


async def test_two_who_approve_at_once_lose_neither_and_other_processes_hear_of_it(open_again, installed):
    async with open_again(shelf("1.0")):
        pass
    async with open_again(shelf("2.0", more=True)) as hall:
        both = await asyncio.gather(
            approve(hall, held=["permission shelf:write"]), approve(hall, held=[f"route {OPEN}"])
        )
        assert sorted(name for one in both for name in one["approved"]) == [HELD[1], HELD[2]]
        assert await held(hall) == [HELD[0], HELD[3]]
        # As in another process, that has not heard of it yet.
        hall.server.registry.hold("shelf", {"permission": ["shelf:write"]})
        await hall.server.service(Approvals).apply()
        assert await held(hall) == [HELD[0], HELD[3]]


@pytest.mark.any_database
async def test_an_author_at_work_is_not_held_up(open_again):
    async with open_again(shelf("1.0")):
        pass
    async with open_again(shelf("1.1", more=True)) as hall:
        assert await held(hall) == []


@pytest.mark.any_database
async def test_an_operator_may_agree_to_every_version(open_again, installed):
    async with open_again(shelf("1.0")):
        pass
    async with open_again(shelf("2.0", more=True), SERVICE_PLUGINS_WIDENED="allow") as hall:
        assert await held(hall) == []


@pytest.mark.any_database
async def test_what_is_not_there_is_not_approved(hall):
    assert refusal(await hall.operator.post("/api/plugins/ghost/approve", {})) == (404, "not_found")
    shipped = await hall.operator.post("/api/plugins/notes/approve")
    assert (shipped.status_code, shipped.json()["approved"]) == (200, [])
