"""Anchors outside the database: what a sound chain cannot tell of itself."""

import json
import stat

import pytest

from builtin_plugins.audit.anchor_file import EARLIER, FILE, AnchorFile
from builtin_plugins.audit.anchoring import Anchoring
from builtin_plugins.audit.anchors import Anchored, read_anchors
from builtin_plugins.audit.chain import Head
from builtin_plugins.audit.tests.test_trail import ANNA, BO, a_chain_of, append
from builtin_plugins.audit.verification import verify
from guildhall_sdk import Actor, Unavailable
from kernel.audit import record_restore
from kernel.instance_facts import StoredFacts

pytestmark = pytest.mark.any_database


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "elsewhere"


@pytest.fixture
def anchoring(opened, folder):
    return Anchoring(opened.data, opened.trail.key, opened.clock, folder)


@pytest.fixture
def check(opened, folder):
    """The verdict with the anchors of the folder, and others."""

    async def check(*given):
        own = AnchorFile(folder, opened.trail.key).read()
        return await verify(opened.data, opened.trail.key, Anchored.of(own, given))

    return check


def found(verdict):
    return {(fault.chain, fault.kind, fault.seq) for fault in verdict.faults}


async def forget(process, chain):
    await process.tamper("DELETE FROM audit_events WHERE chain = :c", c=chain)
    await process.tamper("DELETE FROM audit_heads WHERE chain = :c", c=chain)


async def put_back(process, chain, seq):
    """Cuts the chain, and puts the end back that it had then: sealed, as it was in an old copy."""
    (old,) = [head for head in process.old_heads if head["chain"] == chain]
    await process.tamper("DELETE FROM audit_events WHERE chain = :c AND seq > :s", c=chain, s=seq)
    await process.tamper(
        "UPDATE audit_heads SET seq = :s, mac = :m, seal = :l WHERE chain = :c",
        s=old["seq"],
        m=old["mac"],
        l=old["seal"],
        c=chain,
    )


@pytest.fixture
async def grown(opened):
    """Two chains whose ends somebody copied when they were three events long."""
    await a_chain_of(opened, 3)
    await a_chain_of(opened, 3, BO)
    opened.old_heads = await opened.tamper("SELECT * FROM audit_heads")
    await a_chain_of(opened, 2)
    return opened


async def test_a_company_without_its_events_is_reported(grown, check):
    await forget(grown, "org_a")
    assert found(await check()) == {("org_a", "eventless", 1)}


async def test_a_trail_that_was_removed_as_a_whole_is_reported(grown, check):
    await grown.tamper("DELETE FROM audit_events")
    await grown.tamper("DELETE FROM audit_heads")
    assert found(await check()) == {("org_a", "eventless", 1), ("org_b", "eventless", 1)}


async def test_a_chain_without_its_company_is_reported(grown, check):
    await grown.tamper("DELETE FROM orgs WHERE id = 'org_b'")
    assert found(await check()) == {("org_b", "ownerless", 1)}


async def test_nothing_is_anchored_that_the_database_could_still_lose(grown, anchoring, folder, monkeypatch):
    """After a crash of the database an event that is gone would pass for one that was removed."""

    async def fail():
        raise Unavailable("the disk is gone")

    monkeypatch.setattr(grown.data, "flush", fail)
    with pytest.raises(Unavailable):
        await anchoring.anchor()
    assert not (folder / FILE).exists()


async def test_a_tail_that_was_cut_off_with_an_older_end_put_back_is_reported(grown, anchoring, check):
    assert await anchoring.anchor()
    assert (await check()).ok
    await put_back(grown, "org_a", 3)
    assert found(await check()) == {("org_a", "lost", 4)}


async def test_a_chain_that_was_cut_and_went_on_is_reported(grown, anchoring, check):
    await anchoring.anchor()
    await put_back(grown, "org_a", 3)
    await a_chain_of(grown, 4)
    assert found(await check()) == {("org_a", "contradicted", 5)}


async def test_a_company_removed_with_all_its_events_is_reported(grown, anchoring, check):
    await anchoring.anchor()
    await forget(grown, "org_b")
    await grown.tamper("DELETE FROM orgs WHERE id = 'org_b'")
    assert found(await check()) == {("org_b", "lost", 3)}


async def test_what_cannot_be_told_is_said(grown, anchoring, check):
    assert "cannot be told from a whole one" in (await check()).remarks[-1]
    await anchoring.anchor()
    assert (await check()).remarks == (
        "events after the last anchor, of 2030-01-01T09:00:00.008Z, could have been cut off without trace",
    )


async def test_a_server_notices_by_itself_that_a_chain_was_cut(grown, anchoring, check, caplog):
    await anchoring.anchor()
    await put_back(grown, "org_a", 3)
    await a_chain_of(grown, 4)
    await anchoring.anchor()
    said = [record for record in caplog.records if record.msg == "audit.contradicted"]
    assert [record.fields["chain"] for record in said] == ["org_a"]
    assert found(await check()) == {("org_a", "contradicted", 5)}


async def test_the_file_is_private_and_written_only_when_something_changed(grown, anchoring, folder):
    assert await anchoring.anchor()
    assert not await anchoring.anchor()
    await append(grown, ANNA, "thing.done")
    assert await anchoring.anchor()
    lines = (folder / FILE).read_text().splitlines()
    assert [len(json.loads(line)["heads"]) for line in lines] == [2, 1]
    assert stat.S_IMODE((folder / FILE).stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "change",
    [
        lambda lines: [lines[0].replace('"seq"', '"sqe"').replace("org_a", "org_c"), *lines[1:]],
        lambda lines: [lines[0], lines[2]],
        lambda lines: [lines[1], lines[0], lines[2]],
        lambda lines: [lines[0], "{}" + lines[1], lines[2]],
    ],
    ids=["changed", "removed", "reordered", "garbled"],
)
async def test_a_file_that_was_tampered_with_is_reported(grown, anchoring, folder, check, change):
    for _ in range(3):
        await append(grown, ANNA, "thing.done")
        await anchoring.anchor()
    lines = (folder / FILE).read_text().splitlines(keepends=True)
    (folder / FILE).write_text("".join(change(lines)))
    verdict = await check()
    assert not verdict.ok and verdict.anchor_faults


@pytest.mark.every_database
async def test_half_a_line_of_a_killed_server_does_no_harm(grown, anchoring, folder, check):
    await anchoring.anchor()
    line = (folder / FILE).read_text()
    for cut in (1, len(line) // 2, len(line) - 2):
        with (folder / FILE).open("a") as file:
            file.write(line[:cut])
        assert (await check()).ok
        await append(grown, ANNA, "thing.done")
        await anchoring.anchor()
        assert (await check()).ok


async def test_a_file_that_grew_begins_anew_with_every_end_and_forgets_no_contradiction(
    grown, folder, check, monkeypatch
):
    monkeypatch.setattr(AnchorFile.__init__, "__kwdefaults__", {"max_bytes": 600})
    await Anchoring(grown.data, grown.trail.key, grown.clock, folder).anchor()
    await put_back(grown, "org_a", 3)
    for _ in range(3):
        anchoring = Anchoring(grown.data, grown.trail.key, grown.clock, folder)
        for _ in range(6):
            await a_chain_of(grown, 1)
            await anchoring.anchor()
    assert {path.name for path in folder.iterdir()} == {FILE, EARLIER}
    assert sum(path.stat().st_size for path in folder.iterdir()) < 600 * 6
    assert found(await check()) == {("org_a", "contradicted", 5)}


async def test_lines_of_a_log_are_anchors(grown, anchoring, folder, check, caplog):
    caplog.set_level("INFO")
    await anchoring.anchor()
    (record,) = [record for record in caplog.records if record.msg == "audit.anchored"]
    line = json.dumps({"at": "…", "level": "info", "action": "audit.anchored", **record.fields})
    noise = json.dumps({"action": "request.done"}) + "\n"
    log = read_anchors("server.log", [noise, line + "\n", noise], grown.trail.key)
    assert (await check(log)).ok
    (folder / FILE).unlink()
    await put_back(grown, "org_a", 3)
    assert found(await check(log)) == {("org_a", "lost", 4)}


async def test_a_log_tells_that_the_anchor_file_was_cut(grown, anchoring, folder, check, caplog):
    """With so many companies a line of the log cannot name them all."""
    caplog.set_level("INFO")
    for number in range(20):
        await append(grown, Actor("x", "usr_x", f"org_{number:03}", None), "a.b")
    await anchoring.anchor()
    kept = (folder / FILE).read_text()
    await append(grown, Actor("x", "usr_x", "org_000", None), "a.b")
    await anchoring.anchor()
    records = [record for record in caplog.records if record.msg == "audit.anchored"]
    lines = [json.dumps(record.fields) + "\n" for record in records]
    assert all(len(line) < 2000 for line in lines)
    log = read_anchors("server.log", lines, grown.trail.key)
    assert (await check(log)).ok
    (folder / FILE).write_text(kept)
    (fault,) = (await check(log)).anchor_faults
    assert fault.endswith("in server.log is missing in the anchor file")


async def test_a_restore_excuses_what_it_took_back_and_nothing_else(grown, anchoring, folder, check):
    await anchoring.anchor()
    await put_back(grown, "org_a", 3)
    heads = AnchorFile(folder, grown.trail.key).read().anchors[0].heads
    now = [head for head in heads if head.chain == "org_b"]
    (old,) = [head for head in grown.old_heads if head["chain"] == "org_a"]
    now.append(Head("org_a", old["seq"], old["mac"]))
    AnchorFile(folder, grown.trail.key).append(grown.clock.now_ms(), now, now, kind="restored", backup="b1")
    verdict = await check()
    assert verdict.ok and "the backup b1 was restored" in verdict.remarks[0]
    await put_back(grown, "org_a", 2)
    assert ("org_a", "cut", 3) in found(await check())


async def test_a_restore_is_recorded_once(grown):
    async with grown.data.write() as writer:
        await StoredFacts().set(writer, "restored_from", "b1")
    for _ in range(2):
        await record_restore(grown.data)
    events = await grown.tamper("SELECT action, target_id FROM audit_events WHERE chain = 'instance'")
    assert events == [{"action": "instance.restored", "target_id": "b1"}]


@pytest.mark.every_database
async def test_two_processes_share_a_file(grown, anchoring, folder, check):
    other = Anchoring(grown.data, grown.trail.key, grown.clock, folder)
    for turn in range(6):
        await append(grown, ANNA, "thing.done")
        await (anchoring if turn % 2 else other).anchor()
    verdict = await check()
    assert verdict.ok and verdict.anchor_faults == ()
