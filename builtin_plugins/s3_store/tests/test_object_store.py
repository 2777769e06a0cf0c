"""The object store of these tests keeps what a real one keeps."""

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from botocore.config import Config

from builtin_plugins.s3_store.tests.object_store import BUCKET, object_store, s3_client

__all__ = ["object_store"]

MANY = 8


@pytest.fixture
def hasty_threads():
    """Threads take turns so often that each sees the others in the middle of what they do."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(interval)


def test_the_same_object_may_be_put_by_many_at_once(object_store, hasty_threads):
    once = Config(retries={"max_attempts": 0})
    clients = [s3_client(object_store, config=once) for _ in range(MANY)]

    def put(client, name):
        return client.put_object(Bucket=BUCKET, Key=f"at once/{name}", Body=b"x" * 300_000)["ETag"]

    with ThreadPoolExecutor(MANY) as threads:
        for name in range(10):
            assert len({*threads.map(put, clients, [name] * MANY)}) == 1
