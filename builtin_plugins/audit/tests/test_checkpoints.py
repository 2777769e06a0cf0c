"""Checkpoints in the trail: who trusts them reads little, and nobody else can make one."""

import pytest

from builtin_plugins.audit import checkpointing
from builtin_plugins.audit.chain import sql
from builtin_plugins.audit.checkpointing import Checkpointing
from builtin_plugins.audit.checkpoints import Checkpoint
from builtin_plugins.audit.tests.test_trail import BO, a_chain_of, id_at
from builtin_plugins.audit.verification import LAST_CHECKPOINT, verify

pytestmark = pytest.mark.any_database


@pytest.fixture
def catch_up(opened, monkeypatch):
    """Makes the checkpoints that are due, every third event; returns how many."""
    monkeypatch.setattr(checkpointing, "EVERY_EVENTS", 3)
    making = Checkpointing(opened.data, opened.trail.key, opened.clock)

    async def catch_up():
        return await making.catch_up(rest_seconds=0)

    return catch_up


@pytest.fixture
async def checked(opened, catch_up):
    """A chain of nine events, the first five of them below a checkpoint."""
    await a_chain_of(opened, 5)
    assert await catch_up() == 1
    await a_chain_of(opened, 4)
    return opened


async def whole(process):
    return await verify(process.data, process.trail.key)


async def since(process, when=LAST_CHECKPOINT):
    return await verify(process.data, process.trail.key, since=when)


def faults(verdict):
    return [(fault.seq, fault.kind) for fault in verdict.faults]


async def numbers(process, chain="org_a"):
    rows = await process.tamper("SELECT seq FROM audit_checkpoints WHERE chain = :c ORDER BY seq", c=chain)
    return [row["seq"] for row in rows]


async def delete_expired(process, seq, *, signed=True):
    """What a rule would do: the checkpoint becomes the floor, and what came up to it goes."""
    (row,) = await process.tamper("SELECT mac FROM audit_events WHERE chain = 'org_a' AND seq = :s", s=seq)
    floor = Checkpoint("org_a", seq, row["mac"], process.clock.now_ms(), "floor")
    await process.tamper("DELETE FROM audit_checkpoints WHERE seq <= :s", s=seq)
    async with process.data.write() as writer:
        await writer.run(sql.add_checkpoint, **floor.row(process.trail.key if signed else bytes(32)))
    await process.tamper("DELETE FROM audit_events WHERE chain = 'org_a' AND seq <= :s", s=seq)


async def test_from_a_checkpoint_only_what_came_after_it_is_read(checked):
    verdict = await since(checked)
    assert (verdict.ok, verdict.events, verdict.passed) == (True, 4, 5)
    assert "5 events before the checkpoints were not read again" in verdict.remarks
    verdict = await whole(checked)
    assert (verdict.ok, verdict.events, verdict.passed) == (True, 9, 0)


async def test_a_chain_without_a_checkpoint_is_read_from_its_start(checked):
    await a_chain_of(checked, 2, BO)
    verdict = await since(checked)
    assert (verdict.ok, verdict.events, verdict.passed) == (True, 6, 5)


async def test_a_time_stands_for_the_last_checkpoint_made_by_then(checked, catch_up):
    before = checked.clock.now_ms()
    checked.clock.advance(hours=1)
    assert await catch_up() == 1
    await a_chain_of(checked, 1)
    assert [(await since(checked, when)).events for when in (0, before, LAST_CHECKPOINT)] == [10, 5, 1]


@pytest.mark.every_database
async def test_what_is_changed_before_a_checkpoint_is_found_by_reading_everything(checked):
    await checked.tamper("UPDATE audit_events SET action = 'thing.forged' WHERE seq = 2")
    assert faults(await whole(checked)) == [(2, "changed")]
    assert (await since(checked)).ok


async def test_what_is_changed_after_a_checkpoint_is_found_from_there(checked):
    await checked.tamper("UPDATE audit_events SET action = 'thing.forged' WHERE seq = 7")
    assert faults(await since(checked)) == faults(await whole(checked)) == [(7, "changed")]


@pytest.mark.parametrize("column", ["seq", "mac", "at", "kind", "seal"])
async def test_a_checkpoint_that_was_changed_is_found_and_not_trusted(checked, column):
    values = {"seq": 6, "mac": "00" * 32, "at": 7, "kind": "floor", "seal": "00" * 32}
    await checked.tamper(f"UPDATE audit_checkpoints SET {column} = :v", v=values[column])
    await checked.tamper("UPDATE audit_events SET action = 'thing.forged' WHERE seq = 2")
    number = 6 if column == "seq" else 5
    assert faults(await since(checked)) == [(number, "forged"), (2, "changed")]
    assert faults(await whole(checked)) == [(number, "forged"), (2, "changed")]


async def test_a_checkpoint_moved_to_another_chain_is_found(checked):
    await a_chain_of(checked, 6, BO)
    await checked.tamper("UPDATE audit_checkpoints SET chain = 'org_b'")
    assert faults(await since(checked)) == [(5, "forged")]


async def test_a_chain_cut_below_a_checkpoint_is_found_without_any_anchor(opened, catch_up):
    await a_chain_of(opened, 3)
    (old,) = await opened.tamper("SELECT * FROM audit_heads")
    await a_chain_of(opened, 3)
    await catch_up()
    await opened.tamper("DELETE FROM audit_events WHERE seq > 3")
    await opened.tamper("UPDATE audit_heads SET seq = 3, mac = :m, seal = :l", m=old["mac"], l=old["seal"])
    assert faults(await whole(opened)) == [(4, "lost")]
    assert faults(await since(opened)) == [(6, "lost")]


async def test_no_checkpoint_is_made_of_a_chain_that_does_not_hold(checked, catch_up, caplog):
    await checked.tamper("UPDATE audit_events SET action = 'thing.forged' WHERE seq = 7")
    assert (await catch_up(), await catch_up()) == (0, 0)
    assert await numbers(checked) == [5]
    said = [record for record in caplog.records if record.getMessage() == "audit.does_not_hold"]
    assert len(said) == 1 and await id_at(checked, 7) in str(said[0].__dict__)


async def test_a_long_chain_is_caught_up_with_in_pieces_that_count(opened, catch_up, monkeypatch):
    monkeypatch.setattr(checkpointing, "PIECE_EVENTS", 4)
    await a_chain_of(opened, 10)
    assert await catch_up() == 3
    assert await numbers(opened) == [4, 8, 10]


async def test_a_checkpoint_is_made_when_enough_happened_or_a_week_has_gone_by(checked, catch_up):
    assert await catch_up() == 1
    await a_chain_of(checked, 2)
    assert await catch_up() == 0
    checked.clock.advance(days=7, minutes=1)
    assert (await catch_up(), await catch_up()) == (1, 0)
    assert await numbers(checked) == [5, 9, 11]
    checked.clock.advance(days=8)
    assert await catch_up() == 0  # nothing happened


async def test_what_a_rule_threw_away_is_not_missed_and_the_rest_still_verifies(checked, catch_up):
    await delete_expired(checked, 5)
    assert [(await check(checked)).ok for check in (whole, since)] == [True, True]
    assert (await whole(checked)).events == 4
    assert await catch_up() == 1
    await checked.tamper("UPDATE audit_events SET action = 'thing.forged' WHERE seq = 7")
    assert faults(await whole(checked)) == [(7, "changed")]


async def test_events_thrown_away_by_who_has_no_key_are_missed(checked):
    await delete_expired(checked, 5, signed=False)
    assert faults(await whole(checked)) == [(5, "forged"), (1, "missing")]
    await checked.tamper("DELETE FROM audit_checkpoints")
    assert faults(await whole(checked)) == [(1, "missing")]
