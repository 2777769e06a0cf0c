"""No statement that a request or a claim runs reads the whole of a table that grows."""

import importlib
import json
import pkgutil
import re
import sqlite3
from collections.abc import Iterator
from typing import Any

import asyncpg
import pytest_asyncio

import builtin_plugins
import kernel
from guildhall_sdk import Statement
from guildhall_sdk.data import loaded_queries
from kernel.scheduler.statements import sql as scheduler
from tests.growth.effort import nodes_of
from tests.growth.test_lists import fill

MANY = 100_000

#: What grows with use; each is filled.
GROWING = frozenset(
    (
        "jobs",
        "notes",
        "objects",
        "object_versions",
        "object_grants",
        "audit_events",
        "credentials",
        "users",
        "memberships",
        "translations",
        "runs",
        "run_items",
        "ai_usage",
        "beta_prospects",
        "beta_arrivals",
        "l10n_messages",
        "l10n_history",
    )
)
#: What grows as well, and stays empty here: of an empty table PostgreSQL reads all.
EMPTY = frozenset(
    (
        "run_steps",
        "kg_mentions",
        "kg_entities",
        "kg_aliases",
        "event_outbox",
        "search_documents",
        "idempotency_keys",
        "login_failures",
        "provision_failures",
        "doc_trigger_fires",
        "ai_usage_days",
        "quota_counters",
        "job_lanes",
    )
)
_SAMPLED = "counted in the background for metrics and status, once there is much"
_RARE = "asked when an instance is set up, or an operator's rights are taken away"
_FIRST = "the first row that there is ends it"
#: What may read all, and why.
EXCUSED = {
    "builtin_plugins.notes.statements:count_notes": _SAMPLED,
    "builtin_plugins.repo.finding:count_objects": _SAMPLED,
    "builtin_plugins.workflows.runs.statements:runs_by_state": _SAMPLED,
    "kernel.identity.sign_in:count_api_tokens": _SAMPLED,
    "kernel.audit.trail:companies_without_chain": "audit verify, which reads every event",
    "kernel.http.idempotency:release_running": "once, when the one process that owns the database starts",
    "kernel.http.idempotency:settle_applied": "once, when the one process that owns the database starts",
    "kernel.plugins.orphans:cancel_waiting_jobs": "a command, after a plugin was taken out",
    "kernel.plugins.orphans:drop_waiting_events": "a command, after a plugin was taken out",
    "kernel.tenancy.directory:another_operator": _RARE,
    "kernel.tenancy.directory:any_user": _FIRST,
    "kernel.tenancy.directory:claim_instance": _RARE,
}
_TOUCHES = re.compile(rf"\b(?:FROM|JOIN|UPDATE|INTO)\s+({'|'.join(sorted(GROWING | EMPTY))})\b")


def statements() -> Iterator[tuple[str, Statement]]:
    for package in (kernel, builtin_plugins):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not re.search(r"\.(tests|testing|migrations|__main__)\b", module.name):
                importlib.import_module(module.name)
    ours = [one for one in loaded_queries() if re.match(r"(kernel|builtin_plugins)\.", one.module)]
    found = {f"{one.module}:{each.name}": each for one in ours for each in one.queries}
    # Some of the scheduler's are made of those in its files.
    found |= {f"kernel.scheduler.statements:{each.name}": each for each in scheduler}
    for name, statement in found.items():
        # A condition on a `hit` is put into statements of the search, which `test_passed_by.py` reads.
        text = statement.postgresql
        is_fragment = statement.part or (
            statement.name.startswith(("findable", "readable")) and "hit." in text
        )
        if not is_fragment and _TOUCHES.search(text):
            yield name, statement


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def grown(module_hall: Any) -> Any:
    """Returns a hall with some of everything. SQLite's plans do not depend on how much there is."""
    asker = await module_hall.join(module_hall.acme, "admin", org_role="org_owner")
    await fill(module_hall, asker, await module_hall.join(module_hall.acme), 50)
    return module_hall


async def test_no_plan_reads_the_whole_of_what_grows(grown: Any) -> None:
    url = grown.server.settings.database_url
    if grown.database == "sqlite":
        found = scans_on_sqlite(url.removeprefix("sqlite:///"))
    else:
        found = await scans_on_postgresql(url)
    assert {name: tables for name, tables in found.items() if name not in EXCUSED} == {}


async def scans_on_postgresql(url: str) -> dict[str, set[str]]:
    """Returns the tables of which a plan reads all, with plans as they would be for many rows."""
    connection = await asyncpg.connect(url, server_settings={"plan_cache_mode": "force_generic_plan"})
    found = {}
    try:
        await connection.execute("UPDATE object_versions SET sha256 = id")  # else all have the same
        await connection.execute("ANALYZE")
        await connection.execute(
            f"UPDATE pg_class SET reltuples = {MANY} WHERE relname = ANY ($1)", list(GROWING)
        )
        for number, (name, statement) in enumerate(statements()):
            text, binds = statement.numbered
            await connection.execute(f"PREPARE plan_{number} AS {text}")
            nulls = f"({', '.join('NULL' for _ in binds)})" if binds else ""
            plan = await connection.fetchval(f"EXPLAIN (FORMAT JSON) EXECUTE plan_{number}{nulls}")
            nodes = nodes_of(json.loads(plan)[0]["Plan"])
            scans = {node["Relation Name"] for node in nodes if node["Node Type"] == "Seq Scan"}
            if scans & GROWING:
                found[name] = scans & GROWING
    finally:
        await connection.close()
    return found


def scans_on_sqlite(path: str) -> dict[str, set[str]]:
    connection = sqlite3.connect(path)
    found = {}
    try:
        for name, statement in statements():
            named = re.findall(r"(?:FROM|JOIN|UPDATE|INTO)\s+(\w+)(?:\s+AS\s+(\w+))?", statement.sqlite)
            tables = {alias or table: table for table, alias in named}
            binds = dict.fromkeys(re.findall(r":(\w+)", statement.sqlite))
            steps = connection.execute(f"EXPLAIN QUERY PLAN {statement.sqlite}", binds).fetchall()
            scans = {match[1] for step in steps if (match := re.match(r"SCAN (\w+)$", step[3]))}
            if read := {tables.get(one, one) for one in scans} & (GROWING | EMPTY):
                found[name] = read
    finally:
        connection.close()
    return found
