"""From one kind of database to the other: all rows, equal, or none; the old one stays as it was."""

import asyncio
import hashlib
import json
import os
import shutil
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from builtin_plugins.backup.tests.conftest import ADA, Place, call
from builtin_plugins.backup.tests.test_killed import some_of
from builtin_plugins.backup.tests.test_restore import shelf, shelf_settings  # noqa: F401
from builtin_plugins.sqlite.texts import float_text
from tests.test_readme import post

pytestmark = pytest.mark.any_database


def run_sql(url, *texts):
    place = Place(Path(), url)
    return [asyncio.run(place.change(text)) for text in texts][-1]


@pytest.fixture
def filled(places):
    """A stopped instance in SQLite, with a bit of everything that a text can hold."""
    place = places.make("sqlite")
    with place.serving() as base_url:
        token = post(f"{base_url}/api/bootstrap", ADA)["token"]
        odd = "tab\t line\n return\r back\\slash \\N Ω 🜚 \b\v\f"
        post(f"{base_url}/api/notes", {"title": "findable", "body": odd, "visibility": "team"}, token)
        for name, size in (("small", 300), ("large", 700_000)):
            call(base_url, token, "PUT", f"/api/repo/{name}", os.urandom(size), "application/octet-stream")
    return place


@pytest.fixture
def target(places, filled):
    """The same data folder over an empty PostgreSQL."""
    return replace(places.make("postgresql"), folder=filled.folder)


def contents(base_url):
    token = post(f"{base_url}/api/login", ADA)["token"]
    files = {
        item["key"]: hashlib.sha256(
            call(base_url, token, "GET", f"/api/repo-obj/{item['id']}/content")
        ).hexdigest()
        for item in call(base_url, token, "GET", "/api/repo")["items"]
    }
    notes = call(base_url, token, "GET", "/api/notes")["items"]
    found = call(base_url, token, "GET", "/api/search?q=findable")["items"]
    bodies = [call(base_url, token, "GET", f"/api/notes/{note['id']}")["body"] for note in notes]
    return {"files": files, "notes": notes, "bodies": bodies, "found": [hit["title"] for hit in found]}


def test_a_stopped_instance_goes_to_postgresql_whole_and_the_old_one_stays(filled, target):
    with filled.serving() as base_url:
        before = contents(base_url)
    file = filled.data / "guildhall.db"
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    done = filled.run("move", "--to", target.url)
    assert done.returncode == 0, done.output
    assert "equal in count and digest" in done.stdout and "\nnotes " in done.stdout
    assert hashlib.sha256(file.read_bytes()).hexdigest() == digest, "the old one is as it was"
    again = filled.run("move", "--to", target.url)
    assert again.returncode == 0 and "was moved before" in again.stdout, again.output
    with target.serving() as base_url:
        assert contents(base_url) == before
        token = post(f"{base_url}/api/login", ADA)["token"]
        post(f"{base_url}/api/notes", {"title": "later"}, token)
    for command in (("audit", "verify"), ("scrub",), ("doctor",)):
        done = target.run(*command)
        assert done.returncode == 0, (command, done.output)
    done = filled.run("move", "--to", target.url)
    assert done.returncode == 2 and "give --to an empty database" in done.output, "it has gone on"


def test_a_move_beside_a_running_server_is_refused(filled, target):
    with filled.serving():
        done = filled.run("move", "--to", target.url)
    assert done.returncode == 2 and "stop" in done.output and done.output.count("\n") == 1
    assert run_sql(target.url, "SELECT 1 FROM pg_tables WHERE schemaname = current_schema()") == []


def test_a_target_with_rows_of_somebody_else_is_refused(filled, target):
    run_sql(target.url, "CREATE TABLE theirs (a INTEGER)", "INSERT INTO theirs VALUES (1)")
    done = filled.run("move", "--to", target.url)
    assert done.returncode == 2 and "give --to an empty database" in done.output
    assert run_sql(target.url, "SELECT a FROM theirs") == [{"a": 1}]


def test_what_no_instance_can_go_to_is_one_line_without_the_password(filled):
    for url in (
        "mysql://a:hunter2@b/c",
        "postgresql://a:hunter2@127.0.0.1:1/c",
        "postgresql://a:hunter2:x@b/c",
    ):
        done = filled.run("move", "--to", url)
        assert done.returncode == 2 and done.output.count("\n") == 1, done.output
        assert "hunter2" not in done.output
    done = filled.run("move", "--to", f"sqlite:///{filled.folder}/other.db")
    assert done.returncode == 2 and "is in sqlite already" in done.output


def test_a_killed_move_leaves_the_target_empty_and_the_same_command_goes_on(filled, target, places):
    first = filled.run("move", "--to", places.make("postgresql").url)
    assert first.returncode == 0, first.output
    for step in some_of(first.steps, in_short=1):
        url = places.make("postgresql").url
        assert filled.run("move", "--to", url, dies_at=step).returncode == -signal.SIGKILL
        done = filled.run("move", "--to", url)
        assert done.returncode == 0, (step, done.output)
        assert done.stdout.splitlines()[:-2] == first.stdout.splitlines()[:-2]


@pytest.mark.every_database
@pytest.mark.short_on("sqlite")
def test_a_backup_of_either_kind_goes_back_into_the_other(places, backups, dialect, tmp_path):
    other = places.make("sqlite" if dialect == "postgresql" else "postgresql")
    done = other.run("restore", backups.late)
    assert done.returncode == 0, done.output
    assert "equal to the manifest" in done.output
    with other.serving() as base_url:
        found = contents(base_url)
        assert {note["title"] for note in found["notes"]} == {"early", "late"}
        assert found["files"] == {"large": hashlib.sha256(("late" * 200_000)[:700_000].encode()).hexdigest()}
        token = post(f"{base_url}/api/login", ADA)["token"]
        post(f"{base_url}/api/notes", {"title": "findable", "visibility": "team"}, token)
        hits = call(base_url, token, "GET", "/api/search?q=findable")["items"]
        assert [hit["title"] for hit in hits] == ["findable"], "numbers that the database gives go on"
    for command in (("audit", "verify"), ("scrub",)):
        done = other.run(*command)
        assert done.returncode == 0, (command, done.output)
    # And back again.
    assert other.run("backup", "--with-key", tmp_path / "there").returncode == 0
    home = places.make(dialect)
    done = home.run("restore", tmp_path / "there")
    assert done.returncode == 0, done.output
    with home.serving() as base_url:
        assert {note["title"] for note in contents(base_url)["notes"]} == {"early", "late", "findable"}


@pytest.mark.every_database
def test_a_damaged_backup_of_the_other_kind_is_refused_and_names_the_table(
    places, backups, dialect, tmp_path
):
    shutil.copytree(backups.late, tmp_path / "damaged")
    manifest = json.loads((tmp_path / "damaged/manifest.json").read_text())
    name = next(name for name in manifest["files"] if name.startswith("database/"))
    with (tmp_path / "damaged" / name).open("ab") as file:
        file.write(b"x")
    other = places.make("sqlite" if dialect == "postgresql" else "postgresql")
    done = other.run("restore", tmp_path / "damaged")
    assert done.returncode == 2 and f"{name} is damaged" in done.output


@pytest.mark.long_form
async def test_tables_of_a_plugin_move_at_the_schema_that_they_have(filled, target, shelf):  # noqa: F811
    filled, target = (replace(one, more=shelf_settings(shelf)) for one in (filled, target))
    filled.boot()
    await filled.change("INSERT INTO books (id, title, part_of) VALUES ('a', 'Ω \\ \n \t', 'seeded')")
    (shelf / "migrations/0002_shelves.sql").write_text("ALTER TABLE books ADD COLUMN shelf TEXT;")
    done = filled.run("move", "--to", target.url)
    assert done.returncode == 0, done.output
    target.boot()
    assert await target.read("SELECT id, title, part_of, shelf FROM books ORDER BY id") == [
        {"id": "a", "title": "Ω \\ \n \t", "part_of": "seeded", "shelf": None},
        {"id": "seeded", "title": "with a tab\t and an end", "part_of": None, "shelf": None},
    ]


def test_tables_have_the_same_columns_on_both_kinds(places):
    """But for those that a start fills from others."""
    lite, pg = places.make("sqlite"), places.make("postgresql")
    for place in (lite, pg):
        place.boot()
    of_tables = {
        pg.url: "SELECT c.table_name AS name, c.column_name AS part FROM information_schema.columns AS c "
        "JOIN information_schema.tables AS t USING (table_schema, table_name) "
        "WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' "
        "AND c.table_name NOT LIKE 'audit_events_%' ORDER BY ordinal_position",
        lite.url: "SELECT t.name, c.name AS part FROM pragma_table_list AS t, pragma_table_info(t.name) AS c "
        "WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'",
    }
    here, there = {}, {}
    for place, tables in ((lite, here), (pg, there)):
        for row in run_sql(place.url, of_tables[place.url]):
            tables.setdefault(row["name"], []).append(row["part"])
    for tables in (here, there):
        del tables["search_documents"]
    assert here == there


def test_numbers_are_written_as_postgresql_writes_them(places):
    """Their digests are compared."""
    url = places.make("postgresql").url
    numbers = [
        0.0,
        1.0,
        -2.5,
        0.1,
        1e14,
        1e15,
        -1.5e15,
        123456789012345680.0,
        1e16,
        1e22,
        1e-4,
        1e-5,
        1.5e-7,
        5e-324,
        1 / 3,
    ]
    for number in numbers:
        (row,) = run_sql(url, f"SELECT ({number!r}::double precision)::text AS text")
        assert float_text(number) == row["text"]
