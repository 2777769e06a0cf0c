"""Halls with the jobs plugin, whether or not it is installed."""

from importlib.metadata import entry_points
from types import SimpleNamespace

import pytest

import builtin_plugins.jobs
from guildhall_sdk import Plugin, hookimpl

_INSTALLED = {point.name for point in entry_points(group="guildhall.plugins")}
_BROUGHT = () if builtin_plugins.jobs.PLUGIN.id in _INSTALLED else (builtin_plugins.jobs,)


@pytest.fixture
def open_jobs_hall(open_hall):
    """As `open_hall`: `async with open_jobs_hall(SERVICE_LEASE_SECONDS="5") as hall:`."""

    def opened(*plugins, **settings):
        return open_hall(*_BROUGHT, *plugins, **settings)

    return opened


@pytest.fixture
async def jobs_hall(share_hall):
    async with share_hall(*_BROUGHT) as hall:
        yield hall


@pytest.fixture(scope="session")
def toy():
    """`toy(routes=[row])`: a plugin of that id that declares these."""

    def toy(**declared):
        plugin = SimpleNamespace(PLUGIN=Plugin("toy", "Toy", "1.0", "A toy."))
        for name, things in declared.items():
            setattr(plugin, f"declare_{name}", _declaration(things))
        return plugin

    return toy


def _declaration(things):
    @hookimpl
    def declare():
        return things

    return declare
