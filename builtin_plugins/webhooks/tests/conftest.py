"""Halls with a server that takes webhooks as it is told, and a workflow that notes what it is given."""

import base64
import hashlib
import hmac
import json
from types import SimpleNamespace

import pytest
import pytest_asyncio

from guildhall_sdk import JobFailed, Plugin, Tool, hookimpl
from guildhall_sdk.errors import RetryLater
from tests.told_server import ToldServer

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
    async with share_hall(tools, SERVICE_ORG_PRIVATE_ENDPOINTS="on") as opened:
        yield opened


@pytest_asyncio.fixture(loop_scope="session")
async def receiver():
    told = ToldServer()
    await told.start()
    yield told
    await told.stop()


def is_signed(request, secret):
    """Tells whether a request that was received is signed as Standard Webhooks says."""
    _, headers, body = request
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    key = base64.b64decode(secret.removeprefix("whsec_"))
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return expected in headers["webhook-signature"].split()


class Outgoing:
    """Webhooks of Acme and what they send, in few words."""

    def __init__(self, hall, receiver):
        self.hall = hall
        self.receiver = receiver
        self.owner = hall.acme.owner

    async def create(self, events=("note.changed",), as_=None, **fields):
        body = {"url": f"{self.receiver.url}/in", "events": list(events), **fields}
        answer = await (as_ or self.owner).post("/api/webhooks", body)
        assert answer.status_code == 201, answer.text
        return answer.json()

    async def read(self, webhook):
        return (await self.owner.get(f"/api/webhooks/{webhook['id']}")).json()

    async def deliveries(self, webhook):
        """Returns the deliveries of a webhook, oldest first."""
        answer = await self.owner.get(f"/api/webhooks/{webhook['id']}/deliveries?limit=200")
        return answer.json()["items"][::-1]

    async def write_note(self, title="Tar", as_=None, **fields):
        body = {"title": title, "visibility": "team", **fields}
        answer = await (as_ or self.owner).post("/api/notes", body)
        assert answer.status_code == 201, answer.text
        await self.hall.drain_jobs()
        return answer.json()

    async def pass_by(self, **time):
        """Lets time pass, and has done what is due then."""
        self.hall.clock.advance(**time)
        await self.hall.drain_jobs()

    @property
    def bodies(self):
        return [json.loads(body) for _, _, body in self.receiver.requests]

    @property
    def ids(self):
        return [headers["webhook-id"] for _, headers, _ in self.receiver.requests]


@pytest_asyncio.fixture(loop_scope="session")
async def outgoing(hall, receiver):
    made = Outgoing(hall, receiver)
    yield made
    for one in (await made.owner.get("/api/webhooks?limit=200")).json()["items"]:
        await made.owner.delete(f"/api/webhooks/{one['id']}")


class Incoming:
    """Addresses of Acme and messages to them, in few words."""

    def __init__(self, hall):
        self.hall = hall
        self.owner = hall.acme.owner

    async def publish(self, slug=SLUG, inputs=None):
        given = {"value": {"type": "string", "required": False, "default": "x"}}
        step = {"name": "do", "kind": "tool", "tool": "note_it", "with": {"value": {"$from": "input.value"}}}
        spec = {"slug": slug, "inputs": inputs or given, "start": "do", "steps": [step]}
        answer = await self.owner.post("/api/workflows", spec)
        assert answer.status_code == 201, answer.text

    async def create(self, scheme="none", as_=None, **fields):
        body = {"workflow_slug": SLUG, "scheme": scheme, **fields}
        answer = await (as_ or self.owner).post("/api/hooks-in", body)
        assert answer.status_code == 201, answer.text
        return answer.json()

    async def send(self, hook, body=None, headers=None):
        content = body if isinstance(body, bytes) else json.dumps({} if body is None else body).encode()
        path = "/hooks/" + hook["url"].rpartition("/hooks/")[2]
        given = {"content-type": "application/json", **(headers or {})}
        return await self.hall.anonymous.request("POST", path, content=content, headers=given)

    async def deliveries(self, hook):
        answer = await self.owner.get(f"/api/hooks-in/{hook['id']}/deliveries?limit=200")
        return answer.json()["items"][::-1]


@pytest_asyncio.fixture(loop_scope="session")
async def incoming(hall, tools):
    made = Incoming(hall)
    await made.publish()
    return made
