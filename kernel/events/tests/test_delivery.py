"""Subscriptions that a plugin declares: told of what happened, never in the way of it, and never lost."""

import asyncio
from dataclasses import replace

import pytest

from guildhall_sdk import Event, Feature, JobFailed, JobKind, NewJob, Origin, Statement, Subscription
from guildhall_sdk.dimensions import Quotas
from guildhall_sdk.services.jobs import Jobs
from guildhall_sdk.subscriptions import NOTE_CHANGED, Events, NoteChanged
from kernel.events import fan_out
from kernel.events.outbox import Outbox

pytestmark = pytest.mark.any_database

NOTE = {"title": "a title that nobody else may read", "body": "b"}
WRITE = Statement("write", *["UPDATE notes SET title = 'by the ear' WHERE id = :id"] * 2)


async def post_note(client, **fields):
    response = await client.post("/api/notes", {**NOTE, **fields})
    assert response.status_code == 201, response.text
    return response.json()["id"]


async def test_a_subscriber_is_told_who_did_what_and_with_which_scope(open_hall, make_ear, rows):
    ear = make_ear()
    async with open_hall(ear.plugin) as hall:
        member = await hall.with_token(hall.acme.member, scope=["notes:write", "notes:read"])
        note_id = await post_note(member)
        await hall.drain_jobs()
        (call,) = ear.heard
        assert (call.event, call.payload, call.attempt) == (
            "note.changed",
            NoteChanged(note_id=note_id, change="created"),
            1,
        )
        assert call.origin.scope == {"notes:write", "notes:read"}
        assert call.origin.user_id == member.user_id == call.job.user_id
        assert (call.origin.org_id, call.origin.team_id) == (hall.acme.org_id, hall.acme.id)
        assert call.id.startswith("dlv_") and call.event_id.startswith("evt_")
        assert [one.payload for one in hall.events.recorded("note.changed")] == [call.payload]
        assert [one.error for one in hall.events.delivered("note.changed")] == [None]
        assert await rows(hall, "SELECT id FROM event_outbox") == []


async def test_a_delivery_that_succeeded_is_in_no_list_of_jobs_and_one_that_waits_tells_no_title(
    open_hall, make_ear
):
    async def refuse(call):
        if call.payload.change == "deleted":
            raise JobFailed("no", "Not this one.")

    ear = make_ear(react=refuse)
    async with open_hall(ear.plugin) as hall:
        member = hall.acme.member
        note_id = await post_note(member)
        await hall.drain_jobs()
        assert (await member.get("/api/jobs?kind=events.ear.hear")).json()["items"] == []
        await member.delete(f"/api/notes/{note_id}")
        await hall.drain_jobs()
        (failed,) = (await hall.acme.owner.get("/api/jobs?kind=events.ear.hear")).json()["items"]
        assert (failed["state"], failed["error"]["code"], failed["payload"]) == ("failed", "no", None)
        own = (await member.get(f"/api/jobs/{failed['id']}")).text
        assert note_id in own and NOTE["title"] not in own
        assert (
            await hall.acme.owner.post("/api/jobs", {"kind": "events.ear.hear", "payload": {}})
        ).status_code == 400


async def test_an_effect_that_raises_is_reported_as_the_failure_that_it_is(open_hall, make_ear):
    async def break_off(writer):
        raise JobFailed("torn", "The string broke.")

    async def react(call):
        call.on_success(break_off)

    ear = make_ear(react=react)
    async with open_hall(ear.plugin) as hall:
        await post_note(hall.acme.member)
        await hall.drain_jobs()
        (failed,) = (await hall.acme.owner.get("/api/jobs?kind=events.ear.hear")).json()["items"]
        assert (failed["state"], failed["error"]["code"]) == ("failed", "torn")
        (delivered,) = hall.events.delivered("note.changed")
        assert (delivered.attempt, delivered.error) == (1, "torn")


async def test_each_attempt_at_an_effect_that_raises_is_reported(open_hall, make_ear):
    attempts = []

    async def raise_at_first(writer):
        attempts.append(1)
        if len(attempts) == 1:
            raise RuntimeError("not yet")

    async def react(call):
        call.on_success(raise_at_first)

    ear = make_ear(react=react)
    async with open_hall(ear.plugin) as hall:
        await post_note(hall.acme.member)
        await hall.drain_jobs()
        (first,) = hall.events.delivered("note.changed")
        assert first.error is not None
        hall.clock.advance(hours=1)
        await hall.drain_jobs()
        assert [one.error for one in hall.events.delivered("note.changed")][1:] == [None]


@pytest.mark.every_database
async def test_one_that_fails_is_tried_again_under_the_same_id_and_costs_the_other_nothing(
    open_hall, make_ear
):
    async def fail_once(call):
        if call.attempt == 1:
            raise RuntimeError("not yet")

    bad = make_ear(react=fail_once, plugin_id="bad")
    good = make_ear(plugin_id="good")
    async with open_hall(bad.plugin, good.plugin) as hall:
        await post_note(hall.acme.member)
        await hall.drain_jobs()
        assert (len(bad.heard), len(good.heard)) == (1, 1)
        hall.clock.advance(minutes=1)
        await hall.drain_jobs()
        assert [call.attempt for call in bad.heard] == [1, 2]
        assert len({call.id for call in bad.heard}) == 1 and len(good.heard) == 1
        assert bad.heard[0].event_id == good.heard[0].event_id
        assert bad.heard[0].id != good.heard[0].id


@pytest.mark.every_database
async def test_its_effect_shares_the_transaction_that_ends_the_delivery(open_hall, make_ear):
    async def react(call):
        async def effect(writer):
            await writer.run(WRITE, id=call.payload.note_id)
            if call.attempt == 1:
                raise RuntimeError("after the write")

        call.on_success(effect)

    ear = make_ear(react=react)
    async with open_hall(ear.plugin) as hall:
        note_id = await post_note(hall.acme.member)
        await hall.drain_jobs()
        assert (await hall.acme.member.get(f"/api/notes/{note_id}")).json()["title"] == NOTE["title"]
        hall.clock.advance(minutes=1)
        await hall.drain_jobs()
        assert (await hall.acme.member.get(f"/api/notes/{note_id}")).json()["title"] == "by the ear"
        assert len(ear.heard) == 2


@pytest.mark.every_database
async def test_a_write_that_is_rolled_back_leaves_no_event(open_hall, make_ear, rows):
    ear = make_ear()
    async with open_hall(ear.plugin) as hall:
        origin = Origin(org_id=hall.acme.org_id, team_id=hall.acme.id, user_id=hall.acme.member.user_id)
        payload = NoteChanged(note_id="note_1", change="created")
        with pytest.raises(LookupError):
            async with hall.server.data.write() as writer:
                await hall.server.service(Events).emit(writer, NOTE_CHANGED, payload, origin)
                raise LookupError
        await hall.drain_jobs()
        assert (ear.heard, hall.events.recorded("note.changed")) == ([], [])
        with pytest.raises(TypeError, match=r"note\.changed takes a NoteChanged, not a str"):
            async with hall.server.data.write() as writer:
                await hall.server.service(Events).emit(writer, NOTE_CHANGED, "note_1", origin)
        with pytest.raises(ValueError, match="has no team team_of_nobody"):
            async with hall.server.data.write() as writer:
                wrong = replace(origin, team_id="team_of_nobody")
                await hall.server.service(Events).emit(writer, NOTE_CHANGED, payload, wrong)
        with pytest.raises(ValueError, match=f"has no team {hall.acme.id}"):
            async with hall.server.data.write() as writer:
                wrong = replace(origin, org_id=hall.globex.org_id)
                await hall.server.service(Events).emit(writer, NOTE_CHANGED, payload, wrong)
        with pytest.raises(ValueError, match="takes at most 65536 bytes"):
            async with hall.server.data.write() as writer:
                long = NoteChanged(note_id="x" * 70_000, change="created")
                await hall.server.service(Events).emit(writer, NOTE_CHANGED, long, origin)


async def test_where_nobody_subscribed_the_transaction_is_not_even_looked_at():
    outbox = Outbox([NOTE_CHANGED], [], None, None)
    assert not outbox.wanted(NOTE_CHANGED)
    await outbox.emit(None, NOTE_CHANGED, None, None)


async def test_a_plugin_that_does_not_start_hears_nothing_and_keeps_nobody_from_writing(
    open_hall, make_ear, rows
):
    async def fail(host):
        raise RuntimeError("it is a test")

    ear, other = make_ear(brought={"on_start": fail}), make_ear(plugin_id="other")
    async with open_hall(ear.plugin, other.plugin, allow_refused=True) as hall:
        await post_note(hall.acme.member)
        await hall.drain_jobs()
        assert (len(ear.heard), len(other.heard)) == (0, 1)
        assert await rows(hall, "SELECT id FROM event_outbox") == []


async def test_an_event_that_nobody_wants_is_not_recorded(open_hall, make_ear, rows):
    ear = make_ear(where={"change": ("shared", "deleted")})
    async with open_hall(ear.plugin) as hall:
        note_id = await post_note(hall.acme.member)
        assert await rows(hall, "SELECT id FROM event_outbox") == []
        await hall.acme.member.delete(f"/api/notes/{note_id}")
        await hall.drain_jobs()
        assert [call.payload.change for call in ear.heard] == ["deleted"]


async def test_a_team_that_turned_the_feature_off_is_left_out(open_hall, make_ear):
    ear = make_ear(feature="ears", brought={"features": [Feature("ears", "Ears")]})
    async with open_hall(ear.plugin) as hall:
        await hall.set_feature(hall.acme, "ears", False)
        await post_note(hall.acme.member)
        await post_note(hall.globex.member)
        await hall.drain_jobs()
        assert [call.origin.org_id for call in ear.heard] == [hall.globex.org_id]


async def test_a_switch_takes_away_what_happens_meanwhile_and_nothing_of_what_happened_before(
    open_hall, make_ear
):
    ear = make_ear()
    async with open_hall(ear.plugin) as hall:

        async def switch(enabled):
            assert (await hall.acme.owner.post("/api/plugins/ear", {"enabled": enabled})).status_code == 200

        await hall.server.declared.fan_out.stop()  # so that it is not delivered before the switch
        before = await post_note(hall.acme.member)
        await switch(False)
        await post_note(hall.acme.member)
        await hall.drain_jobs()
        assert ear.heard == []
        await switch(True)
        after = await post_note(hall.acme.member)
        await hall.drain_jobs()
        assert {call.payload.note_id for call in ear.heard} == {before, after}


async def test_while_a_company_is_suspended_its_deliveries_wait(open_hall, make_ear):
    ear = make_ear()
    async with open_hall(ear.plugin) as hall:
        await hall.server.declared.fan_out.stop()  # so that it is not delivered before the suspension
        await post_note(hall.acme.member)
        await hall.suspend(hall.acme)
        await hall.drain_jobs()
        assert ear.heard == []
        await hall.resume(hall.acme)
        await hall.drain_jobs()
        assert len(ear.heard) == 1


async def test_a_subscriber_that_causes_what_it_listens_to_is_stopped(open_hall, make_ear, caplog):
    async def write_again(call):
        origin = call.origin
        async with call.host.data.write() as writer:
            again = NoteChanged(note_id=call.payload.note_id, change="updated")
            await call.host.service(Events).emit(writer, NOTE_CHANGED, again, origin)

    ear = make_ear(react=write_again)
    async with open_hall(ear.plugin) as hall:
        await post_note(hall.acme.member)
        await hall.drain_jobs()
        assert len(ear.heard) == 8
        (failed,) = (await hall.acme.owner.get("/api/jobs?kind=events.ear.hear")).json()["items"]
        assert (failed["state"], failed["error"]["code"]) == ("failed", "event_loop")
        assert [one.depth for one in hall.events.recorded("note.changed")] == list(range(1, 10))


async def test_a_loop_through_jobs_and_their_effects_is_stopped_as_well(open_hall, make_ear):
    """Whoever hears of the end of a job asks for another."""

    async def work(job):
        return None

    async def ask_again(call):
        origin = call.origin
        new = NewJob("x.ear.work", origin.org_id, origin.team_id, origin.user_id)

        async def effect(writer):
            await call.host.service(Jobs).enqueue(writer, new)

        call.on_success(effect)

    kind = JobKind("x.ear.work", "Works.", handler=work)
    ear = make_ear("job.ended", ask_again, brought={"job_kinds": [kind]})
    async with open_hall(ear.plugin) as hall:
        assert (await hall.acme.member.post("/api/jobs", {"kind": "x.ear.work"})).status_code == 202
        await hall.drain_jobs()
        assert len(ear.heard) == 8
        assert {call.payload.kind for call in ear.heard} == {"x.ear.work"}
        assert [one.error for one in hall.events.delivered()][-1] == "event_loop"


async def test_a_loop_through_the_ends_of_a_workers_jobs_is_stopped_as_well(open_hall, make_ear):
    async def ended(host, writer, job):
        origin = Origin(org_id=job.org_id, team_id=job.team_id, user_id=job.user_id)
        changed = NoteChanged(note_id="note_1", change="updated")
        await host.service(Events).emit(writer, NOTE_CHANGED, changed, origin)

    async def ask_again(call):
        async with call.host.data.write() as writer:
            new = NewJob(kind.name, call.origin.org_id, call.origin.team_id, call.origin.user_id)
            await call.host.service(Jobs).enqueue(writer, new)

    kind = JobKind("x.ear.work", "Works.", validator=lambda result: False, ended=ended)
    ear = make_ear(react=ask_again, brought={"job_kinds": [kind]})
    async with open_hall(ear.plugin) as hall:
        worker = await hall.join(hall.acme, "worker")
        await hall.acme.member.post("/api/jobs", {"kind": kind.name})
        for _ in range(20):
            claimed = await worker.post("/api/workers/claim", {"kinds": [kind.name]})
            if claimed.status_code == 204:
                break
            done = {"claim_token": claimed.json()["claim_token"], "result": None}
            await worker.post(f"/api/workers/jobs/{claimed.json()['id']}/complete", done)
            await hall.drain_jobs()
        assert len(ear.heard) == 8
        assert [one.error for one in hall.events.delivered()][-1] == "event_loop"


@pytest.mark.every_database
async def test_many_at_once_fill_no_queue_and_each_is_delivered_once(open_hall, make_ear, rows, monkeypatch):
    monkeypatch.setattr(fan_out, "MAX_WAITING", 7)
    first, second = make_ear(plugin_id="first"), make_ear(plugin_id="second")
    async with open_hall(first.plugin, second.plugin) as hall:
        origin = Origin(org_id=hall.acme.org_id, team_id=hall.acme.id, user_id=hall.acme.member.user_id)
        happened = [(NoteChanged(note_id=f"note_{number}", change="created"), origin) for number in range(40)]
        await hall.server.declared.fan_out.stop()
        await hall.server.declared.scheduler.claimer.stop()
        async with hall.server.data.write() as writer:
            await hall.server.service(Events).emit_many(writer, NOTE_CHANGED, happened)
        await hall.server.declared.fan_out.move()
        waiting = await rows(hall, "SELECT kind, COUNT(*) AS many FROM jobs GROUP BY kind ORDER BY kind")
        assert waiting == [
            {"kind": "events.first.hear", "many": 7},
            {"kind": "events.second.hear", "many": 7},
        ]
        hall.server.declared.scheduler.claimer._closed = False
        await hall.drain_jobs()
        for ear in (first, second):
            assert sorted(call.payload.note_id for call in ear.heard) == sorted(
                payload.note_id for payload, _ in happened
            )
        assert await rows(hall, "SELECT id FROM jobs") == []


@pytest.mark.every_database
async def test_a_full_queue_neither_refuses_the_write_nor_loses_the_event(open_hall, make_ear, monkeypatch):
    from kernel.job_limits import queue_limit

    ear = make_ear()
    async with open_hall(ear.plugin) as hall:
        monkeypatch.setattr(queue_limit, "MAX_WAITING", 0)
        await post_note(hall.acme.member)
        await hall.drain_jobs()
        assert len(ear.heard) == 1


async def test_what_a_team_asked_for_itself_goes_first(open_hall, make_ear):
    order = []

    async def work(job):
        order.append("asked for")

    async def react(call):
        order.append("delivered")

    ear = make_ear(react=react, brought={"job_kinds": [JobKind("x.ear.work", "Works.", handler=work)]})
    async with open_hall(ear.plugin) as hall:
        async with hall.server.data.write() as writer:
            await hall.server.service(Quotas).set_limit(
                writer, "org", hall.acme.org_id, "jobs.concurrency", "none", 1
            )
        await hall.server.declared.scheduler.claimer.stop()
        await post_note(hall.acme.member)
        await hall.server.declared.fan_out.move()
        await hall.acme.member.post("/api/jobs", {"kind": "x.ear.work"})
        hall.server.declared.scheduler.claimer._closed = False
        await hall.drain_jobs()
        assert order == ["asked for", "delivered"]


@pytest.mark.every_database
async def test_deliveries_wait_for_a_plugin_that_is_gone_and_reach_it_when_it_is_back(
    hall_sites, hall_database, hall_watch, make_ear, rows
):
    from guildhall_testing.hall import _served

    hung = asyncio.Event()

    async def hang(_):
        hung.set()
        await asyncio.Event().wait()

    before, after = make_ear(react=hang), make_ear()
    async with hall_sites.lease(hall_database) as site:
        async with _served(hall_sites, site, hall_watch, [before.plugin], {}) as hall:
            await post_note(hall.acme.member)
            await hung.wait()  # a job by now
            await hall.server.declared.fan_out.stop()
            await post_note(hall.acme.member)  # stays in the outbox
        async with _served(hall_sites, site, hall_watch, [], {}) as hall:
            await hall.drain_jobs()
            assert await rows(hall, "SELECT id FROM jobs") == []
            assert await rows(
                hall, "SELECT subscription, COUNT(*) AS many FROM event_outbox GROUP BY subscription"
            ) == [{"subscription": "events.ear.hear", "many": 2}]
            metrics = (await hall.operator.get("/api/metrics", headers={"Accept": "text/plain"})).text
            assert 'guildhall_events_waiting{subscription="events.ear.hear"} 2' in metrics
        async with _served(hall_sites, site, hall_watch, [after.plugin], {}) as hall:
            await hall.drain_jobs()
            assert len(after.heard) == 2
            assert before.heard[0].id in {call.id for call in after.heard}


async def test_an_event_of_an_older_version_is_delivered_as_far_as_it_can_be(open_hall, make_plugin, rows):
    from dataclasses import dataclass

    @dataclass(frozen=True)
    class Added:
        book: str
        pages: int = 0
        tags: tuple[str, ...] = ()

    heard = []

    async def hear(call):
        heard.append(call.payload)

    event = Event(name="shelf.book.added", doc="A book is new.", type=Added)
    ear = Subscription(name="hear", event=event.name, handler=hear, doc="Hears.")
    async with open_hall(make_plugin("shelf", events=[event], subscriptions=[ear])) as hall:
        origin = Origin(org_id=hall.acme.org_id, team_id=hall.acme.id, user_id=hall.acme.member.user_id)
        change = Statement("change", *["UPDATE event_outbox SET payload = :payload"] * 2)
        for payload in ('{"book": "b", "gone": 1, "tags": ["x"]}', '{"pages": 2}'):
            async with hall.server.data.write() as writer:
                await hall.server.service(Events).emit(writer, event, Added("a"), origin)
                await writer.run(change, payload=payload)
            await hall.drain_jobs()
        assert heard == [Added("b", 0, ("x",))]
        assert [one.error for one in hall.events.delivered()] == [None, "event_outdated"]
