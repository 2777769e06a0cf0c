"""Short reads of a request on SQLite are answered at once, and long ones hold nothing up."""

import time

import pytest

from guildhall_testing.accounts import ACME, on_account_of
from guildhall_testing.counters import ADD
from guildhall_testing.databases import statement
from guildhall_testing.floods import A_MOMENT, ask, flooded, opened
from guildhall_testing.heartbeat import heartbeat

sqlite_only = pytest.mark.parametrize("url", ["sqlite"], indirect=True)


@sqlite_only
async def test_a_company_reads_briefly_while_all_of_its_connections_are_taken(url: str) -> None:
    async with opened(url, patience=5) as database, flooded(database) as flood:
        assert await on_account_of(ACME, ask(database))
        assert not any(one.done() for one in flood)


@sqlite_only
async def test_what_turns_out_long_holds_the_loop_for_a_moment_only(url: str) -> None:
    async with opened(url, patience=5) as database, heartbeat() as pulse:
        began = time.process_time()
        (row,) = await on_account_of(ACME, ask(database, A_MOMENT["sqlite"]))
        took_ms = (time.process_time() - began) * 1000
    assert list(row.values()) == [500_000]
    # Of what it took in all, which a thread did.
    assert pulse.longest_ms < took_ms / 2


@sqlite_only
async def test_a_statement_is_tried_again_once_it_has_become_short(url: str) -> None:
    """What took too long with many rows is brief again when they are gone: it is not passed over for ever."""
    growing = statement("SELECT COUNT(*) AS n FROM counters a, counters b, counters c")
    async with opened(url, patience=5) as database:
        async with database.write() as writer:
            for number in range(150):
                await writer.run(ADD, id=str(number), n=number)
        (many,) = await on_account_of(ACME, ask(database, growing))
        assert many["n"] == 151**3
        async with database.write() as writer:
            await writer.run(statement("DELETE FROM counters WHERE id <> 'a'"))
        for _ in range(200):
            assert (await on_account_of(ACME, ask(database, growing)))[0]["n"] == 1
        async with flooded(database):
            assert (await on_account_of(ACME, ask(database, growing)))[0]["n"] == 1


@sqlite_only
async def test_a_schema_that_takes_longer_to_read_than_a_statement_may_is_read_all_the_same(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Late at the first look at the time.
    monkeypatch.setattr("builtin_plugins.sqlite.pool._QUICK_SECONDS", -1)
    async with opened(url, patience=5) as database:
        async with database.write() as writer:
            for number in range(100):
                await writer.run(
                    statement(f"CREATE TABLE wide_{number} (id TEXT PRIMARY KEY, a TEXT, b TEXT)")
                )
        for _ in range(2):
            await on_account_of(ACME, ask(database))
        async with flooded(database):
            assert await on_account_of(ACME, ask(database))


@sqlite_only
async def test_a_wrong_statement_says_what_is_wrong(url: str) -> None:
    async with opened(url) as database:
        with pytest.raises(Exception, match="no such table: nowhere"):
            await on_account_of(ACME, ask(database, statement("SELECT * FROM nowhere")))
