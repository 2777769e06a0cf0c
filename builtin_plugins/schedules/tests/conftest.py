"""Halls with a workflow that notes what it is given, and schedules of it."""

from types import SimpleNamespace

import pytest
import pytest_asyncio

from builtin_plugins.schedules.starting import ScheduleStarter
from guildhall_sdk import JobFailed, Plugin, Tool, hookimpl
from guildhall_sdk.errors import RetryLater

SLUG = "note-it"


class Tools:
    """The tool `note_it` notes its value and whom it acts as; while `held` its run goes on."""

    PLUGIN = Plugin("noting", "Noting", "1.0", "Notes.")

    def __init__(self):
        self.calls = []
        self.held = False

    async def note_it(self, host, principal, arguments):
        if self.held:
            raise RetryLater("Not yet.", headers={"Retry-After": "1"})
        if arguments["value"] == "fail":
            raise JobFailed("no_good", "It is no good.")
        self.calls.append(SimpleNamespace(**arguments, principal=principal))
        return arguments["value"]

    @hookimpl
    def declare_tools(self):
        schema = {"type": "object", "properties": {"value": {}}, "additionalProperties": False}
        return [Tool("note_it", "Notes it.", "workflows:run", hosted=self.note_it, schema=schema)]


@pytest.fixture(scope="session")
def same_tools():
    """One plugin, so that tests may share a server that has it."""
    return Tools()


@pytest.fixture
def tools(same_tools):
    same_tools.calls, same_tools.held = [], False
    return same_tools


@pytest_asyncio.fixture(loop_scope="session")
async def hall(share_hall, tools):
    async with share_hall(tools) as opened:
        yield opened


class Schedules:
    """Schedules and what they start in a hall, in few words."""

    def __init__(self, hall):
        self.hall = hall
        self.admin = hall.acme.owner

    async def publish(self, slug=SLUG, inputs=None, as_=None):
        inputs = (
            {"value": {"type": "string", "required": False, "default": "x"}} if inputs is None else inputs
        )
        step = {"name": "do", "kind": "tool", "tool": "note_it", "with": {"value": {"$from": "input.value"}}}
        spec = {"slug": slug, "inputs": inputs, "start": "do", "steps": [step]}
        answer = await (as_ or self.admin).post("/api/workflows", spec)
        assert answer.status_code == 201, answer.text

    async def create(self, as_=None, **fields):
        answer = await (as_ or self.admin).post("/api/schedules", {"workflow_slug": SLUG, **fields})
        assert answer.status_code == 201, answer.text
        return answer.json()

    async def read(self, schedule, as_=None):
        answer = await (as_ or self.admin).get(f"/api/schedules/{schedule['id']}")
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def change(self, schedule, as_=None, **fields):
        answer = await (as_ or self.admin).patch(f"/api/schedules/{schedule['id']}", fields)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def pass_by(self, **time):
        """Lets time pass, and has done what is due then."""
        self.hall.clock.advance(**time)
        await self.hall.drain_jobs()

    async def runs(self, schedule, as_=None):
        """Returns the runs that a schedule has started, oldest first."""
        items = (await (as_ or self.admin).get("/api/runs?limit=200")).json()["items"]
        return [run for run in reversed(items) if run["trigger_id"] == schedule["id"]]

    async def states(self, schedule):
        return [run["state"] for run in await self.runs(schedule)]

    async def end(self):
        """Deletes what would start something while other tests have the server."""
        for one in (await self.admin.get("/api/schedules?limit=200")).json()["items"]:
            if one["source"] is None:
                await self.admin.delete(f"/api/schedules/{one['id']}")

    def starter(self):
        return self.hall.server.host.service(ScheduleStarter)


@pytest_asyncio.fixture(loop_scope="session")
async def schedules(hall):
    made = Schedules(hall)
    await made.publish()
    yield made
    await made.end()
