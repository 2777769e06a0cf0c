"""A hall with this plugin, whether or not it is among the installed ones."""

from functools import partial
from importlib.metadata import entry_points

import pytest

from builtin_plugins import ai
from builtin_plugins.ai.tests.agent_tools import Workbench
from guildhall_testing.hall import open_hall as open_a_hall


@pytest.fixture
async def hall(share_hall):
    installed = any(point.value == ai.__name__ for point in entry_points(group="guildhall.plugins"))
    async with share_hall(*([] if installed else [ai])) as opened:
        yield opened


@pytest.fixture(scope="module")
async def refusing(hall_sites, hall_watch, hall_database):
    """A hall with a scripted model for those tests of a module that come to none."""
    async with open_a_hall(hall_sites, hall_database, hall_watch, with_model=True) as opened:
        yield opened


@pytest.fixture
async def modelled(share_hall):
    """A hall whose own model is scripted."""
    async with share_hall(with_model=True) as opened:
        yield opened


async def set_limit(hall, place, dimension, limit, window, level="team"):
    from guildhall_sdk.dimensions import Quotas

    subject_id = place.org_id if level == "org" else place.id
    async with hall.server.data.write() as writer:
        await hall.server.service(Quotas).set_limit(writer, level, subject_id, dimension, window, limit)


@pytest.fixture
def limit(hall):
    """`await limit(hall.acme, "ai.requests", 5, "day")` sets the team's; with `level="org"` the company's."""
    return partial(set_limit, hall)


@pytest.fixture
def limit_jobs():
    """`await limit_jobs(hall, 0)`: so many jobs of acme's team run at once."""

    async def limit_jobs(hall, many):
        await set_limit(hall, hall.acme, "jobs.concurrency", many, "none")

    return limit_jobs


@pytest.fixture
def used():
    """`await used(client)`: requests, tokens and turns under way, of the team."""

    async def used(client, level="team"):
        items = (await client.get("/api/usage")).json()["items"]
        found = {item["dimension"]: item["used"] for item in items if item["level"] == level}
        return tuple(found[name] for name in ("ai.requests", "ai.tokens.total", "ai.concurrency"))

    return used


@pytest.fixture(scope="session")
def same_workbench():
    """One plugin, so that tests may share a server that has it."""
    return Workbench()


@pytest.fixture
def workbench(same_workbench):
    """The tools that the agent's tests are made with."""
    same_workbench.reset()
    return same_workbench


@pytest.fixture
async def shop(share_hall, workbench):
    """A hall with those tools, whose own model is scripted."""
    async with share_hall(workbench, with_model=True) as opened:
        yield opened
