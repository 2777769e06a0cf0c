"""A backup that is made while the server is written to, restored elsewhere, and compared."""

import asyncio

import pytest

from builtin_plugins.backup.tests.conftest import ADA, Clients, call
from tests import commands
from tests.test_readme import post

pytestmark = pytest.mark.any_database


def all_of(base_url, token, path):
    items, cursor = [], ""
    while cursor is not None:
        page = call(
            base_url, token, "GET", f"{path}?limit=200&cursor={cursor}" if cursor else f"{path}?limit=200"
        )
        items += page["items"]
        cursor = page["next_cursor"]
    return items


def storage_used(base_url, token):
    items = call(base_url, token, "GET", "/api/usage")["items"]
    return {item["used"] for item in items if item["dimension"] == "storage.bytes"}


def bytes_stored(base_url, token):
    """By what is there, which the quota's counters must agree with."""
    notes = all_of(base_url, token, "/api/notes")
    texts = sum(len(note["title"].encode()) + len(note["body"].encode()) for note in notes)
    return {texts + sum(kept["size"] for kept in all_of(base_url, token, "/api/repo"))}


def writes_of(base_url, token):
    """Four clients: notes, small and large files that replace one another, jobs."""

    def note(name):
        body = {"title": name, "body": name * 20}
        return "note", call(base_url, token, "POST", "/api/notes", body)["id"], name

    def small(name):
        made = call(base_url, token, "PUT", f"/api/repo/small/{name}", name.encode() * 50, "text/plain")
        return "file", made["id"], name * 50

    def large(name):
        """The one before goes: the bytes of a backup are deleted while it is made."""
        content = (name * 100_000)[:700_000].encode()
        made = call(base_url, token, "PUT", f"/api/repo/large/{name}.txt", content, "text/plain")
        if large.before is not None:
            call(base_url, token, "DELETE", f"/api/repo-obj/{large.before}")
        large.before = made["id"]
        return "note", call(base_url, token, "POST", "/api/notes", {"title": name})["id"], name

    large.before = None

    def job(name):
        body = {"kind": "x.example-tools.word-count", "payload": {"text": name}}
        return "job", call(base_url, token, "POST", "/api/jobs", body)["id"], None

    return [note, small, large, job]


@pytest.mark.short_on("sqlite")
@pytest.mark.every_database
def test_what_was_acknowledged_before_a_backup_began_is_in_it(place, another, tmp_path, bootstrap):
    with place.serving() as base_url:
        token = bootstrap(base_url)["token"]
        with Clients(base_url, token, writes_of(base_url, token)) as clients:
            clients.wait_for(16)
            before = list(clients.acknowledged)
            done = place.run("backup", tmp_path / "backup", "--with-key")
            clients.wait_for(4)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    for command in (("backup", "verify"), ("restore",)):
        done = another.run(*command, tmp_path / "backup")
        assert done.returncode == 0, done.output
    # What the uploads under way had reserved would lapse within a minute.
    asyncio.run(another.change("UPDATE quota_holds SET expires_at = 0 WHERE returned = 0"))
    with another.serving() as base_url:
        token = post(f"{base_url}/api/login", ADA)["token"]
        notes = {note["id"]: note["title"] for note in all_of(base_url, token, "/api/notes")}
        jobs = {job["id"] for job in all_of(base_url, token, "/api/jobs")}
        assert storage_used(base_url, token) == bytes_stored(base_url, token)
        for kind, name, content in before:
            if kind == "note":
                assert notes[name] == content
            elif kind == "job":
                assert name in jobs
            else:
                assert call(base_url, token, "GET", f"/api/repo-obj/{name}/content") == content.encode()
    for command in (("audit", "verify"), ("scrub",)):
        done = another.run(*command)
        assert done.returncode == 0, (command, done.output)


def test_what_a_plugin_that_is_out_stands_on_is_in_the_backup(restored, another, tmp_path):
    """Nobody says then which blobs are in use; a backup without them would be a backup of names alone."""
    blocking = {**restored.environ, "SERVICE_PLUGINS_BLOCKED": "repo"}
    done = commands.run(blocking, ["backup", "--with-key", tmp_path / "backup"])
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert "the plugin repo is not loaded: all that the blob store has is in it" in done.stdout
    for command in (("backup", "verify"), ("restore",)):
        done = another.run(*command, tmp_path / "backup")
        assert done.returncode == 0, done.output
    with another.serving() as base_url:
        token = post(f"{base_url}/api/login", ADA)["token"]
        (item,) = all_of(base_url, token, "/api/repo")
        assert call(base_url, token, "GET", f"/api/repo-obj/{item['id']}/content").startswith(b"earlyearly")


def test_the_catalogs_of_the_data_folder_are_in_a_backup_and_back_after_a_restore(
    restored, another, tmp_path
):
    """What an operator laid over the shipped texts stands in no table."""
    locales, backup = restored.data / "locales", tmp_path / "backup"
    locales.mkdir()
    (locales / "en.json").write_text('{"shop.greeting": "Hello"}')
    (locales / ".nl.json.new").write_text("half")
    (locales / "fr.json").symlink_to(tmp_path / "elsewhere")
    for command in (("backup", "--with-key", backup), ("backup", "verify", backup)):
        done = restored.run(*command)
        assert done.returncode == 0, done.output
    done = another.run("restore", backup)
    assert done.returncode == 0, done.output
    found = another.data / "locales"
    assert {path.name: path.read_text() for path in found.iterdir()} == {
        "en.json": '{"shop.greeting": "Hello"}'
    }
    (backup / "locales/en.json").write_text("{}")
    done = another.run("backup", "verify", backup)
    assert done.returncode == 1 and "locales/en.json is damaged" in done.output
