"""A team switches a plugin or a feature off: all that hangs on it is gone for that team, and for no other."""

import asyncio
from types import SimpleNamespace

import pytest

from guildhall_sdk import (
    Auth,
    Feature,
    JobKind,
    NewJob,
    Plugin,
    Reply,
    Route,
    SearchSource,
    Statement,
    Tool,
    hookimpl,
)
from guildhall_sdk.errors import FeatureDisabled
from guildhall_sdk.factories import Samples, Seeded
from guildhall_sdk.plugin import Features
from guildhall_sdk.services.jobs import Jobs
from guildhall_sdk.services.search import Findable, SearchIndex

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

LOCAL, REMOTE, LAB = "x.toy.here", "x.toy.there", "x.toy.lab"
_SHOWN = Statement("readable", "SELECT 1 AS one", "SELECT 1 AS one")


async def answer(call):
    return Reply({"toy": True})


async def mounted(call):
    return {"toy": True}


async def tool(reader, principal, arguments):
    return "toy"


async def work(job):
    return job.payload


async def seed(host, writer, principal, now_ms):
    return Seeded(created=1, existing=0)


def declaring(value):
    return staticmethod(hookimpl(lambda: value))


class Toy:
    """A plugin with something of every kind, some of it behind a feature."""

    PLUGIN = Plugin("toy", "Toy", "1.0", "A toy.")
    declare_features = declaring((Feature("lab", "Try", enabled_by_default=False),))
    declare_routes = declaring(
        (
            Route("GET", "/api/toy", "answer", "A toy"),
            Route("GET", "/api/toy/public", "answer", "A toy", Auth.PUBLIC),
            Route("GET", "plain", mounted, "A toy", permission="search"),
            Route("GET", "lab", mounted, "A toy", permission="search", feature="lab"),
        )
    )
    declare_handlers = declaring({"answer": answer})
    declare_tools = declaring(
        (Tool("toy_tool", "A toy", "search", tool), Tool("lab_tool", "A toy", "search", tool, feature="lab"))
    )
    declare_job_kinds = declaring(
        (
            JobKind(LOCAL, "Here", handler=work),
            JobKind(REMOTE, "There", validator=lambda result: False),
            JobKind(LAB, "Lab", handler=work, feature="lab"),
        )
    )
    declare_search_sources = declaring(
        (
            SearchSource("toy", "search", "/api/toy/{id}", _SHOWN, _SHOWN),
            SearchSource("lab", "search", "/api/lab/{id}", _SHOWN, _SHOWN, feature="lab"),
        )
    )
    declare_samples = declaring((Samples("toys", "search", seed),))


class Neighbour:
    """Another plugin's jobs, which wait behind those of the toy."""

    PLUGIN = Plugin("neighbour", "Neighbour", "1.0", "Another.")
    declare_job_kinds = declaring((JobKind("x.neighbour.here", "Here", handler=work),))


@pytest.fixture
async def hall(share_hall):
    async with share_hall(Toy, Neighbour) as opened:
        yield opened


async def switch(client, enabled, what="plugins/toy"):
    response = await client.post(f"/api/{what}", {"enabled": enabled})
    assert response.status_code == 200, response.text
    return response.json()


def refusal(response):
    return response.status_code, response.json()["code"], response.json().get("feature")


async def enqueue(team, kind, hall, **more):
    """As a plugin does, without a request."""
    new = NewJob(kind, hall.acme.org_id, team.id, team.owner.user_id, **more)
    async with hall.server.data.write() as writer:
        return (await hall.server.service(Jobs).enqueue(writer, new)).id


async def state(client, job_id):
    return (await client.get(f"/api/jobs/{job_id}")).json()["state"]


async def test_its_rows_tools_kinds_and_samples_are_gone_for_that_team_alone(hall):
    admin, member, others = hall.acme.admin, hall.acme.member, hall.acme.second_team.member
    assert await switch(admin, False) == {"id": "toy", "name": "Toy", "enabled": False}
    for path in ("/api/toy", "/api/x/toy/plain"):
        assert refusal(await member.get(path)) == (403, "feature_disabled", "toy")
        assert (await others.get(path)).status_code == 200
        assert (await hall.globex.member.get(path)).status_code == 200
    assert (await hall.anonymous.get("/api/toy/public")).status_code == 200
    assert "toy_tool" not in (await member.get("/api/tools")).text
    assert "toy_tool" in (await others.get("/api/tools")).text
    with pytest.raises(FeatureDisabled):
        await hall.tool("toy_tool", as_=member)
    assert await hall.tool("toy_tool", as_=others) == "toy"
    assert refusal(await admin.post("/api/tools/toy_tool", {"enabled": True}))[0] == 403
    assert refusal(await member.post("/api/jobs", {"kind": LOCAL})) == (403, "feature_disabled", "toy")
    assert (await others.post("/api/jobs", {"kind": LOCAL})).status_code == 202
    assert "toys" not in (await admin.post("/api/admin/seed")).json()
    await switch(admin, True)
    assert (await member.get("/api/toy")).status_code == 200
    assert (await admin.post("/api/admin/seed")).json()["toys"] == {"created": 1, "existing": 0}


async def test_it_is_shown_for_the_callers_team_and_stands_in_the_trail(hall):
    async def shown(client):
        items = (await client.get("/api/plugins")).json()["items"]
        return {item["id"]: (item["enabled"], item["essential"]) for item in items}

    assert (await shown(hall.acme.viewer))["admin"] == (True, True)
    await switch(hall.acme.admin, False)
    assert (await shown(hall.acme.viewer))["toy"] == (False, False)
    assert (await shown(hall.globex.viewer))["toy"] == (True, False)
    event = (await hall.acme.admin.get("/api/audit")).json()["items"][0]
    assert (event["action"], event["target"]["id"], event["detail"]) == (
        "plugin.changed",
        "toy",
        {"enabled": False},
    )


ESSENTIAL = ["identity", "admin", "companies", "repo", "search", "jobs"]


async def test_what_the_server_cannot_be_without_is_not_switched(hall):
    for plugin_id in ESSENTIAL:
        response = await hall.acme.admin.post(f"/api/plugins/{plugin_id}", {"enabled": False})
        assert (response.status_code, response.json()["code"]) == (400, "essential_plugin")


@pytest.mark.every_database
async def test_the_engine_of_the_database_is_not_switched_and_another_can_be(hall):
    in_use = hall.server.data.engine.name
    other = {"sqlite": "postgresql", "postgresql": "sqlite"}[in_use]
    listed = {
        one["id"]: one["essential"] for one in (await hall.acme.admin.get("/api/plugins")).json()["items"]
    }
    assert (listed[in_use], listed[other]) == (True, False)
    refused = await hall.acme.admin.post(f"/api/plugins/{in_use}", {"enabled": False})
    assert (refused.status_code, refused.json()["code"]) == (400, "essential_plugin")
    assert (await hall.acme.admin.post(f"/api/plugins/{other}", {"enabled": False})).status_code == 200


async def test_an_unknown_plugin_is_not_found_and_a_member_switches_none(hall):
    for plugin_id in ("ghost", "TOY", "toy%00", "a" * 300):
        response = await hall.acme.admin.post(f"/api/plugins/{plugin_id}", {"enabled": False})
        assert (response.status_code, response.json()["code"]) == (404, "not_found")
    response = await hall.acme.member.post("/api/plugins/toy", {"enabled": False})
    assert (response.status_code, response.json()["permission"]) == (403, "settings:manage")


async def test_what_hangs_on_a_feature_is_gone_with_it_and_the_rest_is_not(hall):
    """The toy's feature is off for whoever never switched it on."""
    member, admin = hall.acme.member, hall.acme.admin
    assert refusal(await member.get("/api/x/toy/lab")) == (403, "feature_disabled", "lab")
    assert (await member.get("/api/x/toy/plain")).status_code == 200
    assert "lab_tool" not in (await member.get("/api/tools")).text
    assert refusal(await member.post("/api/jobs", {"kind": LAB})) == (403, "feature_disabled", "lab")
    waiting = await enqueue(hall.acme, LAB, hall)
    await hall.drain_jobs()
    assert await state(member, waiting) == "queued"
    await switch(admin, True, "features/lab")
    assert (await member.get("/api/x/toy/lab")).status_code == 200
    assert await hall.tool("lab_tool", as_=member) == "toy"
    await hall.drain_jobs()
    assert await state(member, waiting) == "succeeded"


@pytest.mark.every_database
async def test_a_search_finds_nothing_of_what_is_off(hall):
    async with hall.server.data.write() as writer:
        for kind in ("toy", "lab"):
            index, acme = hall.server.service(SearchIndex), hall.acme
            await index.put(writer, Findable(kind, f"{kind}_1", acme.org_id, acme.id, "Marmalade", ""))

    async def found(**query):
        answer = await hall.acme.member.get("/api/search", params={"q": "marmalade", **query})
        assert answer.status_code == 200, answer.text
        return {item["type"] for item in answer.json()["items"]}

    assert await found() == {"toy"}
    await switch(hall.acme.admin, True, "features/lab")
    assert await found() == {"toy", "lab"}
    await switch(hall.acme.admin, False)
    assert (await found(), await found(type="toy")) == (set(), set())
    assert (await hall.acme.member.get("/api/search?q=x&type=nothing")).status_code == 400


@pytest.mark.every_database
async def test_its_queued_jobs_wait_while_others_go_on_and_are_taken_up_again(hall):
    member, acme = hall.acme.member, hall.acme
    await switch(acme.admin, False)
    waiting = [await enqueue(acme, LOCAL, hall, priority=9) for _ in range(3)]
    later = await enqueue(acme, LOCAL, hall, run_at=hall.clock.now_ms() + 60_000)
    behind = await enqueue(acme, "x.neighbour.here", hall)
    elsewhere = await enqueue(acme.second_team, LOCAL, hall)
    await hall.drain_jobs()
    hall.clock.advance(minutes=2)
    await hall.drain_jobs()
    assert [await state(member, one) for one in (*waiting, later)] == ["queued"] * 4
    assert await state(member, behind) == "succeeded"
    assert await state(acme.second_team.member, elsewhere) == "succeeded"
    listed = (await member.get("/api/jobs", params={"state": "queued"})).json()["items"]
    assert {one["id"] for one in listed} == {*waiting, later}
    assert (await acme.admin.post(f"/api/jobs/{waiting[0]}/cancel")).status_code == 200
    await switch(acme.admin, True)
    await hall.drain_jobs()
    ended = [await state(member, one) for one in (*waiting, later)]
    assert ended == ["cancelled", "succeeded", "succeeded", "succeeded"]


async def test_a_worker_is_offered_none_of_its_jobs(hall):
    worker = (await hall.operator.post("/api/executors", {"name": "w", "mode": "pull", "model": "m"})).json()
    client = hall.bearer(worker["worker_token"])
    await enqueue(hall.acme, REMOTE, hall)
    await switch(hall.acme.admin, False)
    assert (await client.post("/api/workers/claim", {"kinds": [REMOTE]})).status_code == 204
    assert (await client.post("/api/workers/claim", {"kinds": [REMOTE]})).status_code == 204
    await switch(hall.acme.admin, True)
    await hall.drain_jobs()
    assert (await client.post("/api/workers/claim", {"kinds": [REMOTE]})).json()["kind"] == REMOTE


@pytest.mark.every_database
async def test_more_than_a_claim_moves_are_moved_by_the_next_ones(hall, monkeypatch):
    monkeypatch.setattr("kernel.scheduler.lanes._CHECKED", 0)
    monkeypatch.setattr("kernel.scheduler.lanes._BROUGHT_BACK", 300)
    acme = hall.acme
    await switch(acme.admin, False)
    new = NewJob(LOCAL, acme.org_id, acme.id, acme.owner.user_id, priority=9)
    async with hall.server.data.write() as writer:
        *_, last = await hall.server.service(Jobs).enqueue_many(writer, [new] * 700)
    behind = await enqueue(acme, "x.neighbour.here", hall)

    async def outcome(job_id):
        return (await acme.owner.get(f"/api/jobs/{job_id}", params={"wait": 20})).json()["state"]

    assert await outcome(behind) == "succeeded"
    assert await state(acme.owner, last.id) == "queued"
    await switch(acme.admin, True)
    assert await outcome(last.id) == "succeeded"


@pytest.mark.every_database
async def test_two_who_switch_at_once_lose_neither(hall):
    names = ["plugins/toy", "plugins/neighbour", "features/lab"]
    await asyncio.gather(*(switch(hall.acme.admin, name == "features/lab", name) for name in names))
    async with hall.server.data.read() as reader:
        switches = await hall.server.service(Features).of_team(reader, hall.acme.id)
    assert (switches.plugin("toy"), switches.plugin("neighbour"), switches.feature("lab")) == (
        False,
        False,
        True,
    )


async def test_a_kind_that_names_a_feature_nobody_declares_keeps_its_plugin_out(open_hall):
    kind = JobKind("x.bad.here", "Here", handler=work, feature="ghost")
    manifest = Plugin("bad", "Bad", "1", "Bad.")
    bad = SimpleNamespace(PLUGIN=manifest, declare_job_kinds=hookimpl(lambda: [kind]))
    async with open_hall(bad, allow_refused=True) as hall:
        items = (await hall.operator.get("/api/plugins")).json()["items"]
        (found,) = [item for item in items if item["id"] == "bad"]
        assert (found["status"], found["reason"]) == (
            "quarantined",
            "JobKind x.bad.here: nobody declares the feature ghost",
        )
