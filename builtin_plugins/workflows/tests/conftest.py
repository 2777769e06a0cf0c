"""Halls with tools that a test plays, and definitions that it publishes."""

from dataclasses import dataclass
from typing import Any

import pytest

from builtin_plugins.workflows.runs.engine import RunEngine
from guildhall_sdk import Event, JobKind, Origin, Parameter, Plugin, Tool, hookimpl
from guildhall_sdk.subscriptions import Events


@dataclass(frozen=True, slots=True, kw_only=True)
class Rang:
    """A bell of the toys rang."""

    bell: str


RANG = Event(name="toys.bell.rang", type=Rang)


async def rest(job):
    return None


class Toys:
    """A plugin whose tools do what the test says: `play` is called with the arguments of `toy`."""

    PLUGIN = Plugin("toys", "Toys", "1.0", "Toys.")

    def __init__(self):
        self.reset()

    def reset(self):
        self.calls = []
        self.play = self.echo

    async def echo(self, host, principal, arguments):
        return arguments.get("value")

    async def run(self, host, principal, arguments):
        self.calls.append(arguments)
        return await self.play(host, principal, arguments)

    async def ring(self, host, principal, arguments):
        """Plays an event of the toys' own, for the team of whoever calls."""
        origin = Origin(
            org_id=principal.org_id,
            team_id=principal.team_id,
            user_id=principal.user_id,
            credential_id=None,
            scope=None,
        )
        async with host.data.write() as writer:
            await host.service(Events).emit(writer, RANG, Rang(bell=arguments["value"]), origin)

    @hookimpl
    def declare_events(self):
        return [RANG]

    @hookimpl
    def declare_job_kinds(self):
        return [JobKind("x.toys.rest", "Does nothing.", handler=rest)]

    @hookimpl
    def declare_tools(self):
        return [
            Tool(
                "toy",
                "Does what the test says.",
                "chat:use",
                hosted=self.run,
                schema={"type": "object", "properties": {"value": {}}, "additionalProperties": False},
            ),
            Tool(
                "count",
                "Takes a number.",
                "chat:use",
                hosted=self.run,
                parameters=[Parameter("value", "integer")],
            ),
        ]


@pytest.fixture(scope="session")
def same_toys():
    """One plugin, so that tests may share a server that has it."""
    return Toys()


@pytest.fixture
def toys(same_toys):
    same_toys.reset()
    return same_toys


def tool(name, value=None, *, tool="toy", **more):
    """A step that calls the toy; its value may be a binding."""
    return {"name": name, "kind": "tool", "tool": tool, "with": {"value": value}, **more}


def each(name, over, value={"$from": "item"}, **more):  # noqa: B006
    """A map of the toy."""
    return {"name": name, "kind": "map", "over": over, "tool": "toy", "with": {"value": value}, **more}


def spec(*steps, slug="flow", inputs=(), **more):
    declared = {name: {"type": kind} for name, kind in dict(inputs).items()}
    return {"slug": slug, "inputs": declared, "start": steps[0]["name"], "steps": list(steps), **more}


def ref(text):
    return {"$from": text}


class Flows:
    """Workflows and runs in a hall, in few words."""

    def __init__(self, hall, toys):
        self.hall = hall
        self.toys = toys

    async def publish(self, *steps, company=None, **more):
        raw = spec(*steps, **more)
        answer = await (company or self.hall.acme).owner.post("/api/workflows", raw)
        assert answer.status_code == 201, answer.text
        return raw["slug"]

    async def start(self, slug="flow", *, as_=None, **inputs) -> Any:
        client = as_ or self.hall.acme.member
        answer = await client.post(f"/api/workflows/{slug}/run", {"input": inputs})
        assert answer.status_code == 202, answer.text
        return answer.json()

    async def read(self, run, *, as_=None):
        answer = await (as_ or self.hall.acme.member).get(f"/api/runs/{run['id']}")
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def settle(self, run, *, as_=None):
        """Returns the run when no job is due, and no wait whose time has come."""
        waits = self.hall.server.host_of("workflows").service(RunEngine).waits
        while True:
            await self.hall.drain_jobs()
            if not await waits.end_due():
                return await self.read(run, as_=as_)

    async def run(self, *steps, as_=None, inputs=None, max_steps=100, **given):
        """Publishes a flow of these steps, runs it to its end, and returns the run."""
        await self.publish(*steps, inputs=inputs or {}, max_steps=max_steps)
        run = await self.start(as_=as_, **given)
        await self.hall.drain_jobs()
        return await self.read(run, as_=as_)


@pytest.fixture
async def hall(share_hall, toys):
    async with share_hall(toys) as opened:
        yield opened


@pytest.fixture
def flows(hall, toys):
    return Flows(hall, toys)
