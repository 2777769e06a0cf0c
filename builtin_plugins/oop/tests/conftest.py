"""Halls with out-of-process plugins."""

from contextlib import asynccontextmanager

import pytest

from builtin_plugins.oop import runner
from builtin_plugins.oop.tests.folders import Programs, until


@pytest.fixture
def programs(tmp_path):
    """The folder that `SERVICE_OOP` names, and how to put plugins into it."""
    return Programs(tmp_path / "programs")


@pytest.fixture
def open_programs(open_hall, programs, monkeypatch):
    """`async with open_programs() as hall:` with everything in the folder connected."""
    monkeypatch.setattr(runner, "FIRST_DELAY_SECONDS", 0.05)

    @asynccontextmanager
    async def opened(*, connected=True, **more):
        async with open_hall(SERVICE_OOP=str(programs.root), **more) as hall:
            if connected:
                await until(hall, lambda items: "connecting" not in {one["status"] for one in items.values()})
            yield hall

    return opened
