"""Executors of a server of each dialect, with two companies, and a model server that does as it is told."""

import asyncio
import json
from contextlib import asynccontextmanager
from dataclasses import dataclass
from types import SimpleNamespace

import pytest

from builtin_plugins.executors.health import HealthLoop
from builtin_plugins.executors.records import NewExecutor
from builtin_plugins.executors.service import StoredExecutors
from builtin_plugins.executors.settings import SETTINGS
from guildhall_sdk import Statement
from guildhall_sdk.services.models import Executors
from guildhall_sdk.services.outbound import OutboundHttp
from tests.name_service import Names
from tests.told_server import ToldServer

ENVIRONMENT = [
    {
        "name": "Big",
        "url": "http://10.0.0.7:8000/v1/",
        "model": "big-1",
        "key": "sk-of-the-environment",
        "capabilities": ["chat", "chat", "vision"],
    }
]


# What tests before have left on a server that is shared.
TABLES = ("executors", "executor_health", "executor_quirks", "secrets")
EMPTY = [Statement("empty", *[f"DELETE FROM {table}"] * 2) for table in TABLES]


class ConfiguredHost:
    """The plugin's host with other settings than the server's: `ConfiguredHost(host, timeout="5")`."""

    def __init__(self, host, *, private_allowed=False, **settings):
        self._host = host
        self._private_allowed = private_allowed
        self._settings = {one: one.parse(settings[one.name]) for one in SETTINGS if one.name in settings}

    def setting(self, setting):
        return self._settings.get(setting, self._host.setting(setting))

    def service(self, protocol):
        if protocol is OutboundHttp and self._private_allowed:
            return SimpleNamespace(private_allowed=True)
        return self._host.service(protocol)

    def __getattr__(self, name):
        return getattr(self._host, name)


@dataclass
class ExecutorDatabase:
    """What the tests ask for again and again; every call is a transaction of its own."""

    hall: object
    executors: StoredExecutors
    names: Names

    @property
    def acme(self):
        return self.hall.acme.org_id

    @property
    def globex(self):
        return self.hall.globex.org_id

    @property
    def data(self):
        return self.hall.server.data

    @property
    def clock(self):
        return self.hall.clock

    async def create(self, name="gpu", mode="pull", *, by_operator=True, **more):
        admitted = await self.executors.admit(NewExecutor(name, mode, **more), by_operator=by_operator)
        async with self.data.write() as writer:
            return await self.executors.create(writer, admitted)

    async def retire(self, executor_id):
        async with self.data.write() as writer:
            return await self.executors.retire(writer, executor_id)

    async def offered(self, org_id):
        async with self.data.read() as reader:
            return await self.executors.offered_to(reader, org_id)

    async def named(self, org_id, name):
        async with self.data.read() as reader:
            return await self.executors.named(reader, org_id, name)

    async def rows(self, text):
        """Of a table, or of a statement that begins with SELECT or UPDATE."""
        text = text if " " in text else f"SELECT * FROM {text}"
        async with self.data.write() as writer:
            return [dict(row) for row in await writer.all(Statement("rows", text, text))]


@pytest.fixture
def names():
    return Names()


@pytest.fixture
async def make_executors(names):
    """`make_executors(hall, environment, …)`: the service as a server with these settings has it."""
    made = []

    def make(hall, environment=ENVIRONMENT, **settings):
        host = ConfiguredHost(
            hall.server.host_of("executors"), executors=json.dumps(list(environment)), **settings
        )
        made.append(StoredExecutors(host, names))
        return made[-1]

    yield make
    for executors in made:
        await executors.clients.close()


async def _take_no_rounds(loop):
    """Takes the place of `HealthLoop.run`: the server would probe what a test has just made."""
    await asyncio.Event().wait()


@pytest.fixture
async def desk(share_hall, names, make_executors, monkeypatch):
    """A server without any executor but those of the settings."""
    monkeypatch.setattr(HealthLoop, "run", _take_no_rounds)
    async with share_hall() as hall:
        async with hall.server.data.write() as writer:
            for statement in EMPTY:
                await writer.run(statement)
        yield ExecutorDatabase(hall, make_executors(hall), names)


class ModelServer(ToldServer):
    """A model server that does as it is told."""

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/v1"


class PickyServer(ModelServer):
    """A model that refuses what it was told to, and answers whatever is left."""

    def reset(self):
        super().reset()
        self.refusals = []
        self.reply = "Hello there"
        self.stream = None

    @property
    def turns(self):
        """The bodies of the requests for a turn."""
        return [json.loads(body) for line, _, body in self.requests if line.startswith("POST")]

    def refuse(self, body, when, status=400):
        """Answers this where `when`, a name or a test of the request, is in it."""
        test = when if callable(when) else lambda request: when in request
        self.refusals.append((test, status, body))

    def choose(self, request):
        if not request:
            self.answer({"object": "list", "data": []})
            return
        for test, status, body in self.refusals:
            if test(request):
                self.answer(body, status, Content_Type="application/json")
                return
        usage = {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}
        if not request.get("stream"):
            message = {"role": "assistant", "content": self.reply}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            self.answer({"choices": [choice], "usage": usage}, Content_Type="application/json")
        elif self.stream is not None:
            self.answer(self.stream, Content_Type="text/event-stream")
        else:
            chunks = [{"choices": [{"delta": {"content": self.reply}, "finish_reason": "stop"}]}]
            if request.get("stream_options"):
                chunks.append({"choices": [], "usage": usage})
            events = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks)
            self.answer(f"{events}data: [DONE]\n\n".encode(), Content_Type="text/event-stream")


@pytest.fixture
async def model_server():
    server = ModelServer()
    await server.start()
    yield server
    await server.stop()


@pytest.fixture(scope="module")
async def same_picky():
    """One server, so that tests may share a hall that has it."""
    server = PickyServer()
    await server.start()
    yield server
    await server.stop()


@pytest.fixture
def picky(same_picky):
    same_picky.reset()
    return same_picky


@pytest.fixture
def share_picky(share_hall, picky):
    """`async with share_picky(SERVICE_MODEL_NAME="small") as hall:`, whose model nobody knows yet."""

    @asynccontextmanager
    async def shared(**settings):
        async with share_hall(SERVICE_MODEL_URL=picky.url, **settings) as hall:
            async with hall.server.data.write() as writer:
                await hall.server.service(Executors).quirks.forget(writer, "exe_local")
            yield hall

    return shared
