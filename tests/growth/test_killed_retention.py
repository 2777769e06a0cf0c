"""Whoever throws away what is over can be killed at it: nothing is half gone, and the next one finishes.

`SOAK_ROUNDS` in the environment has it killed in every kind of what is kept for a time.
"""

import asyncio
import hashlib
import os
import re
import signal
from pathlib import Path
from typing import Any

import pytest

from guildhall_sdk import Statement, load_queries
from guildhall_testing.clock import START_MS
from guildhall_testing.site_databases import opened_database
from libs.sql_binds import numbered
from tests import commands
from tests.growth import mortal_retention
from tests.growth.mortal_retention import MONTHS, PORTION

filling = load_queries(Path(__file__).with_name("filling.sql"))
DAY, HOUR = 86_400_000, 3_600_000
MANY = 3 * PORTION
FILLED = ("jobs", "translations", "runs", "run_items", "usage")
#: In the order in which they are looked at.
SHORT = ("audit", "usage", "versions")
ALL = (
    *("audit", "jobs", "prospects", "retired_executors", "runs", "translations", "usage"),
    "versions",
)
KINDS = ALL if "SOAK_ROUNDS" in os.environ else SHORT
#: What is over goes with what belongs to it; sums agree with their rows, and bytes with what refers to them.
LEFT = (
    "SELECT COUNT(*) AS many FROM jobs",
    "SELECT COUNT(*) AS many FROM beta_prospects",
    "SELECT COUNT(*) AS many FROM executors",
    "SELECT COUNT(*) AS many FROM translations",
    "SELECT COUNT(*) AS many FROM runs",
    "SELECT COUNT(*) AS many FROM run_items",
    "SELECT COUNT(*) AS many FROM ai_usage",
    "SELECT COUNT(*) AS many FROM ai_usage_days",
    "SELECT COUNT(*) AS many FROM object_versions WHERE old_in IS NOT NULL",
)
SUMS = (
    "SELECT COALESCE(SUM(tokens), 0) AS many FROM ai_usage",
    "SELECT COALESCE(SUM(tokens), 0) AS many FROM ai_usage_days",
)
#: The month in which the first sweep is; on PostgreSQL it goes as a whole.
MONTH = "SELECT COUNT(*) AS many FROM audit_events_2030_02"
MONTHS_LEFT = "SELECT COUNT(*) AS many FROM pg_class WHERE relname = 'audit_events_2030_02'"
ENDED = "UPDATE jobs SET finished_at = 0"
PROSPECT = (
    "INSERT INTO beta_prospects (id, org_id, team_id, fields, words, locale, signals, honeypot, repeats,"
    " status, created_at) VALUES (:id, :org_id, :team_id, '{}', '', 'en', '{}', 0, 0, 'captured', 0)"
)
RETIRED = (
    "INSERT INTO executors (id, name, name_key, mode, capabilities, trusted, created_at, retired_at)"
    " VALUES (:id, 'x', 'x', 'pull', '[]', 0, 0, 0)"
)
OBJECT = (
    "INSERT INTO objects (id, org_id, team_id, owner_id, key, visibility, revision, last_number, newest_id,"
    " present, document, text_status, created_at, updated_at)"
    " VALUES ('obj_k', :org_id, :team_id, :user_id, 'k', 'team', 1, :many, :newest, 1, 0, 'none', 0, 0)"
)
VERSION = (
    "INSERT INTO object_versions (id, object_id, org_id, number, marker, sha256, size, etag, content_type,"
    " filename, attributes, created_at, created_by, old_in, old_since)"
    " VALUES (:id, 'obj_k', :org_id, :number, 0, :sha256, 1, 'x', 'text/plain', 'k', '{}', 0, :user_id,"
    " CAST(:old_in AS TEXT), CAST(:old_since AS BIGINT))"
)
BYTES = "INSERT INTO small_blobs (org_id, sha256, content) VALUES (:org_id, :sha256, :content)"
RULES = (
    "INSERT INTO repo_lifecycles (team_id, org_id, set_by, rules, holds_from, updated_at, stage, after_time,"
    " after_name, due_at, held_until, versions, bytes)"
    " VALUES (:team_id, :org_id, :user_id, :rules, 0, 0, 'versions', -1, '', :due_at, 0, 0, 0)"
)
RULE = '[{"id": "all", "prefix": "", "old_version_days": 1}]'


async def fill(site: Any) -> None:
    person = site.people.acme.team.people["owner"]
    who = {"org_id": person.org_id, "team_id": person.team_id, "user_id": person.user_id}
    known = {"many": MANY, "other_id": person.user_id, **who}
    async with opened_database(site) as data, data.write() as writer:
        for name in FILLED:
            statement = of_long_ago(getattr(filling, name))
            await writer.run(statement, **{one: known[one] for one in numbered(statement.postgresql)[1]})
        await writer.run(asked(ENDED))
        for number in range(MANY):
            await writer.run(
                asked(PROSPECT), id=f"pro_{number}", org_id=person.org_id, team_id=person.team_id
            )
            await writer.run(asked(RETIRED), id=f"exe_{number}")
        await writer.run(asked(OBJECT), **who, many=MANY, newest=f"ver_{MANY}")
        for number in range(1, MANY + 1):
            content = str(number).encode()
            sha256 = hashlib.sha256(content).hexdigest()
            is_old = number < MANY
            await writer.run(asked(BYTES), org_id=person.org_id, sha256=sha256, content=content)
            await writer.run(
                asked(VERSION),
                id=f"ver_{number}",
                org_id=person.org_id,
                number=number,
                sha256=sha256,
                user_id=person.user_id,
                old_in=person.team_id if is_old else None,
                old_since=0 if is_old else None,
            )
        await writer.run(asked(RULES), **who, rules=RULE, due_at=START_MS + DAY)


def of_long_ago(statement: Statement) -> Statement:
    """Ids sort by time."""
    early = [
        re.sub(r"'(job|run|trl)_'", r"'\1_00'", text) for text in (statement.sqlite, statement.postgresql)
    ]
    return Statement(statement.name, *early)


def asked(text: str) -> Statement:
    return Statement("asked", text, text)


async def counted(site: Any, *texts: str) -> list[int]:
    async with opened_database(site) as data, data.read() as reader:
        return [await reader.value(asked(text)) for text in texts]


async def live(site: Any, now_ms: int, dies_in: str | None = None) -> int | None:
    environment = commands.bare_environment(**site.environment(), SERVICE_KEEP_AUDIT_DAYS="30")
    companies = [site.people.acme.id, site.people.globex.id, site.people.operator.org_id]
    process = commands.processes.Process(
        target=mortal_retention.sweep_once, args=(environment, now_ms, companies, dies_in)
    )
    process.start()
    await asyncio.to_thread(process.join)
    return process.exitcode


@pytest.mark.short_on("sqlite")
async def test_what_was_killed_while_it_threw_away_is_finished_by_the_next(
    hall_sites: Any, hall_database: Any
) -> None:
    async with hall_sites.lease(hall_database) as site:
        await fill(site)
        assert await live(site, START_MS + 40 * DAY) == 0  # from now on the notice runs
        if hall_database == "postgresql":
            assert await live(site, START_MS + 60 * DAY) == 0  # events of a month that does not go as a whole
        assert await live(site, START_MS + 99 * DAY) == 0  # and anew, as nobody has looked for long
        now = START_MS + 100 * DAY
        if hall_database == "postgresql":
            [events] = await counted(site, MONTH)
            assert await live(site, now, MONTHS) == -signal.SIGKILL
            assert await counted(site, MONTH, MONTHS_LEFT) == [events, 1]
            assert events
            now += 2 * HOUR
        for kind in KINDS:
            assert await live(site, now, kind) == -signal.SIGKILL, kind
            used, summed = await counted(site, *SUMS)
            assert used == summed
            now += 2 * HOUR
        assert await live(site, now) == 0
        assert await counted(site, *LEFT) == [0] * len(LEFT)
        if hall_database == "postgresql":
            assert await counted(site, MONTHS_LEFT) == [0]
        environment = commands.bare_environment(**site.environment())
        verified = await asyncio.to_thread(commands.run, environment, ["audit", "verify"])
        assert verified.returncode == 0, verified.output
        scrubbed = await asyncio.to_thread(commands.run, environment, ["scrub"])
        assert scrubbed.returncode == 0, scrubbed.output
