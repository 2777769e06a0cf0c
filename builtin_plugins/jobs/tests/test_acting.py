"""A job acts as its user, with the scope of the credential that asked; so does all that it asks for."""

import pytest

from guildhall_sdk import JobKind, NewJob, rfc3339
from guildhall_sdk.services.identity import Credentials, NewToken
from guildhall_sdk.services.jobs import Jobs

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

ACT, ASK, MINT = "x.toy.act", "x.toy.ask", "x.toy.mint"
SCOPE = ["chat:use", "notes:read"]


async def act(job):
    async with job.host.data.read() as reader:
        who = await job.principal(reader)
    scope = who.credential.scope
    return {
        "user_id": who.user_id,
        "permissions": sorted(who.permissions),
        "scope": None if scope is None else sorted(scope),
    }


async def ask(job):
    """Asks for others: itself, by its effect, and by the `ended` of its kind; none of them says for whom."""
    await ask_for_one(job.host, job, "handler", scope=frozenset(["notes:read", "notes:write"]))
    job.on_success(lambda writer: enqueue(job.host, writer, job, "effect"))


async def ask_for_one(host, job, label, **more):
    async with host.data.write() as writer:
        await enqueue(host, writer, job, label, **more)


async def enqueue(host, writer, job, label, **more):
    new = NewJob(ACT, job.org_id, job.team_id, job.user_id, {"by": label}, **more)
    await host.service(Jobs).enqueue(writer, new)


async def asked(host, writer, job):
    await enqueue(host, writer, job, "ended")


async def mint(job):
    async with job.host.data.write() as writer:
        who = await job.principal(writer)
        issued = await job.host.service(Credentials).issue(
            writer,
            NewToken(
                kind="api",
                user_id=who.user_id,
                team_id=who.team_id,
                expires_at=who.credential.bound_end(None, asked=False),
                scope=sorted(who.permissions),
                made_with=who.credential,
            ),
        )
    return issued.token


@pytest.fixture(scope="module")
def acting(toy):
    kinds = [
        JobKind(ACT, "Says whom it acts as.", handler=act),
        JobKind(ASK, "Asks for others.", handler=ask, ended=asked),
        JobKind(MINT, "Makes a token.", handler=mint, max_attempts=1),
    ]
    return toy(job_kinds=kinds)


@pytest.fixture
async def hall(share_hall, acting):
    async with share_hall(acting) as hall:
        yield hall


def in_an_hour(hall):
    return rfc3339(hall.clock.now_ms() + 3_600_000)


async def done(hall, client, kind, **more):
    response = await client.post("/api/jobs", {"kind": kind, **more})
    assert response.status_code == 202, response.text
    await hall.drain_jobs()
    return (await client.get(f"/api/jobs/{response.json()['id']}")).json()


async def test_a_job_acts_in_the_scope_of_the_credential_that_asked(hall):
    member = hall.acme.member
    everything = (await member.get("/api/whoami")).json()["permissions"]
    plain = (await done(hall, member, ACT))["result"]
    assert plain == {"user_id": member.user_id, "permissions": sorted(everything), "scope": None}
    scoped = await hall.with_token(member, scope=SCOPE)
    assert (await done(hall, scoped, ACT))["result"]["permissions"] == SCOPE
    assert (await done(hall, scoped, ACT))["result"]["scope"] == SCOPE


async def test_what_a_job_asks_for_has_its_scope_and_never_more(hall):
    """Whether its handler asks, its effect, or its kind when it ends; a scope of its own narrows it."""
    scoped = await hall.with_token(hall.acme.member, scope=SCOPE)
    assert (await done(hall, scoped, ASK))["state"] == "succeeded"
    jobs = (await scoped.get(f"/api/jobs?kind={ACT}")).json()["items"]
    found = {job["payload"]["by"]: job["result"]["permissions"] for job in jobs}
    assert found == {"handler": ["notes:read"], "effect": SCOPE, "ended": SCOPE}


async def test_a_job_has_the_rights_that_its_user_has_when_it_runs(hall):
    member, owner = hall.acme.member, hall.acme.owner
    job = (await member.post("/api/jobs", {"kind": ACT, "run_at": in_an_hour(hall)})).json()
    before = (await member.get("/api/whoami")).json()["permissions"]
    changed = await owner.patch(f"/api/members/{member.user_id}", {"role": "viewer"})
    assert changed.status_code == 200, changed.text
    hall.clock.advance(hours=2)
    await hall.drain_jobs()
    async with hall.server.data.read() as reader:
        found = await hall.server.service(Jobs).get(reader, owner.team_id, job["id"])
    assert set(found.result["permissions"]) < set(before)


async def test_the_job_of_somebody_who_left_fails_for_good(hall):
    member, owner = hall.acme.member, hall.acme.owner
    job = (await member.post("/api/jobs", {"kind": ACT, "run_at": in_an_hour(hall)})).json()
    assert (await owner.delete(f"/api/members/{member.user_id}")).status_code == 204
    hall.clock.advance(hours=2)
    await hall.drain_jobs()
    found = (await owner.get(f"/api/jobs/{job['id']}")).json()
    assert (found["state"], found["attempt"], found["error"]["code"]) == ("failed", 1, "no_permission")


async def test_what_a_job_makes_goes_with_the_token_that_asked_for_it(hall):
    owner = hall.acme.owner
    token = await hall.with_token(owner, scope=["chat:use"])
    made = hall.bearer((await done(hall, token, MINT))["result"])
    assert (await made.get("/api/whoami")).json()["permissions"] == ["chat:use"]
    token_id = next(
        one["id"] for one in (await owner.get("/api/tokens")).json()["items"] if one["scope"] == ["chat:use"]
    )
    assert (await owner.delete(f"/api/tokens/{token_id}")).status_code == 204
    assert (await made.get("/api/whoami")).status_code == 401


async def test_a_job_makes_nothing_for_a_token_that_is_gone(hall):
    owner = hall.acme.owner
    token = await hall.with_token(owner)
    job = (await token.post("/api/jobs", {"kind": MINT, "run_at": in_an_hour(hall)})).json()
    token_id = (await owner.get("/api/tokens")).json()["items"][0]["id"]
    assert (await owner.delete(f"/api/tokens/{token_id}")).status_code == 204
    hall.clock.advance(hours=2)
    await hall.drain_jobs()
    async with hall.server.data.read() as reader:
        found = await hall.server.service(Jobs).get(reader, owner.team_id, job["id"])
    assert (found.state, found.error.code) == ("failed", "unauthenticated")
