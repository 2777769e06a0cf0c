"""A reader that asks the database once for what several ask in the same words."""

from collections.abc import Sequence
from typing import Any

from guildhall_sdk import Reader, Row, Statement


class RememberingReader:
    """Answers the same question from memory, for one short while in which many are judged together."""

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
