"""Entities and neighbourhoods with everybody's rights in them must cost at most twice the bare queries.

Measured at the plugin itself, without HTTP around it, over a hundred thousand mentions of the caller's team,
beside a thousand and a hundred thousand of other companies. The bare queries are the same without the rule of
who may read a document.
"""

import asyncio
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import asyncpg

import builtin_plugins.knowledge
import builtin_plugins.repo
import builtin_plugins.search
import kernel
from bench.guildhall import postgresql
from bench.report import Aim, Report
from bench.rounds import take_turns
from builtin_plugins.knowledge.entities import list_page
from builtin_plugins.knowledge.graphs import neighbourhood
from builtin_plugins.knowledge.statements import Readable
from builtin_plugins.repo.texts import OBJECTS
from guildhall_sdk import Credential, Principal, Statement
from guildhall_sdk.services.repository import Repository
from guildhall_testing.databases import database_at
from kernel.db.database import Database
from kernel.db.migrations import migrate
from libs.migration_files import MigrationSource

NAME = "knowledge"
MENTIONS = 100_000
FEW, MANY = 1_000, 100_000
PER_ENTITY, PER_DOCUMENT, COMPANIES = 5, 20, 10
ROUNDS = 31

_BARE = Statement("readable", "SELECT 1", "SELECT 1")
_ASKED = ("a page of entities", "entities by name", "a neighbourhood")

Table = tuple[str, list[str], Iterator[tuple[Any, ...]]]


@dataclass(frozen=True, slots=True)
class Graph:
    """A filled database, and the loop that it is asked on."""

    runner: asyncio.Runner
    data: Database

    def ask(self, what: str, rule: Statement) -> float:
        """Returns the microseconds that an answer takes."""
        return self.runner.run(self._ask(what, rule)) * 1e6

    async def _ask(self, what: str, rule: Statement) -> float:
        repository = cast(Repository, SimpleNamespace(readable=rule, readable_in_org=rule))
        readable = Readable(repository, _caller(), 0)
        began = time.perf_counter()
        async with self.data.read() as reader:
            if what == "a neighbourhood":
                await neighbourhood(reader, readable, f"ent_0_{MENTIONS // PER_ENTITY // 2:08}", 2)
            else:
                await list_page(reader, readable, "77" if what == "entities by name" else "", None, None, 51)
        return time.perf_counter() - began


def run(report: Report) -> None:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-")))
        cluster = stack.enter_context(postgresql())
        runner = stack.enter_context(asyncio.Runner())
        for database in ("SQLite", "PostgreSQL"):
            graphs = {}
            for others in (FEW, MANY):
                url = (
                    f"sqlite:///{folder / f'{others}.db'}"
                    if database == "SQLite"
                    else cluster.create_database()
                )
                data = database_at(url)
                runner.run(_fill(data, url, others))
                stack.callback(runner.run, data.disconnect())
                graphs[others] = Graph(runner, data)
            for what in _ASKED:
                _compare(report, graphs, what, database)


def _compare(report: Report, graphs: dict[int, Graph], what: str, database: str) -> None:
    contestants = {
        "bare": partial(graphs[MANY].ask, what, _BARE),
        "many": partial(graphs[MANY].ask, what, OBJECTS.readable),
        "few": partial(graphs[FEW].ask, what, OBJECTS.readable),
    }
    taken = take_turns(contestants, ROUNDS)
    title = f"{what}, {database}"
    report.compare(NAME, title, taken["many"], "without rights", taken["bare"], Aim(2.0))
    against = f"beside {FEW:,} of others, not {MANY:,}"
    report.compare(NAME, title, taken["many"], against, taken["few"], Aim(1.2))
    report.reading(NAME, title, taken["many"], "µs")


async def _fill(data: Database, url: str, others: int) -> None:
    await data.connect()
    for owner, module in (
        ("kernel", kernel),
        ("search", builtin_plugins.search),
        ("repo", builtin_plugins.repo),
        ("knowledge", builtin_plugins.knowledge),
    ):
        await migrate(data, [MigrationSource(owner, Path(str(module.__file__)).with_name("migrations"))], 0)
    sizes = [MENTIONS, *(others // COMPANIES for _ in range(COMPANIES))]
    tables = [table for company, size in enumerate(sizes) for table in _tables(company, size)]
    await (_put_sqlite(url, tables) if data.dialect == "sqlite" else _put_postgresql(url, tables))


async def _put_sqlite(url: str, tables: list[Table]) -> None:
    connection = sqlite3.connect(url.removeprefix("sqlite:///"))
    try:
        for table, columns, rows in tables:
            marks = ", ".join("?" * len(columns))
            connection.executemany(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", rows)
        connection.commit()
    finally:
        connection.close()


async def _put_postgresql(url: str, tables: list[Table]) -> None:
    connection = await asyncpg.connect(url)
    try:
        for table, columns, rows in tables:
            await connection.copy_records_to_table(table, columns=columns, records=rows)
        # As the autovacuum of a real installation would.
        await connection.execute("VACUUM ANALYZE")
    finally:
        await connection.close()


def _tables(company: int, mentions: int) -> Iterator[Table]:
    """Yields a company with a team, a person, documents, and entities each related to the three before it."""
    org, team, user = f"org_{company}", f"team_{company}", f"usr_{company}"
    entities, documents = max(mentions // PER_ENTITY, 1), max(mentions // PER_DOCUMENT, 1)
    yield "orgs", ["id", "slug", "name", "plan", "created_at"], iter([(org, org, org, "team", 0)])
    yield "teams", ["id", "org_id", "slug", "name", "created_at"], iter([(team, org, team, team, 0)])
    person = ["id", "org_id", "username", "username_key", "display_name", "locale", "operator", "two_factor"]
    yield "users", [*person, "created_at"], iter([(user, org, user, user, user, "en", 0, 0, 0)])
    where = (org, team)
    every = [f"{company}_{n:08}" for n in range(max(mentions, 3 * entities))]
    read = [(f"obj_{every[n % documents]}", f"ver_{every[n % documents]}") for n in range(len(every))]
    columns = "id newest_id org_id team_id owner_id key visibility revision last_number present document"
    yield (
        "objects",
        [*columns.split(), "text_status", "created_at", "updated_at"],
        ((*one, *where, user, one[0], "team", 1, 1, 1, 1, "indexed", 0, 0) for one in read[:documents]),
    )
    columns = "id root_id org_id team_id extracted_type type folded name created_at updated_at"
    yield (
        "kg_entities",
        columns.split(),
        (
            (f"ent_{one}", f"ent_{one}", *where, "place", "place", f"port {one}", f"Port {one}", 0, 0)
            for one in every[:entities]
        ),
    )
    columns = "id entity_id ref_id version_id org_id team_id name snippet"
    yield (
        "kg_mentions",
        columns.split(),
        (
            (f"men_{every[n]}", f"ent_{every[n % entities]}", *read[n], *where, "Port", "Ships sail to Port.")
            for n in range(mentions)
        ),
    )
    columns = "id subject_id target_id ref_id version_id org_id team_id predicate quote"
    ends = [(f"ent_{every[n // 3]}", f"ent_{every[max(n // 3 - 1 - n % 3, 0)]}") for n in range(3 * entities)]
    yield (
        "kg_relations",
        columns.split(),
        (
            (f"rel_{every[n]}", *ends[n], *read[n], *where, "leads to", "Ships sail.")
            for n in range(3 * entities)
        ),
    )


def _caller() -> Principal:
    return Principal(
        user_id="member",
        username="member",
        display_name="member",
        locale="en",
        two_factor=False,
        operator=False,
        team_id="team_0",
        team_name="team_0",
        role="member",
        org_id="org_0",
        org_slug="org_0",
        org_name="org_0",
        org_role=None,
        org_suspended=False,
        credential=Credential("token", "session", None, None),
        permissions=frozenset({"files:read"}),
    )
