"""Migrations: every road leads to the same schema, and a stop on the way costs nothing."""

import asyncio
import re
import shutil
from collections.abc import AsyncIterator, Callable
from itertools import pairwise
from pathlib import Path

import pytest

from guildhall_testing.databases import database_at, statement
from guildhall_testing.postgres import session_server
from kernel.db.database import Database
from kernel.db.migrations import MigrationError, migrate
from kernel.db.tests.schema import describe_schema
from libs.migration_files import CONTRACT_LINE, MigrationSource

STEPS = {
    "0001_people.sql": """
        -- A comment with a semicolon; and 'a quote.
        CREATE TABLE people (
            id $ID PRIMARY KEY,
            name TEXT NOT NULL DEFAULT 'nobody; really',
            age INTEGER
        );
        CREATE UNIQUE INDEX people_name ON people (name);
        INSERT INTO people (id, name, age) VALUES ('p1', 'Ada; Countess', 36), ('p2', 'it''s Bo', NULL);
    """,
    "0002_pets.sql": """
        CREATE TABLE pets (
            id $ID PRIMARY KEY,
            owner $ID NOT NULL REFERENCES people (id) ON DELETE CASCADE
        );
        INSERT INTO pets (id, owner) SELECT 'pet of ' || id, id FROM people;
    """,
    "0003_height.sql": "ALTER TABLE people ADD COLUMN height BIGINT NOT NULL DEFAULT 0;",
    "0004_log.sqlite.sql": """
        CREATE TABLE log (entry TEXT);
        CREATE TRIGGER people_logged AFTER UPDATE ON people BEGIN
            INSERT INTO log VALUES (CASE WHEN new.height > 1 THEN 'tall;' ELSE 'small' END);
            INSERT INTO log VALUES ('END;');
        END;
        UPDATE people SET height = 170 WHERE id = 'p1';
    """,
    "0004_log.postgresql.sql": """
        CREATE TABLE log (entry TEXT);
        CREATE FUNCTION log_people() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            INSERT INTO log VALUES (CASE WHEN new.height > 1 THEN 'tall;' ELSE 'small' END);
            INSERT INTO log VALUES ('END;');
            RETURN NULL;
        END $$;
        CREATE TRIGGER people_logged AFTER UPDATE ON people FOR EACH ROW EXECUTE FUNCTION log_people();
        UPDATE people SET height = 170 WHERE id = 'p1';
    """,
    "0005_drop_age.sql": "ALTER TABLE people DROP COLUMN age; CREATE INDEX pets_owner ON pets (owner)",
}
LAST = 5
# The last migration of the kernel that came before versions worked side by side.
_FIRST_RELEASE = 40

Write = Callable[..., MigrationSource]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Lays down migration files anew and gives their source."""

    def lay_down(files: dict[str, str], owner: str = "kernel") -> MigrationSource:
        folder = tmp_path / "migrations" / owner
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for name, text in files.items():
            (folder / name).write_text(text)
        return MigrationSource(owner, folder)

    return lay_down


@pytest.fixture
async def empty(url: str) -> AsyncIterator[Database]:
    database = database_at(url)
    await database.connect()
    yield database
    await database.disconnect()


def first(count: int) -> dict[str, str]:
    return {name: text for name, text in STEPS.items() if int(name[:4]) <= count}


async def content(database: Database) -> dict[str, list[dict[str, object]]]:
    found = {}
    async with database.read() as reader:
        for table in await describe_schema(database):
            rows = await reader.all(statement(f"SELECT * FROM {table}"))
            found[table] = sorted((dict(row) for row in rows), key=str)
    return found


async def ledger(database: Database) -> list[tuple[str, int, str]]:
    async with database.read() as reader:
        rows = await reader.all(
            statement("SELECT owner, number, name FROM schema_ledger ORDER BY owner, number")
        )
    return [(row["owner"], row["number"], row["name"]) for row in rows]


@pytest.fixture
async def fresh(empty: Database, tmp_path: Path, write: Write) -> AsyncIterator[tuple[object, object]]:
    """Schema and content of another database that went to head in one go."""
    server = session_server() if empty.dialect == "postgresql" else None
    url = server.create_database() if server else f"sqlite:///{tmp_path}/fresh.db"
    database = database_at(url)
    await database.connect()
    await migrate(database, [write(STEPS)], 1)
    yield await describe_schema(database), await content(database)
    await database.disconnect()
    if server:
        server.drop_database(url)


@pytest.mark.parametrize("prefix", range(LAST + 1))
async def test_a_schema_migrated_from_any_version_equals_a_fresh_one(
    empty: Database, fresh: tuple[object, object], write: Write, prefix: int
) -> None:
    await migrate(empty, [write(first(prefix))], 1)
    await migrate(empty, [write(STEPS)], 2)
    assert (await describe_schema(empty), await content(empty)) == fresh


async def test_the_description_tells_schemas_apart(empty: Database, write: Write) -> None:
    seen = []
    for count in range(LAST + 1):
        await migrate(empty, [write(first(count))], 1)
        seen.append(await describe_schema(empty))
    assert all(before != after for before, after in pairwise(seen))
    assert seen[0] == {}
    people = seen[3]["people"]
    assert people["columns"]["height"] == {"type": "BIGINT", "nullable": False, "default": "0"}
    assert people["columns"]["age"]["nullable"]
    assert "people_name" in people["indexes"]
    assert len(seen[3]["pets"]["keys"]) == 1


async def test_ids_sort_by_their_bytes(empty: Database, write: Write) -> None:
    await migrate(empty, [write(STEPS)], 1)
    column = (await describe_schema(empty))["people"]["columns"]["id"]
    assert column["type"] == ("TEXT" if empty.dialect == "sqlite" else 'TEXT COLLATE "C"')


async def test_the_ledger_holds_every_step_of_every_owner_once(empty: Database, write: Write) -> None:
    sources = [write(first(2)), write({"0001_notes.sql": "CREATE TABLE notes (id $ID)"}, owner="notes")]
    for now in (7, 8):
        await migrate(empty, sources, now)
    assert await ledger(empty) == [
        ("kernel", 1, "0001_people"),
        ("kernel", 2, "0002_pets"),
        ("notes", 1, "0001_notes"),
    ]
    async with empty.read() as reader:
        assert await reader.value(statement("SELECT MAX(applied_at) FROM schema_ledger")) == 7


async def test_an_owner_that_is_not_loaded_keeps_its_tables(empty: Database, write: Write) -> None:
    notes = write({"0001_notes.sql": "CREATE TABLE notes (id $ID)"}, owner="notes")
    await migrate(empty, [write(first(1)), notes], 1)
    await migrate(empty, [write(first(2))], 2)
    assert sorted(await describe_schema(empty)) == ["notes", "people", "pets"]


async def test_a_step_that_fails_anywhere_leaves_nothing_and_can_be_repaired(
    empty: Database, write: Write
) -> None:
    """Twenty statements, broken at each of them in turn."""
    statements = [f"CREATE TABLE t{n} (id $ID PRIMARY KEY);" for n in range(20)]
    before = write({"0001_a.sql": "CREATE TABLE a (id $ID)"})
    await migrate(empty, [before], 1)
    for broken in range(20):
        text = "\n".join([*statements[:broken], "CREATE TABLE a (id $ID);", *statements[broken:]])
        source = write({"0001_a.sql": "CREATE TABLE a (id $ID)", "0002_b.sql": text})
        with pytest.raises(MigrationError, match=r"^kernel: 0002_b\.sql failed: .*exists") as caught:
            await migrate(empty, [source], 2)
        assert "\n" not in str(caught.value)
        assert list(await describe_schema(empty)) == ["a"]
    await migrate(
        empty, [write({"0001_a.sql": "CREATE TABLE a (id $ID)", "0002_b.sql": "\n".join(statements)})], 3
    )
    assert len(await describe_schema(empty)) == 21
    assert [number for _, number, _ in await ledger(empty)] == [1, 2]


async def test_a_step_changed_after_it_was_applied_is_refused(empty: Database, write: Write) -> None:
    await migrate(empty, [write(first(2))], 1)
    changed = {**first(3), "0002_pets.sql": STEPS["0002_pets.sql"] + "-- a new thought"}
    with pytest.raises(MigrationError, match=r"^kernel: 0002_pets\.sql was changed") as caught:
        await migrate(empty, [write(changed)], 2)
    assert "\n" not in str(caught.value)
    assert "go on with that version, or with a fresh database" in str(caught.value)
    assert len(await ledger(empty)) == 2


async def test_a_program_bears_what_a_newer_one_added_and_not_that_it_took_away(
    empty: Database, write: Write
) -> None:
    await migrate(empty, [write(first(3))], 1)
    await migrate(empty, [write(first(2))], 2)
    newer = first(3) | {"0004_smaller.sql": "-- contract\nALTER TABLE people DROP COLUMN height;"}
    await migrate(empty, [write(newer)], 3)
    await migrate(empty, [write(first(2))], 4)  # it waits: the program before still serves
    await migrate(empty, [write(newer)], 5, contracting=True)
    with pytest.raises(MigrationError, match=r"^kernel: the database has migration 0004.*newer version"):
        await migrate(empty, [write(first(2))], 6)


def test_what_takes_something_away_says_so() -> None:
    """From the first release on: a server of the version before is beside it."""
    house = Path(__file__).parents[3]
    takes = re.compile(r"(?i)\bDROP\s+(TABLE|COLUMN|VIEW)\b|\bRENAME\s+(TO|COLUMN)\b|\bSET\s+NOT\s+NULL\b")
    unmarked = [
        path.name
        for path in sorted((house / "kernel/migrations").glob("*.sql"))
        if int(path.name[:4]) > _FIRST_RELEASE
        and takes.search(path.read_text())
        and not path.read_text().startswith(f"{CONTRACT_LINE}\n")
    ]
    assert not unmarked


async def test_a_step_may_not_end_its_transaction(empty: Database, write: Write) -> None:
    source = write({"0001_a.sql": "CREATE TABLE a (id $ID); COMMIT"})
    with pytest.raises(MigrationError, match=r"0001_a\.sql failed: it ends the transaction"):
        await migrate(empty, [source], 1)
    assert await ledger(empty) == []


@pytest.mark.parametrize(
    ("files", "complaint"),
    [
        (["0001_a.sql", "0003_c.sql"], "migration 0002 is missing"),
        (["0002_b.sql"], "migration 0001 is missing"),
        (["0001_a.sql", "0001_b.sql"], "0001_b.sql has a number that is taken"),
        (["1_a.sql"], "1_a.sql is not named like"),
        (["0001_a.My.sql"], "0001_a.My.sql is not named like"),
        (
            ["0001_a.sql", "0001_a.postgres.sql", "0001_a.sqlite3.sql"],
            "did you mean 0001_a.(postgresql|sqlite)",
        ),
        (["0001_a-b.sql"], "is not named like"),
    ],
)
async def test_files_that_do_not_count_up_are_refused(
    empty: Database, write: Write, files: list[str], complaint: str
) -> None:
    with pytest.raises(MigrationError, match=complaint) as caught:
        await migrate(empty, [write(dict.fromkeys(files, "SELECT 1"), owner="notes")], 1)
    assert str(caught.value).startswith("notes: ")


async def test_a_step_in_the_spelling_of_an_engine_that_is_not_here_is_passed_over(
    empty: Database, write: Write
) -> None:
    table = "CREATE TABLE a (id TEXT)"
    await migrate(empty, [write({"0001_a.sql": table, "0001_a.mysql.sql": "MAKE A TABLE"}, owner="notes")], 1)
    assert len(await ledger(empty)) == 1


async def test_a_step_for_the_other_dialect_only_is_refused(empty: Database, write: Write) -> None:
    other = "postgresql" if empty.dialect == "sqlite" else "sqlite"
    with pytest.raises(MigrationError, match=f"0001_a is missing for {empty.dialect}"):
        await migrate(empty, [write({f"0001_a.{other}.sql": "SELECT 1"})], 1)


async def test_a_dialects_own_file_wins_over_the_plain_one(empty: Database, write: Write) -> None:
    files = {"0001_a.sql": "CREATE TABLE plain (id $ID)"}
    files[f"0001_a.{empty.dialect}.sql"] = "CREATE TABLE own (id $ID)"
    await migrate(empty, [write(files)], 1)
    assert list(await describe_schema(empty)) == ["own"]


async def test_a_missing_folder_is_refused(empty: Database, tmp_path: Path) -> None:
    with pytest.raises(MigrationError, match="notes: there is no folder"):
        await migrate(empty, [MigrationSource("notes", tmp_path / "nowhere")], 1)


@pytest.mark.parametrize("racers", [2, 5])
async def test_racing_processes_apply_every_step_once(
    url: str, empty: Database, fresh: tuple[object, object], write: Write, racers: int
) -> None:
    databases = [database_at(url, shared=True) for _ in range(racers)]
    for database in databases:
        await database.connect()
    source = write(STEPS)
    await asyncio.gather(*(migrate(database, [source], 1) for database in databases))
    assert (await describe_schema(empty), await content(empty)) == fresh
    assert len(await ledger(empty)) == LAST
    for database in databases:
        await database.disconnect()


@pytest.mark.parametrize("url", ["postgresql"], indirect=True)
async def test_a_process_waits_for_another_that_migrates(url: str, empty: Database, write: Write) -> None:
    """Longer than the patience of its scopes, and then finds the work done."""
    source = write({"0001_a.sql": "CREATE TABLE a (id $ID); SELECT pg_sleep(0.5)"})
    impatient = database_at(url, patience=0.1)
    await impatient.connect()
    await asyncio.gather(migrate(empty, [source], 1), migrate(impatient, [source], 1))
    assert list(await describe_schema(impatient)) == ["a"]
    await impatient.disconnect()


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
async def test_rebuilding_a_table_does_not_cascade_but_orphans_are_refused(
    empty: Database, write: Write
) -> None:
    rebuild = """
        CREATE TABLE people_new (id TEXT PRIMARY KEY, name TEXT NOT NULL);
        INSERT INTO people_new SELECT id, name FROM people {condition};
        DROP TABLE people;
        ALTER TABLE people_new RENAME TO people;
    """
    orphaning = {**first(2), "0003_rebuild.sql": rebuild.format(condition="WHERE id <> 'p1'")}
    with pytest.raises(MigrationError, match=r"0003_rebuild\.sql failed: it leaves rows in pets"):
        await migrate(empty, [write(orphaning)], 1)
    await migrate(empty, [write({**first(2), "0003_rebuild.sql": rebuild.format(condition="")})], 2)
    assert len((await content(empty))["pets"]) == 2
    async with empty.write() as writer:
        assert await writer.value(statement("PRAGMA foreign_keys")) == 1
