"""`guildhall scrub`: what it finds, what it leaves alone, and what it says."""

import errno
import json
import os
import shutil
from pathlib import Path

import pytest

from builtin_plugins.backup import commands as command
from builtin_plugins.backup.scrubbing import Scrub, Scrubbed
from guildhall_sdk import Statement
from guildhall_sdk.blobs import BlobReferences, BlobStore
from guildhall_testing.servers import running_server, settings_from
from libs.blob_layout import BLOCK
from libs.blob_layout.tests.earlier_release import stored_by_an_earlier_release
from tests import commands

pytestmark = pytest.mark.any_database

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

    async def scrub(self, *, store=None, now_ms=FAR_FUTURE_MS, from_place=None, references=None, **kwargs):
        declared = [one for one in self.server.registry.declared(BlobReferences) if one.name == "things"]
        said = []
        work = Scrub(
            store or self.store,
            self.server.data,
            declared if references is None else references,
            lambda wrong, blob: said.append((wrong, blob.namespace, blob.sha256)),
            scrubbed=from_place or Scrubbed(),
            **kwargs,
        )
        return Found(await work.run(now_ms), said)


class Found:
    """What a scrub counted, and by kind what it said."""

    def __init__(self, scrubbed, said):
        self.scrubbed = scrubbed
        self.said = said
        assert (scrubbed.corrupt, scrubbed.missing, scrubbed.unused) == tuple(
            len(self.of(wrong)) for wrong in ("corrupt", "missing", "unused")
        )

    def __getattr__(self, name):
        return getattr(self.scrubbed, name)

    def of(self, wrong):
        return [sha256 for kind, _, sha256 in self.said if kind == wrong]


async def test_what_is_sound_and_needed_is_only_counted(held):
    for content in (b"", b"small", bytes(3 * BLOCK)):
        await held.put(content)
    found = await held.scrub()
    assert (found.blobs, found.size, found.sound, found.said) == (3, 5 + 3 * BLOCK, True, [])


async def test_a_blob_of_an_earlier_release_is_stored_as_new_ones_are(held):
    content = bytes(3 * BLOCK + 1)
    sha256 = await held.put(content)
    as_now, earlier = held.path(sha256).read_bytes(), stored_by_an_earlier_release(content)
    held.path(sha256).write_bytes(earlier)
    found = await held.scrub()
    assert (found.blobs, found.said) == (1, [])
    assert held.path(sha256).read_bytes() == as_now != earlier
    stored = held.path(sha256).stat()
    await held.scrub()
    assert held.path(sha256).stat() == stored


async def test_a_spoiled_blob_of_an_earlier_release_is_named_and_left_as_it_is(held):
    content = bytes(3 * BLOCK + 1)
    sha256 = await held.put(content)
    spoiled = stored_by_an_earlier_release(content).replace(bytes(10), b"0123456789", 1)
    held.path(sha256).write_bytes(spoiled)
    assert (await held.scrub()).said == [("corrupt", "org_a", sha256)]
    assert held.path(sha256).read_bytes() == spoiled


@pytest.mark.parametrize("trouble", ["no room", "deleted"])
async def test_a_scrub_goes_on_where_a_blob_cannot_be_stored_anew(held, trouble, monkeypatch):
    content = bytes(3 * BLOCK + 1)
    sha256 = await held.put(content)
    earlier = stored_by_an_earlier_release(content)
    held.path(sha256).write_bytes(earlier)
    real = os.fsync

    def fsync(descriptor):
        if trouble == "no room":
            raise OSError(errno.ENOSPC, "No space left on device")
        real(descriptor)

    class DeletedMeanwhile(Through):
        async def renew(self, namespace, sha256):
            held.path(sha256).unlink()
            await self._store.renew(namespace, sha256)

    monkeypatch.setattr(os, "fsync", fsync)
    found = await held.scrub(store=DeletedMeanwhile(held.store) if trouble == "deleted" else None)
    assert (found.blobs, found.said) == (1, [])
    assert held.path(sha256).exists() == (trouble == "no room")
    if trouble == "no room":
        assert held.path(sha256).read_bytes() == earlier


@pytest.mark.parametrize("size", [100, 3 * BLOCK])
async def test_a_spoiled_blob_is_named(held, size):
    await held.put(b"another")
    spoiled = await held.put(bytes(size))
    held.spoil(spoiled)
    found = await held.scrub()
    assert found.said == [("corrupt", "org_a", spoiled)]
    assert not found.sound


async def test_a_blob_that_is_needed_and_gone_is_named(held):
    gone = await held.put(b"gone")
    await held.store.delete("org_a", gone)
    found = await held.scrub()
    assert (found.said, found.sound) == ([("missing", "org_a", gone)], False)


async def test_what_nothing_needs_is_told_but_is_not_wrong(held):
    unused = await held.put(b"unused", needed=False)
    found = await held.scrub()
    assert found.said == [("unused", "org_a", unused)]
    assert found.sound
    assert held.path(unused).exists()


async def test_what_was_just_put_is_not_called_unused(held):
    unused = await held.put(b"its row may come", needed=False)
    (kept,) = [blob async for blob in held.store.list()]
    assert (await held.scrub(now_ms=kept.stored_at_ms + HOUR_MS)).said == []
    found = await held.scrub(now_ms=kept.stored_at_ms + HOUR_MS + 1)
    assert found.of("unused") == [unused]


async def test_more_than_a_page_of_references_is_read(held, monkeypatch):
    monkeypatch.setattr("builtin_plugins.backup.blobs._PAGE", 3)
    for number in range(7):
        await held.put(str(number).encode())
    found = await held.scrub()
    assert (found.blobs, found.said) == (7, [])


async def test_every_blob_is_judged_by_its_own_reference(held, monkeypatch):
    """In any order of those that are there, gone, needed and not."""
    monkeypatch.setattr("builtin_plugins.backup.blobs._PAGE", 2)
    kinds = {}
    for number in range(24):
        wrong = (None, "missing", "unused", "corrupt")[number % 4]
        sha256 = await held.put(str(number).encode(), needed=wrong != "unused")
        if wrong == "missing":
            await held.store.delete("org_a", sha256)
        if wrong == "corrupt":
            held.path(sha256).write_bytes(b"another")
        kinds[sha256] = wrong
    found = await held.scrub()
    assert {sha256: wrong for wrong, _, sha256 in found.said} == {k: v for k, v in kinds.items() if v}
    assert [sha256 for _, _, sha256 in found.said] == sorted(k for k, v in kinds.items() if v)


class Through:
    def __init__(self, store):
        self._store = store

    def __getattr__(self, name):
        return getattr(self._store, name)


class Killed(Exception):
    pass


async def test_it_goes_on_where_it_was_ended_and_counts_what_came_before(held, tmp_path, monkeypatch):
    monkeypatch.setattr(command, "_EVERY_BLOBS", 2)
    read = []

    class Counting(Through):
        def get(self, namespace, sha256):
            read.append(sha256)
            if len(read) == 6:
                raise Killed
            return self._store.get(namespace, sha256)

    for number in range(9):
        sha256 = await held.put(str(number).encode())
        if number < 3:
            held.path(sha256).write_bytes(b"another")
    place = command._Place(tmp_path / "scrub.json")
    with pytest.raises(Killed):
        await held.scrub(store=Counting(held.store), after_each=place.note)
    first, read[:] = list(read), []
    whole = await held.scrub()
    rest = place.read()
    assert rest.blobs == 4
    await Scrub(
        Through(held.store), held.server.data, [REFERENCES], lambda wrong, blob: None, scrubbed=rest
    ).run(FAR_FUTURE_MS)
    assert (rest.blobs, rest.size, rest.corrupt) == (9, whole.size, 3)
    assert first == sorted(first) and rest.place == whole.place


def test_a_place_that_nobody_left_is_the_start(tmp_path):
    place = command._Place(tmp_path / "scrub.json")
    assert place.read() == Scrubbed()
    (tmp_path / "scrub.json").write_text("{")
    assert place.read() == Scrubbed()


class Meanwhile(Through):
    """A store that does something at the moment the scrub begins to read it."""

    def __init__(self, store, act):
        super().__init__(store)
        self._act = act

    async def list_after(self, namespace, sha256):
        blobs = [blob async for blob in self._store.list_after(namespace, sha256)]
        await self._act()
        for blob in blobs:
            yield blob


@pytest.mark.every_database
async def test_a_blob_that_came_or_went_meanwhile_is_no_fault(held):
    goes = await held.put(b"goes", needed=False)
    comes = await held.put(b"its row comes", needed=False)

    async def act():
        await held.store.delete("org_a", goes)
        await held.need(comes)
        await held.put(b"comes with its row")

    found = await held.scrub(store=Meanwhile(held.store, act))
    assert found.sound
    assert comes not in found.of("unused")


class Gullible(Through):
    """A store that verifies nothing."""

    async def get(self, namespace, sha256):
        yield b"something"
        yield b" else"


async def test_the_scrub_takes_no_stores_word_for_it(held):
    sha256 = await held.put(b"content")
    assert (await held.scrub(store=Gullible(held.store))).of("corrupt") == [sha256]


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
    assert found.missing == 0


async def test_where_nobody_says_what_is_in_use_nothing_is_called_unused(held):
    await held.put(b"content", needed=False)
    found = await held.scrub(references=[])
    assert (found.unused_known, found.said, found.sound) == (False, [], True)


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
        "from guildhall_sdk import Migrations, Statement, hookimpl\n"
        "from guildhall_sdk.blobs import BlobReferences\n"
        f"SELECT = {SELECT!r}\n"
        "@hookimpl\n"
        "def declare_blob_references():\n"
        "    return [BlobReferences('things', Statement('things', SELECT, SELECT))]\n"
        "@hookimpl\n"
        "def declare_migrations():\n"
        "    return Migrations(Path(__file__).with_name('migrations'))\n"
    )
    shutil.copytree(migrations, home / "migrations")
    async with running_server(settings_from(_places(tmp_path))) as server:
        for content in (b"one", bytes(600_000)):
            blob = await server.service(BlobStore).put("org_a", in_chunks(content))
            async with server.data.write() as writer:
                await writer.run(Statement("hold", HOLD, HOLD), namespace="org_a", sha256=blob.sha256)
    return tmp_path


def test_the_command_says_that_all_is_sound(instance):
    done = guildhall_scrub(instance)
    assert (done.returncode, done.stderr, (instance / "data/scrub.json").exists()) == (0, "", False)
    assert done.stdout == "2 blobs, 0.6 MiB: all sound; 0 unused, 0.0 MiB; 0 leftovers removed\n"


def test_the_command_names_what_is_wrong_and_fails(instance):
    small, large = sorted((instance / "data/blobs/org_a").glob("*/*"), key=lambda path: path.stat().st_size)
    small.unlink()
    with large.open("r+b") as file:
        file.seek(500_000)
        file.write(b"!")
    done = guildhall_scrub(instance)
    assert done.returncode == 1
    assert sorted(done.stdout.splitlines()[:-1]) == [
        f"corrupt  org_a {large.name}",
        f"missing  org_a {small.name}",
    ]
    assert done.stdout.splitlines()[-1:] == [
        "1 blobs, 0.6 MiB: 1 corrupt, 1 missing; 0 unused, 0.0 MiB; 0 leftovers removed",
    ]


def test_the_command_refuses_a_store_that_nobody_brings(instance):
    done = guildhall_scrub(instance, SERVICE_BLOB_STORE="cellar")
    assert done.returncode == 2
    assert done.stderr.startswith("guildhall: SERVICE_BLOB_STORE: no plugin brings a store named cellar")
