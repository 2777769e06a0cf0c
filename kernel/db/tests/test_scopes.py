"""What a scope promises: all or nothing, one at a time where it must be, and nothing left behind."""

import asyncio

import pytest

from guildhall_sdk import Unavailable
from guildhall_testing.counters import ADD, ALL, GET, SET
from guildhall_testing.databases import database_at, statement
from kernel.db.database import Database


async def total(database: Database) -> int:
    async with database.read() as reader:
        return await reader.value(statement("SELECT COUNT(*) FROM counters"))


async def test_a_clean_end_commits(database: Database) -> None:
    async with database.write() as writer:
        await writer.run(ADD, id="a", n=1)
    assert await total(database) == 1


async def test_an_exception_rolls_back(database: Database) -> None:
    with pytest.raises(KeyError):
        async with database.write() as writer:
            await writer.run(ADD, id="a", n=1)
            raise KeyError("a")
    assert await total(database) == 0


async def test_a_row_reads_as_a_mapping(database: Database) -> None:
    async with database.write() as writer:
        row = await writer.one(statement("INSERT INTO counters (id, n) VALUES ('a', 7) RETURNING id, n"))
    assert row is not None
    assert (row["id"], row["n"]) == ("a", 7)
    assert dict(row) == {"id": "a", "n": 7} == {**row}
    assert list(row.keys()) == ["id", "n"] == list(row)
    assert list(row.items()) == [("id", "a"), ("n", 7)]
    assert list(row.values()) == ["a", 7]
    assert "n" in row
    assert "a" not in row
    assert (row.get("n"), row.get("x"), row.get("x", 3)) == (7, None, 3)


async def test_no_row_is_none_and_no_rows_are_empty(database: Database) -> None:
    async with database.read() as reader:
        assert await reader.one(GET, id="a") is None
        assert await reader.value(GET, id="a") is None
        assert list(await reader.all(ALL)) == []


async def test_sums_are_plain_numbers(database: Database) -> None:
    async with database.write() as writer:
        await writer.run(ADD, id="a", n=2)
        await writer.run(ADD, id="b", n=-5)
        total = await writer.value(statement("SELECT SUM(n) FROM counters"))
        average = await writer.value(statement("SELECT AVG(n) FROM counters"))
    assert (total, type(total)) == (-3, int)
    assert (average, type(average)) == (-1.5, float)


async def test_a_reader_cannot_write(database: Database) -> None:
    with pytest.raises(Exception, match=r"read-?only"):
        async with database.read() as reader:
            await reader.one(ADD, id="a", n=1)
    assert await total(database) == 0


async def test_fifty_concurrent_increments_lose_nothing(url: str, database: Database) -> None:
    patient = database_at(url, shared=True, patience=30)
    await patient.connect()
    async with patient.write() as writer:
        await writer.run(ADD, id="a", n=0)

    async def increment() -> None:
        async with patient.write() as writer:
            await writer.serialize("counter a")
            n = await writer.value(GET, id="a")
            await asyncio.sleep(0)
            await writer.run(SET, id="a", n=n + 1)

    await asyncio.gather(*(increment() for _ in range(50)))
    async with patient.read() as reader:
        assert await reader.value(GET, id="a") == 50
    await patient.disconnect()


async def test_a_reader_sees_the_last_commit_while_a_writer_is_open(database: Database) -> None:
    async with database.write() as writer:
        await writer.run(ADD, id="a", n=1)

    async def look() -> object:
        async with database.read() as reader:
            return await reader.value(GET, id="a")

    async with database.write() as writer:
        await writer.run(SET, id="a", n=2)
        assert await asyncio.create_task(look()) == 1
    assert await look() == 2


async def test_a_read_scope_inside_a_write_scope_sees_what_was_written(database: Database) -> None:
    async with database.write() as writer:
        await writer.run(ADD, id="a", n=1)
        async with database.read() as reader:
            assert await reader.value(GET, id="a") == 1
        await writer.run(SET, id="a", n=2)
    async with database.read() as reader:
        assert await reader.value(GET, id="a") == 2


async def test_a_write_scope_inside_a_write_scope_is_refused(database: Database) -> None:
    async with database.write() as writer:
        with pytest.raises(RuntimeError, match="open already"):
            async with database.write():
                pass
        await writer.run(ADD, id="a", n=1)
    assert await total(database) == 1


async def test_a_child_task_cannot_write_while_its_parent_does(database: Database) -> None:
    async def write(key: str) -> None:
        async with database.write() as writer:
            await writer.run(ADD, id=key, n=1)

    async with database.write():
        with pytest.raises(RuntimeError, match="started inside a write scope"):
            await asyncio.create_task(write("early"))
        parent_is_done = asyncio.Event()

        async def write_later() -> None:
            await parent_is_done.wait()
            await write("late")

        child = asyncio.create_task(write_later())
    parent_is_done.set()
    await child
    async with database.read() as reader:
        assert [row["id"] for row in await reader.all(ALL)] == ["late"]


async def test_a_scope_of_another_database_may_be_inside(database: Database, tmp_path) -> None:
    other = database_at(f"sqlite:///{tmp_path}/other/guildhall.db")
    await other.connect()
    async with database.write() as writer:
        async with other.write() as inner:
            await inner.run(statement("CREATE TABLE t (id TEXT)"))
        with pytest.raises(RuntimeError, match="open already"):
            async with database.write():
                pass
        await writer.run(ADD, id="a", n=1)
    await other.disconnect()
    assert await total(database) == 1


async def test_a_writer_is_dead_after_its_scope(database: Database) -> None:
    async with database.write() as writer:
        await writer.run(ADD, id="a", n=1)
    async with database.read() as reader:
        pass
    for call in (writer.run, writer.one, reader.all):
        with pytest.raises(RuntimeError, match="has ended"):
            await call(GET, id="a")
    with pytest.raises(RuntimeError, match="has ended"):
        await writer.serialize("a")


async def test_a_swallowed_failure_commits_nothing(database: Database) -> None:
    with pytest.raises(RuntimeError, match="nothing was changed"):
        async with database.write() as writer:
            await writer.run(ADD, id="a", n=1)
            with pytest.raises(Exception, match=r"(?i)unique"):
                await writer.run(ADD, id="a", n=2)
    assert await total(database) == 0


async def test_a_violated_constraint_comes_through_as_it_is(database: Database) -> None:
    with pytest.raises(Exception, match=r"(?i)unique") as caught:
        async with database.write() as writer:
            await writer.run(ADD, id="a", n=1)
            await writer.run(ADD, id="a", n=2)
    assert not isinstance(caught.value, Unavailable)
    assert await total(database) == 0


async def test_statements_of_one_scope_may_be_gathered(database: Database) -> None:
    async with database.write() as writer:
        await asyncio.gather(*(writer.run(ADD, id=str(n), n=n) for n in range(10)))
    async with database.read() as reader:
        rows = await asyncio.gather(*(reader.one(GET, id=str(n)) for n in range(10)))
    assert [row["n"] for row in rows if row] == list(range(10))


async def test_serialize_lets_one_in_at_a_time(database: Database) -> None:
    order: list[str] = []
    first_is_in = asyncio.Event()
    second_may_try = asyncio.Event()

    async def first() -> None:
        async with database.write() as writer:
            await writer.serialize("door")
            first_is_in.set()
            await second_may_try.wait()
            await writer.run(ADD, id="a", n=1)
            order.append("first leaves")

    async def second() -> None:
        await first_is_in.wait()
        second_may_try.set()
        async with database.write() as writer:
            await writer.serialize("door")
            order.append("second enters")
            assert await writer.value(GET, id="a") == 1

    await asyncio.gather(first(), second())
    assert order == ["first leaves", "second enters"]


async def test_scopes_need_a_connected_database(url: str) -> None:
    for scope in (database_at(url).read, database_at(url).write):
        with pytest.raises(RuntimeError, match="not connected"):
            async with scope():
                pass


async def test_ping_answers(database: Database) -> None:
    await database.ping()
