"""Every client, over plain HTTP and over TLS, each with a hall and a bucket of its own."""

import time
from dataclasses import replace

import pytest
import pytest_asyncio

from tests.s3_clients.clients import CLIENTS, FOLDER, JAVASCRIPT, OLD, Place
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


@pytest_asyncio.fixture(loop_scope="session")
async def told_place(hall, tmp_path):
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
def plain_place(hall, told_place):
    """The same on the listener of S3, where it is found at the root; for what TLS has no part in."""
    return replace(told_place, endpoint=hall.addresses["s3"])


@pytest_asyncio.fixture(loop_scope="session", params=["http", "tls"])
async def place(request, plain_place, certificate):
    if request.param == "http":
        yield plain_place
        return
    trusted, shown = certificate
    async with tls_in_front_of(plain_place.endpoint, shown) as endpoint:
        yield replace(plain_place, endpoint=endpoint, trusted=trusted)


@pytest.fixture(params=list(CLIENTS))
def plain_client(request, plain_place):
    return CLIENTS[request.param](plain_place)


@pytest.fixture(params=list(CLIENTS))
def client(request, place):
    return CLIENTS[request.param](place)
