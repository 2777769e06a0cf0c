"""The environment: made once for each database, emptied for every test."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from guildhall_testing.migrated_databases import database_url, migrated
from guildhall_testing.site_databases import opened_database
from kernel.scheduler.tests.scheduler_env import SchedulerEnv

__all__ = ["database_url", "migrated"]


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def standing_env(hall_sites, hall_database) -> AsyncIterator[SchedulerEnv]:
    async with hall_sites.lease(hall_database) as site, opened_database(site) as data:
        yield SchedulerEnv(site, data)


@pytest.fixture
async def env(standing_env: SchedulerEnv) -> SchedulerEnv:
    return await standing_env.cleared()


@pytest.fixture
async def started(env):
    """Starts processes as a server would, and stops them."""
    running = []

    async def start(process):
        await process.scheduler.start()
        running.append(process)
        return process

    yield start
    for process in running:
        await process.scheduler.stop()
