"""Every client, over plain HTTP and over TLS, each with a hall and a bucket of its own."""

import time
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
import pytest_asyncio

from tests.s3_clients.clients import CLIENTS, FOLDER, JAVASCRIPT, OLD, Place, end_all
from tests.s3_clients.tls import make_certificate, tls_in_front_of


@pytest.fixture(scope="session", autouse=True)
def installed_clients():
    for folder in (FOLDER, OLD, JAVASCRIPT / "node_modules"):
        if not folder.is_dir():
            pytest.fail(f"there are no S3 clients in {folder}: `make setup` puts them there", pytrace=False)


@pytest.fixture(scope="session")
def certificate(tmp_path_factory):
    return make_certificate(tmp_path_factory.mktemp("certificate"))


@pytest_asyncio.fixture(loop_scope="session")
async def hall(open_hall):
    """By the clock on the wall, which is the one that these clients sign by."""
    async with open_hall() as opened:
        opened.clock.jump(seconds=time.time() - opened.clock.now_ms() / 1000)
        yield opened
        await end_all()


@pytest_asyncio.fixture(loop_scope="session")
async def issued_place(hall, tmp_path):
    """The bucket at the endpoint that the key was issued with."""
    key = (await hall.acme.owner.post("/api/s3/credentials", {})).json()
    home = tmp_path / "home"
    home.mkdir()
    return Place(
        key["endpoint"],
        key["bucket"],
        key["access_key_id"],
        key["secret_access_key"],
        trusted=None,
        home=home,
    )


@pytest.fixture
def plain_place(hall, issued_place):
    """The same on the listener of S3, where it is found at the root; for what TLS has no part in."""
    return replace(issued_place, endpoint=hall.addresses["s3"])


@asynccontextmanager
async def reached_by(scheme, plain_place, certificate):
    if scheme == "http":
        yield plain_place
        return
    trusted, shown = certificate
    async with tls_in_front_of(plain_place.endpoint, shown) as endpoint:
        yield replace(plain_place, endpoint=endpoint, trusted=trusted)


@pytest_asyncio.fixture(
    loop_scope="session", params=["http", pytest.param("tls", marks=pytest.mark.long_form)]
)
async def place(request, plain_place, certificate):
    async with reached_by(request.param, plain_place, certificate) as reached:
        yield reached


# In the suite each client takes one journey, and each journey is taken; all by all are the long form.
def shortly(those, *in_short):
    """Returns all parameters, where those that are not named are of the long form."""
    return [one if one in in_short else pytest.param(one, marks=pytest.mark.long_form) for one in those]


@pytest.fixture(params=shortly(CLIENTS, "boto3-1.34", "s3cmd", "rclone"))
def plain_client(request, plain_place):
    return CLIENTS[request.param](plain_place)


# The command line is boto3 below, which is tried by both; a start of it takes a second.
BOTH_WAYS = [(name, scheme) for name in CLIENTS if "awscli" not in name for scheme in ("http", "tls")]


@pytest_asyncio.fixture(
    loop_scope="session",
    params=shortly(
        [*BOTH_WAYS, ("awscli", "tls"), ("awscli-1.32", "http")],
        ("boto3", "tls"),
        ("minio-py", "http"),
        ("s3fs", "http"),
    ),
    ids=lambda pair: "-".join(pair),
)
async def client(request, plain_place, certificate):
    name, scheme = request.param
    async with reached_by(scheme, plain_place, certificate) as reached:
        yield CLIENTS[name](reached)
