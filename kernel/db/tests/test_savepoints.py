"""A part of a transaction that fails is undone alone."""

import asyncio

import pytest

from guildhall_sdk import Statement
from guildhall_testing.counters import ADD, ALL
from guildhall_testing.databases import statement
from kernel.db.database import Database

MISTAKE = statement("INSERT INTO counters (id, n) VALUES ('a', 1)")


async def kept(database: Database) -> list[str]:
    async with database.read() as reader:
        return [row["id"] for row in await reader.all(ALL)]


async def add_and_fail(writer, name: str, mistake: Statement | None = None) -> None:
    async with writer.savepoint():
        await writer.run(ADD, id=name, n=1)
        writer.after_commit(lambda: pytest.fail("what was undone is told of"))
        if mistake is not None:
            await writer.run(mistake)
        raise KeyError(name)


async def test_what_fails_inside_is_undone_and_the_rest_stays(database: Database) -> None:
    told = []
    async with database.write() as writer:
        await writer.run(ADD, id="a", n=1)
        for name in ("b", "c"):
            async with writer.savepoint():
                await writer.run(ADD, id=name, n=1)
                writer.after_commit(lambda name=name: told.append(name))
        with pytest.raises(KeyError):
            await add_and_fail(writer, "d")
        with pytest.raises(Exception, match=r"(?i)unique"):
            await add_and_fail(writer, "e", MISTAKE)
        async with writer.savepoint():
            await writer.run(ADD, id="f", n=1)
    assert await kept(database) == ["a", "b", "c", "f"]
    assert told == ["b", "c"]


async def test_savepoints_nest(database: Database) -> None:
    async with database.write() as writer:
        async with writer.savepoint():
            await writer.run(ADD, id="a", n=1)
            for name in ("b", "c"):
                with pytest.raises(KeyError):
                    await add_and_fail(writer, name)
            async with writer.savepoint():
                await writer.run(ADD, id="d", n=1)
            async with writer.savepoint():
                await writer.run(ADD, id="e", n=1)
        with pytest.raises(KeyError):
            async with writer.savepoint():
                async with writer.savepoint():
                    await writer.run(ADD, id="f", n=1)
                raise KeyError
        async with writer.savepoint(), writer.savepoint():
            await writer.run(ADD, id="g", n=1)
    assert await kept(database) == ["a", "d", "e", "g"]


async def test_scopes_that_share_a_commit_do_not_touch_each_others_savepoints(database: Database) -> None:
    async def write(name: str, fails: bool) -> None:
        async with database.write() as writer:
            async with writer.savepoint():
                await writer.run(ADD, id=name, n=1)
            with pytest.raises(KeyError):
                await add_and_fail(writer, f"{name}-not")
            if fails:
                raise OSError

    names = [f"{number:02}" for number in range(8)]
    ends = await asyncio.gather(*(write(name, int(name) % 3 == 0) for name in names), return_exceptions=True)
    assert [isinstance(end, OSError) for end in ends] == [int(name) % 3 == 0 for name in names]
    assert await kept(database) == [name for name in names if int(name) % 3]


async def test_a_statement_that_was_stopped_inside_is_undone_with_its_part(database: Database) -> None:
    """A caller that stops waiting: the part is undone, and the transaction goes on."""
    endless = Statement(
        "endless",
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT MAX(i) FROM n",
        "SELECT pg_sleep(60)",
    )
    async with database.write() as writer:
        await writer.run(ADD, id="a", n=1)
        with pytest.raises(TimeoutError):
            async with writer.savepoint():
                await writer.run(ADD, id="b", n=1)
                async with asyncio.timeout(0.05):
                    await writer.run(endless)
        await writer.run(ADD, id="c", n=1)
    assert await kept(database) == ["a", "c"]
