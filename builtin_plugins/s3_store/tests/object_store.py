"""An S3-compatible server of this process, and places in it."""

import os
from itertools import count
from threading import Lock, Thread

import boto3
import pytest

BUCKET = "guildhall-blobs"
SECRET = "canary-of-the-object-store"
KEY = {"S3_ACCESS_KEY_ID": "an-access-key", "S3_SECRET_ACCESS_KEY": SECRET}


@pytest.fixture(scope="session")
def object_store():
    """The endpoint of an S3-compatible server of this process, with one bucket."""
    from moto.moto_server import werkzeug_app  # which is much to import
    from werkzeug.serving import make_server

    app = one_at_a_time(werkzeug_app.DomainDispatcherApplication(werkzeug_app.create_backend_app))
    handler = werkzeug_app.MotoRequestHandler
    server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    endpoint = f"http://127.0.0.1:{server.server_port}"
    s3_client(endpoint).create_bucket(Bucket=BUCKET)
    yield endpoint
    server.shutdown()
    thread.join()


def one_at_a_time(app):
    """Returns the application for one request at a time.

    moto closes an object in whose place another was put, also for who is just being told that it was kept.
    """
    turn = Lock()

    def take_turns(environ, start_response):
        with turn:
            return app(environ, start_response)

    return take_turns


def s3_client(endpoint: str, **options):
    return boto3.client(
        "s3",
        **options,
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
