"""Reading and writing: what is committed is there, and nothing else."""

import asyncio

import pytest

from guildhall_sdk import Conflict, Row
from guildhall_sdk.engines.pools import WriteCondition
from guildhall_testing.counters import ADD, COUNTERS, GET, SET, counters
from guildhall_testing.databases import statement
from guildhall_testing.engine_conformance.databases import EngineTests
from kernel.db.database import Database


class ScopeTests(EngineTests):
    """Scopes, transactions, savepoints and conditions."""

    async def test_what_is_committed_is_read_by_name(self, database: Database) -> None:
        async with database.write() as writer:
            await writer.run(ADD, id="a", n=2**40)
        async with database.read() as reader:
            row = await reader.one(GET, id="a")
            assert row is not None and dict(row) == {"n": 2**40}
            assert await reader.one(GET, id="b") is None

    async def test_values_come_back_as_they_were(self, database: Database) -> None:
        text = statement("SELECT CAST(:text AS TEXT) AS text, CAST(:none AS TEXT) AS none")
        total = statement("SELECT SUM(n) AS total, COUNT(*) AS many FROM counters")
        async with database.write() as writer:
            await writer.run(ADD, id="naïve ☂ 'quoted'", n=-1)
            await writer.run(ADD, id="b", n=4)
        async with database.read() as reader:
            row = await reader.one(text, text="naïve ☂", none=None)
            assert row is not None and dict(row) == {"text": "naïve ☂", "none": None}
            assert await reader.value(GET, id="naïve ☂ 'quoted'") == -1
            found = await reader.one(total)
            assert found is not None and dict(found) == {"total": 3, "many": 2}

    async def test_a_scope_that_fails_changes_nothing(self, database: Database) -> None:
        with pytest.raises(LookupError):
            async with database.write() as writer:
                await writer.run(ADD, id="a", n=1)
                raise LookupError
        assert await counters(database) == {}

    async def test_nobody_else_reads_what_is_not_committed(self, database: Database) -> None:
        async with database.write() as writer:
            await writer.run(ADD, id="a", n=1)
            assert await writer.value(GET, id="a") == 1
            assert await asyncio.create_task(counters(database)) == {}
        assert await counters(database) == {"a": 1}

    async def test_a_statement_that_fails_fails_its_scope_alone(self, database: Database) -> None:
        async with database.write() as writer:
            await writer.run(ADD, id="a", n=1)
        with pytest.raises(Exception):  # noqa: B017 - each driver has its own
            async with database.write() as writer:
                await writer.run(ADD, id="b", n=1)
                await writer.run(ADD, id="a", n=1)
        async with database.write() as writer:
            await writer.run(ADD, id="c", n=1)
        assert await counters(database) == {"a": 1, "c": 1}

    async def test_a_savepoint_is_undone_alone(self, database: Database) -> None:
        async with database.write() as writer:
            await writer.run(ADD, id="before", n=1)
            for _ in range(2):
                with pytest.raises(LookupError):
                    async with writer.savepoint():
                        await writer.run(ADD, id="inside", n=1)
                        raise LookupError
            async with writer.savepoint():
                await writer.run(ADD, id="kept", n=1)
        assert await counters(database) == {"before": 1, "kept": 1}

    async def test_callbacks_are_called_after_the_commit_and_never_without_one(
        self, database: Database
    ) -> None:
        called = list[str]()
        async with database.write() as writer:
            await writer.run(ADD, id="a", n=1)
            writer.after_commit(lambda: called.append("a"))
            assert called == []
        with pytest.raises(LookupError):
            async with database.write() as writer:
                writer.after_commit(lambda: called.append("b"))
                await writer.run(ADD, id="b", n=1)
                raise LookupError
        assert called == ["a"]

    async def test_no_update_is_lost_behind_a_lock(self, database: Database) -> None:
        async with database.write() as writer:
            await writer.run(ADD, id="a", n=0)

        async def add_one() -> None:
            async with database.write() as writer:
                await writer.serialize("counter:a")
                await writer.run(SET, id="a", n=await writer.value(GET, id="a") + 1)

        await asyncio.gather(*(add_one() for _ in range(12)))
        assert await counters(database) == {"a": 12}

    async def test_a_writer_who_is_cancelled_changes_nothing_and_holds_nothing(
        self, database: Database
    ) -> None:
        inside = asyncio.Event()

        async def write() -> None:
            async with database.write() as writer:
                await writer.serialize("counter:a")
                await writer.run(ADD, id="a", n=1)
                inside.set()
                await asyncio.Event().wait()

        writing = asyncio.create_task(write())
        await inside.wait()
        writing.cancel()
        await asyncio.wait([writing])
        async with database.write() as writer:
            await writer.serialize("counter:a")
            await writer.run(ADD, id="b", n=1)
        assert await counters(database) == {"b": 1}

    async def test_a_write_is_refused_whose_condition_does_not_hold(self, url: str) -> None:
        async with self.opened(url, condition_of=_must_be_open) as database:
            async with database.write() as writer:
                await writer.run(COUNTERS)
                await writer.run(ADD, id="org_1", n=1)
                await writer.run(ADD, id="org_2", n=0)
            async with database.write(within="org_1") as writer:
                await writer.run(ADD, id="a", n=1)
            with pytest.raises(Conflict):
                async with database.write(within="org_2") as writer:
                    await writer.run(ADD, id="b", n=1)
            assert await counters(database) == {"org_1": 1, "org_2": 0, "a": 1}

    async def test_what_need_not_be_durable_is_there_for_the_next_writer(self, database: Database) -> None:
        async with database.write(durable=False) as writer:
            await writer.run(ADD, id="a", n=1)
        async with database.write(apart=True) as writer:
            assert await writer.value(GET, id="a") == 1
        await database.flush()
        assert await counters(database) == {"a": 1}

    async def test_it_can_be_closed_and_opened_again(self, database: Database) -> None:
        async with database.write() as writer:
            await writer.run(ADD, id="a", n=1)
        await database.disconnect()
        await database.connect()
        async with database.write() as writer:
            await writer.run(SET, id="a", n=2)
        assert await counters(database) == {"a": 2}

    async def test_what_was_committed_is_there_after_it_was_closed(self, url: str) -> None:
        async with self.opened(url) as database, database.write() as writer:
            await writer.run(COUNTERS)
            await writer.run(ADD, id="a", n=1)
        async with self.opened(url) as database, self.opened(url, shared=True) as beside:
            assert await counters(database) == await counters(beside) == {"a": 1}


def _must_be_open(place: str) -> WriteCondition:
    asked = statement("SELECT n FROM counters WHERE id = :place AND n = 0")
    return WriteCondition((f"open:{place}",), asked, {"place": place}, _refuse_closed)


def _refuse_closed(row: Row) -> None:
    raise Conflict(f"It is closed: {row['n']}.")
