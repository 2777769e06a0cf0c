"""Old events go, and what remains still verifies: whoever wants it otherwise needs the key."""

import pytest

from builtin_plugins.audit.anchor_file import AnchorFile
from builtin_plugins.audit.anchoring import Anchoring
from builtin_plugins.audit.anchors import Anchored
from builtin_plugins.audit.chain import sql
from builtin_plugins.audit.checkpointing import Checkpointing
from builtin_plugins.audit.tests.test_trail import BO, a_chain_of, org
from builtin_plugins.audit.trail_retention import TrailRetention
from builtin_plugins.audit.verification import LAST_CHECKPOINT, verify
from kernel.audit import sql as trail

pytestmark = pytest.mark.any_database

DAY_MS = 24 * 3600 * 1000


class Keeping:
    """A trail of two companies, of which the older events are verified and 60 days old."""

    def __init__(self, process):
        self.process = process
        self.retention = TrailRetention(process.trail.key, process.clock, process.data.engine)

    @classmethod
    async def begun(cls, process):
        await a_chain_of(process, 7)
        await a_chain_of(process, 5, BO)
        keeping = cls(process)
        await keeping.checkpoint()
        process.clock.advance(days=60)
        await a_chain_of(process, 3)
        return keeping

    async def checkpoint(self):
        self.process.clock.advance(days=8)
        return await Checkpointing(self.process.data, self.process.trail.key, self.process.clock).catch_up()

    async def delete_expired(self, limit=200, days=40):
        async with self.process.data.write() as writer:
            before = self.process.clock.now_ms() - days * DAY_MS
            return await self.retention.delete_before(writer, before, limit)

    async def verdict(self, **options):
        return await verify(self.process.data, self.process.trail.key, **options)

    async def faults(self, **options):
        return [(fault.seq, fault.kind) for fault in (await self.verdict(**options)).faults]

    async def count(self):
        async with self.process.data.read() as reader:
            return await self.process.trail.count(reader)

    async def tamper(self, text, **binds):
        return await self.process.tamper(text, **binds)


@pytest.fixture
async def keeping(opened):
    return await Keeping.begun(opened)


async def test_what_no_checkpoint_has_vouched_for_is_not_counted_as_going(keeping):
    process = keeping.process
    process.clock.advance(days=60)
    async with process.data.read() as reader:
        counted = await keeping.retention.count(reader, process.clock.now_ms() - 40 * DAY_MS)
    assert counted == 12 == await keeping.delete_expired()
    async with process.data.read() as reader:
        assert await keeping.retention.count(reader, process.clock.now_ms() - 40 * DAY_MS) == 0


async def test_what_remains_verifies_and_is_counted_and_listed(keeping):
    assert await keeping.delete_expired() == 12
    whole = await keeping.verdict()
    assert (whole.ok, whole.events, whole.deleted) == (True, 3, 12)
    assert "12 events were thrown away, each when it had been kept for long enough" in whole.remarks
    assert (await keeping.verdict(since=LAST_CHECKPOINT)).ok
    assert (await keeping.verdict(since=0)).ok
    assert await keeping.count() == 3
    events = await org(keeping.process, "org_a")
    assert [event["action"] for event in events] == ["thing.done3", "thing.done2", "thing.done1"]
    assert [e["id"] for e in await org(keeping.process, "org_a", before=events[0]["id"])] == [
        event["id"] for event in events[1:]
    ]
    assert await keeping.delete_expired() == 0


async def test_a_chain_goes_on_after_all_of_it_was_thrown_away(keeping):
    await keeping.delete_expired()
    await a_chain_of(keeping.process, 2, BO)
    assert (await keeping.verdict()).ok
    (first,) = await keeping.tamper("SELECT MIN(seq) AS seq FROM audit_events WHERE chain = 'org_b'")
    assert first["seq"] == 6
    assert await keeping.checkpoint() == 2
    keeping.process.clock.advance(days=60)
    assert await keeping.delete_expired() == 5
    assert (await keeping.verdict()).ok and await keeping.count() == 0


@pytest.mark.every_database
async def test_it_goes_by_portions_and_every_portion_leaves_a_whole_trail(keeping):
    gone = []
    while many := await keeping.delete_expired(limit=2):
        gone.append(many)
        assert (await keeping.verdict()).ok
    assert (sum(gone), max(gone)) == (12, 2)
    floors = await keeping.tamper("SELECT chain, seq, kind FROM audit_checkpoints ORDER BY chain")
    assert [(one["chain"], one["seq"], one["kind"]) for one in floors] == [
        ("org_a", 7, "floor"),
        ("org_b", 5, "floor"),
    ]


@pytest.mark.every_database
async def test_what_is_cut_off_half_way_leaves_what_there_was(keeping):
    with pytest.raises(ConnectionError):
        async with keeping.process.data.write() as writer:
            await keeping.retention.delete_before(writer, keeping.process.clock.now_ms(), 3)
            raise ConnectionError("killed here")
    assert (await keeping.verdict()).events == 15
    assert await keeping.delete_expired() == 12
    assert (await keeping.verdict()).ok


async def test_nothing_younger_than_a_month_goes_whoever_asks(keeping):
    keeping.process.clock.advance(days=20)
    assert await keeping.checkpoint() == 1
    assert await keeping.delete_expired(days=0) == 12
    keeping.process.clock.advance(days=5)
    assert await keeping.delete_expired(days=0) == 3


async def test_what_no_checkpoint_has_vouched_for_stays(keeping):
    keeping.process.clock.advance(days=60)
    assert await keeping.delete_expired() == 12
    await keeping.checkpoint()
    assert await keeping.delete_expired() == 3


@pytest.mark.parametrize(
    ("damage", "seen"),
    [
        ("DELETE FROM audit_events WHERE chain = 'org_a' AND seq = 3", [(3, "missing")]),
        ("UPDATE audit_checkpoints SET seq = 6 WHERE chain = 'org_a'", [(6, "forged")]),
        ("UPDATE audit_events SET action = 'x' WHERE chain = 'org_a' AND seq = 3", [(3, "changed")]),
    ],
)
async def test_a_chain_that_does_not_hold_is_kept_and_the_others_are_not(keeping, damage, seen):
    await keeping.tamper(damage)
    assert await keeping.delete_expired() <= 7
    await keeping.delete_expired()
    assert await keeping.faults() == seen
    assert await keeping.tamper("SELECT 1 FROM audit_events WHERE chain = 'org_b'") == []


async def test_who_makes_an_event_older_than_it_is_does_not_have_it_thrown_away(keeping):
    await keeping.checkpoint()
    await keeping.tamper("UPDATE audit_events SET at = 0 WHERE chain = 'org_a' AND seq > 7")
    assert await keeping.delete_expired() == 12
    assert await keeping.delete_expired() == 0
    assert await keeping.faults() == [(8, "changed")]


async def test_a_clock_that_was_set_back_throws_nothing_away_early(opened):
    opened.clock.advance(days=100)
    await a_chain_of(opened, 2)
    opened.clock.advance(days=-100)
    await a_chain_of(opened, 2)
    keeping = Keeping(opened)
    await keeping.checkpoint()
    opened.clock.advance(days=60)
    assert await keeping.delete_expired() == 0
    opened.clock.advance(days=100)
    assert await keeping.delete_expired() == 4


@pytest.mark.parametrize("column", ["seq", "mac", "at", "kind", "seal"])
async def test_a_floor_that_was_changed_is_found(keeping, column):
    await keeping.delete_expired()
    values = {"seq": 8, "mac": "00" * 32, "at": 7, "kind": "verified", "seal": "00" * 32}
    await keeping.tamper(
        f"UPDATE audit_checkpoints SET {column} = :v WHERE chain = 'org_a'", v=values[column]
    )
    assert await keeping.faults() == [(8 if column == "seq" else 7, "forged"), (1, "missing")]


async def test_a_floor_that_was_deleted_moved_or_put_back_is_found(keeping):
    await keeping.delete_expired(limit=4)
    (old,) = await keeping.tamper("SELECT * FROM audit_checkpoints WHERE chain = 'org_a' AND kind = 'floor'")
    await keeping.delete_expired()
    await keeping.tamper("DELETE FROM audit_checkpoints WHERE chain = 'org_a'")
    assert await keeping.faults() == [(1, "missing")]
    async with keeping.process.data.write() as writer:
        await writer.run(sql.add_checkpoint, **old)
    assert await keeping.faults() == [(5, "missing")]
    await keeping.tamper("UPDATE audit_checkpoints SET chain = 'org_a' WHERE chain = 'org_b'")
    assert (5, "forged") in await keeping.faults()


async def test_an_event_below_the_floor_is_found(keeping):
    (event,) = await keeping.tamper("SELECT * FROM audit_events WHERE chain = 'org_a' AND seq = 2")
    await keeping.delete_expired()
    async with keeping.process.data.write() as writer:
        await writer.run(trail.add_event, **event)
    assert await keeping.faults() == [(2, "changed")]


async def test_anchors_of_events_that_went_are_not_missed_and_one_of_the_floor_counts(keeping, tmp_path):
    process = keeping.process
    anchoring = Anchoring(process.data, process.trail.key, process.clock, tmp_path)
    file = AnchorFile(tmp_path, process.trail.key)
    assert await anchoring.anchor()
    await keeping.checkpoint()
    process.clock.advance(days=60)
    assert await keeping.delete_expired() == 15
    await a_chain_of(process, 1)
    await a_chain_of(process, 1, BO)
    assert await anchoring.anchor()
    assert file.read().anchors[-1].chains == 2  # none was contradicted
    assert (await keeping.verdict(anchored=Anchored.of(file.read()))).ok
    other = Anchored(events={"org_a": {10: ("00" * 32, 7)}})
    assert await keeping.faults(anchored=other) == [(10, "contradicted")]


async def test_a_walk_that_is_overtaken_begins_again_at_the_new_floor(keeping):
    async def overtake(_events):
        await keeping.delete_expired()

    verdict = await keeping.verdict(page=2, progress=overtake)
    assert (verdict.faults, verdict.deleted) == ((), 12)
