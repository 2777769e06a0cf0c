"""The rows of a SQLite file as text for another engine, and such text put into a new file."""

import asyncio
import os
import re
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from builtin_plugins.sqlite.connection import run_script
from builtin_plugins.sqlite.copies import COPY_FILE, FileRestoration, driver_errors_translated, place_beside
from builtin_plugins.sqlite.file import FileLock, database_path, prepare_file
from guildhall_sdk.engines.engine import DatabaseDamaged, DatabaseUnreachable, RestoredSchema
from guildhall_sdk.engines.pools import Progress, TableChecksum, TableText
from libs.row_digest import LinesDigest

_CHUNK = 1024 * 1024
_ROWS = 2000
# Without virtual tables and those that they are made of.
_TABLES = (
    "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'"
    " AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
)
# As `COPY` writes them.
_ESCAPES = {"\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\v": "\\v", "\f": "\\f", "\r": "\\r"}
_ESCAPED = re.compile(rb"\\(.)", re.DOTALL)
_MEANT = {written[1].encode(): meant.encode() for meant, written in _ESCAPES.items()}


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    declared: str

    @property
    def quoted(self) -> str:
        return quoted(self.name)

    @property
    def text(self) -> str:
        """The expression that writes a value as `COPY` does; SQLite's own functions are the quick ones."""
        if self._is("BLOB", "BYTEA"):
            return f"CASE WHEN {self.quoted} IS NULL THEN '\\N' ELSE '\\\\x' || lower(hex({self.quoted})) END"
        if self._is("INT"):
            return f"COALESCE({self.quoted}, '\\N')"
        if self._is("REAL", "FLOA", "DOUB"):
            return f"COALESCE(float_text({self.quoted}), '\\N')"
        text = self.quoted
        for meant, written in _ESCAPES.items():
            text = f"replace({text}, char({ord(meant)}), '{written}')"
        return f"COALESCE({text}, '\\N')"

    @property
    def read(self) -> Callable[[bytes], Any]:
        """Reads a value that is not null."""
        if self._is("BLOB", "BYTEA"):
            return lambda value: bytes.fromhex(_unescaped(value)[2:])
        if self._is("REAL", "FLOA", "DOUB"):
            return float
        return _unescaped

    def _is(self, *parts: str) -> bool:
        return any(part in self.declared.upper() for part in parts)


def _unescaped(value: bytes) -> str:
    if b"\\" in value:
        value = _ESCAPED.sub(lambda found: _MEANT.get(found[1], found[1]), value)
    return value.decode()


def float_text(value: float | None) -> str | None:
    """Returns a number with the fewest digits that give it back, in PostgreSQL's form."""
    if value is None:
        return None
    text = repr(float(value))
    if text in ("inf", "-inf", "nan"):
        return {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN"}[text]
    if "e" not in text and abs(value) >= 1e15:  # Python changes to an exponent one digit later
        digits = text.removeprefix("-").removesuffix(".0").rstrip("0")
        point = f"{digits[0]}.{digits[1:]}".removesuffix(".")
        return f"{'-' if value < 0 else ''}{point}e+15"
    return text.removesuffix(".0")


class FileTexts:
    """The tables of a file that nobody writes to."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.sequences: Mapping[str, int] = {
            f"{name}.{column}": number
            for name, column, number in connection.execute(
                "SELECT s.name, c.name, s.seq FROM sqlite_sequence AS s JOIN pragma_table_xinfo(s.name) AS c"
                " WHERE c.pk = 1"
            )
        }

    def tables(self) -> Iterator[TableText]:
        for (name,) in self._connection.execute(_TABLES).fetchall():
            columns = columns_of(self._connection, name)
            yield TableText(name, [one.name for one in columns], self._lines(name, columns))

    def _lines(self, table: str, columns: Sequence[Column]) -> Iterator[bytes]:
        line = " || char(9) || ".join(column.text for column in columns)
        pending, size = list[bytes](), 0
        for (text,) in self._connection.execute(f"SELECT CAST({line} AS BLOB) FROM {quoted(table)}"):
            pending.append(text)
            size += len(text)
            if size >= _CHUNK:
                yield b"\n".join(pending) + b"\n"
                pending, size = [], 0
        if pending:
            yield b"\n".join(pending) + b"\n"

    def checksums(self) -> Mapping[str, TableChecksum]:
        found = {}
        for text in self.tables():
            digest = LinesDigest()
            for chunk in text.chunks:
                digest.update(chunk)
            found[text.table] = TableChecksum(*digest.result())
        return found


def columns_of(connection: sqlite3.Connection, table: str) -> list[Column]:
    rows = connection.execute("SELECT name, type FROM pragma_table_xinfo(?) WHERE hidden = 0", (table,))
    return [Column(name, declared) for name, declared in rows]


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _opened(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    connection.create_function("float_text", 1, float_text, deterministic=True)
    return connection


@asynccontextmanager
async def texts_of(source: Path | str) -> AsyncIterator[FileTexts]:
    """Opens a copy, or the file of a URL, that no server opens as long as the block runs."""
    lock = None
    if isinstance(source, str):
        path = database_path(source)
        prepare_file(path, must_exist=True)
        lock = FileLock(path)
    else:
        path = source / COPY_FILE
    try:
        with driver_errors_translated(path), closing(_opened(path)) as connection:
            connection.execute("PRAGMA query_only=ON")
            connection.execute("BEGIN")
            yield FileTexts(connection)
    finally:
        if lock is not None:
            lock.release()


@asynccontextmanager
async def texts_put_in(
    target: Path, texts: Iterable[TableText], schema: RestoredSchema, progress: Progress, *, replace: bool
) -> AsyncIterator[FileRestoration]:
    with place_beside(target, replace=replace) as beside, driver_errors_translated(beside):
        tables = await asyncio.to_thread(_make, beside, texts, schema, progress)
        yield FileRestoration(target, beside, tables)


def _make(
    path: Path, texts: Iterable[TableText], schema: RestoredSchema, progress: Progress
) -> Mapping[str, TableChecksum]:
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    with closing(_opened(path)) as connection:
        # It has another name until it is whole, and is flushed before it gets its own.
        connection.execute("PRAGMA synchronous=OFF")
        connection.execute("PRAGMA foreign_keys=OFF")
        for step in schema.steps:
            connection.execute("BEGIN")
            run_script(connection, step)
            connection.execute("COMMIT")
        connection.execute("BEGIN")
        triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {quoted(name)}")
        for (name,) in connection.execute(_TABLES).fetchall():
            if name not in schema.kept:
                connection.execute(f"DELETE FROM {quoted(name)}")
        for text in texts:
            if text.table not in schema.kept:
                progress("table", text.table)
                _fill(connection, text)
        for _, made in triggers:
            connection.execute(made)
        for column, number in schema.sequences.items():
            connection.execute(
                "UPDATE sqlite_sequence SET seq = MAX(seq, ?) WHERE name = ?", (number, column.split(".")[0])
            )
        if orphan := connection.execute("PRAGMA foreign_key_check").fetchone():
            raise DatabaseDamaged(f"rows of {orphan[0]} point at nothing in {orphan[2]}", "what was read")
        connection.execute("COMMIT")
        progress("tables", "comparing")
        return FileTexts(connection).checksums()


def _fill(connection: sqlite3.Connection, text: TableText) -> None:
    columns = {column.name: column for column in columns_of(connection, text.table)}
    if not columns or set(text.columns) - columns.keys():
        raise DatabaseUnreachable(f"the table {text.table} is not one that SQLite has")
    into = [columns[name] for name in text.columns or columns]
    reads = [column.read for column in into]
    marks, names = ", ".join("?" * len(into)), ", ".join(column.quoted for column in into)
    statement = f"INSERT INTO {quoted(text.table)} ({names}) VALUES ({marks})"
    for chunk in text.chunks:
        connection.executemany(statement, (_row(line, reads) for line in chunk.split(b"\n")[:-1]))


def _row(line: bytes, reads: Sequence[Callable[[bytes], Any]]) -> list[Any]:
    values = line.split(b"\t")
    return [None if value == b"\\N" else read(value) for read, value in zip(reads, values, strict=True)]
