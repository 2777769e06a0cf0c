"""Searching by words and meaning must cost no more than twice a search by words alone.

Measured at the service, without HTTP around it, over a hundred thousand notes of one company, each with one
passage, embedded by the model inside: how many of those a core makes is printed, and what their codes take in
memory. A question is a new one each time, as people ask it; its words are rare or common.
"""

import asyncio
import random
import re
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, ExitStack
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any

import asyncpg

from bench.guildhall import postgresql
from bench.report import Aim, Report
from bench.rounds import take_turns
from bench.subjects.search import _caller as caller_of
from builtin_plugins.embeddings.models import EmbeddingModels
from builtin_plugins.embeddings.static_model import loaded
from builtin_plugins.embeddings.stores import Stores, TableStore
from builtin_plugins.embeddings.storing import insert_passages, working_for
from builtin_plugins.search.indexing import document_binds, take_apart
from builtin_plugins.search.indexing import sql as search_sql
from guildhall_sdk import Statement
from guildhall_sdk.services.search import Findable, Search, SearchMode
from guildhall_testing.servers import running_server, settings_from
from kernel.boot import Server

NAME = "retrieval"
NOTES = 100_000
DATABASES = ["SQLite", "PostgreSQL"]
ROUNDS = 5
REPEATS = 5
AT_ONCE = 500
WORDS_PER_NOTE = 60
_DOCS = Path(__file__).parents[2] / "docs"
_KINDS = {"rare words": slice(3_000, 6_000), "common words": slice(20, 200)}


def _both(text: str) -> Statement:
    return Statement("fill", text, text)


_FILL = (
    _both("INSERT INTO orgs (id, slug, name, plan, created_at) VALUES ('org', 'org', 'Company', 'team', 0)"),
    _both("INSERT INTO teams (id, org_id, slug, name, created_at) VALUES ('team', 'org', 'team', 'Team', 0)"),
    _both(
        "INSERT INTO users (id, org_id, username, username_key, display_name, locale, operator, two_factor, "
        "created_at) VALUES ('member', 'org', 'member', 'member', 'member', 'en', 0, 0, 0)"
    ),
)
_NOTES = _both(
    "INSERT INTO notes (id, org_id, team_id, owner_id, visibility, revision, created_at, updated_at, size, "
    "title, body) SELECT ref_id, org_id, team_id, 'member', 'team', 1, 0, 0, 0, title, excerpt "
    "FROM search_documents"
)


def run(report: Report) -> None:
    if loaded() is None:
        return
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-")))
        cluster = stack.enter_context(postgresql())
        runner = stack.enter_context(asyncio.Runner())
        for database, url in (
            ("SQLite", f"sqlite:///{folder / 'retrieval.db'}"),
            ("PostgreSQL", cluster.create_database()),
        ):
            if database not in DATABASES:
                continue
            data = folder / database
            data.mkdir()
            environment = {"SERVICE_DATA": str(data), "SERVICE_DATABASE_URL": url, "SERVICE_EMBEDDINGS": "1"}
            open_servers = AsyncExitStack()
            server = runner.run(open_servers.enter_async_context(running_server(settings_from(environment))))
            try:
                runner.run(_fill(report, server, database))
                _compare(report, runner, server, database)
            finally:
                runner.run(open_servers.aclose())


def _words() -> list[str]:
    """Returns the words of our own documentation, the most common first."""
    times: dict[str, int] = {}
    for page in sorted(_DOCS.glob("*.md")):
        for word in re.findall(r"[a-z]{3,}", page.read_text("utf-8").lower()):
            times[word] = times.get(word, 0) + 1
    return sorted(times, key=lambda word: -times[word])


def _texts() -> Iterator[str]:
    words, chance = _words(), random.Random(5)
    likelihood = [1 / (number + 10) for number in range(len(words))]
    while True:
        yield " ".join(chance.choices(words, likelihood, k=WORDS_PER_NOTE))


async def _fill(report: Report, server: Server, database: str) -> None:
    model, texts = loaded(), _texts()
    assert model is not None
    models, stores = server.service(EmbeddingModels), server.service(Stores)
    async with server.data.write() as writer:
        for statement in _FILL:
            await writer.run(statement)
    principal = working_for("org", "team")
    async with server.data.read() as reader:
        chosen = await models.chosen(reader, principal)
    assert chosen is not None
    space, seconds = await models.space(principal, chosen), 0.0
    for start in range(0, NOTES, AT_ONCE):
        some = [next(texts) for _ in range(min(AT_ONCE, NOTES - start))]
        began = time.perf_counter()
        vectors = list(model.embed(some))
        seconds += time.perf_counter() - began
        async with server.data.write(durable=False) as writer:
            for number, text in enumerate(some, start):
                found = Findable("note", f"note_{number:07}", "org", "team", text[:30], text)
                await writer.run(search_sql.put_document, **document_binds(found, take_apart(found), None))
            rows = [_passage(number, text) for number, text in enumerate(some, start)]
            await insert_passages(writer, stores, space, rows, vectors)
    async with server.data.write() as writer:
        await writer.run(_NOTES)
    if server.data.dialect == "postgresql":
        # As the autovacuum of a real installation would.
        connection = await asyncpg.connect(server.settings.database_url)
        try:
            await connection.execute("VACUUM ANALYZE")
        finally:
            await connection.close()
    report.reading(NAME, f"passages that a core embeds, {database}", [NOTES / seconds], "/s")


def _passage(number: int, text: str) -> dict[str, Any]:
    places = dict.fromkeys(("build", "heading", "page", "sheet", "line"))
    owners = {"org_id": "org", "team_id": "team", "type": "note", "ref_id": f"note_{number:07}"}
    return {**places, **owners, "ordinal": 0, "title": text[:30], "text": text}


def _compare(report: Report, runner: asyncio.Runner, server: Server, database: str) -> None:
    words, chance, numbers = _words(), random.Random(9), count()

    def asked(kind: slice) -> str:
        next(numbers)
        return " ".join(chance.sample(words[kind] or words, 2))

    def search(mode: SearchMode, kind: slice) -> float:
        return runner.run(_timed(server, mode, [asked(kind) for _ in range(REPEATS)]))

    search("hybrid", _KINDS["common words"])  # the codes are read once
    for name, kind in _KINDS.items():
        contestants = {mode: partial(search, mode, kind) for mode in ("words", "hybrid", "meaning")}
        taken = take_turns(contestants, ROUNDS)
        what = f"a search by words and meaning, {name}, {database}"
        report.compare(NAME, what, taken["hybrid"], "by words alone", taken["words"], Aim(2.0))
        for mode, times in taken.items():
            report.reading(NAME, f"{name}, {mode}, {database}", times, "µs")
    store = server.service(Stores).store
    if isinstance(store, TableStore):
        size = sum(codes.size for codes in store._kept.values())
        report.reading(
            NAME, f"memory of the codes of 100,000 passages, {database}", [size / NOTES / 10.48576], "MiB"
        )


async def _timed(server: Server, mode: SearchMode, questions: Sequence[str]) -> float:
    """The median of a few, in microseconds."""
    taken, principal = [], caller_of("member", "team")
    for question in questions:
        began = time.perf_counter()
        await server.service(Search).find(principal, question, mode=mode, limit=20)
        taken.append(time.perf_counter() - began)
    return median(taken) * 1e6
