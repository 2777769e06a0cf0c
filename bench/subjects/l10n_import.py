"""Importing 10,000 messages of a language, against `executemany` of the rows that this makes.

Ours is the whole request: the files are read and judged, every part commits durably, and the answer waits
until no process serves what was there before. Theirs is given the rows, and commits once.
"""

import asyncio
import json
import sqlite3
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import asyncpg

from bench.guildhall import beside_a_copy, found, postgresql
from bench.report import Aim, Report
from bench.rounds import take_turns
from bench.servers import Server

NAME = "l10n-import"
MESSAGES = 10_000
ROUNDS = 9
LOCALES = (
    "de",
    "fr",
    "it",
    "pt",
    "sv",
    "da",
    "fi",
    "pl",
    "cs",
    "hu",
    "ro",
    "tr",
    "el",
    "sk",
    "sl",
    "hr",
    "lt",
    "lv",
)
_TABLES = ("l10n_messages", "l10n_history")
_SELECT = {
    "l10n_messages": "SELECT * FROM l10n_messages WHERE locale = '{}'",
    "l10n_history": "SELECT * FROM l10n_history WHERE message_id IN"
    " (SELECT id FROM l10n_messages WHERE locale = '{}')",
}
Rows = Mapping[str, Sequence[Sequence[Any]]]


def run(report: Report) -> None:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-")))
        cluster = stack.enter_context(postgresql(durable=True))
        for name in ("SQLite", "PostgreSQL"):
            with beside_a_copy(name, folder, cluster) as (data, urls, server):
                token = found(server).token
                bare = _Bare(data, urls)
                locales = iter(LOCALES)
                _put_file(data[0], "en", "Text number")
                server.ask("POST", "/api/l10n/import", {"locale": next(locales)}, token)
                seconds = take_turns({"both": partial(_turn, server, token, data[0], bare, locales)}, ROUNDS)
            ours, theirs = zip(*seconds["both"], strict=True)
            what = f"importing {MESSAGES:,} messages on {name}"
            report.compare(NAME, what, ours, "executemany of the same rows", theirs, Aim(3.0))
            report.reading(NAME, what, [1000 * one for one in ours], "ms")
            report.reading(NAME, f"executemany on {name}", [1000 * one for one in theirs], "ms")


def _turn(
    server: Server, token: str, data: Path, bare: "_Bare", locales: Iterator[str]
) -> tuple[float, float]:
    locale = next(locales)
    _put_file(data, locale, "Texte numéro")
    began = time.perf_counter()
    server.ask("POST", "/api/l10n/import", {"locale": locale}, token)
    ours = time.perf_counter() - began
    # An import reads the files of all languages; there is one beside the source each time.
    (data / "locales" / f"{locale}.json").unlink()
    rows = bare.read(locale)
    began = time.perf_counter()
    bare.insert(rows)
    return ours, time.perf_counter() - began


def _put_file(data: Path, locale: str, words: str) -> None:
    """One text in ten has an argument, and one in fifty a plural."""
    texts = {f"bench.k{number:05}": _text(words, number) for number in range(MESSAGES)}
    (data / "locales").mkdir(exist_ok=True)
    (data / "locales" / f"{locale}.json").write_text(json.dumps(texts), "utf-8")


def _text(words: str, number: int) -> str:
    if number % 50 == 0:
        return f"{{count, plural, one {{# {words} {number}}} other {{# {words} {number}, as is}}}}"
    argument = " of {name}" if number % 10 == 0 else ""
    return f"{words} {number}{argument}, which a screen shows where there is room for it"


class _Bare:
    """The tables of two servers: rows are read from the one, and inserted into the other as they are."""

    def __init__(self, data: Sequence[Path], urls: Sequence[str | None]) -> None:
        self._files = [folder / "guildhall.db" for folder in data]
        self._urls = urls

    def read(self, locale: str) -> Rows:
        selects = {table: select.format(locale) for table, select in _SELECT.items()}
        if self._urls[0] is not None:
            return asyncio.run(_fetch(self._urls[0], selects))
        connection = sqlite3.connect(self._files[0])
        try:
            return {table: connection.execute(select).fetchall() for table, select in selects.items()}
        finally:
            connection.close()

    def insert(self, rows: Rows) -> None:
        if self._urls[1] is not None:
            asyncio.run(_insert(self._urls[1], rows))
            return
        connection = sqlite3.connect(self._files[1])
        try:
            for pragma in ("synchronous=FULL", "foreign_keys=ON", "temp_store=MEMORY", "cache_size=-16000"):
                connection.execute(f"PRAGMA {pragma}")
            with connection:
                for table in _TABLES:
                    marks = ", ".join("?" * len(rows[table][0]))
                    connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows[table])
        finally:
            connection.close()


async def _fetch(url: str, selects: Mapping[str, str]) -> Rows:
    connection = await asyncpg.connect(url)
    try:
        return {table: [tuple(row) for row in await connection.fetch(one)] for table, one in selects.items()}
    finally:
        await connection.close()


async def _insert(url: str, rows: Rows) -> None:
    connection = await asyncpg.connect(url)
    try:
        async with connection.transaction():
            for table in _TABLES:
                marks = ", ".join(f"${number + 1}" for number in range(len(rows[table][0])))
                await connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows[table])
    finally:
        await connection.close()
