"""A search with everybody's rights in it must cost no more than twice a bare full-text query.

Measured at the plugin itself, without HTTP around it, over a hundred thousand notes. The bare query is
what one would write without rights: FTS5 with its bm25 and snippets, or PostgreSQL with ts_rank_cd and
ts_headline, best first, over the same texts and through the same door.
"""

import asyncio
import random
import sqlite3
import tempfile
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from pathlib import Path
from statistics import median
from typing import Any

import asyncpg

import builtin_plugins.notes
import builtin_plugins.search
import kernel
from bench.guildhall import postgresql
from bench.report import Aim, Report
from bench.rounds import take_turns
from builtin_plugins.search.finding import Question, find, present
from builtin_plugins.search.indexing import Indexed, document_binds, sql, take_apart
from builtin_plugins.sqlite.connection import fetch
from guildhall_sdk import Credential, Principal, SearchSource, Statement
from guildhall_sdk.services.search import Findable
from guildhall_testing.databases import database_at
from kernel.db.database import Database
from kernel.db.migrations import migrate
from libs.migration_files import MigrationSource
from libs.sql_binds import numbered

NAME = "search"
NOTES = 100_000
SHARED = 20
WORDS_PER_NOTE = 60
VOCABULARY = [f"{chr(97 + n % 26)}{n:x}" for n in range(20_000)]
LIKELIHOOD = list(accumulate(1 / (n + 3) for n in range(len(VOCABULARY))))
# In about nine notes of ten, in a quarter, in one of seventy, in forty.
ASKED = {"everywhere": 0, "common": 20, "usual": 500, "rare": 15_000}
ROUNDS = 11
REPEATS = 3
FETCHED = 51

Work = Callable[[], Coroutine[Any, Any, object]]


def _both(text: str) -> Statement:
    return Statement("fill", text, text)


_PLACES = (
    _both("INSERT INTO orgs (id, slug, name, plan, created_at) VALUES ('org', 'org', 'Company', 'team', 0)"),
    _both("INSERT INTO teams (id, org_id, slug, name, created_at) VALUES ('team', 'org', 'team', 'Team', 0)"),
    _both(
        "INSERT INTO teams (id, org_id, slug, name, created_at) VALUES ('other', 'org', 'other', 'Other', 0)"
    ),
)
_PERSON = _both(
    "INSERT INTO users (id, org_id, username, username_key, display_name, locale, operator, two_factor, "
    "created_at) VALUES (:id, 'org', :id, :id, :id, 'en', 0, 0, 0)"
)
_NOTES = _both(
    "INSERT INTO notes (id, org_id, team_id, owner_id, visibility, revision, created_at, updated_at, size, "
    "title, body) SELECT ref_id, org_id, team_id, 'author', 'team', 1, 0, 0, 0, title, excerpt "
    "FROM search_documents"
)
_SHARES = _both(
    "INSERT INTO note_shares (note_id, user_id, org_id, permission, created_at) "
    f"SELECT id, 'guest', 'org', 'notes:read', 0 FROM notes ORDER BY body LIMIT {SHARED}"
)
_BARE = Statement(
    "bare",
    "CREATE VIRTUAL TABLE bare USING fts5 (title, body, tokenize = 'unicode61 remove_diacritics 2')",
    "CREATE TABLE bare (id BIGINT PRIMARY KEY, title TEXT, body TEXT, words TSVECTOR)",
)
_FILL_BARE = Statement(
    "fill_bare",
    "INSERT INTO bare (rowid, title, body) SELECT id, title, excerpt FROM search_documents",
    "INSERT INTO bare (id, title, body, words) SELECT id, title, excerpt, "
    "setweight(to_tsvector('simple', title), 'A') || to_tsvector('simple', excerpt) FROM search_documents",
)
_INDEX_BARE = Statement("index_bare", "SELECT 1", "CREATE INDEX bare_words ON bare USING gin (words)")
_ASK_BARE = Statement(
    "ask_bare",
    "SELECT rowid, title, snippet(bare, 1, '[', ']', '…', 32) AS snippet FROM bare WHERE bare MATCH :typed "
    "ORDER BY rank LIMIT :limit",
    "SELECT id, title, ts_headline('simple', body, query) FROM (SELECT id, title, body, query FROM bare, "
    "CAST(CAST(:typed AS TEXT) AS TSQUERY) AS query WHERE words @@ query "
    "ORDER BY ts_rank_cd(words, query) DESC LIMIT :limit) AS best",
)


@dataclass(frozen=True, slots=True)
class Library:
    """A filled database, and the loop that it is asked on."""

    runner: asyncio.Runner
    data: Database

    def bare(self, typed: str) -> float:
        return self.runner.run(_timed(partial(self._ask_bare, typed)))

    def search(self, typed: str, caller: Principal) -> float:
        return self.runner.run(_timed(partial(self._search, typed, caller)))

    async def _ask_bare(self, typed: str) -> None:
        async with self.data.read() as reader:
            await reader.all(_ASK_BARE, typed=typed, limit=FETCHED)

    async def _search(self, typed: str, caller: Principal) -> None:
        sources = builtin_plugins.notes.declare_search_sources()
        search = Question(f'"{typed}"', sources, False, None, FETCHED)
        async with self.data.read() as reader:
            found = await find(reader, caller, search, 0, _refuse)
        await present(found, caller, search)


def _refuse(source: SearchSource, error: Exception) -> None:
    raise error


async def _timed(work: Work) -> float:
    """The median of a few, in microseconds."""
    taken = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        await work()
        taken.append(time.perf_counter() - began)
    return median(taken) * 1e6


def run(report: Report) -> None:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-")))
        cluster = stack.enter_context(postgresql())
        runner = stack.enter_context(asyncio.Runner())
        for database, url in (
            ("SQLite", f"sqlite:///{folder / 'search.db'}"),
            ("PostgreSQL", cluster.create_database()),
        ):
            with _filled(runner, url) as library:
                _compare(report, library, database)


def _compare(report: Report, library: Library, database: str) -> None:
    for how, number in ASKED.items():
        typed = VOCABULARY[number]
        contestants = {
            "bare": partial(library.bare, typed),
            "who reads all": partial(library.search, typed, _caller("member", "team")),
            "who reads few": partial(library.search, typed, _caller("guest", "other")),
        }
        taken = take_turns(contestants, ROUNDS)
        for who in ("who reads all", "who reads few"):
            what = f"a word that is {how}, {who}, {database}"
            # To find a few among all the hits, each of those must be judged once.
            aim = Aim(2.0) if who == "who reads all" else None
            report.compare(NAME, what, taken[who], "the bare query", taken["bare"], aim)
            report.reading(NAME, what, taken[who], "µs")
        report.reading(NAME, f"a word that is {how}, the bare query, {database}", taken["bare"], "µs")


@contextmanager
def _filled(runner: asyncio.Runner, url: str) -> Iterator[Library]:
    data = database_at(url)
    runner.run(_fill(data, url))
    try:
        yield Library(runner, data)
    finally:
        runner.run(data.disconnect())


async def _fill(data: Database, url: str) -> None:
    await data.connect()
    for owner, module in (
        ("kernel", kernel),
        ("search", builtin_plugins.search),
        ("notes", builtin_plugins.notes),
    ):
        await migrate(data, [MigrationSource(owner, Path(str(module.__file__)).with_name("migrations"))], 0)
    async with data.write() as writer:
        for place in _PLACES:
            await writer.run(place)
        for person in ("author", "member", "guest"):
            await writer.run(_PERSON, id=person)
    await (_put_sqlite(url) if data.dialect == "sqlite" else _put_postgresql(url))
    async with data.write() as writer:
        for statement in (_NOTES, _SHARES, _BARE, _FILL_BARE, _INDEX_BARE):
            await writer.run(statement)
    if data.dialect == "postgresql":
        # As the autovacuum of a real installation would.
        connection = await asyncpg.connect(url)
        try:
            await connection.execute("VACUUM ANALYZE")
        finally:
            await connection.close()


def _documents() -> Iterator[tuple[Findable, Indexed]]:
    chance = random.Random(5)
    for number in range(NOTES):
        words = chance.choices(VOCABULARY, cum_weights=LIKELIHOOD, k=WORDS_PER_NOTE)
        title, text = " ".join(words[:4]), " ".join(words[4:])
        found = Findable("note", f"note_{number:06}", "org", "team", title, text)
        yield found, take_apart(found)


async def _put_sqlite(url: str) -> None:
    connection = sqlite3.connect(url.removeprefix("sqlite:///"))
    try:
        for found, indexed in _documents():
            fetch(connection, sql.put_document.sqlite, document_binds(found, indexed, None))
        connection.commit()
    finally:
        connection.close()


async def _put_postgresql(url: str) -> None:
    text, names = numbered(sql.put_document.postgresql)
    connection = await asyncpg.connect(url)
    try:
        rows = (document_binds(found, indexed, None) for found, indexed in _documents())
        await connection.executemany(text, ([row[name] for name in names] for row in rows))
    finally:
        await connection.close()


def _caller(user_id: str, team_id: str) -> Principal:
    return Principal(
        user_id=user_id,
        username=user_id,
        display_name=user_id,
        locale="en",
        two_factor=False,
        operator=False,
        team_id=team_id,
        team_name=team_id,
        role="member",
        org_id="org",
        org_slug="org",
        org_name="Company",
        org_role=None,
        org_suspended=False,
        credential=Credential("token", "session", None, None),
        permissions=frozenset({"files:read", "notes:read", "search"}),
    )
