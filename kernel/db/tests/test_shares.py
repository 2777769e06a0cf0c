"""A company's share of the database: others and the server are served while its own wait."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Any

import asyncpg
import pytest

from guildhall_sdk import Unavailable
from guildhall_sdk.engines.engine import Account
from guildhall_testing.accounts import ACME, GLOBEX, on_account_of
from guildhall_testing.counters import ADD, ALL, GET, SET
from guildhall_testing.floods import A_MOMENT, ENDLESS, LONG_GET, TWENTY, ask, flooded, opened
from kernel.db.database import Database
from kernel.scope import OWN, PUBLIC, job_of

postgresql_only = pytest.mark.parametrize("url", ["postgresql"], indirect=True)


def long_ones(database: Database) -> "AbstractAsyncContextManager[list[asyncio.Task[Any]]]":
    return flooded(database, replace(ENDLESS[database.dialect], long=True))


@pytest.mark.parametrize("account", [GLOBEX, PUBLIC, OWN, job_of("org_globex")])
async def test_while_one_company_asks_without_end_others_are_answered(url: str, account: Account) -> None:
    async with opened(url, patience=5) as database, flooded(database) as flood:
        for _ in range(3):
            assert await on_account_of(account, ask(database))
        await on_account_of(account, database.ping())
        assert not any(one.done() for one in flood)


async def test_a_ping_is_answered_whoever_asks(url: str) -> None:
    async with opened(url, patience=5) as database, flooded(database) as flood:
        await on_account_of(ACME, database.ping())
        assert not any(one.done() for one in flood)


async def test_its_own_wait_their_turn_or_are_refused(url: str) -> None:
    async with opened(url, patience=0.2) as database, flooded(database) as flood:
        with pytest.raises(Unavailable) as caught:
            await on_account_of(ACME, ask(database, A_MOMENT[database.dialect]))
        assert (caught.value.status, caught.value.headers) == (503, {"Retry-After": "1"})
        refused = [one for one in flood if one.done()]
        assert refused and len(refused) < TWENTY


async def test_a_company_has_one_long_statement_under_way(url: str) -> None:
    """The others wait before they take a connection, and keep none from what is not long."""
    async with opened(url, patience=5) as database, long_ones(database) as flood:
        assert await on_account_of(ACME, ask(database))
        assert await on_account_of(GLOBEX, ask(database, LONG_GET))
        assert await on_account_of(OWN, ask(database, LONG_GET))
        flood.pop(0).cancel()
        own = on_account_of(ACME, ask(database, LONG_GET))
        flood.append(own)
        done, _ = await asyncio.wait([own], timeout=0.05)
        assert not done and not any(one.done() for one in flood)


async def test_whoever_waits_too_long_with_a_long_statement_is_refused(url: str) -> None:
    async with opened(url, patience=0.5) as database, long_ones(database):
        with pytest.raises(Unavailable, match="long questions of your company"):
            await on_account_of(ACME, ask(database, LONG_GET))


async def test_what_is_given_up_is_given_back(url: str) -> None:
    async with opened(url, patience=5) as database:
        for _ in range(2):
            async with flooded(database):
                pass
        assert await on_account_of(ACME, ask(database))
        assert (
            len(await asyncio.gather(*(on_account_of(ACME, ask(database)) for _ in range(TWENTY)))) == TWENTY
        )


async def test_whoever_reads_and_then_writes_does_not_wait_for_its_likes(url: str) -> None:
    """All of them hold what they read with before any asks for what to write with."""
    many = 3
    together = asyncio.Barrier(many)

    async def read_and_write(database: Database, n: int) -> None:
        async with database.read() as reader:
            await reader.one(GET, id="a")
            await together.wait()
            async with database.write() as writer:
                await writer.run(ADD, id=f"n{n}", n=n)
            await reader.one(GET, id="a")

    async with opened(url, patience=5, pool_size=9) as database:
        await asyncio.gather(*(on_account_of(ACME, read_and_write(database, n)) for n in range(many)))
        async with database.read() as reader:
            assert len(await reader.all(ALL)) == many + 1


@pytest.mark.parametrize(
    ("account", "stopped"), [(ACME, True), (PUBLIC, True), (job_of("org_acme"), False), (OWN, False)]
)
async def test_a_statement_is_stopped_where_somebody_waits_for_it(
    url: str, account: Account, stopped: bool
) -> None:
    async with opened(url, statement_seconds=0.05) as database:
        work = on_account_of(account, ask(database, A_MOMENT[database.dialect]))
        if not stopped:
            assert await work
            return
        with pytest.raises(Unavailable, match="took too long") as caught:
            await work
        assert caught.value.headers == {"Retry-After": "10"}
        # Nobody inherits the limit, nor is it forgotten, on whichever connection they get.
        assert await on_account_of(OWN, ask(database, A_MOMENT[database.dialect]))
        with pytest.raises(Unavailable):
            await on_account_of(account, ask(database, A_MOMENT[database.dialect]))


@postgresql_only
async def test_a_connection_keeps_no_limit_of_whoever_had_it_before(url: str) -> None:
    """With as few connections as there can be, the server's own and a request's change hands."""
    async with opened(url, statement_seconds=0.05, pool_size=2) as database:

        async def both(reader_of: Callable[[], Awaitable[Any]]) -> None:
            await asyncio.gather(reader_of(), reader_of(), return_exceptions=True)

        for account, stopped in ((ACME, True), (OWN, False)) * 2:
            await on_account_of(OWN, both(lambda: ask(database)))
            work = on_account_of(account, ask(database, A_MOMENT[database.dialect]))
            outcome = (await asyncio.gather(work, return_exceptions=True))[0]
            assert isinstance(outcome, Unavailable) is stopped


async def test_a_write_that_is_stopped_changes_nothing(url: str) -> None:
    async with opened(url, statement_seconds=0.05) as database:

        async def write() -> None:
            async with database.write() as writer:
                await writer.run(SET, id="a", n=1)
                await writer.one(A_MOMENT[database.dialect])

        with pytest.raises(Unavailable, match="nothing was changed"):
            await on_account_of(ACME, write())
        assert (await ask(database))[0]["n"] == 0
        async with database.write() as writer:
            await writer.run(SET, id="a", n=2)


@postgresql_only
async def test_the_size_of_the_pool_is_what_it_was_told(url: str) -> None:
    held, enough = asyncio.Semaphore(0), asyncio.Event()

    async def hold(database: Database) -> None:
        async with database.read() as reader:
            await reader.one(GET, id="a")
            held.release()
            await enough.wait()

    async with opened(url, pool_size=4, patience=0.3) as database:
        holders = [asyncio.create_task(hold(database)) for _ in range(4)]
        for _ in holders:
            await held.acquire()
        with pytest.raises(Unavailable):
            await ask(database)
        enough.set()
        await asyncio.gather(*holders)
        assert await ask(database)


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
async def test_companies_write_in_turns(url: str) -> None:
    async with opened(url, patience=5) as database:
        written: list[str] = []

        async def write(name: str) -> None:
            async with database.write() as writer:
                await writer.run(SET, id="a", n=1)
                written.append(name)

        async with database.write() as writer:
            await writer.run(SET, id="a", n=1)
            accounts = [ACME] * 3 + [GLOBEX] * 2
            writing = [on_account_of(account, write(account.holder)) for account in accounts]
            for _ in range(5):
                await asyncio.sleep(0)
        await asyncio.gather(*writing)
        assert written == ["org_acme", "org_globex", "org_acme", "org_globex", "org_acme"]


@postgresql_only
async def test_taking_and_giving_back_a_connection_costs_no_round_trip(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Requests and the server's own work by turns: neither resets, nor sets its limit, what the other had."""
    sent: list[str] = []
    execute = asyncpg.Connection.execute

    async def recorded(self: asyncpg.Connection, query: str, *args: Any, **options: Any) -> str:
        sent.append(query)
        return await execute(self, query, *args, **options)

    async with opened(url, statement_seconds=5) as database:
        await on_account_of(ACME, ask(database))
        await on_account_of(OWN, ask(database))
        monkeypatch.setattr(asyncpg.Connection, "execute", recorded)
        for _ in range(3):
            for account in (ACME, OWN, GLOBEX):
                await on_account_of(account, ask(database))
        assert sent == []
