"""No statement that a request or a claim runs reads the whole of a table that grows.

PostgreSQL plans by how much there is: 100,000 rows in each. SQLite plans by the schema, as nobody gathers
statistics of it.
"""

import importlib
import json
import pkgutil
import re
import sqlite3
from collections.abc import Iterator
from typing import Any

import asyncpg

import builtin_plugins
import kernel
from guildhall_sdk import Statement
from guildhall_sdk.data import loaded_queries
from kernel.scheduler.statements import sql as scheduler
from tests.growth.effort import nodes_of
from tests.growth.much import fill_postgresql

#: What grows with use.
GROWING = frozenset(
    (
        *("jobs", "job_events", "job_lanes", "runs", "run_steps", "run_items", "event_outbox"),
        *(
            "notes",
            "note_shares",
            "objects",
            "object_versions",
            "object_grants",
            "object_texts",
            "object_parts",
        ),
        *("derivations", "blob_holds", "blob_releases", "small_blobs", "s3_uploads", "s3_parts", "s3_keys"),
        *(
            "audit_events",
            "audit_checkpoints",
            "audit_heads",
            "credentials",
            "users",
            "memberships",
            "secrets",
        ),
        *("orgs", "teams", "idempotency_keys", "login_failures", "provision_failures"),
        *(
            "kg_mentions",
            "kg_entities",
            "kg_aliases",
            "kg_relations",
            "kg_extractions",
            "kg_keys",
            "kg_pieces",
        ),
        *("search_documents", "doc_trigger_fires", "ai_usage", "ai_usage_days", "ai_usage_tokens"),
        *("quota_counters", "quota_holds", "translations", "glossary_terms", "l10n_messages", "l10n_history"),
        *("beta_prospects", "beta_arrivals", "beta_experiences", "beta_assets"),
    )
)
_SAMPLED = "counted in the background for metrics and status, once there is much"
_OF_COMPANIES = "a row for each company"
_RARE = "asked when an instance is set up, or an operator's rights are taken away"
_COMMAND = "a command, after a plugin was taken out"
_FIRST = "the first row that there is ends it"
#: What may read all, and why.
EXCUSED = {
    "builtin_plugins.notes.statements:count_notes": _SAMPLED,
    "builtin_plugins.repo.finding:count_objects": _SAMPLED,
    "builtin_plugins.workflows.runs.statements:runs_by_state": _SAMPLED,
    "builtin_plugins.knowledge.statements:count_entities": _SAMPLED,
    "builtin_plugins.s3.keys:count_keys": _SAMPLED,
    "builtin_plugins.s3.uploads:count_open": _SAMPLED,
    "builtin_plugins.search.indexing:count_documents": _SAMPLED,
    "kernel.events.outbox:by_subscription": _SAMPLED,
    "kernel.secrets.keyring:count_secrets": _SAMPLED,
    "builtin_plugins.l10n.catalogs.revision:opened_locales": _FIRST,
    "kernel.identity.sign_in:count_api_tokens": _SAMPLED,
    "kernel.audit.trail:count_events": _OF_COMPANIES,
    "kernel.audit.trail:companies_without_chain": _OF_COMPANIES,
    "kernel.http.idempotency:release_running": "once, when the one process that owns the database starts",
    "kernel.http.idempotency:settle_applied": "once, when the one process that owns the database starts",
    "kernel.plugins.orphans:cancel_waiting_jobs": _COMMAND,
    "kernel.plugins.orphans:drop_waiting_events": _COMMAND,
    "kernel.plugins.orphans:waiting_events": _COMMAND,
    "kernel.plugins.orphans:waiting_jobs": _COMMAND,
    "kernel.tenancy.directory:another_operator": _RARE,
    "kernel.tenancy.directory:any_user": _FIRST,
    "kernel.tenancy.directory:claim_instance": _RARE,
}
_TOUCHES = re.compile(rf"\b(?:FROM|JOIN|UPDATE|INTO)\s+({'|'.join(sorted(GROWING))})\b")


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


async def test_no_plan_reads_the_whole_of_what_grows(hall_sites: Any, hall_database: Any) -> None:
    async with hall_sites.lease(hall_database, populated=False) as site:
        if hall_database == "sqlite":
            found = scans_on_sqlite(site.database_url.removeprefix("sqlite:///"))
        else:
            await fill_postgresql(site.database_url, GROWING)
            found = await scans_on_postgresql(site.database_url)
    assert {name: tables for name, tables in found.items() if name not in EXCUSED} == {}


async def scans_on_postgresql(url: str) -> dict[str, set[str]]:
    """Returns the tables of which a plan reads all."""
    connection = await asyncpg.connect(url, server_settings={"plan_cache_mode": "force_generic_plan"})
    found = {}
    try:
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
    """Returns the tables of which a plan reads all; how much they hold does not change it."""
    connection = sqlite3.connect(path)
    found = {}
    try:
        statistics = connection.execute("SELECT name FROM sqlite_master WHERE name LIKE 'sqlite_stat%'")
        assert statistics.fetchall() == []
        for name, statement in statements():
            named = re.findall(r"(?:FROM|JOIN|UPDATE|INTO)\s+(\w+)(?:\s+AS\s+(\w+))?", statement.sqlite)
            tables = {alias or table: table for table, alias in named}
            binds = dict.fromkeys(re.findall(r":(\w+)", statement.sqlite))
            steps = connection.execute(f"EXPLAIN QUERY PLAN {statement.sqlite}", binds).fetchall()
            scans = {match[1] for step in steps if (match := re.match(r"SCAN (\w+)$", step[3]))}
            if read := {tables.get(one, one) for one in scans} & GROWING:
                found[name] = read
    finally:
        connection.close()
    return found
