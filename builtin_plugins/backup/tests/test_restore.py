"""What a restore refuses, and what it leaves as it is."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from builtin_plugins.audit.chain import PURPOSE
from builtin_plugins.audit.checkpointing import Checkpointing
from builtin_plugins.audit.trail_retention import TrailRetention
from builtin_plugins.backup import manifest as manifests
from builtin_plugins.backup.tests.conftest import call, post
from guildhall_sdk import Plugin, hookimpl
from guildhall_sdk.commands import KeptFiles
from guildhall_testing.clock import FakeClock
from kernel.cli.instance import opened_instance
from kernel.clock import SystemClock
from kernel.config import Settings
from kernel.plugins.engines import engine_of

pytestmark = pytest.mark.any_database


def test_a_backup_goes_into_an_empty_folder_only(restored, tmp_path):
    (tmp_path / "nightly").mkdir()
    (tmp_path / "nightly/of-somebody").touch()
    done = restored.run("backup", tmp_path / "nightly")
    assert done.returncode == 2 and "is not empty" in done.output
    assert [path.name for path in (tmp_path / "nightly").iterdir()] == ["of-somebody"]


def test_a_restore_is_refused_where_something_is_unless_it_is_to_be_replaced(restored, backups):
    done = restored.run("restore", backups.late)
    assert done.returncode == 2 and "--replace puts the backup there" in done.output


@pytest.mark.every_database
@pytest.mark.short_on("sqlite")
def test_a_restore_beside_a_running_server_is_refused(restored, backups):
    with restored.serving() as base_url:
        done = restored.run("restore", backups.late, "--replace")
        assert done.returncode == 2 and "guildhall: " in done.output
        assert "stop the server first" in done.output
        token = post(f"{base_url}/api/login", {"username": "ada", "password": "difference engine"})["token"]
        assert [note["title"] for note in call(base_url, token, "GET", "/api/notes")["items"]] == ["early"]


def rewritten(backup: Path, target: Path, change) -> Path:
    shutil.copytree(backup, target)
    content = json.loads((target / "manifest.json").read_text())
    del content["sha256"]
    change(content)
    content["sha256"] = manifests.manifest_digest(content)
    (target / "manifest.json").write_text(json.dumps(content))
    return target


def test_a_newer_schema_is_refused(place, backups, tmp_path):
    def newer(content):
        content["schema"].append({"owner": "kernel", "number": 9999, "checksum": "x"})

    done = place.run("restore", rewritten(backups.late, tmp_path / "newer", newer))
    assert done.returncode == 2 and "a newer version made it" in done.output


def test_a_backup_of_a_newer_format_is_refused(place, backups, tmp_path):
    def newer(content):
        content["format"] = 3

    done = place.run("restore", rewritten(backups.late, tmp_path / "newer", newer))
    assert done.returncode == 2 and "was made by a newer version" in done.output


def test_what_is_no_backup_is_one_line(place, tmp_path):
    for words in (("restore",), ("backup", "verify")):
        done = place.run(*words, tmp_path)
        assert done.returncode == 2 and "is no backup" in done.output
        assert "\n" not in done.output.strip()


async def test_the_audit_trail_tells_of_a_restore_and_still_holds(restored, backups):
    """The instance went on after the backup: its anchors know events that the restore takes back."""
    with restored.serving() as base_url:
        token = post(f"{base_url}/api/login", {"username": "ada", "password": "difference engine"})["token"]
        post(f"{base_url}/api/notes", {"title": "taken back"}, token)
    assert restored.run("restore", backups.early, "--replace").returncode == 0
    done = restored.run("audit", "verify")
    assert done.returncode == 0 and "was restored at" in done.output, done.output
    restored.boot()
    done = restored.run("audit", "verify")
    assert done.returncode == 0, done.output
    events = await restored.read("SELECT action, chain FROM audit_events WHERE action = 'instance.restored'")
    assert events == [{"action": "instance.restored", "chain": "instance"}]


def test_anchors_of_another_instance_are_laid_aside(place, backups):
    place.data.mkdir()
    (place.data / "audit-anchors.log").write_text('{"heads_sha256":"of another"}\n')
    assert place.run("restore", backups.late).returncode == 0
    assert len(list(place.data.glob("audit-anchors.log.other-*"))) == 1
    done = place.run("audit", "verify")
    assert done.returncode == 0 and "was restored at" in done.output, done.output


@pytest.mark.every_database
async def test_numbers_that_the_database_gives_go_on_after_a_restore(place, backups, dialect):
    assert place.run("restore", backups.late).returncode == 0
    with place.serving() as base_url:
        token = post(f"{base_url}/api/login", {"username": "ada", "password": "difference engine"})["token"]
        post(f"{base_url}/api/notes", {"title": "findable", "visibility": "team"}, token)
        found = call(base_url, token, "GET", "/api/search?q=findable")["items"]
    assert [hit["title"] for hit in found] == ["findable"]


@pytest.fixture
def shelf(tmp_path):
    """A plugin with one table, which a newer version of it widens."""
    home = tmp_path / "plugins/shelf"
    (home / "migrations").mkdir(parents=True)
    manifest = {"id": "shelf", "name": "Shelf", "version": "1", "description": "x", "entry": "plugin.py"}
    (home / "plugin.json").write_text(json.dumps(manifest))
    (home / "plugin.py").write_text(
        "from pathlib import Path\n"
        "from guildhall_sdk import Migrations, hookimpl\n"
        "@hookimpl\n"
        "def declare_migrations():\n"
        "    return Migrations(Path(__file__).with_name('migrations'))\n"
    )
    (home / "migrations/0001_books.sql").write_text(
        "CREATE TABLE books (id $ID PRIMARY KEY, title TEXT NOT NULL, part_of $ID REFERENCES books (id));\n"
        "INSERT INTO books (id, title) VALUES ('seeded', 'with a tab\t and an end');"
    )
    return home


def shelf_settings(shelf):
    from kernel.config import shipped_plugins

    return {"SERVICE_PLUGINS": f"{shelf.parent}:{shipped_plugins()}"}


@pytest.mark.every_database
@pytest.mark.short_on("sqlite")
async def test_an_older_schema_is_restored_and_migrated_at_the_next_boot(place, another, shelf, tmp_path):
    place, another = (replace(one, more=shelf_settings(shelf)) for one in (place, another))
    place.boot()
    await place.change("INSERT INTO books (id, title, part_of) VALUES ('a', 'Ω \\ \n \t', 'seeded')")
    assert place.run("backup", "--with-key", tmp_path / "old").returncode == 0
    (shelf / "migrations/0002_shelves.sql").write_text("ALTER TABLE books ADD COLUMN shelf TEXT;")
    done = another.run("restore", tmp_path / "old")
    assert done.returncode == 0, done.output
    another.boot()
    assert await another.read("SELECT id, title, part_of, shelf FROM books ORDER BY id") == [
        {"id": "a", "title": "Ω \\ \n \t", "part_of": "seeded", "shelf": None},
        {"id": "seeded", "title": "with a tab\t and an end", "part_of": None, "shelf": None},
    ]


DIARY = """
from guildhall_sdk import Statement, hookimpl
from guildhall_sdk.commands import KeptFiles

COMPANIES = Statement("companies", *["SELECT COUNT(*) FROM published_companies"] * 2)

async def restore(restored):
    async with restored.read() as reader:
        companies = await reader.value(COMPANIES)
    kept = (restored.copied / "diary.txt").read_text()
    (restored.folder / "diary.txt").write_text(f"{kept}, restored {restored.backup_id} with {companies}")

@hookimpl
def declare_kept_files():
    return [KeptFiles(names=("diary.txt", "not-there.txt"), restore=restore)]
"""


def test_a_plugins_own_file_is_in_a_backup_and_the_plugin_puts_it_back(restored, another, tmp_path):
    home = tmp_path / "plugins/diary"
    home.mkdir(parents=True)
    manifest = {"id": "diary", "name": "Diary", "version": "1", "description": "x", "entry": "plugin.py"}
    (home / "plugin.json").write_text(json.dumps(manifest))
    (home / "plugin.py").write_text(DIARY)
    place, another = (replace(one, more=shelf_settings(home)) for one in (restored, another))
    (place.data / "diary.txt").write_text("Dear diary")
    assert place.run("backup", "--with-key", tmp_path / "nightly").returncode == 0
    done = another.run("restore", tmp_path / "nightly")
    assert done.returncode == 0, done.output
    copy_id = json.loads((tmp_path / "nightly/manifest.json").read_text())["id"]
    assert (another.data / "diary.txt").read_text() == f"Dear diary, restored {copy_id} with 1"


@pytest.mark.parametrize("name", ["secret.key", "../elsewhere", ".hidden", ""])
async def test_a_plugin_cannot_have_any_file_taken_into_a_backup(open_hall, name):
    kept = KeptFiles(names=(name,), restore=restore_nothing)

    @hookimpl
    def declare_kept_files():
        return [kept]

    plugin = SimpleNamespace(PLUGIN=Plugin("toy", "Toy", "1.0", "x"), declare_kept_files=declare_kept_files)
    async with open_hall(plugin, allow_refused=True) as hall:
        (refused,) = hall.registry.refused
    assert f"the kept file {name!r} must be the name of a file of its own" in refused.reason


async def restore_nothing(restored): ...


def test_a_blob_that_is_missing_is_named_and_the_rest_is_kept(restored, another, tmp_path):
    (blob,) = (path for path in (restored.data / "blobs").glob("org_*/*/*") if path.is_file())
    content = blob.read_bytes()
    blob.unlink()
    done = restored.run("backup", "--with-key", tmp_path / "lacking")
    assert done.returncode == 1 and f"missing  {blob.parent.parent.name} {blob.name}" in done.output
    assert restored.run("backup", "verify", tmp_path / "lacking").returncode == 0
    blob.write_bytes(content[:-1] + b"!")
    done = restored.run("backup", tmp_path / "corrupt")
    assert done.returncode == 1 and f"corrupt  {blob.parent.parent.name} {blob.name}" in done.output
    done = another.run("restore", tmp_path / "lacking")
    assert done.returncode == 0 and "1 blobs were not in the backup" in done.output
    assert f"missing  {blob.parent.parent.name} {blob.name}" in another.run("scrub").output


async def test_a_trail_that_was_thrown_away_from_is_carried_with_its_floors(restored, another, tmp_path):
    settings = Settings.from_environment(restored.settings)
    async with opened_instance(settings, engine_of(settings)) as instance:
        clock = FakeClock(SystemClock().now_ms() + 1000)
        key = instance.vault.derive(PURPOSE)
        await Checkpointing(instance.data, key, clock).catch_up(rest_seconds=0)
        clock.advance(days=100)
        async with instance.data.write() as writer:
            retention = TrailRetention(key, clock, instance.data.engine)
            gone = await retention.delete_before(writer, clock.now_ms(), 2)
    assert gone > 0
    for words in (("backup", "--with-key", tmp_path / "nightly"), ("backup", "verify", tmp_path / "nightly")):
        assert restored.run(*words).returncode == 0
    done = another.run("restore", tmp_path / "nightly")
    assert done.returncode == 0, done.output
    for words in (("audit", "verify"), ("audit", "verify", "--since", "checkpoint")):
        done = another.run(*words)
        assert done.returncode == 0 and f"{gone} events were thrown away" in done.output, done.output
