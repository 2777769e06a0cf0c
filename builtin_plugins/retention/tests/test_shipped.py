"""What the shipped plugins throw away: what is over, and only that."""

import pytest

from builtin_plugins.audit.checkpointing import Checkpointing
from builtin_plugins.audit.verification import verify
from builtin_plugins.retention.periods import DAY_MS
from builtin_plugins.retention.sweeper import RetentionSweeper
from builtin_plugins.retention.tests.conftest import WithDays
from guildhall_sdk.data import Statement

pytestmark = pytest.mark.any_database

SPEC = {
    "slug": "each",
    "name": "Each",
    "start": "count",
    "inputs": {"words": {"type": "array", "required": True}},
    "steps": [
        {
            "name": "count",
            "kind": "map",
            "over": {"$from": "input.words"},
            "tool": "word_count",
            "with": {"text": {"$from": "item"}},
        }
    ],
}


async def look_a_day_later(hall):
    await RetentionSweeper(hall.server.host).sweep()
    hall.clock.advance(days=1)
    return await RetentionSweeper(hall.server.host).sweep()


async def rows(hall, table):
    counted = f"SELECT COUNT(*) AS many FROM {table}"
    async with hall.server.data.read() as reader:
        return await reader.value(Statement("counted", counted, counted))


@pytest.mark.every_database
async def test_runs_that_ended_go_with_their_steps_and_items_and_one_under_way_stays(hall):
    admin = hall.acme.admin
    published = await admin.post("/api/workflows", SPEC)
    assert published.status_code in (200, 201), published.text

    async def start():
        answer = await admin.post("/api/workflows/each/run", {"input": {"words": ["a b", "c"]}})
        assert answer.status_code in (201, 202), answer.text
        return answer.json()["id"]

    old, under_way = await start(), await start()
    await hall.drain_jobs()
    reopened = "UPDATE runs SET state = 'running', finished_at = NULL WHERE id = :id"
    async with hall.server.data.write() as writer:
        await writer.run(Statement("reopened", reopened, reopened), id=under_way)
    hall.clock.advance(days=400)
    ended = await start()
    await hall.drain_jobs()
    assert await look_a_day_later(hall) == 3 + 4 + 2  # the jobs of two runs too, and what was told of them
    assert (await admin.get(f"/api/runs/{old}")).status_code == 404
    for run in (ended, under_way):
        assert (await admin.get(f"/api/runs/{run}")).status_code == 200
    assert [await rows(hall, table) for table in ("runs", "run_steps", "run_items")] == [2, 2, 4]


async def test_translations_and_usage_go_after_their_days(hall):
    for text in ("An order.", "Another."):
        made = await hall.acme.member.post("/api/translate", {"text": text, "target": "es"})
        assert made.status_code == 200, made.text
        hall.clock.advance(days=366)
    # The use of the first is older than two years by now.
    assert await look_a_day_later(hall) == 3
    assert [await rows(hall, table) for table in ("translations", "ai_usage", "ai_usage_days")] == [0, 1, 1]


async def test_days_of_usage_go_whole(hall):
    async def look():
        return await RetentionSweeper(WithDays(hall.server.host, 10, "keep_usage_days")).sweep()

    hall.clock.advance(milliseconds=DAY_MS - hall.clock.now_ms() % DAY_MS)
    for _ in range(2):
        hall.clock.advance(hours=9)
        assert (await hall.acme.member.post("/api/ai/echo", {"text": "x"})).status_code == 200
    for hours in (3 * 24, 3 * 24, 3 * 24, 24 - 2):
        assert await look() == 0
        hall.clock.advance(hours=hours)
    assert await look() == 0  # the first is ten days and seven hours old, the second not yet ten days
    hall.clock.advance(hours=8)
    assert await look() == 2


async def test_what_is_kept_for_a_hundred_years_stays(hall):
    made = await hall.acme.member.post("/api/translate", {"text": "An order.", "target": "es"})
    assert made.status_code == 200, made.text
    for _ in range(2):
        assert (
            await RetentionSweeper(WithDays(hall.server.host, 36_500, "keep_translations_days")).sweep() == 0
        )
        hall.clock.advance(days=1)


async def test_executors_go_once_they_were_retired_for_long_enough(hall):
    owner = hall.operator
    ids = []
    for name in ("first", "second"):
        made = await owner.post("/api/executors", {"name": name, "mode": "pull"})
        assert made.status_code == 201, made.text
        ids.append(made.json()["id"])
    assert (await owner.delete(f"/api/executors/{ids[0]}")).status_code in (200, 204)
    hall.clock.advance(days=366)
    assert await look_a_day_later(hall) == 1
    assert await rows(hall, "executors") == 1


async def test_jobs_and_prospects_go_after_their_days_and_not_while_the_clock_may_be_wrong(hall, caplog):
    job_id = await job_and_prospect(hall)
    assert await RetentionSweeper(hall.server.host).sweep() == 0  # from now on the notice runs
    hall.clock.advance(days=2)
    assert await RetentionSweeper(hall.server.host).sweep() == 0
    hall.clock.advance(days=3650)
    for _ in range(2):
        assert await RetentionSweeper(hall.server.host).sweep() == 0
        hall.clock.advance(hours=11)
    told = [record.fields["name"] for record in caplog.records if record.msg == "retention.clock_jumped"]
    assert [told.count(name) for name in ("jobs", "prospects")] == [1, 1]
    hall.clock.advance(days=-3650)
    assert await left_of(hall, job_id) == [1, 1]
    gone = []
    for _ in range(75):
        gone.append(await RetentionSweeper(hall.server.host).sweep())
        hall.clock.advance(days=5)
    assert await left_of(hall, job_id) == [0, 0]
    # Thirty days after it ended, and a year after the sign-up.
    assert (gone.index(1), sum(gone[:73])) == (6, 1)
    assert sum(gone) == 2


async def job_and_prospect(hall):
    """Returns the id of a job that is over; somebody has signed up too."""
    queued = await hall.acme.admin.post(
        "/api/jobs", {"kind": "x.example-tools.word-count", "payload": {"text": "a b"}}
    )
    assert queued.status_code in (201, 202), queued.text
    await hall.drain_jobs()
    signed_up = (
        "INSERT INTO beta_prospects (id, org_id, team_id, fields, words, locale, signals, honeypot, repeats,"
        " status, created_at) VALUES ('p', :org_id, :team_id, '{}', '', 'en', '{}', 0, 0, 'captured', :now)"
    )
    person = hall.acme.admin.person
    async with hall.server.data.write() as writer:
        await writer.run(
            Statement("signed_up", signed_up, signed_up),
            org_id=person.org_id,
            team_id=person.team_id,
            now=hall.clock.now_ms(),
        )
    return queued.json()["id"]


async def left_of(hall, job_id):
    admin = await hall.with_token(hall.acme.admin)
    found = await admin.get(f"/api/jobs/{job_id}")
    return [int(found.status_code == 200), await rows(hall, "beta_prospects")]


async def test_audit_events_go_a_day_after_the_days_were_set_and_the_rest_verifies(hall):
    admin, sweeper = hall.acme.admin, RetentionSweeper(WithDays(hall.server.host, 90, "keep_audit_days"))
    for title in ("Old", "New"):
        made = await admin.post("/api/notes", {"title": title, "body": ""})
        assert made.status_code == 201, made.text
        await hall.server.service(Checkpointing).catch_up(rest_seconds=0)
        hall.clock.advance(days=60)
    before = (await admin.get("/api/audit")).json()["items"]
    await sweeper.sweep()
    assert (await admin.get("/api/audit")).json()["items"] == before
    hall.clock.advance(days=1)
    gone = await sweeper.sweep()
    left = (await admin.get("/api/audit")).json()["items"]
    assert 0 < len(left) < len(before) and left == before[: len(left)]
    async with hall.server.data.read() as reader:
        assert await hall.server.trail.count(reader) == await rows(hall, "audit_events")
    verdict = await verify(hall.server.data, hall.server.trail.key)
    found = [fault for fault in verdict.faults if fault.kind != "eventless"]  # the halls' other companies
    assert (found, verdict.deleted) == ([], gone)
