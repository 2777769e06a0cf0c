"""`guildhall workflows stuck` beside no server: it lists what no job will move."""

from guildhall_testing.site_databases import opened_site
from tests import commands

STARTED = (
    "INSERT INTO runs (id, org_id, team_id, slug, version, state, input, locale, created_by, chain,"
    " steps_used, last_number, revision, created_at, moved_at)"
    " VALUES (:id, :org_id, :team_id, 'flow', 3, :state, '{}', 'en', :user_id, '[]', 0, 0, 0, 0, 0)"
)


async def test_the_command_lists_no_run_where_none_is_stuck(hall_sites, hall_database):
    async with hall_sites.lease(hall_database) as site:
        done = commands.run(site.environment(), ["workflows", "stuck"])
    assert (done.returncode, done.output) == (0, "")


async def test_a_run_that_no_job_will_move_is_a_line_and_the_command_exits_with_1(hall_sites, hall_database):
    async with hall_sites.lease(hall_database) as site:
        async with opened_site(site) as opened:
            acme = opened.acme
            binds = {"org_id": acme.org_id, "team_id": acme.id, "user_id": acme.user_id}
            for run, state in (("run_2", "running"), ("run_1", "running"), ("run_0", "failed")):
                await opened.run(STARTED, id=run, state=state, **binds)
        done = commands.run(site.environment(), ["workflows", "stuck"])
    line = f"flow version 3 team {acme.id} since 1970-01-01T00:00:00.000Z\n"
    assert (done.returncode, done.output) == (1, f"run_1 {line}run_2 {line}")
