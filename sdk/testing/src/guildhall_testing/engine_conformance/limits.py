"""Limits: who waits in vain is told so, and what nobody can open says why in one line."""

import asyncio
from contextvars import Context

import pytest

from guildhall_sdk.engines.engine import Account, DatabaseBusy, DatabaseUnreachable
from guildhall_testing.counters import ADD, COUNTERS, counters
from guildhall_testing.engine_conformance.databases import LONG, EngineTests
from kernel.db.database import Database
from kernel.scope import change_scope

_MANY = 40


class LimitTests(EngineTests):
    """Patience, long statements, crowds and addresses."""

    async def test_a_statement_of_a_request_that_takes_too_long_is_stopped(self, url: str) -> None:
        async def ask(database: Database) -> None:
            change_scope(account=Account("org_1", limited=True))
            async with database.read() as reader:
                await reader.one(LONG, rows=10**12)

        async with self.opened(url, statement_seconds=0.3) as database:
            with pytest.raises(DatabaseBusy) as refusal:
                async with asyncio.timeout(60):
                    await asyncio.create_task(ask(database), context=Context())
            assert refusal.value.headers["Retry-After"] == "10"
            await database.ping()

    async def test_who_waits_for_a_lock_in_vain_is_refused_and_changes_nothing(self, url: str) -> None:
        async with self.opened(url, patience=0.5) as database:
            async with database.write() as writer:
                await writer.run(COUNTERS)
            await self._wait_until_refused(database)
            assert await counters(database) == {"first": 1}

    async def _wait_until_refused(self, database: Database) -> None:
        async def write() -> None:
            async with database.write() as writer:
                await writer.serialize("counter:a")
                await writer.run(ADD, id="late", n=1)

        async with database.write() as writer:
            await writer.serialize("counter:a")
            await writer.run(ADD, id="first", n=1)
            # As of another request, which knows of no scope around it.
            waiting = asyncio.get_running_loop().create_task(write(), context=Context())
            with pytest.raises(DatabaseBusy) as refusal:
                await waiting
        assert refusal.value.headers["Retry-After"] == "1"

    async def test_a_crowd_is_served_to_the_last(self, url: str, database: Database) -> None:
        async def use(number: int) -> None:
            change_scope(account=Account(f"org_{number % 3}", limited=True))
            async with database.write() as writer:
                await writer.run(ADD, id=f"{number:03}", n=number)
            assert (await counters(database))[f"{number:03}"] == number

        loop = asyncio.get_running_loop()
        await asyncio.gather(*(loop.create_task(use(one), context=Context()) for one in range(_MANY)))
        assert len(await counters(database)) == _MANY

    async def test_what_cannot_be_opened_says_so_in_one_line(self) -> None:
        with pytest.raises(DatabaseUnreachable) as refusal:
            async with self.opened(self.unreachable_url):
                pass
        assert "\n" not in str(refusal.value)

    async def test_a_channel_can_be_opened_and_left(self, url: str, database: Database) -> None:
        heard = asyncio.Event()
        channel = database.pool.announcements("conformance", lambda message: heard.set())
        await channel.start()
        channel.notify("hello")
        if database.shared_by_processes:
            async with self.opened(url) as other, asyncio.timeout(60):
                there = other.pool.announcements("conformance", lambda message: None)
                await there.start()
                heard.clear()
                while not there.listening:  # noqa: ASYNC110 - it says nothing when it is
                    await asyncio.sleep(0.01)
                there.notify("hello")
                await heard.wait()
                await there.stop()
        await channel.stop()
