"""Executors as they are kept: names, companies, keys, tokens, retirement."""

import asyncio
import json

import pytest

from builtin_plugins.executors import service
from builtin_plugins.executors.endpoints import EndpointRefused
from builtin_plugins.executors.records import NewExecutor, public
from builtin_plugins.executors.settings import EXECUTORS
from guildhall_sdk import Conflict, InvalidRequest
from guildhall_sdk.services.jobs import WorkerRegistry

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

PUBLIC = "https://models.example.com/v1"
KEY = "sk-a-key-that-nobody-may-see"


def names_of(executors):
    return [one.name for one in executors]


async def test_the_local_one_and_those_of_the_environment_are_always_there(desk):
    local, big = await desk.offered(desk.acme)
    assert (local.id, local.name, local.mode, local.model, local.source) == (
        *("exe_local", "local", "local", "simulated", "local"),
    )
    assert (local.health.status, local.url, local.org_id) == ("ok", None, None)
    assert (big.name, big.mode, big.model, big.source) == ("Big", "push", "big-1", "env")
    assert (big.url, big.capabilities) == ("http://10.0.0.7:8000/v1", ("chat", "vision"))
    assert big.health.status == "unknown"


async def test_the_id_of_one_of_the_environment_stays_the_same(desk, make_executors):
    async with desk.data.read() as reader:
        (_, again) = await make_executors(desk.hall).all(reader)
    assert again.id == (await desk.offered(desk.acme))[1].id
    assert again.id.startswith("exe_env_")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"name": "local"}, "'local' is there twice"),
        ({"name": "BIG"}, "'BIG' is there twice"),
        ({"name": "b\n"}, "its name takes"),
        ({"name": 7}, "its name is not a text"),
        ({"url": "ftp://host/"}, "must begin with http"),
        ({"model": ""}, "its model is not a text"),
        ({"key": "two words"}, "its key takes printable"),
        ({"capabilities": "chat"}, "its capabilities are not a list"),
        ({"capabilities": ["Chat!"]}, "its capabilities takes"),
    ],
)
def test_a_malformed_one_of_the_environment_is_named(change, words):
    big = {"name": "Big", "url": "http://10.0.0.7/v1", "model": "big-1"}
    with pytest.raises(ValueError) as fault:
        EXECUTORS.parse(json.dumps([big, {**big, "name": "Second", "key": "sk-hidden", **change}]))
    assert words in str(fault.value)
    assert "sk-hidden" not in str(fault.value)


async def test_a_company_is_offered_its_own_and_everybodys(desk):
    await desk.create("shared")
    await desk.create("acme only", org_id=desk.acme)
    await desk.create("globex-only", org_id=desk.globex)
    assert names_of(await desk.offered(desk.acme)) == ["local", "acme only", "Big", "shared"]
    assert names_of(await desk.offered(desk.globex)) == ["local", "Big", "globex-only", "shared"]
    async with desk.data.read() as reader:
        everything = await desk.executors.all(reader)
    assert names_of(everything) == ["local", "acme only", "Big", "globex-only", "shared"]


async def test_one_is_found_by_name_among_those_offered(desk):
    own, _ = await desk.create("Mine", org_id=desk.acme)
    assert (await desk.named(desk.acme, "mine")).id == own.id
    assert await desk.named(desk.globex, "mine") is None
    assert (await desk.named(desk.globex, "LOCAL")).id == "exe_local"
    assert (await desk.named(desk.globex, "big")).source == "env"
    assert await desk.named(desk.acme, "") is None


async def test_a_companys_own_goes_before_one_for_everybody(desk):
    own, _ = await desk.create("gpu", org_id=desk.acme)
    shared, _ = await desk.create("gpu")
    assert (await desk.named(desk.acme, "gpu")).id == own.id
    assert (await desk.named(desk.globex, "gpu")).id == shared.id


async def test_a_name_is_taken_by_what_the_company_is_offered_and_by_nothing_else(desk):
    await desk.create("shared")
    await desk.create("ours", org_id=desk.acme)
    for name, org_id in (
        *(("SHARED", None), ("local", None), ("big", None)),
        *(("shared", desk.acme), ("Local", desk.acme), ("Big", desk.acme), ("OURS", desk.acme)),
    ):
        with pytest.raises(Conflict) as refusal:
            await desk.create(name, org_id=org_id)
        assert refusal.value.code == "name_taken"
    await desk.create("ours", org_id=desk.globex)
    await desk.create("ours")


@pytest.mark.every_database
async def test_a_refused_name_leaves_nothing_behind(desk):
    await desk.create("gpu", "push", url=PUBLIC, key=KEY)
    tables = ("executors", "job_workers", "credentials", "secrets", "audit_events")
    before = [await desk.rows(table) for table in tables]
    for mode, more in (("pull", {}), ("push", {"url": PUBLIC, "key": KEY})):
        with pytest.raises(Conflict):
            await desk.create("gpu", mode, **more)
    assert [await desk.rows(table) for table in tables] == before


@pytest.mark.every_database
async def test_of_many_who_want_a_name_one_gets_it(desk):
    owners = [None, desk.acme, None, desk.acme] * 4
    made = await asyncio.gather(
        *(desk.create("gpu", org_id=org_id) for org_id in owners), return_exceptions=True
    )
    assert all(isinstance(one, tuple | Conflict) for one in made)
    offered = names_of(await desk.offered(desk.acme))
    # Everybody's first, and nobody else has it; or the company's first, which everybody's does not mind.
    winners = [one[0].org_id for one in made if isinstance(one, tuple)]
    assert winners in ([None], [desk.acme, None], [None, desk.acme])
    assert winners.count(None) == 1
    assert offered.count("gpu") == len(winners)
    same = await asyncio.gather(
        *(desk.create("solo", org_id=desk.globex) for _ in range(12)), return_exceptions=True
    )
    assert sum(isinstance(one, tuple) for one in same) == 1
    assert len(await desk.rows("executors")) == len(winners) + 1


async def test_a_company_has_so_many_and_no_more(desk, monkeypatch):
    monkeypatch.setattr(service, "MAX_PER_COMPANY", 2)
    first, _ = await desk.create("one", org_id=desk.acme)
    await desk.create("two", org_id=desk.acme)
    with pytest.raises(Conflict) as refusal:
        await desk.create("three", org_id=desk.acme)
    assert refusal.value.code == "too_many_executors"
    await desk.create("three", org_id=desk.globex)
    await desk.retire(first.id)
    await desk.create("three", org_id=desk.acme)


async def test_a_company_that_is_not_there_is_named(desk):
    with pytest.raises(InvalidRequest) as refusal:
        await desk.create("gpu", org_id="org_nobody")
    assert refusal.value.errors[0]["pointer"] == "/org_id"


NONSENSE = [
    ({"name": ""}, "/name"),
    ({"name": "abc\n"}, "/name"),
    ({"name": "-gpu"}, "/name"),
    ({"name": "ｇpu"}, "/name"),
    ({"name": "g" * 65}, "/name"),
    ({"mode": "push"}, "/url"),
    ({"url": PUBLIC}, "/url"),
    ({"key": KEY}, "/key"),
    ({"mode": "push", "url": PUBLIC, "key": "two words"}, "/key"),
    ({"mode": "push", "url": PUBLIC, "key": "new\nline"}, "/key"),
    ({"capabilities": ["Chat"]}, "/capabilities"),
    ({"capabilities": ["chat"] * 33}, "/capabilities"),
]


async def test_what_makes_no_sense_is_named(desk):
    for fields, pointer in NONSENSE:
        with pytest.raises(InvalidRequest) as refusal:
            await desk.executors.admit(
                NewExecutor(**{"name": "gpu", "mode": "pull", **fields}), by_operator=True
            )
        assert refusal.value.errors[0]["pointer"] == pointer


async def test_only_a_companys_own_must_be_public(desk, make_executors):
    inward = {"url": "http://10.0.0.1:8000/v1/", "org_id": desk.acme}
    with pytest.raises(EndpointRefused):
        await desk.create("own", "push", by_operator=False, **inward)
    by_operator, _ = await desk.create("operators", "push", **inward)
    assert by_operator.url == "http://10.0.0.1:8000/v1"
    desk.names.known["models.example.com"] = ["8.8.8.8"]
    own, _ = await desk.create("own", "push", by_operator=False, url=PUBLIC, org_id=desk.acme)
    async with desk.data.read() as reader:
        guarded = {one.executor_id: one.guarded for one in await desk.executors.push_endpoints(reader)}
        assert guarded == {
            by_operator.id: False,
            own.id: True,
            (await desk.named(desk.acme, "big")).id: False,
        }
        allowing = make_executors(desk.hall, private_allowed=True)
        assert not any(one.guarded for one in await allowing.push_endpoints(reader))
    await allowing.admit(NewExecutor("x", "push", url="http://10.0.0.1/v1"), by_operator=False)
    with pytest.raises(EndpointRefused):
        await allowing.admit(NewExecutor("x", "push", url="ftp://10.0.0.1/v1"), by_operator=False)


@pytest.mark.every_database
async def test_a_key_is_sealed_and_goes_with_its_executor(desk):
    made, token = await desk.create("gpu", "push", url=PUBLIC, key=KEY, org_id=desk.acme)
    assert token is None
    async with desk.data.read() as reader:
        endpoint = await desk.executors.push_endpoint(reader, made.id)
        assert await desk.executors.key_of(reader, endpoint) == KEY
    tables = ("executors", "secrets", "audit_events", "executor_health", "credentials")
    assert KEY not in str([await desk.rows(table) for table in tables])
    assert KEY not in str((made, endpoint, public(made, with_url=True)))
    assert [row["org_id"] for row in await desk.rows("secrets")] == [desk.acme]
    assert await desk.retire(made.id)
    assert await desk.rows("secrets") == []
    async with desk.data.read() as reader:
        assert await desk.executors.push_endpoint(reader, made.id) is None


async def test_a_key_of_the_environment_is_read_from_there(desk):
    big = await desk.named(desk.acme, "big")
    async with desk.data.read() as reader:
        endpoint = await desk.executors.push_endpoint(reader, big.id)
        assert await desk.executors.key_of(reader, endpoint) == "sk-of-the-environment"
    assert "sk-of-the-environment" not in str(vars(desk.executors))


async def test_retiring_ends_the_token_and_frees_the_name(desk):
    made, token = await desk.create("gpu")
    worker = desk.hall.bearer(token)
    assert (await worker.get("/api/whoami")).status_code == 403
    assert await desk.retire(made.id) is True
    assert (await worker.get("/api/whoami")).status_code == 401
    assert await desk.named(desk.acme, "gpu") is None
    assert await desk.retire(made.id) is False
    again, _ = await desk.create("gpu")
    assert again.id != made.id


@pytest.mark.every_database
async def test_what_is_held_comes_back_in_the_transaction_that_retires(desk, monkeypatch):
    made, token = await desk.create("gpu")

    async def failing(writer, worker_id):
        assert worker_id == made.id
        raise RuntimeError("the jobs could not be returned")

    monkeypatch.setattr(desk.hall.server.service(WorkerRegistry), "retire", failing)
    with pytest.raises(RuntimeError, match="could not be returned"):
        await desk.retire(made.id)
    assert (await desk.hall.bearer(token).get("/api/whoami")).status_code == 403
    assert (await desk.named(desk.acme, "gpu")).id == made.id


@pytest.mark.every_database
async def test_of_many_who_retire_one_does(desk):
    made, _ = await desk.create("gpu")
    assert sorted(await asyncio.gather(*(desk.retire(made.id) for _ in range(8)))) == [False] * 7 + [True]


async def test_what_the_settings_bring_is_not_retired(desk):
    for executor in await desk.offered(desk.acme):
        with pytest.raises(Conflict) as refusal:
            await desk.retire(executor.id)
        assert refusal.value.code == "executor_fixed"
    assert await desk.retire("exe_nobody") is False


@pytest.mark.own_server
async def test_making_and_retiring_are_told_in_the_audit_trail(desk):
    made, _ = await desk.create("gpu", "push", url=PUBLIC, key=KEY, model="m", org_id=desk.acme)
    await desk.retire(made.id)
    events = sorted(await desk.rows("audit_events"), key=lambda event: event["seq"])
    assert [event["action"] for event in events] == ["executor.created", "executor.retired"]
    assert all((event["target_type"], event["target_id"]) == ("executor", made.id) for event in events)
