"""The workshop: made once for each database, emptied for every test."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from kernel.scheduler.tests.workshop import Workshop
from kernel.testing.site_databases import opened_database


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def standing_workshop(hall_sites, hall_database) -> AsyncIterator[Workshop]:
    async with hall_sites.lease(hall_database) as site, opened_database(site) as data:
        yield Workshop(site, data)


@pytest.fixture
async def workshop(standing_workshop: Workshop) -> Workshop:
    return await standing_workshop.cleared()


@pytest.fixture
async def started(workshop):
    """Starts wrenches as a server would, and stops them."""
    running = []

    async def start(wrench):
        await wrench.scheduler.start()
        running.append(wrench)
        return wrench

    yield start
    for wrench in running:
        await wrench.scheduler.stop()
