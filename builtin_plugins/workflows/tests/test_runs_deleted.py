"""A run that is retried while it is thrown away is retried whole, or not at all."""

import asyncio
from contextvars import Context

import pytest

from builtin_plugins.retention.periods import DAY_MS
from builtin_plugins.workflows.runs import ending
from builtin_plugins.workflows.runs.ending import ENDED_RUNS
from builtin_plugins.workflows.runs.statements import retrying_sql
from builtin_plugins.workflows.tests.conftest import each
from guildhall_sdk import JobFailed, Statement
from guildhall_testing.statements import before_statements

pytestmark = pytest.mark.any_database

ITEMS = 5


@pytest.fixture
async def failed(flows):
    """A run of long ago that failed at the last item of a map."""

    async def all_but_the_last(host, principal, arguments):
        if arguments["value"] == ITEMS:
            raise JobFailed("broken", "It broke.", retry=False)
        return arguments["value"]

    flows.toys.play = all_but_the_last
    run = await flows.run(each("m", [*range(1, ITEMS + 1)]))
    assert run["state"] == "failed"
    flows.hall.clock.advance(days=400)
    flows.toys.play = flows.toys.echo
    return run


async def delete_expired(flows):
    before = flows.hall.clock.now_ms() - 365 * DAY_MS
    async with flows.hall.server.data.write() as writer:
        return await ENDED_RUNS.delete_expired(writer, before, 200)


async def rows(flows, table):
    counted = f"SELECT COUNT(*) AS many FROM {table}"
    async with flows.hall.server.data.read() as reader:
        return await reader.value(Statement("counted", counted, counted))


async def retry(flows, run, **body):
    member = await flows.hall.with_token(flows.hall.acme.member)
    return await member.post(f"/api/runs/{run['id']}/retry", body), member


async def test_what_is_left_of_a_map_is_not_taken_for_all_of_it(flows, failed, monkeypatch):
    monkeypatch.setattr(ending, "_MAX_ITEMS", 2)
    assert await delete_expired(flows) == 2
    refused, _ = await retry(flows, failed)
    assert (refused.status_code, refused.json()["code"]) == (409, "items_gone"), refused.text
    anew, member = await retry(flows, failed, **{"from": "start"})
    assert anew.status_code == 202, anew.text
    await flows.hall.drain_jobs()
    seen = await flows.read(anew.json(), as_=member)
    assert (seen["state"], seen["steps"][0]["items"]["total"]) == ("succeeded", ITEMS)


@pytest.mark.every_database
async def test_what_is_retried_is_copied_whole_while_it_is_thrown_away(flows, failed, monkeypatch):
    going = []

    async def delete_expired_meanwhile(call):
        if call.statement is retrying_sql.copy_items:
            going.append(asyncio.create_task(delete_expired(flows), context=Context()))
            if flows.hall.database == "postgresql":
                await asyncio.wait(going, timeout=10)

    before_statements(monkeypatch.setattr, delete_expired_meanwhile)
    again, member = await retry(flows, failed)
    assert again.status_code == 202, again.text
    await asyncio.gather(*going)
    await flows.hall.drain_jobs()
    seen = await flows.read(again.json(), as_=member)
    assert (seen["state"], seen["steps"][0]["items"]["done"]) == ("succeeded", ITEMS)
    while await delete_expired(flows):
        pass
    assert (await rows(flows, "runs"), await rows(flows, "run_items")) == (1, ITEMS)


@pytest.mark.every_database
async def test_a_run_whose_items_are_held_goes_later_with_them(flows, failed, monkeypatch):
    """Whoever held a run while its items went finds it whole: no items stay without their run."""
    held = flows.hall.database == "postgresql"
    holding = Statement("holding", "SELECT id FROM runs", "SELECT id FROM runs FOR UPDATE")
    gone = []

    async def let_go_meanwhile(call):
        if call.statement is ending.retention_sql.delete_runs and held:
            await other.__aexit__(None, None, None)

    async def hold():
        other = flows.hall.server.data.write()
        await (await other.__aenter__()).all(holding)
        return other

    if held:
        other = await asyncio.create_task(hold(), context=Context())
    before_statements(monkeypatch.setattr, let_go_meanwhile)
    gone.append(await asyncio.create_task(delete_expired(flows), context=Context()))
    held = False
    assert (await rows(flows, "runs") == 0) == (await rows(flows, "run_items") == 0)
    gone.append(await delete_expired(flows))
    assert sum(gone) == ITEMS + 1
