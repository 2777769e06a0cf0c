"""On PostgreSQL old events go with the table of their month; no number is there twice across months."""

import asyncio
import shutil
from contextvars import Context

import asyncpg
import pytest

from builtin_plugins.audit import partitions
from builtin_plugins.audit.checkpointing import Checkpointing
from builtin_plugins.audit.tests.test_retention import Keeping
from builtin_plugins.audit.tests.test_trail import ANNA, BO, a_chain_of, append
from builtin_plugins.audit.verification import LAST_CHECKPOINT, verify
from guildhall_sdk import new_id
from guildhall_testing.migrated_databases import KERNEL_MIGRATIONS, Process
from guildhall_testing.postgres import session_server
from kernel.audit import sql as trail
from kernel.db.migrations import migrate
from libs.migration_files import MigrationSource

NAMES = "SELECT relname AS name FROM pg_class WHERE relispartition AND relkind = 'r' ORDER BY relname"
WAITING = (
    "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    " AND query LIKE '%audit_events%'"
)
PLACES = "SELECT DISTINCT CAST(CAST(tableoid AS regclass) AS TEXT) AS name FROM audit_events ORDER BY name"


@pytest.fixture(params=["postgresql"])
async def database_url(request, migrated):
    url = session_server().create_database(await migrated(request.param))
    yield url
    session_server().drop_database(url)


async def make_ahead(process):
    months = process.data.engine.partitions(partitions.EVENTS)
    return await partitions.make_ahead(process.data, process.clock, months)


async def names(process, text=NAMES):
    return [row["name"].removeprefix("audit_events_") for row in await process.tamper(text)]


async def three_months(process, *, ahead=True):
    """January to March 2030, a few events of two companies in each, all of them vouched for."""
    for _ in range(3):
        if ahead:
            await make_ahead(process)
        await a_chain_of(process, 3)
        await a_chain_of(process, 2, BO)
        process.clock.advance(days=31)
    keeping = Keeping(process)
    await keeping.checkpoint()
    process.clock.advance(days=60)
    return keeping


async def test_a_filled_table_becomes_the_first_partition_and_no_row_is_moved(tmp_path, clock, secret_key):
    before = tmp_path / "before"
    before.mkdir()
    for path in KERNEL_MIGRATIONS.glob("*.sql"):
        if path.name < "0025":
            shutil.copy(path, before)
    url = session_server().create_database()
    async with Process(url, clock, secret_key) as process:
        await migrate(process.data, [MigrationSource("kernel", before)], 0)
        await process.vault.open(process.data)
        await a_chain_of(process, 5)
        place = "SELECT pg_relation_filenode(CAST('{}' AS regclass)) AS place"
        (filled,) = await process.tamper(place.format("audit_events"))
        # Killed after the first of the two steps, with a server that goes on writing.
        shutil.copy(KERNEL_MIGRATIONS / "0025_audit_bound.postgresql.sql", before)
        await migrate(process.data, [MigrationSource("kernel", before)], 0)
        await a_chain_of(process, 2)
        await migrate(process.data, [MigrationSource("kernel", KERNEL_MIGRATIONS)], 0)
        assert await names(process) == ["default", "first"]
        assert await process.tamper(place.format("audit_events_first")) == [filled]
        await a_chain_of(process, 2)
        verdict = await verify(process.data, process.trail.key)
        assert (verdict.ok, verdict.events) == (True, 9)
    session_server().drop_database(url)


async def test_months_are_made_ahead_by_whoever_comes_first(opened, secret_key):
    async with opened.sibling(secret_key) as other:
        await asyncio.gather(*(make_ahead(one) for one in (opened, other, opened)))
    assert await names(opened) == ["2030_01", "2030_02", "2030_03", "default", "first"]
    assert await make_ahead(opened) == []
    opened.clock.advance(days=31)
    assert await make_ahead(opened) == ["audit_events_2030_04"]


async def test_a_default_that_has_rows_keeps_them_and_later_months_are_made(opened):
    await a_chain_of(opened, 2)
    assert await make_ahead(opened) == ["audit_events_2030_02", "audit_events_2030_03"]
    opened.clock.advance(days=31)
    await a_chain_of(opened, 2)
    assert await names(opened, PLACES) == ["2030_02", "default"]
    assert (await verify(opened.data, opened.trail.key)).ok


async def test_a_month_that_is_old_enough_is_dropped_and_the_rest_verifies(opened):
    keeping = await three_months(opened)
    assert await names(opened, PLACES) == ["2030_01", "2030_02", "2030_03"]
    days = (opened.clock.now_ms() - 1898553600000) // 86_400_000  # since 1 March 2030
    assert [await keeping.delete_expired(limit=1, days=days) for _ in range(3)] == [5, 5, 0]
    assert await names(opened, PLACES) == ["2030_03"]
    assert "2030_01" not in await names(opened) and "first" not in await names(opened)
    verdict = await keeping.verdict()
    assert (verdict.ok, verdict.events, verdict.deleted) == (True, 5, 10)
    assert await keeping.count() == 5
    await a_chain_of(opened, 1)
    assert (await keeping.verdict()).ok


async def test_a_month_with_a_chain_that_does_not_hold_loses_the_others_row_by_row(opened):
    keeping = await three_months(opened)
    await opened.tamper("DELETE FROM audit_events WHERE chain = 'org_a' AND seq = 2")
    assert await keeping.delete_expired(days=31) == 6
    assert "2030_01" in await names(opened)
    assert await opened.tamper("SELECT 1 FROM audit_events WHERE chain = 'org_b'") == []
    assert await keeping.faults() == [(2, "missing")]


async def test_who_moves_events_into_an_old_month_does_not_have_them_thrown_away(opened):
    keeping = await three_months(opened)
    (old,) = await opened.tamper("SELECT MIN(id) AS id FROM audit_events")
    moved = f"'{old['id'][:14]}' || lpad(CAST(seq AS TEXT), 15, '0') || right(chain, 1)"
    await opened.tamper(f"UPDATE audit_events SET id = {moved}")
    assert await names(opened, PLACES) == ["2030_01"]
    february = (opened.clock.now_ms() - 1896134400000) // 86_400_000
    assert await keeping.delete_expired(days=february) == 0
    assert await keeping.faults() == [(1, "changed"), (1, "changed")]


async def test_a_hundred_years_are_longer_ago_than_every_month(opened):
    keeping = await three_months(opened)
    async with opened.data.read() as reader:
        assert await keeping.retention.count(reader, -1) == 0
    assert await keeping.delete_expired(days=36_500) == 0
    assert await names(opened, PLACES) == ["2030_01", "2030_02", "2030_03"]


@pytest.mark.parametrize("page", [1, 2, 3, 4, 500])
async def test_an_event_of_another_month_with_a_number_that_is_taken_is_found(opened, page):
    await make_ahead(opened)
    await a_chain_of(opened, 4)
    opened.clock.advance(days=31)
    (taken,) = await opened.tamper("SELECT * FROM audit_events WHERE seq = 2")
    forged = {**taken, "id": new_id("evt", opened.clock.now_ms()), "action": "thing.forged"}
    async with opened.data.write() as writer:
        await writer.run(trail.add_event, **forged)
    (fault,) = (await verify(opened.data, opened.trail.key, page=page)).faults
    assert (fault.kind, fault.event_id) == ("changed", forged["id"])


async def test_an_event_with_the_number_of_a_checkpoint_is_found_from_there(opened):
    await make_ahead(opened)
    await a_chain_of(opened, 2)
    opened.clock.advance(days=31)
    await Checkpointing(opened.data, opened.trail.key, opened.clock).catch_up()
    (taken,) = await opened.tamper("SELECT * FROM audit_events WHERE seq = 2")
    async with opened.data.write() as writer:
        await writer.run(trail.add_event, **{**taken, "id": new_id("evt", opened.clock.now_ms())})
    (fault,) = (await verify(opened.data, opened.trail.key, since=LAST_CHECKPOINT)).faults
    assert (fault.seq, fault.kind) == (2, "changed")


async def test_who_reads_the_table_for_long_is_not_waited_for(opened):
    keeping = await three_months(opened)
    reading = await asyncpg.connect(opened.url)
    try:
        await reading.execute("BEGIN; SELECT 1 FROM audit_events")
        assert await keeping.delete_expired(limit=2, days=31) == 2  # row by row meanwhile
        assert "2030_01" in await names(opened) and (await keeping.verdict()).ok
    finally:
        await reading.close()
    opened.clock.advance(minutes=11)
    assert await keeping.delete_expired(limit=2, days=31) == 3
    assert "2030_01" not in await names(opened) and (await keeping.verdict()).ok


async def test_a_drop_that_is_cut_off_leaves_what_there_was(opened):
    keeping = await three_months(opened)
    with pytest.raises(ConnectionError):
        async with opened.data.write() as writer:
            assert await keeping.retention.delete_before(writer, opened.clock.now_ms(), 1) == 5
            raise ConnectionError("killed here")
    assert await names(opened, PLACES) == ["2030_01", "2030_02", "2030_03"]
    verdict = await keeping.verdict()
    assert (verdict.ok, verdict.events) == (True, 15)


async def test_events_are_written_while_a_month_is_verified_and_none_is_lost_with_it(
    opened, secret_key, monkeypatch
):
    """Nor one of a clock that is behind."""
    keeping = await three_months(opened)
    late, verified = [], partitions._all_hold
    async with opened.sibling(secret_key) as other, opened.sibling(secret_key) as present:
        for process in (other, present):
            await process.vault.open(process.data)
        other.trail._clock = type(opened.clock)()  # where it is January still

        async def written_meanwhile(writer, key, partition, lasts):
            holds = await verified(writer, key, partition, lasts)
            if partition.name == "audit_events_2030_01":
                async with asyncio.timeout(60):
                    await asyncio.create_task(a_chain_of(present, 1), context=Context())
                late.append(asyncio.create_task(a_chain_of(other, 1), context=Context()))
                watching = await asyncpg.connect(opened.url)
                while not late[0].done() and not await watching.fetchval(WAITING):
                    pass
                await watching.close()
            return holds

        monkeypatch.setattr(partitions, "_all_hold", written_meanwhile)
        await keeping.delete_expired(limit=1, days=31)
        await asyncio.gather(*late, return_exceptions=True)
    verdict = await keeping.verdict()
    assert (verdict.ok, verdict.faults, len(late)) == (True, (), 1)


async def test_no_number_is_there_twice_where_processes_race_over_the_end_of_a_month(opened, secret_key):
    await make_ahead(opened)
    opened.clock.advance(days=30, hours=14, minutes=59)  # a minute before February
    async with opened.sibling(secret_key) as other:
        await other.vault.open(other.data)
        # Each process has a clock of its own, and they do not agree on the month.
        other.trail._clock = ahead = type(opened.clock)()
        ahead.advance(days=31)
        await asyncio.gather(*(append(one, ANNA, "thing.done") for one in (opened, other) * 20))
    assert await names(opened, PLACES) == ["2030_01", "2030_02"]
    verdict = await verify(opened.data, opened.trail.key)
    assert (verdict.faults, verdict.events) == ((), 40)
    await Checkpointing(opened.data, opened.trail.key, opened.clock).catch_up(rest_seconds=0)
