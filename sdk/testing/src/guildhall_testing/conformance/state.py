"""All that the database holds, to see that a refused call changed nothing."""

import asyncio
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from contextvars import copy_context
from typing import Any, Self
from unittest.mock import patch

from guildhall_sdk import Statement
from guildhall_sdk.data import Data
from guildhall_sdk.engines.pools import Transaction
from kernel.db.database import Database

_COLUMNS = Statement(
    "columns",
    "SELECT t.name AS table_name, c.name AS column_name FROM sqlite_master t, pragma_table_info(t.name) c "
    "WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' ORDER BY t.name, c.cid",
    "SELECT t.relname AS table_name, c.attname AS column_name FROM pg_class t "
    "JOIN pg_attribute c ON c.attrelid = t.oid AND c.attnum > 0 AND NOT c.attisdropped "
    "WHERE t.relnamespace = current_schema()::regnamespace AND t.relkind IN ('r', 'p') "
    "AND NOT t.relispartition ORDER BY t.relname, c.attnum",
)
# SQLite takes no more than 500 queries in one statement.
_TABLES_AT_ONCE = 400

# Where wrong provisioning tokens are counted, which a refusal adds to and the right one clears; where the
# server itself gives a sign of life every other second; where it notes how far its own upkeep has come; and
# what a read stores for the next one.
_LEFT_OUT = (
    "provision_failures",
    "processes",
    "audit_checkpoints",
    "blob_sweeps",
    "retention_periods",
    "thumbnails",
)
# When a session was last used is noted once a minute, by the server itself.
_BY_ITSELF = {"credentials": "last_used_at", "users": "last_seen_at"}

State = Mapping[str, "Counter[str]"]


class Snapshot:
    """What a database holds from here on: `with Snapshot(data) as before:`.

    It is read when the first write of the block is about to begin, which then waits for it; what nobody
    writes to is not read at all.
    """

    def __init__(self, data: Database) -> None:
        self._data = data
        self._context = copy_context()  # not that of the request whose write comes first
        self._reading: asyncio.Task[State] | None = None
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        pool = self._data._pool
        begin = pool.transaction

        async def begin_after_reading(*arguments: Any, **options: Any) -> Transaction:
            if self._reading is None:
                self._reading = asyncio.create_task(state_of(self._data), context=self._context)
            await asyncio.shield(self._reading)
            return await begin(*arguments, **options)

        self._stack.enter_context(patch.object(pool, "transaction", begin_after_reading))
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    async def changes(self, *, but: Collection[str] = ()) -> str | None:
        """Returns which tables changed since the block began."""
        if self._reading is None:
            return None
        return difference(await self._reading, await state_of(self._data), but=but)


async def state_of(data: Data) -> State:
    """Reads every table's rows, without their order, but for what changes by refusals or by itself."""
    async with data.read() as reader:
        tables: dict[str, list[str]] = {}
        for column in await reader.all(_COLUMNS):
            tables.setdefault(column["table_name"], []).append(column["column_name"])
        lasting = [name for name in tables if name not in _LEFT_OUT]
        state: dict[str, Counter[str]] = {name: Counter() for name in lasting}
        for first in range(0, len(lasting), _TABLES_AT_ONCE):
            some = lasting[first : first + _TABLES_AT_ONCE]
            for row in await reader.all(_everything_in({name: tables[name] for name in some})):
                state[row["table_name"]][row["held"]] += 1
        return state


def _everything_in(tables: Mapping[str, Sequence[str]]) -> Statement:
    """Returns one statement that reads each row of these tables as a text."""
    sqlite, postgresql = [], []
    for table, columns in tables.items():
        read = [f'"{column}"' for column in columns if column != _BY_ITSELF.get(table)]
        quoted = " || ',' || ".join(f"quote({column})" for column in read)
        sqlite.append(f"""SELECT '{table}' AS table_name, {quoted} AS held FROM "{table}\"""")
        whole = ", ".join(read)
        postgresql.append(f"""SELECT '{table}' AS table_name, ROW({whole})::text AS held FROM "{table}\"""")
    return Statement("everything", " UNION ALL ".join(sqlite), " UNION ALL ".join(postgresql))


def difference(before: State, after: State, *, but: Collection[str] = ()) -> str | None:
    """Returns which tables changed and by how much, or None; `but` are tables that may."""
    changes = []
    for name in sorted({*before, *after} - {*but}):
        old, new = before.get(name, Counter()), after.get(name, Counter())
        if old != new:
            changes.append(f"{name} (+{(new - old).total()} −{(old - new).total()} rows)")
    return ", ".join(changes) or None
