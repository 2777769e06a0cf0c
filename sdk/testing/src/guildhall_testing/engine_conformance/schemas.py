"""The schema: migrations run once and whole, and the engine knows what there is."""

import asyncio
from pathlib import Path

import pytest

from guildhall_testing.counters import ADD, counters
from guildhall_testing.databases import statement
from guildhall_testing.engine_conformance.databases import EngineTests
from kernel.db.database import Database
from kernel.db.migrations import MigrationError, ledger_of, migrate
from libs.migration_files import MigrationSource

_TABLE = "CREATE TABLE boxes (id $ID PRIMARY KEY, size BIGINT NOT NULL)"


class SchemaTests(EngineTests):
    """Migrations, and what is asked of the schema."""

    @pytest.fixture
    def steps(self, tmp_path: Path) -> Path:
        folder = tmp_path / "steps"
        folder.mkdir()
        (folder / "0001_boxes.sql").write_text(f"{_TABLE};\nCREATE INDEX boxes_by_size ON boxes (size);\n")
        (folder / "0002_view.sql").write_text("CREATE VIEW large AS SELECT id FROM boxes WHERE size > 9;\n")
        return folder

    async def test_migrations_run_once_however_many_begin(self, url: str, steps: Path) -> None:
        async with self.opened(url) as database:
            source = MigrationSource("boxes", steps)
            await asyncio.gather(*(migrate(database, [source], 1) for _ in range(3)))
            async with database.read() as reader:
                ledger = await ledger_of(reader, self.engine)
            assert ledger is not None and [*ledger] == [("boxes", 1), ("boxes", 2)]

    async def test_a_migration_that_fails_leaves_nothing(self, url: str, steps: Path) -> None:
        (steps / "0003_bad.sql").write_text("CREATE TABLE more (id $ID);\nCREATE TABLE boxes (id $ID);\n")
        async with self.opened(url) as database:
            with pytest.raises(MigrationError, match=r"boxes: 0003_bad\.sql failed"):
                await migrate(database, [MigrationSource("boxes", steps)], 1)
            async with database.read() as reader:
                assert await reader.one(self.engine.schema.table_exists, name="more") is None
                assert len(await ledger_of(reader, self.engine) or {}) == 2

    async def test_its_own_spelling_of_a_migration_wins(self, url: str, tmp_path: Path) -> None:
        (tmp_path / "0001_plain.sql").write_text("CREATE TABLE plain (id $ID);\n")
        spelled = tmp_path / f"0001_plain.{self.engine.dialects[0]}.sql"
        spelled.write_text("CREATE TABLE spelled (id $ID);\n")
        async with self.opened(url) as database:
            await migrate(database, [MigrationSource("plain", tmp_path)], 1)
            async with database.read() as reader:
                exists = self.engine.schema.table_exists
                assert await reader.one(exists, name="plain") is None
                assert await reader.one(exists, name="spelled") is not None

    async def test_ids_sort_by_their_bytes(self, url: str, steps: Path) -> None:
        add = statement("INSERT INTO boxes (id, size) VALUES (:id, 1)")
        async with self.opened(url) as database:
            await migrate(database, [MigrationSource("boxes", steps)], 1)
            async with database.write() as writer:
                for one in ("b", "B", "_", "a1", "a"):
                    await writer.run(add, id=one)
            async with database.read() as reader:
                rows = await reader.all(statement("SELECT id FROM boxes ORDER BY id"))
        assert [row["id"] for row in rows] == ["B", "_", "a", "a1", "b"]

    async def test_it_names_what_migrations_have_made(self, url: str, steps: Path) -> None:
        async with self.opened(url) as database:
            await migrate(database, [MigrationSource("boxes", steps)], 1)
            async with database.read() as reader:
                rows = await reader.all(self.engine.schema.objects)
                size = await reader.value(self.engine.schema.size)
        assert {(row["kind"], row["name"]) for row in rows} >= {("table", "boxes"), ("view", "large")}
        assert size > 0

    async def test_a_statement_that_cannot_run_is_told_before_it_does(self, database: Database) -> None:
        wrong = statement("SELECT id FROM nowhere WHERE id = :id")
        right, fault, other = await database.prepare([ADD, wrong, statement("DELETE FROM counters")])
        assert (right, other) == (None, None)
        assert fault is not None and "nowhere" in fault
        assert await counters(database) == {}

    async def test_who_writes_right_after_statements_were_prepared_is_served(
        self, database: Database
    ) -> None:
        assert [*await database.prepare([statement("SELECT COUNT(*) FROM counters")])] == [None]
        async with database.write() as writer:
            await writer.run(ADD, id="a", n=1)
        assert await counters(database) == {"a": 1}
