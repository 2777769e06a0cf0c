"""Which store a server opens, and what happens when it cannot."""

import asyncio
from hashlib import sha256

import pytest

from builtin_plugins.blobs.stores import open_blob_store, open_swept_blob_store, run_sweeps
from guildhall_sdk.blobs import Blob, BlobStoreKind, BlobStoreRefused, BlobStoreUnavailable
from guildhall_sdk.errors import OperatorError
from guildhall_testing.servers import settings_from

SETTINGS = settings_from({"SERVICE_BLOB_STORE": "deep-cellar"})


class Cellar:
    def __init__(self, environment=None, *, sweeps=True):
        self.environment = environment
        self.swept = 0
        self.marks = []
        self._sweeps = sweeps

    async def sweep(self):
        self.swept += 1
        if not self._sweeps:
            raise BlobStoreUnavailable("The cellar is under water.")
        return 0

    async def list(self, namespace=None):
        for blob in ():
            yield blob

    def list_after(self, namespace, sha256):
        return self.list()

    async def _never_called(self, *arguments):
        raise AssertionError

    get = delete = free_bytes = renew = _never_called

    async def put(self, namespace, chunks, *, also=(), check=None):
        content = b"".join([chunk async for chunk in chunks])
        self.marks.append(sha256(content).hexdigest())
        return Blob(self.marks[-1], len(content))

    async def stat(self, namespace, sha256):
        return 1 if sha256 in self.marks else None

    async def close(self):
        self.closed = True


def kind(opened):
    async def open_store(data, environment):
        assert data == SETTINGS.data
        return opened(environment)

    return {"deep-cellar": BlobStoreKind("deep-cellar", open_store)}


async def test_a_store_is_given_its_own_variables_and_no_others(monkeypatch):
    monkeypatch.setenv("DEEP_CELLAR_KEY", "of the cellar")
    monkeypatch.setenv("DEEP_OTHER", "not of the cellar")
    store = await open_blob_store(kind(Cellar), SETTINGS)
    assert store.environment == {"DEEP_CELLAR_KEY": "of the cellar"}
    assert store.swept == 0


@pytest.mark.any_database
async def test_a_server_sweeps_again_and_again_what_broken_puts_left(open_hall, monkeypatch):
    monkeypatch.setattr("builtin_plugins.blobs.stores.SWEEP_SECONDS", 0.01)
    async with open_hall() as hall, asyncio.timeout(60):
        for _ in range(2):
            leftover = hall.server.settings.data / "blobs/.incoming/0123"
            leftover.write_bytes(b"half")
            while leftover.exists():  # noqa: ASYNC110
                await asyncio.sleep(0.01)


async def test_a_store_that_cannot_be_swept_is_swept_later(monkeypatch):
    monkeypatch.setattr("builtin_plugins.blobs.stores.SWEEP_SECONDS", 0.0)
    store = Cellar(sweeps=False)
    sweeping = asyncio.create_task(run_sweeps(store))
    while store.swept < 3:  # noqa: ASYNC110
        await asyncio.sleep(0)
    sweeping.cancel()


async def test_the_boot_sweeps_what_broken_puts_left():
    assert (await open_swept_blob_store(kind(Cellar), SETTINGS)).swept == 1


async def test_a_store_that_cannot_be_swept_just_now_is_opened_all_the_same():
    store = await open_swept_blob_store(kind(lambda given: Cellar(given, sweeps=False)), SETTINGS)
    assert store.swept == 1


async def test_a_store_that_nobody_brings_is_named_with_those_that_are_there():
    with pytest.raises(OperatorError, match="no plugin brings a store named deep-cellar; there is rs3"):
        await open_blob_store({"rs3": None}, SETTINGS)


async def test_a_store_that_refuses_its_settings_stops_the_boot_in_one_line():
    def refuse(environment):
        raise BlobStoreRefused("DEEP_CELLAR_KEY: must be set")

    with pytest.raises(OperatorError) as refusal:
        await open_blob_store(kind(refuse), SETTINGS)
    assert str(refusal.value) == (
        "SERVICE_BLOB_STORE: the store deep-cellar cannot be opened: DEEP_CELLAR_KEY: must be set"
    )


@pytest.mark.hall_databases("sqlite")
async def test_a_plugin_brings_a_store_by_declare_blob_stores(open_hall, make_plugin):
    opened = []

    async def open_store(_data, environment):
        opened.append(Cellar(environment))
        return opened[0]

    plugin = make_plugin("cellar", blob_stores=[BlobStoreKind("deep-cellar", open_store)])
    async with open_hall(plugin, SERVICE_BLOB_STORE="deep-cellar"):
        assert len(opened) == 1
    assert opened[0].closed


@pytest.mark.hall_databases("sqlite")
@pytest.mark.parametrize(
    ("opening", "refusal"),
    [
        (BlobStoreRefused("its key must be set"), "the store cellar cannot be opened: its key must be set"),
        (None, "no plugin brings a store named cellar; there is rs3, s3"),
    ],
)
async def test_a_server_without_its_store_says_so_in_the_words_of_the_store(
    open_hall, make_plugin, opening, refusal
):
    async def open_store(_data, _environment):
        raise opening

    brought = [] if opening is None else [BlobStoreKind("cellar", open_store)]
    with pytest.raises(OperatorError) as refused:
        async with open_hall(make_plugin("cellar", blob_stores=brought), SERVICE_BLOB_STORE="cellar"):
            pass
    assert str(refused.value) == f"SERVICE_BLOB_STORE: {refusal}"
