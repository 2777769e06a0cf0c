"""Conversations in halls whose own model is scripted, and tools that write."""

import asyncio

import pytest

from guildhall_sdk import Parameter, Plugin, Tool, hookimpl
from guildhall_sdk.dimensions import Quotas

PATH = "/api/conversations"


class Desk:
    """The tools `jot` writes a line down and `recall` reads them; while `held` is set `jot` waits."""

    PLUGIN = Plugin("desk", "Desk", "1.0", "Jots.")

    def __init__(self):
        self.reset()

    def reset(self):
        self.lines = []
        self.begun, self.go_on = asyncio.Event(), asyncio.Event()
        self.go_on.set()

    async def jot(self, host, principal, arguments):
        self.begun.set()
        await self.go_on.wait()
        self.lines.append((principal.user_id, arguments["line"]))
        return {"lines": len(self.lines)}

    async def recall(self, reader, principal, arguments):
        return [line for _, line in self.lines]

    @hookimpl
    def declare_tools(self):
        line = (Parameter("line", "string"),)
        return [
            Tool("jot", "Writes a line down.", "chat:use", hosted=self.jot, parameters=line),
            Tool("recall", "Reads the lines.", "chat:use", handler=self.recall),
        ]


@pytest.fixture(scope="session")
def same_desk():
    """One plugin, so that tests may share a server that has it."""
    return Desk()


@pytest.fixture
def desk(same_desk):
    same_desk.reset()
    return same_desk


@pytest.fixture
async def hall(share_hall, desk):
    async with share_hall(desk, with_model=True) as opened:
        yield opened


class Talk:
    """One conversation of one client, in few words."""

    def __init__(self, hall, client, found):
        self.hall, self.client, self.id = hall, client, found["id"]
        self.path = f"{PATH}/{self.id}"

    async def ask(self, prompt="What is a guild?", client=None, **more):
        answer = await (client or self.client).post(f"{self.path}/messages", {"prompt": prompt, **more})
        assert answer.status_code == 202, answer.text
        return answer.json()["message"]

    async def answered(self, prompt="What is a guild?", **more):
        """Asks and returns the answer once it is whole, or waits for somebody."""
        message = await self.ask(prompt, **more)
        await self.hall.drain_jobs()
        return await self.message(message["id"])

    async def read(self, client=None):
        answer = await (client or self.client).get(self.path)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def message(self, message_id, client=None):
        items = (await (client or self.client).get(f"{self.path}/messages?limit=200")).json()["items"]
        return next(one for one in items if one["id"] == message_id)


@pytest.fixture
def begin(hall):
    """`await begin(client, **fields)` makes a conversation, of acme's member unless told."""

    async def begin(client=None, **fields):
        client = client or hall.acme.member
        answer = await client.post(PATH, fields)
        assert answer.status_code == 201, answer.text
        return Talk(hall, client, answer.json())

    return begin


def text(message):
    return "\n\n".join(part["text"] for part in message["parts"] if part["type"] == "text")


@pytest.fixture
def limit_jobs(hall):
    """`await limit_jobs(0)`: so many jobs of acme's team run at once."""

    async def limit_jobs(many):
        async with hall.server.data.write() as writer:
            quotas = hall.server.service(Quotas)
            await quotas.set_limit(writer, "team", hall.acme.id, "jobs.concurrency", "none", many)

    return limit_jobs
