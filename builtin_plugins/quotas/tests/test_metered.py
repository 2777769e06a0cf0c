"""`metered`: a reservation for the length of a block, however the block ends."""

import asyncio
from contextlib import asynccontextmanager, nullcontext, suppress
from types import SimpleNamespace

import pytest

from builtin_plugins.quotas import metering
from builtin_plugins.quotas.metering import metered
from guildhall_sdk import Plugin, Statement, TooManyRequests, Unavailable, hookimpl
from guildhall_sdk.dimensions import Dimension, Quotas
from guildhall_sdk.errors import PaymentRequired

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

AMOUNTS = {"test.turns": 1, "test.words": 100, "test.slots": 1}


class Metered:
    """Brings three dimensions."""

    PLUGIN = Plugin("metered", "Metered", "0.1.0", "Tests metering.")

    @hookimpl
    def declare_dimensions(self):
        return [
            Dimension("test.turns", "Turns", "rate"),
            Dimension("test.words", "Words", "rate"),
            Dimension("test.slots", "Slots", "concurrency"),
        ]


METERED = Metered()


class Place:
    """Acme's first team on a running server."""

    def __init__(self, hall):
        self.hall, self.server = hall, hall.server
        self.org_id, self.team_id = hall.acme.org_id, hall.acme.team_id

    def metered(self, **more):
        ledger = self.server.service(Quotas)
        return ledger.metered(self.org_id, self.team_id, AMOUNTS, **{"ttl_ms": 60_000, **more})

    async def limit_slots(self, limit):
        async with self.server.data.write() as writer:
            await self.server.service(Quotas).set_limit(
                writer, "team", self.team_id, "test.slots", "none", limit
            )

    async def used(self):
        """As a writer sees it: a reservation may be on its way to the readers."""
        async with self.server.data.write() as writer:
            rows = await self.server.service(Quotas).usage(writer, self.org_id, self.team_id)
        return tuple(
            row.used for name in AMOUNTS for row in rows if (row.dimension, row.level) == (name, "team")
        )


@pytest.fixture
async def place(share_hall):
    async with share_hall(METERED) as hall:
        yield Place(hall)


async def test_a_block_that_ends_well_is_settled_by_what_it_used(place):
    async with place.metered() as meter:
        assert await place.used() == (1, 100, 1)
        meter.used["test.words"] = 40
    assert await place.used() == (1, 40, 0)


async def test_a_block_that_notes_nothing_is_settled_as_reserved(place):
    async with place.metered():
        pass
    assert await place.used() == (1, 100, 0)


async def test_a_block_that_fails_keeps_what_it_is_told_to(place):
    with pytest.raises(ZeroDivisionError):
        async with place.metered(kept_on_failure=["test.turns"]):
            raise ZeroDivisionError
    assert await place.used() == (1, 0, 0)


async def test_a_block_that_fails_on_its_way_keeps_what_it_had_used(place):
    with pytest.raises(ZeroDivisionError):
        async with place.metered(kept_on_failure=["test.turns"]) as meter:
            meter.used["test.words"] = 7
            raise ZeroDivisionError
    assert await place.used() == (1, 7, 0)


class BusyAtTheEnd:
    """A host whose database refuses so many writes after the first, which reserves."""

    def __init__(self, server, refusals):
        self.service, self.data = server.service, self
        self._server, self._writes, self._refusals = server, 0, refusals

    @asynccontextmanager
    async def write(self, **more):
        self._writes += 1
        if 1 < self._writes <= 1 + self._refusals:
            raise Unavailable("The database is busy with other writes.")
        async with self._server.data.write(**more) as writer:
            yield writer


@pytest.mark.parametrize("fault", [None, ZeroDivisionError])
@pytest.mark.every_database
async def test_what_was_used_is_counted_also_where_the_database_is_busy_at_the_end(place, monkeypatch, fault):
    monkeypatch.setattr(metering, "_PAUSES", (0, 0, 0))
    host, recorded = BusyAtTheEnd(place.server.host, refusals=3), []

    async def record(_writer, counted):
        recorded.append(dict(counted))

    with pytest.raises(fault) if fault else nullcontext():
        async with metered(
            host,
            place.org_id,
            place.team_id,
            AMOUNTS,
            ttl_ms=60_000,
            kept_on_failure=["test.turns"],
            recorded=record,
        ) as meter:
            meter.used["test.words"] = 40
            if fault:
                raise fault
    assert await place.used() == (1, 40, 0)
    assert [one["test.words"] for one in recorded] == [40]


@pytest.fixture
async def answers(place):
    """A table for what the work comes to: `put(text)` is an effect, `all()` what is there."""
    fact = Statement("put", *["INSERT INTO instance_facts (key, value) VALUES (:key, 'x')"] * 2)
    facts = Statement("all", *["SELECT key FROM instance_facts WHERE key LIKE 'answer%'"] * 2)

    def put(text, *, then=None):
        async def effect(writer):
            await writer.run(fact, key=f"answer {text}")
            if then is not None:
                raise then

        return effect

    async def everything():
        async with place.server.data.read() as reader:
            return [row["key"].removeprefix("answer ") for row in await reader.all(facts)]

    return SimpleNamespace(put=put, all=everything)


@pytest.mark.own_server
@pytest.mark.every_database
async def test_what_the_work_came_to_is_written_with_what_it_cost(place, answers):
    async with place.metered(settled=answers.put("42")) as meter:
        meter.used["test.words"] = 40
        assert await answers.all() == []
    assert await answers.all() == ["42"]
    assert await place.used() == (1, 40, 0)


@pytest.mark.own_server
@pytest.mark.every_database
async def test_an_effect_that_fails_fails_the_block_and_frees_what_it_held(place, answers):
    with pytest.raises(ZeroDivisionError):
        async with place.metered(
            settled=answers.put("42", then=ZeroDivisionError()), kept_on_failure=["test.turns"]
        ) as meter:
            meter.used["test.words"] = 40
    assert await answers.all() == []
    assert await place.used() == (1, 40, 0)


@pytest.mark.own_server
async def test_a_block_that_fails_has_no_effect(place, answers):
    with pytest.raises(ZeroDivisionError):
        async with place.metered(settled=answers.put("42")):
            raise ZeroDivisionError
    assert await answers.all() == []
    assert await place.used() == (0, 0, 0)


@pytest.mark.parametrize("verb", ["settle", "release"])
@pytest.mark.every_database
async def test_a_database_that_is_busy_for_a_moment_costs_nobody_a_slot(place, monkeypatch, verb):
    quotas = place.server.service(Quotas)
    end, busy = getattr(quotas, verb), iter([True, True])

    async def ended(*arguments):
        if next(busy, False):
            raise Unavailable("The database is busy.")
        await end(*arguments)

    monkeypatch.setattr(quotas, verb, ended)
    monkeypatch.setattr("builtin_plugins.quotas.metering._PAUSES", (0, 0, 0))
    with suppress(RuntimeError):
        async with place.metered() as meter:
            meter.used.update({"test.turns": 1, "test.words": 40})
            if verb == "release":
                raise RuntimeError("boom")
    assert await place.used() == (1, 40, 0)


async def test_a_cancelled_block_frees_its_slot(place):
    inside = asyncio.Event()

    async def work():
        async with place.metered(kept_on_failure=["test.turns"]):
            inside.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(work())
    await inside.wait()
    assert await place.used() == (1, 100, 1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await place.used() == (1, 0, 0)


class SlowLedger:
    """The server's ledger, which waits after each reservation until it may commit."""

    def __init__(self, server):
        self.data, self._quotas = server.data, server.service(Quotas)
        self.reserved, self.may_commit = asyncio.Event(), asyncio.Event()

    def service(self, protocol):
        assert protocol is Quotas
        return self

    async def reserve(self, *arguments):
        reservation = await self._quotas.reserve(*arguments)
        self.reserved.set()
        await self.may_commit.wait()
        return reservation

    async def release(self, *arguments):
        await self._quotas.release(*arguments)


@pytest.mark.every_database
async def test_a_caller_who_is_cancelled_while_reserving_leaves_nothing(place):
    """The reservation itself is still made, and then given back."""
    slow = SlowLedger(place.server.host)

    async def work():
        async with metered(slow, place.org_id, place.team_id, AMOUNTS, ttl_ms=60_000):
            raise AssertionError("the block must not run")

    task = asyncio.create_task(work())
    await slow.reserved.wait()
    task.cancel()
    slow.may_commit.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    async with place.server.data.write() as writer:
        await writer.serialize(f"quota:{place.org_id}")  # whoever was before us in the ledger is done now
    assert await place.used() == (0, 0, 0)


async def test_slots_are_refused_while_taken_and_free_again(place):
    await place.limit_slots(1)
    async with place.metered():
        with pytest.raises(TooManyRequests) as refusal:
            async with place.metered():
                raise AssertionError("the block must not run")
        assert refusal.value.code == "concurrency_exceeded"
        assert await place.used() == (1, 100, 1)
    async with place.metered():
        pass


async def test_a_slot_of_a_block_that_hangs_is_free_after_its_time(place):
    await place.limit_slots(1)
    async with place.metered(ttl_ms=1000):
        place.hall.clock.advance(seconds=1)
        async with place.metered():
            assert await place.used() == (1, 100, 1)
    assert await place.used() == (2, 200, 0)


async def test_nothing_is_reserved_for_a_suspended_company_and_what_runs_is_settled(place):
    async with place.metered() as meter:
        await place.hall.suspend(place.hall.acme)
        with pytest.raises(PaymentRequired):
            async with place.metered():
                raise AssertionError("the block must not run")
        meter.used["test.words"] = 3
    assert await place.used() == (1, 3, 0)
