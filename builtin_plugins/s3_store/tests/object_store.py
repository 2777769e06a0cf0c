"""An S3-compatible server of this process, and places in it."""

import os
from itertools import count

import boto3
import pytest

BUCKET = "guildhall-blobs"
SECRET = "canary-of-the-object-store"
KEY = {"S3_ACCESS_KEY_ID": "an-access-key", "S3_SECRET_ACCESS_KEY": SECRET}


@pytest.fixture(scope="session")
def object_store():
    """The endpoint of an S3-compatible server of this process, with one bucket."""
    from moto.server import ThreadedMotoServer  # which is much to import

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
