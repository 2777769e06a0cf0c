"""One database, one store of file contents: another one, or an empty folder in its place, is named."""

import asyncio
import shutil
from dataclasses import replace
from urllib.error import HTTPError

import pytest

from builtin_plugins.backup.tests.conftest import ADA, Places, call, post
from builtin_plugins.blobs import guard
from builtin_plugins.blobs.guard import BlobStoreMismatch, GuardedStore, StoreGuard
from builtin_plugins.s3_store import open_store as open_s3_store
from guildhall_testing.clock import FakeClock
from guildhall_testing.databases import database_at
from guildhall_testing.servers import secret_key_in
from kernel.instance_facts import StoredFacts
from tests.processes import free_port

# The database keeps one row for it; what races for that row runs on each.
pytestmark = pytest.mark.any_database

CONTENT = b"0123456789" * 4_000
NOT_ITS_STORE = "SERVICE_BLOB_STORE: the store rs3 that is set up here does not hold the file contents"
ADOPTED = "DELETE FROM instance_facts WHERE key = 'blob_store'"


@pytest.fixture
def places(tmp_path):
    made = Places(tmp_path)
    yield made
    made.remove()


@pytest.fixture(scope="module")
def first(tmp_path_factory, hall_database):
    """An instance with one file, which has run and stopped; to be copied."""
    places = Places(tmp_path_factory.mktemp("first"))
    place = places.make(hall_database)
    with place.serving() as base_url:
        token = post(f"{base_url}/api/bootstrap", ADA)["token"]
        call(base_url, token, "PUT", "/api/repo/large", CONTENT, "text/plain")
    yield place
    places.remove()


@pytest.fixture
def place(places, first, hall_database):
    """A copy of it, of the test's own."""
    return places.copy(first, hall_database)


@pytest.fixture
def another(place, tmp_path):
    """Another host: the same database and key, and a data folder of its own."""
    key = secret_key_in(place.data)
    return replace(place, folder=tmp_path, more={"SERVICE_SECRET_KEY": key})


def is_refused(place) -> bool:
    bound = replace(place, more={**place.more, "SERVICE_BIND": f"127.0.0.1:{free_port()}"})
    done, examined = bound.run("serve"), bound.run("doctor")
    assert (done.returncode == 0) == (examined.returncode == 0)
    assert next(line for line in examined.stdout.splitlines() if NOT_ITS_STORE in line).startswith("blobs ")
    assert NOT_ITS_STORE in done.stderr
    assert "guildhall doctor --adopt-store" in done.stderr
    return done.returncode != 0


def test_a_server_with_a_folder_of_its_own_is_refused_and_doctor_says_why(place, another):
    assert is_refused(another)
    place.boot()
    shutil.rmtree(another.data)
    another.data.mkdir(mode=0o700)
    (another.data / "blobs").symlink_to(place.data / "blobs")
    another.boot()


def test_an_empty_folder_in_the_place_of_the_store_is_refused(place):
    (place.data / "blobs").rename(place.data / "elsewhere")
    assert is_refused(place)


def test_a_folder_that_was_moved_is_known(place, tmp_path):
    moved = replace(place, folder=tmp_path / "moved")
    moved.folder.mkdir()
    place.data.rename(moved.data)
    if "sqlite" in place.url:
        moved = replace(moved, url=f"sqlite:///{moved.data}/guildhall.db")
    moved.boot()


async def test_an_instance_of_an_earlier_version_takes_the_store_it_has_for_its_own_once(place, another):
    shutil.rmtree(place.data / "blobs" / "store-mark")
    await place.change(ADOPTED)
    assert await asyncio.to_thread(is_refused, another)
    await asyncio.to_thread(place.boot)
    assert len([*(place.data / "blobs" / "store-mark").rglob("*/*")]) == 1
    assert await asyncio.to_thread(is_refused, another)
    done = await asyncio.to_thread(place.run, "scrub")
    assert (done.returncode, "unused" in done.stdout and "0 unused" not in done.stdout) == (0, False)


def test_a_store_whose_contents_are_lost_is_adopted_by_the_operator_alone(place, another):
    assert is_refused(another)
    done = another.run("doctor", "--adopt-store")
    assert done.stdout.startswith("the store rs3 that is set up here is this instance's own from now on")
    another.boot()
    assert is_refused(place)


def test_a_restored_instance_knows_its_new_folder(place, places, hall_database, tmp_path):
    assert place.run("backup", "--with-key", tmp_path / "nightly").returncode == 0
    restored = places.make(hall_database)
    done = restored.run("restore", tmp_path / "nightly")
    assert done.returncode == 0, done.output
    restored.boot()
    (restored.data / "blobs").rename(restored.data / "elsewhere")
    assert is_refused(restored)


@pytest.mark.hall_databases("postgresql")
@pytest.mark.short_on("sqlite")
def test_two_servers_with_stores_of_two_kinds_are_refused_however_empty(
    places, hall_database, tmp_path, s3_environment
):
    place = places.make(hall_database)
    with place.serving():
        key = secret_key_in(place.data)
        more = {**s3_environment, "SERVICE_BLOB_STORE": "s3", "SERVICE_SECRET_KEY": key}
        more |= {"SERVICE_BIND": f"127.0.0.1:{free_port()}", "SERVICE_S3_BIND": f"127.0.0.1:{free_port()}"}
        of_another_kind = replace(place, folder=tmp_path, more=more)
        done, examined = of_another_kind.run("serve"), of_another_kind.run("doctor")
        assert done.returncode != 0
        for said in (done.stderr, examined.stdout):
            assert "the store rs3 of this database is in use by a server (" in said
            assert "stop every server before you change SERVICE_BLOB_STORE" in said
        assert place.run("doctor").returncode == 0
    of_another_kind.boot()


@pytest.mark.every_database
@pytest.mark.short_on("sqlite")
async def test_of_two_kinds_at_the_first_start_one_is_taken(
    place, open_rs3, tmp_path, s3_environment, monkeypatch
):
    both_looked, new_mark = asyncio.Barrier(2), guard.new_mark

    async def mark_when_both_looked(store):
        await both_looked.wait()
        return await new_mark(store)

    monkeypatch.setattr(guard, "new_mark", mark_when_both_looked)
    await place.change(ADOPTED)
    data = database_at(place.url)
    await data.connect()
    opened = {"rs3": await open_rs3(), "s3": await open_s3_store(tmp_path, s3_environment)}
    guards = {kind: StoreGuard(StoredFacts(), data, FakeClock(), kind, ()) for kind in opened}
    stores = [GuardedStore(store, guards[kind]) for kind, store in opened.items()]
    took = await asyncio.gather(
        *(guard.identify(store) for guard, store in zip(guards.values(), stores, strict=True)),
        return_exceptions=True,
    )
    for store in stores:
        await store.close()
    await data.disconnect()
    assert sorted(type(one) is BlobStoreMismatch for one in took) == [False, True]


def test_a_store_that_goes_away_under_a_server_is_said_at_the_first_missing_content(place):
    with place.serving() as base_url:
        token = post(f"{base_url}/api/login", ADA)["token"]
        (item,) = call(base_url, token, "GET", "/api/repo")["items"]
        path = f"/api/repo-obj/{item['id']}/content"
        (place.data / "blobs").rename(place.data / "elsewhere")
        with pytest.raises(HTTPError) as refusal:
            call(base_url, token, "GET", path)
        assert refusal.value.code == 503
        assert b"guildhall doctor" in refusal.value.read()
        (place.data / "elsewhere").rename(place.data / "blobs")
        assert call(base_url, token, "GET", path) == CONTENT
