"""No row holds the event loop, or a thread that others share, for long: whatever it is sent."""

import asyncio
import contextvars
import os

import pytest

from guildhall_sdk import Auth
from guildhall_testing.conformance.trial import Trial
from guildhall_testing.hall import open_hall
from guildhall_testing.watch import Watch
from libs.fair_slots import TEXTS
from tests.steps.meter import StepMeter
from tests.steps.walk import Walk

LIMIT_MS = 50
# Of what anybody may ask for without signing in, once it was asked for before.
PUBLIC_LIMIT_MS = 15
LONG = "SOAK_ROUNDS" in os.environ
TIMES = 200 if LONG else 4
BATCH = 20 if LONG else 6

pytestmark = pytest.mark.hall_databases("sqlite", *(["postgresql"] if LONG else []))


class Unwatched(Watch):
    """Checks no answer against its row: that would be steps of the loop which no server takes."""

    def observe(self, bound, reply):
        pass


@pytest.fixture
async def bare_hall(hall_sites, hall_database):
    """A hosted hall whose steps are the server's own."""
    token = "the provisioning token of the walk"
    async with open_hall(
        hall_sites,
        hall_database,
        Unwatched(),
        SERVICE_PROVISION_TOKEN=token,
        SERVICE_TRUSTED_PROXIES="127.0.0.1",
    ) as hall:
        await hall.give_hostnames()
        yield hall


async def test_no_row_takes_a_long_step_however_large_its_input(bare_hall):
    meter = StepMeter(LIMIT_MS)
    with meter.measuring():
        walk = Walk(bare_hall, meter)
        await walk.fill(TIMES)
        found = await walk.go(long=LONG)
    assert {*found.statuses} == {bound.name for bound in bare_hall.registry.routes()}
    answered = [row for row, statuses in found.statuses.items() if min(statuses) < 300]
    assert len(answered) > 0.8 * len(found.statuses), "most rows take what they are sent"
    lines = [*found.lines()]
    assert not lines, "\n".join([f"steps of more than {LIMIT_MS} ms of CPU time:", *lines])


@pytest.mark.long_form
async def test_what_anybody_may_read_is_made_once(bare_hall):
    """Without signing in, a read costs next to nothing when it comes again."""
    meter, slow = StepMeter(PUBLIC_LIMIT_MS), []
    with meter.measuring():
        for bound in bare_hall.registry.routes():
            if bound.row.auth is Auth.PUBLIC and bound.row.method == "GET":
                caller, path = await Trial(bare_hall, bound).owner_of_path(bare_hall.acme)
                found = []
                for _ in range(4):
                    meter.take()
                    await caller.get(path, silence_seconds=0.05)
                    found.append(meter.take())
                if all(found[1:]):
                    slow += [bound.name, *map(str, found[-1])]
    assert not slow, "\n".join([f"steps of more than {PUBLIC_LIMIT_MS} ms of CPU time:", *slow])


@pytest.mark.long_form
async def test_a_batch_of_long_documents_takes_no_long_step(bare_hall):
    owner = bare_hall.acme.owner
    note = {"title": "Long", "body": "é\n" * 500_000, "visibility": "team"}
    uri = "guildhall://notes/" + (await owner.post("/api/notes", note)).json()["id"]
    read = {"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": uri}}
    call = {"name": "read_note", "arguments": {"id": uri.rpartition("/")[2]}}
    for message in (read, {**read, "method": "tools/call", "params": call}):
        meter, slow = StepMeter(LIMIT_MS), []
        with meter.measuring():
            while len(slow) < 2 and all(slow):  # fresh memory costs once
                answer = await owner.post("/api/mcp/server", [message] * BATCH)
                assert len(answer.json()) == BATCH
                slow.append(meter.take())
        assert not all(slow), "\n".join(map(str, slow[-1]))


async def test_the_meter_finds_a_long_step_on_each_kind_of_thread(bare_hall):
    def work(*_):
        return sum(range(3_000_000))

    async def on_the_loop():
        work()

    meter, found = StepMeter(5), {}
    loop = asyncio.get_running_loop()
    with meter.measuring():
        outside = contextvars.Context()
        await loop.create_task(on_the_loop(), context=outside)
        found["loop"] = meter.take()
        await asyncio.to_thread(work)
        found["executor"] = meter.take()
        await TEXTS.run("holder", work)
        found["fair thread"] = meter.take()
        await on_the_loop()
        found["caller"] = meter.take()
    assert {kind for kind, steps in found.items() if steps} == {"loop", "executor", "fair thread"}
