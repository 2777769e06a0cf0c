"""The named statements of runs, the names of their jobs and events, and a reader that asks each once."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from guildhall_sdk import Reader, Row, Statement, load_queries
from guildhall_sdk.data import Queries

STEP_KIND = "workflows.step"
#: The error of a job whose run was over before it began: its step is cancelled.
RUN_ENDED = "run_ended"
MAX_OUTPUT_BYTES = 1024 * 1024

_HERE = Path(__file__)

#: Those that move runs on.
sql = load_queries(_HERE.with_name("queries.sql"))
# Which are quick while a handful of runs is moved, with short texts.
_FEW = 4
_SHORT = 8 * 1024
_few_sql = Queries({one.name: replace(one, quick=True) for one in sql})
#: Those of the items of maps.
map_sql = load_queries(_HERE.with_name("maps.sql"))
#: Those that look at runs.
store_sql = load_queries(_HERE.with_name("store.sql"))
#: Those of branches that run beside one another.
lane_sql = load_queries(_HERE.with_name("lanes.sql"))
#: Those of steps that wait.
wait_sql = load_queries(_HERE.with_name("waits.sql"))
#: Those that find who waits for an event, by its name.
event_sql = load_queries(_HERE.with_name("events.sql"))
#: Those of approvals.
approval_sql = load_queries(_HERE.parents[1] / "approvals" / "queries.sql")
#: Those that take over what an earlier run did.
retrying_sql = load_queries(_HERE.with_name("retrying.sql"))
#: Those that find runs which nothing moves.
sweeping_sql = load_queries(_HERE.with_name("sweeping.sql"))


def sql_for(many: int, *, length: int = 0) -> Queries:
    """Returns the statements that move so many runs on, with texts of this length in all."""
    return _few_sql if many <= _FEW and length <= _SHORT else sql


class RememberingReader:
    """Answers the same question from memory, for one short while in which many are checked together."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._known: dict[tuple[Any, ...], Sequence[Row]] = {}

    async def all(self, statement: Statement, **binds: Any) -> Sequence[Row]:
        key = (statement, *binds.items())
        if (found := self._known.get(key)) is None:
            found = self._known[key] = await self._reader.all(statement, **binds)
        return found

    async def one(self, statement: Statement, **binds: Any) -> Row | None:
        rows = await self.all(statement, **binds)
        return rows[0] if rows else None

    async def value(self, statement: Statement, **binds: Any) -> Any:
        rows = self._known.get((statement, *binds.items()))
        if rows is None:
            rows = await self.all(statement, **binds)
        return next(iter(rows[0].values())) if rows else None
