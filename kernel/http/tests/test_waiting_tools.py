"""Tools that wait hold nothing that others need."""

import asyncio
from types import SimpleNamespace

import pytest

from guildhall_sdk import Plugin, Tool, hookimpl

MANY = 100


class Patient:
    """A plugin with tools that wait until the test lets them go on."""

    PLUGIN = Plugin("patient", "Patient", "1.0", "Tools that wait.")

    def __init__(self):
        self.go_on, self.all_wait = asyncio.Event(), asyncio.Event()
        self.waiting = 0

    @hookimpl
    def declare_tools(self):
        return [
            Tool("wait_outside", "Waits.", "notes:read", hosted=self._hosted),
            Tool("wait_reading", "Waits before it reads.", "notes:read", handler=self._reading),
        ]

    async def _hosted(self, host, principal, arguments):
        return await self._wait()

    async def _reading(self, reader, principal, arguments):
        return await self._wait()

    async def _wait(self):
        self.waiting += 1
        if self.waiting == MANY:
            self.all_wait.set()
        await self.go_on.wait()
        return "done"


@pytest.mark.parametrize("name", ["wait_outside", "wait_reading"])
async def test_a_hundred_tools_that_wait_keep_nobody_else_waiting(open_hall, name):
    plugin = Patient()
    async with open_hall(plugin) as hall:
        running = [asyncio.create_task(hall.tool(name, as_=hall.acme.member)) for _ in range(MANY)]
        async with asyncio.timeout(60):
            await plugin.all_wait.wait()
        for client in (hall.acme.member, hall.globex.member):
            for path in ("/api/whoami", "/api/notes"):
                assert (await client.get(path)).status_code == 200
        plugin.go_on.set()
        assert await asyncio.gather(*running) == ["done"] * MANY


async def test_a_scope_around_a_tool_is_not_its_own(open_hall):
    """Whoever reads and runs a tool inside that scope gives it another one."""
    seen = SimpleNamespace(reader=None)

    class Looking:
        PLUGIN = Plugin("looking", "Looking", "1.0", "A tool that looks.")

        @hookimpl
        def declare_tools(self):
            return [Tool("look", "Looks.", "notes:read", handler=self._look)]

        async def _look(self, reader, principal, arguments):
            seen.reader = reader
            return principal.username

    async with open_hall(Looking()) as hall, hall.server.data.read() as reader:
        assert await hall.tool("look", as_=hall.acme.member) == hall.acme.member.person.username
        assert seen.reader is not reader
