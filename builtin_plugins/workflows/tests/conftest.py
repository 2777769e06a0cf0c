"""Halls with tools that a test plays, and definitions that it publishes."""

from types import SimpleNamespace
from typing import Any

import pytest

from guildhall_sdk import Parameter, Plugin, Tool, hookimpl


class Toys:
    """What the tools of the test's own plugin do; `play` is called with the arguments of `toy`."""

    def __init__(self):
        self.calls = []
        self.play = self.echo

    async def echo(self, host, principal, arguments):
        return arguments.get("value")

    async def run(self, host, principal, arguments):
        self.calls.append(arguments)
        return await self.play(host, principal, arguments)

    def plugin(self):
        tools = [
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

        @hookimpl
        def declare_tools():
            return tools

        return SimpleNamespace(PLUGIN=Plugin("toys", "Toys", "1.0", "Toys."), declare_tools=declare_tools)


@pytest.fixture
def toys():
    return Toys()


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

    async def run(self, *steps, as_=None, inputs=None, max_steps=100, **given):
        """Publishes a flow of these steps, runs it to its end, and returns the run."""
        await self.publish(*steps, inputs=inputs or {}, max_steps=max_steps)
        run = await self.start(as_=as_, **given)
        await self.hall.drain_jobs()
        return await self.read(run, as_=as_)


@pytest.fixture
async def hall(open_hall, toys):
    async with open_hall(toys.plugin()) as opened:
        yield opened


@pytest.fixture
def flows(hall, toys):
    return Flows(hall, toys)
