"""The stores under test, each with a way to spoil what it keeps."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from builtin_plugins.s3_store import open_store as open_s3_store
from builtin_plugins.s3_store.tests.object_store import object_store, s3_client, s3_environment
from guildhall_sdk.blobs import Blob, BlobStore, BlobStoreKind
from guildhall_testing.selection import registry_of

__all__ = ["object_store", "s3_environment"]


@dataclass(frozen=True)
class Spoilable:
    """A store, and how to change the bytes at rest behind its back."""

    store: BlobStore
    change: Callable[[str, str, Callable[[bytes], bytes]], None]

    async def put(self, namespace: str, content: bytes, **options) -> Blob:
        return await self.store.put(namespace, in_chunks(content), **options)

    async def read(self, namespace: str, sha256: str, start: int = 0, end: int | None = None) -> bytes:
        return b"".join([chunk async for chunk in self.store.get(namespace, sha256, start, end)])

    async def kept(self, namespace: str | None = None) -> set[tuple[str, str, int]]:
        return {(one.namespace, one.sha256, one.size) async for one in self.store.list(namespace)}


async def in_chunks(content: bytes, size: int = 100_000):
    for start in range(0, len(content), size):
        yield content[start : start + size]


@pytest.fixture
def open_rs3(pytestconfig, tmp_path):
    kind = next(one for one in registry_of(pytestconfig).declared(BlobStoreKind) if one.name == "rs3")
    return lambda: kind.open(tmp_path, {})


@pytest.fixture(params=["rs3", "s3"])
async def spoilable(request, tmp_path):
    if request.param == "rs3":
        store = await request.getfixturevalue("open_rs3")()
        change = _changing_files(tmp_path)
    else:
        environment = request.getfixturevalue("s3_environment")
        store = await open_s3_store(tmp_path, environment)
        change = _changing_objects(environment)
    yield Spoilable(store, change)
    await store.close()


def _changing_files(root: Path):
    def change(namespace, sha256, changed):
        path = root / "blobs" / namespace / sha256[:2] / sha256
        path.write_bytes(changed(path.read_bytes()))

    return change


_client = cache(s3_client)


def _changing_objects(environment):
    client = _client(environment["S3_ENDPOINT"])

    def change(namespace, sha256, changed):
        key = f"{environment['S3_PREFIX']}{namespace}/{sha256[:2]}/{sha256}"
        body = client.get_object(Bucket=environment["S3_BUCKET"], Key=key)["Body"].read()
        client.put_object(Bucket=environment["S3_BUCKET"], Key=key, Body=changed(body))

    return change
