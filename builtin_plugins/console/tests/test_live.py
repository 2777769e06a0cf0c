"""Lists that live by events: whoever may call one and sees the change hears of it, and nobody else."""

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager

import pytest

from builtin_plugins.console.live import MAX_LISTS

pytestmark = pytest.mark.shared_server

NOTES, FILES, JOBS, MEMBERS = "/api/notes", "/api/repo", "/api/jobs", "/api/members"


@asynccontextmanager
async def following(client, *lists):
    """Yields a function that waits until a list has changed, and returns all that were named until then."""
    path = f"/api/ui/events?wait_seconds=60&lists={','.join(lists)}"
    async with client.events("GET", path) as events:
        ready = await anext(events)
        assert (ready.event, set(ready.data["lists"])) == ("ready", {*lists})

        async def changed(wanted):
            named = set()
            async with asyncio.timeout(60):
                while wanted not in named:
                    event = await anext(events)
                    assert event.event == "changed"
                    named |= {*event.data["lists"]}
            return named

        yield changed


async def test_what_anybody_changes_is_told_to_those_who_see_it_and_to_nobody_else(hall):
    acme, globex = hall.acme, hall.globex
    async with AsyncExitStack() as stack:
        lists = (NOTES, FILES, JOBS, MEMBERS)
        owner = await stack.enter_async_context(following(acme.owner, *lists))
        stranger = await stack.enter_async_context(following(globex.owner, *lists))
        await acme.member.put("/api/repo/plan.md", "# Plan")
        await owner(FILES)
        body = {"kind": "x.integrator-demo.lane-report", "payload": {"lane": "one"}}
        job = await acme.owner.post(JOBS, body)
        assert job.status_code == 202, job.text
        await owner(JOBS)
        await acme.owner.post(f"{JOBS}/{job.json()['id']}/cancel")
        await owner(JOBS)
        added = await acme.owner.post(MEMBERS, {"username": "newcomer-live", "role": "member"})
        assert added.status_code == 201, added.text
        await owner(MEMBERS)
        await acme.member.post(NOTES, {"title": "Ours", "visibility": "team"})
        await owner(NOTES)
        await globex.owner.post(NOTES, {"title": "Theirs", "visibility": "team"})
        assert await stranger(NOTES) == {NOTES}


async def test_a_private_note_is_told_to_those_who_may_read_it(hall):
    acme = hall.acme
    async with AsyncExitStack() as stack:
        people = (acme.member, acme.viewer, acme.admin)
        followed = [await stack.enter_async_context(following(one, NOTES)) for one in people]
        author, given, team = followed
        note = (await acme.member.post(NOTES, {"title": "Mine"})).json()
        await author(NOTES)
        body = {"user_id": acme.viewer.user_id, "permission": "notes:read"}
        await acme.member.post(f"{NOTES}/{note['id']}/share", body)
        await asyncio.gather(author(NOTES), given(NOTES))
        # Nothing of all that was told to the team: the first that it hears of comes after this.
        heard = asyncio.create_task(team(NOTES))
        await acme.member.delete(f"{NOTES}/{note['id']}/share", {"user_id": acme.viewer.user_id})
        await asyncio.gather(author(NOTES), given(NOTES))
        assert not heard.done()
        await acme.member.put(f"{NOTES}/{note['id']}", {"visibility": "team"})
        await asyncio.gather(author(NOTES), heard)


@pytest.mark.any_database
async def test_lists_that_somebody_may_not_call_are_left_out(hall):
    async def followed(client, *lists):
        async with client.events("GET", f"/api/ui/events?wait_seconds=9&lists={','.join(lists)}") as events:
            return set((await anext(events)).data["lists"])

    wanted = ("/api/orgs", "/api/org/members", NOTES, "/api/nothing", "/api/notes/:id/versions", "")
    assert await followed(hall.acme.member, *wanted) == {NOTES, "/api/notes/:id/versions"}
    assert "/api/org/members" in await followed(hall.operator, *wanted)
    assert (await hall.anonymous.get("/api/ui/events")).status_code == 401
    rows = [
        path
        for path, row in (await hall.acme.owner.get("/api/openapi.json")).json()["paths"].items()
        if "get" in row and "{" not in path
    ]
    assert len(await followed(hall.operator, *rows)) == MAX_LISTS


@pytest.mark.any_database
async def test_a_stream_of_no_length_says_ready_and_ends(hall):
    answer = await hall.acme.member.get("/api/ui/events")
    events = [line for line in answer.text.splitlines() if line.startswith("event")]
    assert events == ["event: ready", "event: end"]
    refused = await hall.acme.member.get("/api/ui/events?wait_seconds=301")
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid_request")
