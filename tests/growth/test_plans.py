"""No statement that a request or a claim runs reads the whole of a table that grows.

PostgreSQL plans by how much there is: 4,000 rows in each, and it is told that they are 25 times as many.
SQLite plans by the schema, as nobody gathers statistics of it.
"""

import importlib
import json
import pkgutil
import re
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import Any

import asyncpg

import builtin_plugins
import kernel
from builtin_plugins.sqlite.connection import statements_in
from guildhall_sdk import Statement
from guildhall_sdk.data import loaded_queries
from kernel.scheduler.statements import sql as scheduler
from libs.sql_binds import numbered
from tests.growth.effort import nodes_of, pretend_more_rows
from tests.growth.much import fill_postgresql

TIMES = 25
_ONE = "one row, or a few"
_OF_OPERATORS = "a row for each that the operator has installed or set up"
_OF_LANGUAGES = "a row for each language"
#: What does not grow with use, and why; every other table that a migration makes does.
SMALL = {
    "access_version": _ONE,
    "blob_sweeps": _ONE,
    "data_keys": "a row for each rotation",
    "embedding_progress": "a row for each model that embeds",
    "hosted_tenant": _ONE,
    "instance_facts": _ONE,
    "l10n_locales": _OF_LANGUAGES,
    "l10n_policy": _ONE,
    "l10n_progress": _OF_LANGUAGES,
    "mcp_approved_tools": _OF_OPERATORS,
    "oop_grants": _OF_OPERATORS,
    "plugin_records": _OF_OPERATORS,
    "processes": "a row for each server process that lives",
    "retention_periods": "a row for each kind of what is kept for a time",
    "schema_ledger": "a row for each migration",
    "schema_objects": "a row for each table and index",
    "search_progress": _ONE,
}
#: An index of words with tables of its own, which are filled through it.
_WORDS = "search_words"
_SAMPLED = "counted in the background for metrics and status, once there is much"
_OF_COMPANIES = "a row for each company, not for each event; counted in the background once there are many"
_RARE = "asked when an instance is set up, or an operator's rights are taken away"
_COMMAND = "a command, after a plugin was taken out"
_ALL = "an operator's list of all there are"
_MOVED = "asked when a team goes, with what is in it, into another"
_QUEUE = "a queue that is empty as a rule"
_DECLARED = "a row for each that plugins declare; looked at in the background"
_FIRST = "the first row that there is ends it"
COUNT_EVENTS = "kernel.audit:count_events"
#: What may read all, and why.
EXCUSED = {
    "builtin_plugins.conversations.conversation:move_folders": _MOVED,
    "builtin_plugins.webhooks.hook:move_deliveries": _MOVED,
    "builtin_plugins.webhooks.webhook:move_deliveries": _MOVED,
    "builtin_plugins.embeddings.models:count_passages": _SAMPLED,
    "builtin_plugins.mail.mailbox:take_resets": _QUEUE,
    "builtin_plugins.notifications.service:count_of_kind": _COMMAND,
    "builtin_plugins.notifications.service:drop_choices": _COMMAND,
    "builtin_plugins.notifications.service:drop_of_kind": _COMMAND,
    "builtin_plugins.schedules.periodic:known": _DECLARED,
    "builtin_plugins.executors.service:every": _ALL,
    "builtin_plugins.executors.service:probe_turns": "a row for each that is asked over the network as often",
    "builtin_plugins.notes.note:count_notes": _SAMPLED,
    "builtin_plugins.knowledge.statements:count_entities": _SAMPLED,
    "builtin_plugins.s3.keys:count_keys": _SAMPLED,
    "builtin_plugins.s3.uploads:count_open": _SAMPLED,
    "builtin_plugins.search.indexing:count_documents": _SAMPLED,
    "kernel.events.outbox:by_subscription": _SAMPLED,
    "kernel.secrets.keyring:count_secrets": _SAMPLED,
    "kernel.identity.sign_in:count_api_tokens": _SAMPLED,
    COUNT_EVENTS: _OF_COMPANIES,
    "kernel.http.idempotency:release_running": "once, when the one process that owns the database starts",
    "kernel.http.idempotency:settle_applied": "once, when the one process that owns the database starts",
    "builtin_plugins.l10n.catalogs.policy:count_of_namespace": _COMMAND,
    "builtin_plugins.l10n.catalogs.policy:drop_history_of_namespace": _COMMAND,
    "builtin_plugins.l10n.catalogs.policy:drop_messages_of_namespace": _COMMAND,
    "builtin_plugins.l10n.catalogs.policy:lock_messages_of_namespace": _COMMAND,
    "builtin_plugins.preferences.store:count_of_plugin": _COMMAND,
    "builtin_plugins.preferences.store:drop_company_values": _COMMAND,
    "builtin_plugins.preferences.store:drop_team_values": _COMMAND,
    "builtin_plugins.quotas.store:count_of_dimensions": _COMMAND,
    "builtin_plugins.quotas.store:drop_counters_of_dimensions": _COMMAND,
    "builtin_plugins.quotas.store:drop_holds_of_dimensions": _COMMAND,
    "builtin_plugins.search.indexing:count_of_types": _COMMAND,
    "builtin_plugins.search.indexing:drop_documents_of_types": _COMMAND,
    "builtin_plugins.search.indexing:drop_words_of_types": _COMMAND,
    "builtin_plugins.workflows.definitions:count_of_source": _COMMAND,
    "builtin_plugins.workflows.definitions:detach_used_versions": _COMMAND,
    "builtin_plugins.workflows.definitions:drop_versions_of_source": _COMMAND,
    "builtin_plugins.tools.team:count_tool_toggles": _COMMAND,
    "builtin_plugins.tools.team:drop_tool_toggles": _COMMAND,
    "kernel.features:switched": _COMMAND,
    "kernel.features:count_switched": _COMMAND,
    "kernel.plugins.storage:cancel_waiting_jobs": _COMMAND,
    "kernel.plugins.storage:drop_waiting_events": _COMMAND,
    "kernel.plugins.storage:waiting_events": _COMMAND,
    "kernel.plugins.storage:waiting_jobs": _COMMAND,
    "kernel.tenancy.directory:another_operator": _RARE,
    "kernel.tenancy.directory:any_user": _FIRST,
    "kernel.tenancy.directory:claim_instance": _RARE,
}
_TABLES_ON_SQLITE = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
_TABLES_ON_POSTGRESQL = """
SELECT relname FROM pg_class
WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = CAST('public' AS regnamespace)
"""


def growing(tables: Iterable[str]) -> frozenset[str]:
    """Returns those of all tables that grow with use."""
    there = {table for table in tables if not table.startswith(_WORDS)}
    assert SMALL.keys() <= there, "there is no such table"
    return frozenset(there - SMALL.keys())


def statements(tables: frozenset[str]) -> Iterator[tuple[str, Statement]]:
    """Yields the statements that touch one of these tables."""
    touches = re.compile(rf"\b(?:FROM|JOIN|UPDATE|INTO)\s+({'|'.join(sorted(tables))})\b")
    for package in (kernel, builtin_plugins):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not re.search(r"\.(tests|testing|migrations|__main__)\b", module.name):
                importlib.import_module(module.name)
    ours = re.compile(r"(kernel|builtin_plugins)\.(?!.*tests\b)")
    found = {
        f"{module}:{each.name}": each
        for module, queries in loaded_queries().values()
        if ours.match(module)
        for each in queries
    }
    # Some of the scheduler's are made of those in its files.
    found |= {f"kernel.scheduler.statements:{each.name}": each for each in scheduler}
    for name, statement in found.items():
        # A condition on a `hit` is put into statements of the search, which `test_passed_by.py` reads.
        text = statement.postgresql
        is_fragment = statement.part or (
            statement.name.startswith(("findable", "readable")) and "hit." in text
        )
        if not is_fragment and touches.search(text):
            yield name, statement


async def test_no_plan_reads_the_whole_of_what_grows(hall_sites: Any, hall_database: Any) -> None:
    async with hall_sites.lease(hall_database, populated=False) as site:
        if hall_database == "sqlite":
            path = site.database_url.removeprefix("sqlite:///")
            with closing(sqlite3.connect(path)) as connection:
                tables = growing(row[0] for row in connection.execute(_TABLES_ON_SQLITE))
            found = scans_on_sqlite(path, tables)
        else:
            connection = await asyncpg.connect(site.database_url)
            tables = growing(row["relname"] for row in await connection.fetch(_TABLES_ON_POSTGRESQL))
            await connection.close()
            await fill_postgresql(site.database_url, tables)
            await pretend_more_rows(site.database_url, times=TIMES)
            found = await scans_on_postgresql(site.database_url, tables)
    assert {name: read for name, read in found.items() if name not in EXCUSED} == {}
    assert found[COUNT_EVENTS] == {"audit_heads"}


async def scans_on_postgresql(url: str, tables: frozenset[str]) -> dict[str, set[str]]:
    """Returns the tables of which a plan reads all."""
    # As many pages as there would be with so many rows.
    settings = {"plan_cache_mode": "force_generic_plan", "seq_page_cost": str(TIMES)}
    connection = await asyncpg.connect(url, server_settings=settings)
    found = {}
    try:
        for number, (name, statement) in enumerate(statements(tables)):
            text, binds = numbered(statement.postgresql)
            await connection.execute(f"PREPARE plan_{number} AS {text}")
            nulls = f"({', '.join('NULL' for _ in binds)})" if binds else ""
            plan = await connection.fetchval(f"EXPLAIN (FORMAT JSON) EXECUTE plan_{number}{nulls}")
            nodes = nodes_of(json.loads(plan)[0]["Plan"])
            scans = {node["Relation Name"] for node in nodes if node["Node Type"] == "Seq Scan"}
            if scans & tables:
                found[name] = scans & tables
    finally:
        await connection.close()
    return found


def scans_on_sqlite(path: str, tables: frozenset[str]) -> dict[str, set[str]]:
    """Returns the tables of which a plan reads all; how much they hold does not change it."""
    connection = sqlite3.connect(path)
    found = {}
    try:
        statistics = connection.execute("SELECT name FROM sqlite_master WHERE name LIKE 'sqlite_stat%'")
        assert statistics.fetchall() == []
        for name, statement in statements(tables):
            named = re.findall(r"(?:FROM|JOIN|UPDATE|INTO)\s+(\w+)(?:\s+AS\s+(\w+))?", statement.sqlite)
            aliases = {alias or table: table for table, alias in named}
            binds = dict.fromkeys(re.findall(r":(\w+)", statement.sqlite))
            steps = [
                step
                for one in statements_in(statement.sqlite)
                for step in connection.execute(f"EXPLAIN QUERY PLAN {one}", binds)
            ]
            scans = {match[1] for step in steps if (match := re.match(r"SCAN (\w+)$", step[3]))}
            if read := {aliases.get(one, one) for one in scans} & tables:
                found[name] = read
    finally:
        connection.close()
    return found
