"""The history of triggers: who sees what of it, and how long it lasts; and faults between write and run."""

from itertools import count

import pytest

from builtin_plugins.triggers import firing, history
from builtin_plugins.triggers.service import find
from builtin_plugins.workflows.service import TeamWorkflows
from guildhall_sdk import Statement, TooManyRequests
from guildhall_sdk.subscriptions import ObjectWritten

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]


async def rows(hall, text, **binds):
    async with hall.server.data.read() as reader:
        return [dict(row) for row in await reader.all(Statement("rows", text, text), **binds)]


async def test_the_key_of_a_private_object_is_for_its_owner_alone(hall, triggers):
    made = await triggers.create()
    mine = await triggers.upload("secret/plan.txt", visibility="private")
    ours = await triggers.upload("ours.txt")
    everything = {mine["id"]: "secret/plan.txt", ours["id"]: "ours.txt"}

    async def keys(client):
        return {fire["object_id"]: fire["key"] for fire in await triggers.fires(made, as_=client)}

    assert await keys(hall.acme.member) == everything
    hidden = {**everything, mine["id"]: None}
    assert await keys(hall.acme.owner) == await keys(hall.acme.viewer) == hidden
    scoped = await hall.with_token(hall.acme.member, scope=["workflows:read"])
    assert set((await keys(scoped)).values()) == {None}
    await hall.acme.member.post(f"/api/repo-obj/{mine['id']}/share", {"user_id": hall.acme.viewer.user_id})
    assert await keys(hall.acme.viewer) == everything
    await hall.acme.member.delete(f"/api/repo-obj/{ours['id']}")
    assert await keys(hall.acme.member) == {**everything, ours["id"]: None}


@pytest.mark.every_database
async def test_a_long_history_is_paged_newest_first_and_the_oldest_of_it_goes(hall, triggers, monkeypatch):
    monkeypatch.setattr(history, "SHOWN_FIRES", 3)
    monkeypatch.setattr(history, "KEPT_FIRES", 5)
    monkeypatch.setattr(history, "_recorded", count(1))  # old ones go with every fiftieth of the process
    made = await triggers.create()
    for number in range(8):
        await triggers.upload(f"{number}.txt")
        if number == 0:
            hall.clock.advance(days=3)
    await hall.drain_jobs()
    seen, query = [], {}
    while True:
        page = await triggers.read(made, **query)
        seen += [fire["key"] for fire in page["fires"]]
        if page["fires_cursor"] is None:
            break
        query = {"fires_cursor": page["fires_cursor"]}
    assert seen == [f"{number}.txt" for number in reversed(range(8))]
    async with hall.server.data.write() as writer:
        await history.drop_old(writer, made["id"], hall.clock.now_ms())
    kept_of = "SELECT id FROM doc_trigger_fires WHERE trigger_id = :id"
    assert len(await rows(hall, kept_of, id=made["id"])) == 7  # what is young stays, however much it is
    hall.clock.advance(days=3)
    async with hall.server.data.write() as writer:
        await history.drop_old(writer, made["id"], hall.clock.now_ms())
    assert [fire["key"] for fire in await triggers.fires(made)] == ["7.txt", "6.txt", "5.txt"]
    assert len(await rows(hall, kept_of, id=made["id"])) == 5


@pytest.mark.every_database
async def test_what_a_killed_delete_left_of_a_history_is_dropped_at_the_start(hall, triggers):
    made, other = await triggers.create(), await triggers.create()
    await triggers.upload()
    await hall.drain_jobs()
    async with hall.server.data.write() as writer:
        for text in (
            "DELETE FROM doc_trigger_matches WHERE trigger_id = :id",
            "DELETE FROM doc_triggers WHERE id = :id",
        ):
            await writer.run(Statement("delete", text, text), id=made["id"])
    await history.drop_orphans(hall.server.data)
    left = "SELECT trigger_id FROM doc_trigger_fires WHERE trigger_id IN (:made, :other)"
    assert await rows(hall, left, made=made["id"], other=other["id"]) == [{"trigger_id": other["id"]}]


@pytest.mark.every_database
async def test_a_version_is_decided_once_however_often_it_is_delivered(hall, triggers, tools, monkeypatch):
    """Killed after some of its triggers had their run: the next attempt goes on where that one ended."""
    made = [await triggers.create() for _ in range(3)]
    decided, attempts = firing.Firing.decide, []

    async def die(self, trigger, standing):
        attempts.append(trigger.id)
        if len(attempts) == 2:
            raise RuntimeError("gone")
        await decided(self, trigger, standing)

    monkeypatch.setattr(firing.Firing, "decide", die)
    await triggers.upload()
    await hall.drain_jobs()
    hall.clock.advance(minutes=1)
    await hall.drain_jobs()
    assert len(attempts) == 4 and attempts[3] == attempts[1]
    assert len(tools.calls) == 3
    for one in made:
        assert [fire["outcome"] for fire in await triggers.fires(one)] == ["started"]


@pytest.mark.every_database
async def test_of_two_deliveries_at_once_one_decides(hall, triggers):
    made = await triggers.create()
    written = ObjectWritten(
        object_id="obj_1",
        version_id="ver_1",
        number=1,
        content_type="text/plain",
        size=1,
        created=True,
        derived=False,
        fires_triggers=True,
    )
    async with hall.server.data.write() as writer:
        caller = type("Caller", (), {"team_id": hall.acme.id})()
        trigger = await find(writer, caller, made["id"])
        first = await history.record(writer, trigger, written, None, 1)
        assert first is not None and await history.record(writer, trigger, written, None, 1) is None


async def test_a_full_queue_is_waited_for(hall, triggers, tools, monkeypatch):
    start, refused = TeamWorkflows.start, []

    async def refuse_once(self, *arguments, **options):
        if not refused:
            refused.append(1)
            raise TooManyRequests("The queue is full.", code="queue_full", headers={"Retry-After": "5"})
        return await start(self, *arguments, **options)

    monkeypatch.setattr(TeamWorkflows, "start", refuse_once)
    made = await triggers.create()
    await triggers.upload()
    assert await triggers.reasons(made) == []
    hall.clock.advance(seconds=10)
    assert await triggers.reasons(made) == [None]
    assert len(tools.calls) == 1


@pytest.mark.every_database
@pytest.mark.own_server
async def test_what_matched_when_it_was_written_fires_also_if_the_trigger_changes_or_the_object_goes(
    hall, triggers
):
    changed, deleted = await triggers.create(match_prefix="in/"), await triggers.create()
    await hall.server.declared.fan_out.stop()
    written = await triggers.upload("in/a.txt")
    await triggers.admin.patch(f"/api/doc-triggers/{changed['id']}", {"match_prefix": "out/"})
    await triggers.admin.delete(f"/api/doc-triggers/{deleted['id']}")
    late = await triggers.create()
    await hall.acme.member.delete(f"/api/repo-obj/{written['id']}")
    (fire,) = await triggers.fires(changed)
    assert (fire["object_id"], fire["outcome"], fire["key"]) == (written["id"], "started", None)
    assert await triggers.fires(late) == []


@pytest.mark.parametrize("by", ["http", "document"])
@pytest.mark.every_database
async def test_no_trigger_undoes_an_upload_also_where_its_own_query_or_handler_fails(
    hall, triggers, monkeypatch, by
):
    made = await triggers.create()
    listener = next(
        one for one in hall.server.declared.outbox.listeners if one.kind == "events.triggers.on-upload"
    )
    failing = Statement("matching", "SELECT json('{')", "SELECT 1 / 0")
    object.__setattr__(listener.subscription, "wanted", failing)
    standing, failures = firing.Firing.standing, []

    async def fail_once(self):
        if not failures:
            failures.append(1)
            raise RuntimeError("not now")
        return await standing(self)

    monkeypatch.setattr(firing.Firing, "standing", fail_once)
    try:
        if by == "http":
            written = await triggers.upload()
        else:
            answer = await hall.acme.member.post("/api/documents", {"title": "t", "body": "b"})
            written = answer.json()
        await hall.drain_jobs()
    finally:
        from builtin_plugins.triggers.statements import sql

        object.__setattr__(listener.subscription, "wanted", sql.matching)
    assert (await hall.acme.member.get(f"/api/repo-obj/{written['id']}")).status_code == 200
    hall.clock.advance(minutes=1)
    (fire,) = await triggers.fires(made)
    assert (fire["object_id"], fire["outcome"]) == (written["id"], "started")
