"""`guildhall retention` shows what goes before it goes."""

from guildhall_testing.site_databases import opened_site
from tests import commands

USED = (
    "INSERT INTO ai_usage (team_id, at, user_id, model, credential, requests, tokens)"
    " VALUES (:team_id, :at, 'user_1', 'm', 'session', 1, 1)"
)

RULED = (
    "INSERT INTO repo_lifecycles (team_id, org_id, set_by, rules, holds_from, updated_at, stage, after_time,"
    " after_name, due_at, held_until, versions, bytes) SELECT teams.id, teams.org_id, users.id,"
    """ '[{"id": "r", "old_version_days": 1}]', 0, 0, '', 0, '', 0, 0, 3, 1234 FROM teams JOIN users"""
    " ON users.org_id = teams.org_id WHERE teams.id = :team_id ORDER BY users.id LIMIT 1"
)


async def test_it_says_what_is_kept_for_how_long_and_how_much_would_go(hall_sites, hall_database):
    async with hall_sites.lease(hall_database) as site:
        async with opened_site(site) as opened:
            for at in (0, 1):
                await opened.run(USED, team_id=opened.acme.id, at=at)
            await opened.run(RULED, team_id=opened.acme.id)
        done = commands.run(site.environment(), ["retention"])
        other_days = {"SERVICE_KEEP_USAGE_DAYS": "0", "SERVICE_KEEP_AUDIT_DAYS": "30"}
        shorter = commands.run({**site.environment(), **other_days}, ["retention"])
        too_short = commands.run({**site.environment(), "SERVICE_KEEP_AUDIT_DAYS": "29"}, ["retention"])
    assert done.returncode == 0, done.output
    assert "\nusage: who used which model" in done.output
    assert "by the day, kept 730 days (SERVICE_KEEP_USAGE_DAYS)\n" in done.output
    assert "  to be thrown away from " in done.output
    assert done.output.split("kept 730 days")[1].split("\n")[1].endswith("Z: 2")
    assert "by the day, kept for ever (SERVICE_KEEP_USAGE_DAYS)\n" in shorter.output
    kept_audit = "audit: audit events; what remains still verifies, kept {} (SERVICE_KEEP_AUDIT_DAYS)\n"
    assert kept_audit.format("for ever") in done.output
    assert kept_audit.format("30 days") + "  to be thrown away from " in shorter.output
    assert too_short.returncode != 0 and "30 to 36500, or 0 for ever" in too_short.output
    for name in ("jobs", "prospects", "runs", "translations", "retired_executors"):
        assert f"\n{name}: " in f"\n{done.output}"
    assert (
        "\nversions: old versions, delete markers and deleted objects, by the rules of each team\n"
        in done.output
    )
    assert (
        "to be thrown away now: 0 versions, 0 delete markers and 0 deleted objects, 0 bytes;" in done.output
    )
    assert "thrown away so far: 3 versions, 1,234 bytes" in done.output
