"""`guildhall retention` shows what goes before it goes."""

from tests import commands
from tests.scheduler.workshop import Workshop, opened_database

USED = (
    "INSERT INTO ai_usage (team_id, at, user_id, model, credential, requests, tokens)"
    " VALUES (:team_id, :at, 'user_1', 'm', 'session', 1, 1)"
)


async def test_it_says_what_is_kept_for_how_long_and_how_much_would_go(hall_sites, hall_database):
    async with hall_sites.lease(hall_database) as site:
        async with opened_database(site) as data:
            workshop = Workshop(site, data)
            for at in (0, 1):
                await workshop.run(USED, team_id=workshop.acme.id, at=at)
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
    for name in ("runs", "translations", "retired_executors"):
        assert f"\n{name}: " in f"\n{done.output}"
