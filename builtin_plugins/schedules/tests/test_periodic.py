"""Periodic jobs that plugins declare: each time one for each team, or one in all, and no second."""

import asyncio

import pytest

from builtin_plugins.schedules.periodic import PeriodicRunner, check_periodic
from guildhall_sdk import JobKind, Plugin, hookimpl
from guildhall_sdk.hooks import Declarer
from guildhall_sdk.services.jobs import PeriodicJob, PeriodicJobs

HOURLY, NIGHTLY = "x.tides.hourly", "x.tides.nightly"


class Tides:
    """A plugin with a job for each team every hour, and one for the instance each night."""

    PLUGIN = Plugin("tides", "Tides", "1.0", "Comes and goes.", requires=("jobs", "schedules"))

    def __init__(self):
        self.done = []
        self.periodic = [
            PeriodicJob(kind=HOURLY, every_seconds=3600, payload={"moon": 1}),
            PeriodicJob(kind=NIGHTLY, cron="0 3 * * *", per="instance"),
        ]

    async def work(self, job):
        async with job.host.data.read() as reader:
            principal = await job.principal(reader)
        self.done.append((job.kind, job.team_id, job.payload, principal.may("notes:read")))

    @hookimpl
    def declare_job_kinds(self):
        return [JobKind(name, "Does it.", handler=self.work, public=False) for name in (HOURLY, NIGHTLY)]

    @hookimpl
    def declare_periodic_jobs(self):
        return self.periodic


@pytest.fixture
def tides():
    return Tides()


@pytest.fixture
async def hall(open_hall, tides, monkeypatch):
    async def by_hand(runner):
        return None

    monkeypatch.setattr(PeriodicRunner, "run", by_hand)
    async with open_hall(tides) as opened:
        await opened.server.service(PeriodicJobs).enqueue_due()
        yield opened


async def pass_by(hall, **time):
    hall.clock.advance(**time)
    enqueued = await hall.server.service(PeriodicJobs).enqueue_due()
    await hall.drain_jobs()
    return enqueued


async def test_each_team_has_its_job_each_time_and_it_may_nothing(hall, tides):
    assert await pass_by(hall, minutes=59) == 0
    await pass_by(hall, minutes=1, seconds=1)
    teams = {hall.acme.team_id, hall.globex.team_id}
    done = [one for one in tides.done if one[0] == HOURLY]
    assert teams <= {team_id for _, team_id, _, _ in done}
    assert len(done) == len({team_id for _, team_id, _, _ in done})
    assert {(payload["moon"], may) for _, _, payload, may in done} == {(1, False)}


async def test_what_belongs_to_no_team_is_done_once(hall, tides):
    await pass_by(hall, days=1)
    assert len([one for one in tides.done if one[0] == NIGHTLY]) == 1


async def test_what_was_missed_is_made_up_for_by_one(hall, tides):
    await pass_by(hall, hours=7, minutes=30)
    await pass_by(hall, minutes=29)
    assert len([one for one in tides.done if one[:2] == (HOURLY, hall.acme.team_id)]) == 1
    await pass_by(hall, minutes=2)
    assert len([one for one in tides.done if one[:2] == (HOURLY, hall.acme.team_id)]) == 2


async def test_several_processes_enqueue_a_time_once(hall, tides):
    hall.clock.advance(hours=1, minutes=1)
    host = hall.server.host_of("schedules")
    counts = await asyncio.gather(*(PeriodicRunner(host).enqueue_due() for _ in range(4)))
    await hall.drain_jobs()
    assert sum(counts) == len(tides.done) == len({team_id for _, team_id, _, _ in tides.done})


async def test_a_kill_between_two_parts_of_the_teams_leaves_the_rest_for_later(hall, tides, monkeypatch):
    monkeypatch.setattr("builtin_plugins.schedules.periodic._AT_ONCE", 1)
    runner, enqueue_for = PeriodicRunner(hall.server.host_of("schedules")), PeriodicRunner._enqueue_for
    calls = []

    async def killed_at_the_second(self, writer, row, teams):
        calls.append(teams)
        if len(calls) == 2:
            raise asyncio.CancelledError
        await enqueue_for(self, writer, row, teams)

    monkeypatch.setattr(PeriodicRunner, "_enqueue_for", killed_at_the_second)
    hall.clock.advance(hours=1, minutes=1)
    with pytest.raises(asyncio.CancelledError):
        await runner.enqueue_due()
    await runner.enqueue_due()
    await hall.drain_jobs()
    teams = [team_id for _, team_id, _, _ in tides.done]
    assert {hall.acme.team_id, hall.globex.team_id} <= {*teams}
    assert len(teams) == len({*teams})


async def test_none_is_enqueued_while_the_one_before_waits(hall, tides):
    hall.clock.advance(hours=1, minutes=1)
    await hall.server.service(PeriodicJobs).enqueue_due()
    await pass_by(hall, hours=1)
    assert len([one for one in tides.done if one[:2] == (HOURLY, hall.acme.team_id)]) == 1


async def test_a_team_that_has_the_plugin_off_has_none(hall, tides):
    switched = await hall.acme.admin.post("/api/plugins/tides", {"enabled": False})
    assert switched.status_code == 200, switched.text
    await pass_by(hall, hours=1, minutes=1)
    assert hall.acme.team_id not in {team_id for _, team_id, _, _ in tides.done}
    assert hall.globex.team_id in {team_id for _, team_id, _, _ in tides.done}


@pytest.mark.any_database
@pytest.mark.parametrize(
    ("row", "words"),
    [
        (PeriodicJob(kind="x.other.kind", every_seconds=5), "none of this plugin's"),
        (PeriodicJob(kind=HOURLY), "give one of cron and every_seconds"),
        (PeriodicJob(kind=HOURLY, every_seconds=0), "every_seconds is 1 to"),
        (PeriodicJob(kind=HOURLY, cron="0 0 30 2 *"), "never comes"),
        (PeriodicJob(kind=HOURLY, every_seconds=5, timezone="nowhere"), "time zone"),
        (PeriodicJob(kind=HOURLY, every_seconds=5, payload={1, 2}), "no JSON"),
        (PeriodicJob(kind=HOURLY, every_seconds=5, per="company"), "team or instance"),
    ],
)
def test_what_cannot_come_keeps_its_plugin_out(row, words):
    rows = {JobKind: [JobKind(HOURLY, "Does it.", validator=str)], PeriodicJob: [row]}
    assert words in (check_periodic(row, Declarer(id="tides", routes=(), rows=rows)) or "")
