"""A suspended company can be read, not written, from the moment that the suspension is answered."""

import asyncio

import pytest

from guildhall_sdk import Plugin, Reply, Route, Statement, hookimpl
from guildhall_sdk.data import TENANT
from guildhall_sdk.errors import PaymentRequired

pytestmark = [pytest.mark.shared_server, pytest.mark.any_database]

_LOCK_WAITERS = Statement(
    "lock_waiters",
    "SELECT 1",
    "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted "
    "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
)
_NOTES = Statement("notes", "SELECT COUNT(*) FROM notes", "SELECT COUNT(*) FROM notes")


def code(response):
    return response.status_code, response.json().get("code")


async def suspend(hall, company):
    answer = await hall.operator.post(f"/api/orgs/{company.org_id}/suspend")
    assert answer.status_code == 200, answer.text
    return answer.json()


async def resume(hall, company):
    answer = await hall.operator.post(f"/api/orgs/{company.slug}/resume")
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_every_team_can_read_and_none_can_write(hall):
    note = (await hall.acme.member.post("/api/notes", {"title": "Kept"})).json()
    suspended = await suspend(hall, hall.acme)
    assert suspended["suspended"] is True and suspended["suspended_at"] is not None
    for client in (hall.acme.member, hall.acme.second_team.owner, hall.acme.org_owner):
        assert code(await client.post("/api/notes", {"title": "Lost"})) == (402, "org_suspended")
        assert (await client.get("/api/notes")).status_code == 200
    path = f"/api/notes/{note['id']}"
    assert code(await hall.acme.member.delete(path)) == (402, "org_suspended")
    assert (await hall.acme.member.get(path)).json()["title"] == "Kept"
    assert (await hall.globex.member.post("/api/notes", {"title": "Other"})).status_code == 201
    assert (await resume(hall, hall.acme))["suspended"] is False
    assert (await hall.acme.member.post("/api/notes", {"title": "Again"})).status_code == 201


@pytest.mark.own_server
async def test_signing_in_and_out_goes_on(hall):
    await suspend(hall, hall.acme)
    body = {"username": "acme-member", "password": "a password that every person in the hall shares"}
    session = hall.bearer((await hall.anonymous.post("/api/login", body)).json()["token"])
    assert (await session.get("/api/whoami")).json()["org"]["suspended"] is True
    changed = {"current_password": body["password"], "new_password": "staple of a better horse"}
    assert (await session.post("/api/password", changed)).status_code == 200
    assert (await session.post("/api/2fa/enable")).status_code == 200
    assert (await session.post("/api/logout")).status_code == 204


@pytest.mark.own_server
async def test_a_suspension_keeps_its_first_time(hall):
    first = await suspend(hall, hall.acme)
    hall.clock.advance(hours=1)
    assert await suspend(hall, hall.acme) == first
    assert (await hall.operator.get("/api/orgs/acme")).json()["suspended_at"] == first["suspended_at"]


async def test_an_operator_of_a_suspended_company_can_still_suspend_and_resume(hall):
    await hall.operator.post("/api/orgs/house/suspend")
    body = {"name": "No", "owner": {"username": "no"}}
    assert code(await hall.operator.post("/api/orgs", body)) == (402, "org_suspended")
    assert code(await hall.operator.patch("/api/orgs/acme", {"name": "No"})) == (402, "org_suspended")
    await suspend(hall, hall.globex)
    await resume(hall, hall.globex)
    assert (await hall.operator.post("/api/orgs/house/resume")).json()["suspended"] is False
    assert (await hall.operator.post("/api/orgs", body)).status_code == 201


@pytest.mark.every_database
async def test_of_many_at_once_one_suspension_is_told_of(hall, actions_of):
    path = f"/api/orgs/{hall.acme.org_id}/suspend"
    answers = await asyncio.gather(*(hall.operator.post(path) for _ in range(16)))
    assert {answer.status_code for answer in answers} == {200}
    assert await actions_of(hall.acme.org_owner) == ["org.suspended"]


@pytest.mark.every_database
async def test_operators_who_suspend_their_own_company_do_not_lock_each_other_out(hall):
    ways = ["suspend", "resume"] * 16
    answers = await asyncio.gather(*(hall.operator.post(f"/api/orgs/house/{way}") for way in ways))
    assert {answer.status_code for answer in answers} == {200}


class Slow:
    """A writer that can be held up: past the gates, or with its change made and not yet committed."""

    PLUGIN = Plugin("slow", "Slow", "0.1.0", "Writes when it is told to.")

    def __init__(self):
        self.before, self.inside = asyncio.Event(), asyncio.Event()
        self.reached = asyncio.Event()
        self.told = []

    @hookimpl
    def declare_routes(self):
        return [Route("POST", f"/api/slow/{way}", way, "Slow") for way in ("before", "inside", "unhurried")]

    @hookimpl
    def declare_handlers(self):
        return {"before": self.wait_before, "inside": self.wait_inside, "unhurried": self.act}

    async def wait_before(self, call):
        self.reached.set()
        await self.before.wait()
        return await self.act(call)

    async def wait_inside(self, call):
        async with call.write() as writer:
            await writer.one(_NOTES)  # the transaction begins with its first statement
            writer.audit("slow.acted")
            self.reached.set()
            await self.inside.wait()
        self.told.append("written")
        return Reply({})

    async def act(self, call):
        async with call.write() as writer:
            writer.audit("slow.acted")
        return Reply({})


@pytest.fixture
def slow():
    return Slow()


@pytest.fixture
async def slow_hall(open_companies, slow):
    async with open_companies(slow) as hall:
        yield hall


@pytest.mark.every_database
async def test_a_write_that_passed_the_gates_before_does_not_commit_after(slow_hall, slow, actions_of):
    hall = slow_hall
    writing = asyncio.create_task(hall.acme.member.post("/api/slow/before"))
    await slow.reached.wait()
    await suspend(hall, hall.acme)
    slow.before.set()
    assert code(await writing) == (402, "org_suspended")
    assert await actions_of(hall.acme.org_owner) == ["org.suspended"]


@pytest.mark.every_database
async def test_a_suspension_is_answered_after_the_writes_that_did_not_see_it(slow_hall, slow, actions_of):
    hall = slow_hall
    writing = asyncio.create_task(hall.acme.member.post("/api/slow/inside"))
    await slow.reached.wait()

    async def suspend_and_tell():
        await suspend(hall, hall.acme)
        slow.told.append("suspended")

    suspending = asyncio.create_task(suspend_and_tell())
    if hall.database == "postgresql":
        await until_somebody_waits(hall)
    latecomer = asyncio.create_task(hall.acme.member.post("/api/slow/unhurried"))
    assert not suspending.done()
    slow.inside.set()
    await suspending
    assert (await writing).status_code == 200
    assert slow.told == ["written", "suspended"]
    assert (await latecomer).status_code in (200, 402)
    if hall.database == "postgresql":  # there it came after somebody who waits alone, and waited too
        assert code(await latecomer) == (402, "org_suspended")
    assert set(await actions_of(hall.acme.org_owner)) == {"org.suspended", "slow.acted"}


async def until_somebody_waits(hall):
    async with asyncio.timeout(60), hall.server.data.read() as reader:
        while not await reader.all(_LOCK_WAITERS):
            pass


@pytest.mark.hall_databases("postgresql")  # SQLite has one writer at a time, whoever it is
async def test_another_companys_writes_do_not_hold_a_suspension_up(slow_hall, slow):
    hall = slow_hall
    writing = asyncio.create_task(hall.globex.member.post("/api/slow/inside"))
    await slow.reached.wait()
    await suspend(hall, hall.acme)
    assert not writing.done()
    slow.inside.set()
    assert (await writing).status_code == 200


@pytest.mark.every_database
async def test_a_refusal_in_the_race_is_not_kept_for_a_replay(slow_hall, slow):
    hall = slow_hall
    headers = {"Idempotency-Key": "once"}
    writing = asyncio.create_task(hall.acme.member.post("/api/slow/before", headers=headers))
    await slow.reached.wait()
    await suspend(hall, hall.acme)
    slow.before.set()
    assert code(await writing) == (402, "org_suspended")
    await resume(hall, hall.acme)
    assert (await hall.acme.member.post("/api/slow/before", headers=headers)).status_code == 200


@pytest.mark.every_database
@pytest.mark.own_server
async def test_after_the_answer_none_of_32_writers_commits(hall):
    """Each writes on and on until it is refused."""
    done, started = [], asyncio.Event()

    async def write_on():
        while True:
            answer = await hall.acme.member.post("/api/notes", {"title": "One of many"})
            if answer.status_code != 201:
                return code(answer)
            done.append(answer.json()["id"])
            if len(done) >= 64:
                started.set()

    writers = [asyncio.create_task(write_on()) for _ in range(32)]
    await started.wait()
    await suspend(hall, hall.acme)
    at_the_answer = await count(hall)
    assert set(await asyncio.gather(*writers)) == {(402, "org_suspended")}
    assert await count(hall) == at_the_answer == len(done)


async def count(hall):
    async with hall.server.data.read() as reader:
        return await reader.value(_NOTES)


async def test_a_write_outside_a_request_is_refused_too(hall):
    """As a job, a worker or S3 writes: on behalf of a company, by its id."""
    await suspend(hall, hall.acme)
    with pytest.raises(PaymentRequired):
        async with hall.server.data.write(within=hall.acme.org_id) as writer:
            writer.audit("job.done")
    for within in (hall.globex.org_id, TENANT, None):
        async with hall.server.data.write(within=within) as writer:
            writer.audit("job.done")
