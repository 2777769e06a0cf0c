"""`guildhall scrub`: what it finds, what it leaves alone, and what it says."""

import json
import shutil
from pathlib import Path

import pytest

from builtin_plugins.backup.commands.scrub import scrub
from guildhall_sdk import BlobReferences, BlobStore, Statement
from guildhall_sdk.blocks import BLOCK
from kernel.boot import Server
from kernel.config import Settings
from tests import commands

PLUGINS = Path(__file__).resolve().parents[2] / "plugins"
HOUR_MS = 3600 * 1000
FAR_FUTURE_MS = 32_503_680_000_000
SELECT = (
    "SELECT namespace, sha256 FROM held_things WHERE (namespace, sha256) > (:namespace, :sha256) "
    "ORDER BY namespace, sha256 LIMIT :limit"
)
HOLD = "INSERT INTO held_things (namespace, sha256) VALUES (:namespace, :sha256)"
REFERENCES = BlobReferences("things", Statement("things", SELECT, SELECT))


async def in_chunks(content, size=100_000):
    for start in range(0, len(content), size):
        yield content[start : start + size]


@pytest.fixture
def migrations(tmp_path):
    folder = tmp_path / "migrations"
    folder.mkdir()
    (folder / "0001_held.sql").write_text(
        "CREATE TABLE held_things (namespace $ID NOT NULL, sha256 $ID NOT NULL, "
        "PRIMARY KEY (namespace, sha256));"
    )
    return folder


@pytest.fixture
async def held(open_hall, make_plugin, migrations):
    """A hall with a plugin whose rows stand on blobs, and its store."""
    plugin = make_plugin("holder", migrations=migrations, blob_references=[REFERENCES])
    async with open_hall(plugin) as hall:
        yield Held(hall)


class Held:
    def __init__(self, hall):
        self.server = hall.server
        self.store = hall.server.service(BlobStore)

    async def put(self, content, *, needed=True):
        blob = await self.store.put("org_a", in_chunks(content))
        if needed:
            await self.need(blob.sha256)
        return blob.sha256

    async def need(self, sha256):
        async with self.server.data.write() as writer:
            await writer.run(Statement("hold", HOLD, HOLD), namespace="org_a", sha256=sha256)

    def path(self, sha256):
        return self.server.settings.data / "blobs/org_a" / sha256[:2] / sha256

    def spoil(self, sha256):
        stored = bytearray(self.path(sha256).read_bytes())
        stored[3] ^= 1
        self.path(sha256).write_bytes(stored)

    async def scrub(self, *, store=None, now_ms=FAR_FUTURE_MS):
        references = [one for one in self.server.registry.declared(BlobReferences) if one.name == "things"]
        return await scrub(store or self.store, self.server.data, references, now_ms)


async def test_what_is_sound_and_needed_is_only_counted(held):
    for content in (b"", b"small", bytes(3 * BLOCK)):
        await held.put(content)
    found = await held.scrub()
    assert (found.blobs, found.size, found.sound, found.orphans) == (3, 5 + 3 * BLOCK, True, [])


@pytest.mark.parametrize("size", [100, 3 * BLOCK])
async def test_a_spoiled_blob_is_named(held, size):
    await held.put(b"another")
    spoiled = await held.put(bytes(size))
    held.spoil(spoiled)
    found = await held.scrub()
    assert found.corrupt == [("org_a", spoiled)]
    assert not found.sound


async def test_a_blob_that_is_needed_and_gone_is_named(held):
    gone = await held.put(b"gone")
    await held.store.delete("org_a", gone)
    found = await held.scrub()
    assert (found.missing, found.sound) == ([("org_a", gone)], False)


async def test_what_nothing_needs_is_told_but_is_not_wrong(held):
    unused = await held.put(b"unused", needed=False)
    found = await held.scrub()
    assert [blob.sha256 for blob in found.orphans] == [unused]
    assert found.sound
    assert held.path(unused).exists()


async def test_what_was_just_put_is_not_called_unused(held):
    unused = await held.put(b"its row may come", needed=False)
    (kept,) = [blob async for blob in held.store.list()]
    assert (await held.scrub(now_ms=kept.kept_at_ms + HOUR_MS)).orphans == []
    found = await held.scrub(now_ms=kept.kept_at_ms + HOUR_MS + 1)
    assert [blob.sha256 for blob in found.orphans] == [unused]


async def test_more_than_a_page_of_references_is_read(held, monkeypatch):
    monkeypatch.setattr("builtin_plugins.backup.blobs._PAGE", 3)
    for number in range(7):
        await held.put(str(number).encode())
    found = await held.scrub()
    assert (found.blobs, found.orphans, found.missing) == (7, [], [])


class Meanwhile:
    """A store that does something at the moment the scrub begins to read it."""

    def __init__(self, store, act):
        self._store = store
        self._act = act

    def __getattr__(self, name):
        return getattr(self._store, name)

    async def list(self):
        blobs = [blob async for blob in self._store.list()]
        await self._act()
        for blob in blobs:
            yield blob


async def test_a_blob_that_came_or_went_meanwhile_is_no_fault(held):
    goes = await held.put(b"goes", needed=False)
    comes = await held.put(b"its row comes", needed=False)

    async def act():
        await held.store.delete("org_a", goes)
        await held.need(comes)
        await held.put(b"comes with its row")

    found = await held.scrub(store=Meanwhile(held.store, act))
    assert found.sound
    assert comes not in [blob.sha256 for blob in found.orphans]


class Gullible:
    """A store that verifies nothing."""

    def __init__(self, store):
        self._store = store

    def __getattr__(self, name):
        return getattr(self._store, name)

    async def get(self, namespace, sha256):
        yield b"something"
        yield b" else"


async def test_the_scrub_takes_no_stores_word_for_it(held):
    sha256 = await held.put(b"content")
    assert (await held.scrub(store=Gullible(held.store))).corrupt == [("org_a", sha256)]


async def test_leftovers_of_broken_puts_are_removed(held):
    leftover = held.server.settings.data / "blobs/.incoming/0123"
    leftover.write_bytes(b"half")
    assert (await held.scrub()).leftovers == 1
    assert not leftover.exists()


async def test_what_came_back_after_the_listing_is_not_missing(held):
    content = b"put again meanwhile"
    sha256 = await held.put(content)
    await held.store.delete("org_a", sha256)
    found = await held.scrub(store=Meanwhile(held.store, lambda: held.put(content, needed=False)))
    assert found.missing == []


async def test_where_nobody_says_what_is_in_use_nothing_is_called_unused(held):
    await held.put(b"content", needed=False)
    found = await scrub(held.store, held.server.data, [], FAR_FUTURE_MS)
    assert (found.orphans, found.sound) == (None, True)


def _places(folder):
    return {
        "SERVICE_DATA": str(folder / "data"),
        "SERVICE_PLUGINS": f"{folder / 'plugins'}:{PLUGINS}",
    }


def guildhall_scrub(folder, **settings):
    return commands.run(commands.bare_environment(**_places(folder), **settings), ["scrub"])


@pytest.fixture
async def instance(tmp_path, migrations):
    """A data folder that a server with such a plugin has left, with two blobs in it."""
    home = tmp_path / "plugins/holder"
    home.mkdir(parents=True)
    manifest = {"id": "holder", "name": "H", "version": "1", "description": "x", "entry": "plugin.py"}
    (home / "plugin.json").write_text(json.dumps(manifest))
    (home / "plugin.py").write_text(
        "from pathlib import Path\n"
        "from guildhall_sdk import BlobReferences, Migrations, Statement, hookimpl\n"
        f"SELECT = {SELECT!r}\n"
        "@hookimpl\n"
        "def declare_blob_references():\n"
        "    return [BlobReferences('things', Statement('things', SELECT, SELECT))]\n"
        "@hookimpl\n"
        "def declare_migrations():\n"
        "    return Migrations(Path(__file__).with_name('migrations'))\n"
    )
    shutil.copytree(migrations, home / "migrations")
    server = Server(Settings.from_environment(_places(tmp_path)))
    await server.start()
    for content in (b"one", bytes(600_000)):
        blob = await server.service(BlobStore).put("org_a", in_chunks(content))
        async with server.data.write() as writer:
            await writer.run(Statement("hold", HOLD, HOLD), namespace="org_a", sha256=blob.sha256)
    await server.stop()
    return tmp_path


def test_the_command_says_that_all_is_sound(instance):
    done = guildhall_scrub(instance)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "2 blobs, 0.6 MiB: all sound; 0 unused, 0.0 MiB; 0 leftovers removed\n"


def test_the_command_names_what_is_wrong_and_fails(instance):
    small, large = sorted((instance / "data/blobs/org_a").glob("*/*"), key=lambda path: path.stat().st_size)
    small.unlink()
    with large.open("r+b") as file:
        file.seek(500_000)
        file.write(b"!")
    done = guildhall_scrub(instance)
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        f"corrupt  org_a {large.name}",
        f"missing  org_a {small.name}",
        "1 blobs, 0.6 MiB: 1 corrupt, 1 missing; 0 unused, 0.0 MiB; 0 leftovers removed",
    ]


def test_the_command_refuses_a_store_that_nobody_brings(instance):
    done = guildhall_scrub(instance, SERVICE_BLOB_STORE="cellar")
    assert done.returncode == 2
    assert done.stderr.startswith("guildhall: SERVICE_BLOB_STORE: no plugin brings a store named cellar")
