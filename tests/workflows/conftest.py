"""Databases of servers that are killed, and those servers."""

import signal

import pytest

from guildhall_testing.site_databases import opened_site
from tests.processes import Mortal
from tests.workflows.mortal_runs import CALLS, live


@pytest.fixture
async def site(hall_sites, hall_database):
    async with hall_sites.lease(hall_database) as leased:
        async with opened_site(leased) as opened:
            await opened.run(CALLS)
        yield leased


@pytest.fixture
async def give_birth(site):
    born = []

    def birth(target=live):
        born.append(Mortal(site, 2, target))
        return born[-1]

    yield birth
    for one in born:
        if one.process.exitcode is None:
            await one.end(signal.SIGKILL)
