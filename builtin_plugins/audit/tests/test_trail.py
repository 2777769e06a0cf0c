"""The audit trail: chained per company, and honest about what was done to it."""

import asyncio
import json
from contextvars import ContextVar

import asyncpg
import pytest

from builtin_plugins.audit import trail
from builtin_plugins.audit.chain import INSTANCE_CHAIN
from builtin_plugins.audit.verification import verify
from guildhall_sdk import Actor, Statement
from kernel.audit import DETAIL_BYTES
from kernel.db.scopes import AuditEntry
from libs.trail_records import bounded_object

pytestmark = pytest.mark.any_database

ANNA = Actor("anna", "usr_anna", "org_a", "team_a1", "req-1")
ABEL = Actor("abel", "usr_abel", "org_a", "team_a2", "req-2")
BO = Actor("bo", "usr_bo", "org_b", "team_b1", "req-3")


FOUND = """INSERT INTO orgs (id, slug, name, plan, created_at) VALUES (:id, :id, :id, 'team', 0)
ON CONFLICT DO NOTHING"""


async def found_company(writer, actor):
    """A company is there since its first event, and not before."""
    if actor is not None:
        await writer.run(Statement("found", FOUND, FOUND), id=actor.org_id)


async def append(process, actor, *actions, **kwargs):
    async with process.data.write(actor) as writer:
        await found_company(writer, actor)
        for action in actions:
            writer.audit(action, **kwargs)


async def team(process, org_id, team_id, before=None, limit=50):
    async with process.data.read() as reader:
        return await found(reader, limit, before, org_id=org_id, team_id=team_id)


async def org(process, org_id, before=None, limit=50):
    async with process.data.read() as reader:
        return await found(reader, limit, before, org_id=org_id)


async def found(reader, limit, before, **where):
    where = where if before is None else {**where, "before": before}
    return (await trail.find(reader, trail.Sought(**where), limit))[0]


async def a_chain_of(process, length, actor=ANNA):
    for number in range(1, length + 1):
        process.clock.advance(milliseconds=1)
        await append(process, actor, f"thing.done{number}", target=("thing", str(number)))


async def id_at(process, seq, chain="org_a"):
    found = await process.tamper("SELECT id FROM audit_events WHERE chain = :c AND seq = :s", c=chain, s=seq)
    return found[0]["id"]


async def only_fault(process, **kwargs):
    verdict = await verify(process.data, process.trail.key, **kwargs)
    assert not verdict.ok
    assert len(verdict.faults) == 1
    return verdict.faults[0]


# Writing and reading


async def test_an_event_reads_as_decided(opened):
    await append(opened, ANNA, "token.issued", target=("token", "tok_1"), detail={"name": "ci", "days": 90})
    (event,) = await team(opened, "org_a", "team_a1")
    assert event.pop("id").startswith("evt_")
    assert event == {
        "at": "2030-01-01T09:00:00.000Z",
        "actor": {"id": "usr_anna", "name": "anna"},
        "action": "token.issued",
        "target": {"type": "token", "id": "tok_1"},
        "detail": {"name": "ci", "days": 90},
        "request_id": "req-1",
    }


async def test_an_event_without_target_and_detail_keeps_its_shape(opened):
    await append(opened, ANNA, "login.succeeded")
    (event,) = await team(opened, "org_a", "team_a1")
    assert event["target"] == {"type": None, "id": None}
    assert event["detail"] == {}


async def test_a_team_sees_its_own_events_and_a_company_all_of_its_teams(opened):
    await append(opened, ANNA, "a.one")
    await append(opened, ABEL, "a.two")
    await append(opened, BO, "b.one")
    await append(opened, None, "system.swept")
    assert [event["action"] for event in await team(opened, "org_a", "team_a1")] == ["a.one"]
    assert await team(opened, "org_b", "team_a1") == []
    assert {event["action"] for event in await org(opened, "org_a")} == {"a.one", "a.two"}
    assert [event["action"] for event in await org(opened, "org_b")] == ["b.one"]
    assert await org(opened, INSTANCE_CHAIN) == []


async def test_pages_run_from_the_newest_to_the_oldest_and_miss_nothing(opened):
    await a_chain_of(opened, 7)
    seen, before = [], None
    while page := await team(opened, "org_a", "team_a1", before, 3):
        seen += [event["target"]["id"] for event in page]
        before = page[-1]["id"]
    assert seen == ["7", "6", "5", "4", "3", "2", "1"]


async def test_events_of_one_transaction_keep_their_order(opened):
    await append(opened, ANNA, *[f"step.done{number}" for number in range(9)])
    actions = [event["action"] for event in await org(opened, "org_a")]
    assert actions == [f"step.done{number}" for number in reversed(range(9))]


async def test_an_event_goes_with_its_change_and_not_without_it(opened):
    with pytest.raises(ZeroDivisionError):
        async with opened.data.write(ANNA) as writer:
            writer.audit("thing.done")
            raise ZeroDivisionError
    assert await org(opened, "org_a") == []
    assert (await verify(opened.data, opened.trail.key)).ok


async def test_a_chain_goes_on_after_an_event_that_was_rolled_back(opened):
    """It was written already, right before the commit that did not come about."""
    await append(opened, ANNA, "a.one")
    with pytest.raises(ZeroDivisionError):
        async with opened.data.write(ANNA) as writer:
            await opened.trail.append(writer, [AuditEntry("a.lost", None, None, {}, ANNA)])
            raise ZeroDivisionError
    await append(opened, ANNA, "a.two")
    assert {event["action"] for event in await org(opened, "org_a")} == {"a.one", "a.two"}
    verdict = await verify(opened.data, opened.trail.key)
    assert (verdict.ok, verdict.events) == (True, 2)


async def test_control_characters_forge_no_line(opened):
    forged = Actor("eve\r\n{}\u2028\x1b[2K\u202e", "usr_eve", "org_a", "team_a1", "req\n1")
    detail = {"na\nme": "x\ny\x00\ud800", "deep": [{"k": "\x9b"}]}
    await append(opened, forged, "thing.done\n", target=("thing\r", "1\u2029"), detail=detail)
    (event,) = await team(opened, "org_a", "team_a1")
    assert event["actor"]["name"] == "eve\ufffd\ufffd{}\ufffd\ufffd[2K\ufffd"
    assert event["action"] == "thing.done\ufffd"
    assert event["target"] == {"type": "thing\ufffd", "id": "1\ufffd"}
    assert event["request_id"] == "req\ufffd1"
    assert event["detail"] == {"na\ufffdme": "x\ufffdy\ufffd\ufffd", "deep": [{"k": "\ufffd"}]}
    assert (await verify(opened.data, opened.trail.key)).ok


@pytest.mark.parametrize(
    ("detail", "truncated"),
    [
        ({"long": "x" * 10_000}, True),
        ({"wide": list(range(5000))}, True),
        ({"wide as written": "é" * 3000}, True),
        ({"nested": [[[[[[[[["deep"] * 2000]]]]]]]]}, True),
        ({str(number): "x" * 100 for number in range(100)}, True),
        ({"é" * 5000: 1}, False),
        ({"nan": float("nan"), "inf": float("-inf"), "odd": object}, False),
    ],
)
def test_a_detail_is_bounded_and_says_what_it_left_out(detail, truncated):
    text = bounded_object({**detail, "short": "kept"}, DETAIL_BYTES)
    kept = json.loads(text, parse_constant=pytest.fail)
    assert len(text.encode()) <= DETAIL_BYTES
    assert kept.get("truncated", False) is truncated
    assert truncated or len(kept) == len(detail) + 1


# Verifying


async def test_an_untouched_trail_holds(opened):
    await a_chain_of(opened, 5)
    await a_chain_of(opened, 3, BO)
    await append(opened, None, "system.swept")
    verdict = await verify(opened.data, opened.trail.key, page=2)
    assert verdict.ok
    assert (verdict.chains, verdict.events) == (3, 9)


async def test_an_empty_trail_holds(opened):
    verdict = await verify(opened.data, opened.trail.key)
    assert (verdict.ok, verdict.chains, verdict.events) == (True, 0, 0)


@pytest.mark.parametrize(
    ("column", "value", "seq"),
    [
        ("action", "thing.forged", 1),
        ("action", "thing.forged", 5),
        ("actor_id", "usr_bo", 3),
        ("actor_name", "bo", 3),
        ("org_id", "org_b", 3),
        ("team_id", "team_a2", 3),
        ("target_type", "other", 3),
        ("target_id", None, 3),
        ("detail", '{"amount":1}', 3),
        ("request_id", "req-9", 3),
        ("at", 1, 3),
        ("mac", "00" * 32, 3),
        ("mac", "é", 3),
    ],
)
async def test_an_edited_event_is_named(opened, column, value, seq):
    await a_chain_of(opened, 5)
    kind = "BIGINT" if column == "at" else "TEXT"
    await opened.tamper(
        f"UPDATE audit_events SET {column} = CAST(:v AS {kind}) WHERE seq = :s", v=value, s=seq
    )
    fault = await only_fault(opened, page=2)
    assert (fault.kind, fault.seq, fault.event_id) == ("changed", seq, await id_at(opened, seq))
    assert fault.event_id in str(fault)


@pytest.mark.parametrize("seq", [1, 3, 4])
async def test_a_removed_event_is_named_by_its_number(opened, seq):
    await a_chain_of(opened, 5)
    await opened.tamper("DELETE FROM audit_events WHERE seq = :s", s=seq)
    fault = await only_fault(opened, page=2)
    assert (fault.kind, fault.seq, fault.event_id) == ("missing", seq, None)


async def test_a_removed_event_with_the_rest_renumbered_is_found(opened):
    await a_chain_of(opened, 5)
    await opened.tamper("DELETE FROM audit_events WHERE seq = 3")
    for seq in (4, 5):
        await opened.tamper("UPDATE audit_events SET seq = seq - 1 WHERE seq = :s", s=seq)
    fault = await only_fault(opened)
    assert (fault.kind, fault.event_id) == ("changed", await id_at(opened, 3))


COPY_EVENT = """INSERT INTO audit_events
SELECT 'evt_forged', chain, CAST(:seq AS BIGINT), org_id, team_id, at, actor_id, actor_name, action,
       target_type, target_id, detail, request_id, mac
FROM audit_events WHERE seq = 2"""


@pytest.mark.parametrize("seq", [-7, 0, 3])
async def test_an_inserted_event_is_named(opened, seq):
    await a_chain_of(opened, 5)
    for later in (5, 4, 3):
        await opened.tamper("UPDATE audit_events SET seq = seq + 1 WHERE seq = :s", s=later)
    await opened.tamper(COPY_EVENT, seq=seq)
    fault = await only_fault(opened)
    assert (fault.kind, fault.event_id) == ("changed", "evt_forged")


async def test_an_event_appended_without_the_key_is_named(opened):
    await a_chain_of(opened, 5)
    await opened.tamper(COPY_EVENT, seq=6)
    assert (await only_fault(opened)).event_id == "evt_forged"


async def test_two_reordered_events_are_found_at_the_first(opened):
    await a_chain_of(opened, 5)
    for was, becomes in ((2, 99), (4, 2), (99, 4)):
        await opened.tamper("UPDATE audit_events SET seq = :n WHERE seq = :w", n=becomes, w=was)
    fault = await only_fault(opened)
    assert (fault.kind, fault.seq, fault.event_id) == ("changed", 2, await id_at(opened, 2))


@pytest.mark.parametrize("kept", [0, 1, 4])
async def test_a_cut_off_tail_is_found(opened, kept):
    await a_chain_of(opened, 5)
    await opened.tamper("DELETE FROM audit_events WHERE seq > :s", s=kept)
    fault = await only_fault(opened, page=2)
    assert (fault.kind, fault.seq, fault.event_id) == ("cut", kept + 1, None)


@pytest.mark.parametrize("forged_seal", ["seal", "mac", "''"])
async def test_a_cut_off_tail_with_a_forged_head_is_found(opened, forged_seal):
    await a_chain_of(opened, 5)
    await opened.tamper("DELETE FROM audit_events WHERE seq > 3")
    await opened.tamper(
        f"UPDATE audit_heads SET seq = 3, seal = {forged_seal}, "
        "mac = (SELECT mac FROM audit_events WHERE audit_events.chain = audit_heads.chain AND seq = 3)"
    )
    fault = await only_fault(opened)
    assert (fault.kind, fault.seq, fault.event_id) == ("unsealed", 3, await id_at(opened, 3))


async def test_a_chain_that_lost_its_head_is_found(opened):
    await a_chain_of(opened, 5)
    await opened.tamper("DELETE FROM audit_events WHERE seq > 3")
    await opened.tamper("DELETE FROM audit_heads")
    assert (await only_fault(opened)).kind == "unsealed"


async def test_an_event_moved_to_another_company_is_found(opened):
    await a_chain_of(opened, 3)
    await opened.tamper("UPDATE audit_events SET chain = 'org_x', org_id = 'org_x' WHERE seq = 3")
    verdict = await verify(opened.data, opened.trail.key)
    assert {(fault.chain, fault.kind) for fault in verdict.faults} == {
        ("org_a", "cut"),
        ("org_x", "missing"),
        ("org_x", "ownerless"),
    }


async def test_a_fault_in_one_company_does_not_hide_the_next(opened):
    await a_chain_of(opened, 3)
    await a_chain_of(opened, 3, BO)
    await opened.tamper("UPDATE audit_events SET action = 'x' WHERE seq = 2")
    verdict = await verify(opened.data, opened.trail.key)
    assert [(fault.chain, fault.seq) for fault in verdict.faults] == [("org_a", 2), ("org_b", 2)]


async def test_another_key_does_not_verify(opened):
    await a_chain_of(opened, 2)
    opened.trail.key = bytes(32)
    assert (await only_fault(opened)).seq == 1


# Together


@pytest.mark.every_database
async def test_racing_writers_make_one_unbroken_chain(opened, secret_key):
    async with opened.sibling(secret_key) as other:
        await other.vault.open(other.data)
        processes = [opened, other]
        await asyncio.gather(
            *(append(processes[turn % 2], (ANNA, ABEL, BO)[turn % 3], "a.b", "c.d") for turn in range(30))
        )
    verdict = await verify(opened.data, opened.trail.key, page=7)
    assert verdict.ok
    assert (verdict.chains, verdict.events) == (2, 60)


async def append_in_turn(process, place, actor=ANNA, *, undo_lock=False):
    """A change that others of its company wait for, as for a place on a ledger."""
    async with process.data.write(actor) as writer:
        await found_company(writer, actor)
        try:
            async with writer.savepoint():
                await writer.serialize(place)
                if undo_lock:
                    raise ZeroDivisionError
        except ZeroDivisionError:
            pass
        writer.audit("a.b")
        writer.audit("c.d")


@pytest.mark.every_database
@pytest.mark.parametrize("places", [1, 3])
async def test_racing_writers_that_hold_locks_make_one_unbroken_chain(opened, secret_key, places):
    """Who holds the same lock as all others knows where the chain ends, who holds another may be mistaken."""
    async with opened.sibling(secret_key) as other:
        await other.vault.open(other.data)
        processes = [opened, other]
        await asyncio.gather(
            *(
                append_in_turn(
                    processes[turn % 2],
                    f"place {turn % places}",
                    (ANNA, ABEL, BO, None)[turn % 4],
                    undo_lock=turn % 7 == 6,
                )
                for turn in range(60)
            )
        )
    verdict = await verify(opened.data, opened.trail.key, page=7)
    assert verdict.ok
    assert (verdict.chains, verdict.events) == (3, 120)


@pytest.mark.every_database
@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
async def test_two_processes_extend_a_chain_in_as_many_round_trips_as_one(opened, secret_key, monkeypatch):
    sent = []
    counts = ContextVar("counts", default=False)  # what the processes do beside it is not counted

    def recorded(method):
        async def record(self, *arguments, **options):
            if counts.get():
                sent.append(arguments[0])
            return await method(self, *arguments, **options)

        return record

    async def round_trips(process):
        sent.clear()
        counts.set(True)
        await append_in_turn(process, "place")
        return len(sent)

    async with opened.sibling(secret_key) as other:
        await other.vault.open(other.data)
        for process in (opened, opened, other):
            await append_in_turn(process, "place")
        for name in ("execute", "fetch", "fetchval", "fetchmany"):
            monkeypatch.setattr(asyncpg.Connection, name, recorded(getattr(asyncpg.Connection, name)))
        alone = await round_trips(other)
        await append_in_turn(opened, "place")  # it learns that it is not the only one
        await append_in_turn(other, "place")
        by_turns = [await round_trips(process) for process in (opened, other) * 6]
        # Once nobody else writes any more, the end is known again, and nothing is asked along.
        alone_again = [await round_trips(opened) for _ in range(5)][-1]
    assert by_turns == [alone] * 12
    assert alone_again == alone
    assert not [text for text in sent if "audit_heads AS head" in text]


@pytest.mark.every_database
async def test_transactions_over_several_companies_do_not_deadlock(opened):
    async def over_all(actors):
        async with opened.data.write() as writer:
            for actor in sorted(actors, key=str):
                await found_company(writer, actor)
            for actor in actors:
                writer.audit("thing.done", actor=actor)

    orders = [(ANNA, BO, None), (None, BO, ANNA), (BO, ANNA, None)]
    await asyncio.gather(*(over_all(orders[turn % 3]) for turn in range(24)))
    verdict = await verify(opened.data, opened.trail.key)
    assert (verdict.ok, verdict.chains, verdict.events) == (True, 3, 72)


@pytest.mark.every_database
async def test_the_trail_holds_while_it_is_written_to(opened):
    await a_chain_of(opened, 20)
    writing = asyncio.create_task(a_chain_of(opened, 40))
    while not writing.done():
        assert (await verify(opened.data, opened.trail.key, page=3)).ok
    await writing
    assert (await verify(opened.data, opened.trail.key)).events == 60
