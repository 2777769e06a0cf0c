"""All that the database holds, to see that a refused call changed nothing."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from guildhall_sdk import Data, Row, Statement
from kernel.db import Database

_TABLES = Statement(
    "tables",
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
    "SELECT relname AS name FROM pg_class WHERE relnamespace = current_schema()::regnamespace "
    "AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY relname",
)

# Where wrong provisioning tokens are counted, which a refusal adds to and the right one clears; where the
# server itself gives a sign of life every other second; and where it notes how far its own upkeep has come.
_LEFT_OUT = ("provision_failures", "processes", "audit_checkpoints", "blob_sweeps", "retention_periods")
# When a session was last used is noted once a minute, by the server itself.
_BY_ITSELF = {"credentials": "last_used_at"}

State = Mapping[str, "Counter[tuple[object, ...]]"]


class Snapshot:
    """What a database holds at a moment, and how often it had been written to until then."""

    def __init__(self, data: Database, state: State, write_scopes: int) -> None:
        self._data, self._state, self._write_scopes = data, state, write_scopes

    @classmethod
    async def take(cls, data: Database) -> "Snapshot":
        write_scopes = data.write_scopes
        return cls(data, await state_of(data), write_scopes)

    async def changes(self, *, but: Collection[str] = ()) -> str | None:
        """Returns which tables changed since; what nobody wrote to is not read again."""
        if self._data.write_scopes == self._write_scopes:
            return None
        return difference(self._state, await state_of(self._data), but=but)


async def state_of(data: Data) -> State:
    """Reads every table's rows, without their order, but for what changes by refusals or by itself."""
    async with data.read() as reader:
        names = [row["name"] for row in await reader.all(_TABLES) if row["name"] not in _LEFT_OUT]
        return {name: _lasting(name, await reader.all(_everything_in(name))) for name in names}


def _lasting(table: str, rows: Sequence[Row]) -> "Counter[tuple[object, ...]]":
    column = _BY_ITSELF.get(table)
    if column is not None:
        rows = [{**row, column: None} for row in rows]
    return Counter([tuple(row.values()) for row in rows])


def _everything_in(table: str) -> Statement:
    text = f'SELECT * FROM "{table}"'
    return Statement(table, text, text)


def difference(before: State, after: State, *, but: Collection[str] = ()) -> str | None:
    """Returns which tables changed and by how much, or None; `but` are tables that may."""
    changes = []
    for name in sorted({*before, *after} - {*but}):
        old, new = before.get(name, Counter()), after.get(name, Counter())
        if old != new:
            changes.append(f"{name} (+{(new - old).total()} −{(old - new).total()} rows)")
    return ", ".join(changes) or None
