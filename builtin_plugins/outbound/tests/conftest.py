"""Halls from which plugins call a server that does as it is told."""

import pytest
import pytest_asyncio

from tests.told_server import ToldServer


@pytest_asyncio.fixture(loop_scope="session")
async def receiver():
    told = ToldServer()
    await told.start()
    yield told
    await told.stop()


@pytest.fixture
def ask():
    """`ask(hall, url)`: what the service of a hall says to a request of Acme."""
    from guildhall_sdk.services.outbound import OutboundHttp, OutboundRequest

    async def asked(hall, url, **fields):
        request = OutboundRequest(plugin="shelf", org_id=hall.acme.org_id, url=url, **fields)
        return await hall.server.service(OutboundHttp).send(request)

    return asked
