"""The stores under test, each with a way to spoil what it keeps."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import boto3
import pytest
from moto.server import ThreadedMotoServer

from guildhall_sdk import Blob, BlobStore
from guildhall_store_s3 import open_store as open_s3_store
from kernel.testing.selection import registry_of

BUCKET = "guildhall-blobs"
KEY = {"S3_ACCESS_KEY_ID": "an-access-key", "S3_SECRET_ACCESS_KEY": "canary-of-the-object-store"}


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


@pytest.fixture(scope="session")
def object_store():
    """The endpoint of an S3-compatible server of this process, with one bucket."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    endpoint = f"http://{host}:{port}"
    s3_client(endpoint).create_bucket(Bucket=BUCKET)
    yield endpoint
    server.stop()


def s3_client(endpoint: str):
    return boto3.client(
        "s3",
        endpoint_url=endpoint,
        region_name="us-east-1",
        aws_access_key_id=KEY["S3_ACCESS_KEY_ID"],
        aws_secret_access_key=KEY["S3_SECRET_ACCESS_KEY"],
    )


@pytest.fixture
def s3_environment(object_store, _prefixes=count()):  # noqa: B008
    """The settings of a place of the test's own in the bucket."""
    return {
        **KEY,
        "S3_ENDPOINT": object_store,
        "S3_BUCKET": BUCKET,
        "S3_PREFIX": f"test {os.getpid()}+{next(_prefixes)}/",
    }


@pytest.fixture
def open_rs3(pytestconfig, tmp_path):
    kind = registry_of(pytestconfig).blob_stores()["rs3"]
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


def _changing_objects(environment):
    client = s3_client(environment["S3_ENDPOINT"])

    def change(namespace, sha256, changed):
        key = f"{environment['S3_PREFIX']}{namespace}/{sha256[:2]}/{sha256}"
        body = client.get_object(Bucket=BUCKET, Key=key)["Body"].read()
        client.put_object(Bucket=BUCKET, Key=key, Body=changed(body))

    return change
