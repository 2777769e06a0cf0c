"""Executors on a database of each dialect, with two companies, and a model server that does as it is told."""

import asyncio
import json
from dataclasses import dataclass, field

import pytest

from guildhall_sdk import Statement
from guildhall_sdk.services import NewExecutor
from kernel.executors.push import PushClients
from kernel.executors.store import StoredExecutors
from kernel.identity.authenticate import principal_for
from kernel.rbac import DeclaredRoles
from kernel.tenancy.directory import StoredDirectory

ENVIRONMENT = [
    {
        "name": "Big",
        "url": "http://10.0.0.7:8000/v1/",
        "model": "big-1",
        "key": "sk-of-the-environment",
        "capabilities": ["chat", "chat", "vision"],
    }
]


class Names:
    """A name service: what each name resolves to now, and how often it was asked."""

    def __init__(self):
        self.known: dict[str, list[str]] = {}
        self.asked: list[str] = []

    async def __call__(self, host, port):
        self.asked.append(host)
        if host not in self.known:
            raise OSError("no such name")
        return self.known[host]


@dataclass
class Desk:
    """What the tests ask for again and again; every call is a transaction of its own."""

    process: object
    executors: StoredExecutors
    names: Names
    acme: str
    globex: str
    roles: DeclaredRoles
    returned: list[str] = field(default_factory=list)

    @property
    def data(self):
        return self.process.data

    @property
    def clock(self):
        return self.process.clock

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

    async def who(self, token):
        async with self.data.read() as reader:
            return await principal_for(reader, token, self.clock.now_ms(), self.roles)

    async def rows(self, table):
        text = f"SELECT * FROM {table}"
        async with self.data.read() as reader:
            return [dict(row) for row in await reader.all(Statement("rows", text, text))]


@pytest.fixture
def names():
    return Names()


@pytest.fixture
def make_executors(names):
    """`make_executors(process, environment=…)`: the executors as one process has them."""

    def make(process, environment=ENVIRONMENT, *, returned=None, **more):
        async def return_held(writer, executor_id):
            if returned is not None:
                returned.append(executor_id)

        settings = {"org_private_endpoints": False, "return_held": return_held, "resolve": names, **more}
        return StoredExecutors(environment, process.clock, process.vault, **settings)

    return make


@pytest.fixture
async def desk(opened, names, make_executors, roles):
    directory = StoredDirectory(opened.clock)
    async with opened.data.write() as writer:
        acme = (await directory.create_org(writer, "Acme")).id
        globex = (await directory.create_org(writer, "Globex")).id
    returned = []
    return Desk(opened, make_executors(opened, returned=returned), names, acme, globex, roles, returned)


class ModelServer:
    """An HTTP server of one connection per request: answers as `answer` says, keeps what it was sent."""

    def __init__(self):
        self.requests: list[tuple[str, dict[str, str], bytes]] = []
        self.status, self.headers, self.body = 200, {}, b"{}"
        self.silent = False
        self.port = 0
        self._server = None

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def sent(self):
        return json.loads(self.requests[-1][2])

    def answer(self, body, status=200, **headers):
        self.body = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.status, self.headers = status, {name.replace("_", "-"): text for name, text in headers.items()}

    async def start(self):
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self):
        self._server.close()
        await self._server.wait_closed()

    async def _serve(self, reader, writer):
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            line, *fields = head.strip().split("\r\n")
            headers = {name.lower(): text for name, text in (field.split(": ", 1) for field in fields)}
            body = await reader.readexactly(int(headers.get("content-length", 0)))
            self.requests.append((line, headers, body))
            if self.silent:
                await reader.read()
                return
            told = {"Content-Length": str(len(self.body)), "Connection": "close", **self.headers}
            out = "".join(f"{name}: {text}\r\n" for name, text in told.items())
            writer.write(f"HTTP/1.1 {self.status} Said\r\n{out}\r\n".encode() + self.body)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            return
        finally:
            writer.close()


@pytest.fixture
async def model_server():
    server = ModelServer()
    await server.start()
    yield server
    await server.stop()


@pytest.fixture
async def clients(names):
    clients = PushClients(names)
    yield clients
    await clients.close()
