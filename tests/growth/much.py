"""Four thousand rows in a table, whatever its columns are: names and types say what is put there."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import asyncpg

MANY = 4_000
#: How many different ones there are of what many rows share.
_SHARED = {"org_id": MANY // 100, "team_id": MANY // 10, "old_in": MANY // 10}
_OF_PEOPLE = re.compile(r"user_id|owner_id|principal_id|\w+_by|account|address|subnet")
_OF_FEW = re.compile(
    r"kind|state|status|pool|mode|model|locale|target|source|ns|role|stage|type|extracted_type|event|subscription"
    r"|action|outcome|credential|dimension|content_type|chain|requirement|\w+_type|predicate"
)
_FLAG = re.compile(
    r"present|marker|document|vacant|listed|operator|two_factor|active|simulated|untranslated|honeypot"
    r"|forgiven|returned|in_process|cancel_requested|landed|enabled"
)


@dataclass(frozen=True, slots=True)
class Column:
    """A column; of a `unique` one each row has another value."""

    name: str
    type: str
    nullable: bool
    choices: Sequence[str]
    unique: bool = False

    def value(self) -> str:
        """Returns the SQL of its value in the row `i`; what can be missing is missing in three of four."""
        found = self._value()
        missing = self.nullable and self.name not in ("org_id", "team_id", "user_id")
        return f"CASE WHEN i % 4 = 0 THEN {found} END" if missing else found

    @property
    def differs(self) -> bool:
        """Whether each row has another value anyway."""
        return self._value() in ("i", _numbered("i"))

    def _value(self) -> str:
        kind = self.type.upper()
        if kind in ("BYTEA", "BLOB", "TSVECTOR"):
            return f"CAST('x' AS {self.type})"
        if self.name == "blocked_by":
            return "CASE WHEN i % 1000 = 0 THEN 'limit' END"
        if self.name in ("priority", "waiting"):
            return "CASE WHEN i % 1000 = 0 THEN 1 ELSE 0 END"
        if self.choices:
            return f"CASE i % {len(self.choices)} {_whens(self.choices)} END"
        if _is_number(self):
            return "i % 2" if _FLAG.fullmatch(self.name) else "i"
        if self.unique:
            return _numbered("i")
        if self.name in _SHARED:
            return _numbered(f"i % {_SHARED[self.name]}")
        if _OF_PEOPLE.fullmatch(self.name):
            return _numbered(f"i % {MANY // 2}")
        return _numbered("i % 5" if _OF_FEW.fullmatch(self.name) else "i")


def with_keys(columns: Sequence[Column], keys: Iterable[Collection[str]]) -> list[Column]:
    """Returns the columns such that no two rows have the same key: its holder, or its last text, differs."""
    found = {column.name: column for column in columns}
    for key in keys:
        if not any(found[name].differs for name in key):
            holders = [name for name in ("user_id", "team_id", "org_id") if name in key]
            texts = [name for name in key if not found[name].choices and not _is_number(found[name])]
            chosen = holders[0] if holders else texts[-1]
            found[chosen] = replace(found[chosen], unique=True)
    return list(found.values())


def _is_number(column: Column) -> bool:
    return any(word in column.type.upper() for word in ("INT", "REAL", "DOUBLE"))


def _whens(choices: Sequence[str]) -> str:
    return " ".join(f"WHEN {number} THEN {choice}" for number, choice in enumerate(choices))


def _numbered(number: str) -> str:
    """Returns a name in the order of the numbers, as ids are."""
    return f"'x' || CAST(1000000 + {number} AS TEXT)"


def _insert(table: str, columns: Sequence[Column], numbers: str) -> str:
    names, values = ", ".join(one.name for one in columns), ", ".join(one.value() for one in columns)
    return f"INSERT INTO {table} ({names}) SELECT {values} FROM ({numbers}) AS n"


def _listed(text: str) -> list[str]:
    """Returns the values of a list in SQL, as they are written there."""
    return re.findall(r"'[^']*'|\b\d+\b", text)


async def fill_postgresql(url: str, tables: Iterable[str]) -> None:
    """Fills the tables without triggers and checks of keys, and without indexes, which are filled at once."""
    connection = await asyncpg.connect(url)
    try:
        await connection.execute("SET session_replication_role = replica")
        for table in tables:
            await _fill_postgresql_table(connection, table)
        assert await connection.fetchval("SELECT count(*) FROM pg_index WHERE NOT indisvalid") == 0
        await connection.execute("VACUUM ANALYZE")
    finally:
        await connection.close()


_COLUMNS = """
SELECT attname AS name, format_type(atttypid, atttypmod) AS type, NOT attnotnull AS nullable
FROM pg_attribute
WHERE attrelid = CAST($1 AS regclass) AND attnum > 0 AND NOT attisdropped AND attidentity = ''
    AND attgenerated = ''
ORDER BY attnum
"""
_PUT_INDEXES_OFF = """
UPDATE pg_index SET indisready = FALSE, indisvalid = FALSE FROM pg_class AS made
WHERE made.oid = indexrelid AND made.relkind = 'i'
    AND indrelid IN (
        SELECT CAST($1 AS regclass) UNION SELECT relid FROM pg_partition_tree(CAST($1 AS regclass))
    )
"""
_KEYS = """
SELECT ARRAY (
    SELECT CAST(attname AS TEXT) FROM pg_attribute
    WHERE attrelid = indrelid AND attnum = ANY (indkey) AND attidentity = '' AND attgenerated = ''
    ORDER BY array_position(CAST(indkey AS SMALLINT[]), attnum)
) AS columns
FROM pg_index WHERE indrelid = CAST($1 AS regclass) AND indisunique
"""
_CHECKS = """
SELECT CAST(conname AS TEXT) AS name, pg_get_constraintdef(oid) AS text FROM pg_constraint
WHERE conrelid = CAST($1 AS regclass) AND contype = 'c'
"""


async def _fill_postgresql_table(connection: "asyncpg.Connection[Any]", table: str) -> None:
    checks = await connection.fetch(_CHECKS, table)
    for check in checks:
        await connection.execute(f"ALTER TABLE {table} DROP CONSTRAINT {check['name']}")
    choices = {
        found[1]: _listed(found[2])
        for check in checks
        for found in re.finditer(r"(\w+) = ANY \(+ARRAY\[(.*?)\]", check["text"])
    }
    await connection.execute(_PUT_INDEXES_OFF, table)
    columns = [
        Column(row["name"], row["type"], row["nullable"], choices.get(row["name"], ()))
        for row in await connection.fetch(_COLUMNS, table)
    ]
    keys = [row["columns"] for row in await connection.fetch(_KEYS, table)]
    columns = with_keys(columns, filter(None, keys))
    await connection.execute(_insert(table, columns, f"SELECT i FROM generate_series(1, {MANY}) AS i"))
    await connection.execute(f"REINDEX TABLE {table}")
