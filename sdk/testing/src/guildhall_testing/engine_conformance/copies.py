"""Copies: all tables as they were at one moment, and back, whole or not at all."""

from pathlib import Path

import pytest

from guildhall_sdk.engines.engine import DatabaseOccupied, DatabaseUnreachable, RestoredSchema
from guildhall_testing.counters import ADD, ALL, COUNTERS, counters
from guildhall_testing.engine_conformance.databases import EngineTests

_SCHEMA = RestoredSchema(steps=[COUNTERS.sqlite], lock="schema_ledger", sequences={})


class CopyTests(EngineTests):
    """Backup and restore, for an engine that makes copies."""

    #: Set it to False for an engine that leaves copies to the means of its database: it then has to say so.
    makes_copies = True

    async def test_a_copy_goes_back_where_it_came_from(self, url: str, tmp_path: Path) -> None:
        folder = tmp_path / "copy"
        folder.mkdir()
        if not self.makes_copies:
            with pytest.raises(DatabaseUnreachable, match="makes no copies"):
                self.engine.copied_out(url, folder, _unheard)
            return
        await self._fill(url)
        async with self.engine.copied_out(url, folder, _unheard) as copy:
            assert copy.tables["counters"].rows == 2
            assert [row["id"] for row in await copy.rows(ALL, {})] == ["a", "b"]
        checked = self.engine.check_copy(folder, ALL)
        assert (checked.damage, checked.tables) == (None, copy.tables)
        assert checked.rows is None or [row["id"] for row in checked.rows] == ["a", "b"]
        await self._add_another(url)
        with pytest.raises(DatabaseOccupied):
            async with self.engine.copied_in(url, folder, _SCHEMA, _unheard, replace=False):
                pass
        async with self.engine.copied_in(url, folder, _SCHEMA, _unheard, replace=True):
            pass  # and is not committed
        assert await self._counters(url) == {"a": 1, "b": 2, "c": 3}
        async with self.engine.copied_in(url, folder, _SCHEMA, _unheard, replace=True) as restored:
            assert restored.tables == copy.tables
            await restored.commit()
        assert await self._counters(url) == {"a": 1, "b": 2}

    async def _fill(self, url: str) -> None:
        async with self.opened(url) as database, database.write() as writer:
            await writer.run(COUNTERS)
            await writer.run(ADD, id="a", n=1)
            await writer.run(ADD, id="b", n=2)

    async def _add_another(self, url: str) -> None:
        async with self.opened(url) as database, database.write() as writer:
            await writer.run(ADD, id="c", n=3)

    async def _counters(self, url: str) -> dict[str, int]:
        async with self.opened(url) as database:
            return await counters(database)


def _unheard(subject: str, state: str) -> None: ...
