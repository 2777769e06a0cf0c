"""Halls with a workflow that notes what it is given, and triggers on it."""

from types import SimpleNamespace

import pytest
import pytest_asyncio

from builtin_plugins.repo.tests.reading_here import documents_are_read_here  # noqa: F401 - a fixture
from guildhall_sdk import Actor, Plugin, Tool, hookimpl
from guildhall_sdk.services.repository import Repository
from guildhall_sdk.services.stored_objects import Derivation, NewVersion

SLUG = "note-it"


class Tools:
    """The tool `note_it` notes its arguments and whom it acts as; `derive` writes an object of another."""

    PLUGIN = Plugin("noting", "Noting", "1.0", "Notes.")

    def __init__(self):
        self.calls = []

    async def note_it(self, host, principal, arguments):
        self.calls.append(SimpleNamespace(**arguments, principal=principal))
        return arguments["value"]

    async def derive(self, host, principal, arguments):
        """Writes what a document tool would: an object beside its source, with the run in its provenance."""
        object_id, run_id = arguments["value"], arguments["run"]
        repository = host.service(Repository)
        async with host.data.read() as reader:
            source = await repository.get(reader, principal, object_id)

        async def chunks():
            yield b"made of it"

        made = Derivation(object_id, source.current.number, run_id, "derive")
        actor = Actor(principal.username, principal.user_id, principal.org_id, principal.team_id)
        written = await repository.write(
            principal,
            actor,
            source.team_id,
            f"{source.key}.derived.txt",
            chunks(),
            NewVersion(derived_from=made),
        )
        return written.object_id

    @hookimpl
    def declare_tools(self):
        schema = {"type": "object", "properties": {"value": {}, "run": {}}, "additionalProperties": False}
        return [
            Tool("note_it", "Notes it.", "workflows:run", hosted=self.note_it, schema=schema),
            Tool("derive", "Derives it.", "workflows:run", hosted=self.derive, schema=schema),
        ]


@pytest.fixture(scope="session")
def same_tools():
    """One plugin, so that tests may share a server that has it."""
    return Tools()


@pytest.fixture
def tools(same_tools):
    same_tools.calls = []
    return same_tools


@pytest_asyncio.fixture(loop_scope="session")
async def hall(share_hall, tools):
    async with share_hall(tools) as opened:
        yield opened


class Triggers:
    """Triggers, uploads and histories in a hall, in few words."""

    def __init__(self, hall):
        self.hall = hall
        self.admin = hall.acme.owner
        self._published = False

    async def publish(self, slug=SLUG, tool="note_it", inputs=None, value="input.object_id", as_=None):
        inputs = {"object_id": {"type": "string"}} if inputs is None else inputs
        bound = {"value": {"$from": value}, **({"run": {"$from": "run.id"}} if tool == "derive" else {})}
        step = {"name": "do", "kind": "tool", "tool": tool, "with": bound}
        spec = {"slug": slug, "inputs": inputs, "start": "do", "steps": [step]}
        answer = await (as_ or self.admin).post("/api/workflows", spec)
        assert answer.status_code == 201, answer.text

    async def create(self, slug=SLUG, as_=None, **fields):
        if slug == SLUG and not self._published:
            await self.publish(as_=as_)
            self._published = True
        self.hall.clock.advance(seconds=1)  # ids sort by time
        answer = await (as_ or self.admin).post("/api/doc-triggers", {"workflow_slug": slug, **fields})
        assert answer.status_code == 201, answer.text
        return answer.json()

    async def upload(self, key="inbox/a.txt", content=b"x", as_=None, type=None, **query):
        self.hall.clock.advance(seconds=1)
        headers = {"Content-Type": type} if type else {}
        path = f"/api/repo/{key}" + "".join(f"?{name}={value}" for name, value in query.items())
        answer = await (as_ or self.hall.acme.member).put(path, content=content, headers=headers)
        assert answer.status_code in (200, 201), answer.text
        return answer.json()

    async def read(self, trigger, as_=None, **query):
        path = f"/api/doc-triggers/{trigger['id']}"
        asked = "&".join(f"{name}={value}" for name, value in query.items())
        answer = await (as_ or self.admin).get(f"{path}?{asked}")
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def fires(self, trigger, as_=None):
        await self.hall.drain_jobs()
        return (await self.read(trigger, as_))["fires"]

    async def reasons(self, trigger):
        return [fire["reason"] for fire in await self.fires(trigger)]


@pytest.fixture
def triggers(hall):
    return Triggers(hall)
