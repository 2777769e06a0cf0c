"""The service `Translator`, as tools and jobs of other plugins use it."""

from types import ModuleType

import pytest

from guildhall_sdk import JobKind, Parameter, Plugin, Tool, hookimpl
from guildhall_sdk.dimensions import Quotas
from guildhall_sdk.services.localization import Translator
from guildhall_testing.heartbeat import quietest

pytestmark = pytest.mark.any_database

KIND = "x.interpreter.translate"


@pytest.fixture
def interpreter():
    """A plugin with a tool and a job that translate into Spanish."""
    module = ModuleType("interpreter")
    module.PLUGIN = Plugin("interpreter", "Interpreter", "1.0", "Translates.", requires=("translation",))

    async def by_tool(host, principal, arguments):
        made = await host.service(Translator).translate(principal, arguments["text"], "es")
        return made.text

    async def by_job(job):
        async with job.host.data.read() as reader:
            who = await job.principal(reader)
        made = await job.host.service(Translator).translate(who, job.payload["text"], "es", within=job.id)
        return {"text": made.text, "id": made.id}

    @hookimpl
    def declare_tools():
        return [
            Tool(
                "interpret",
                "Translates.",
                "chat:use",
                hosted=by_tool,
                parameters=[Parameter("text", "string")],
            )
        ]

    @hookimpl
    def declare_job_kinds():
        return [JobKind(KIND, "Translates.", handler=by_job)]

    module.declare_tools, module.declare_job_kinds = declare_tools, declare_job_kinds
    return module


async def test_a_translation_by_a_tool_is_metered_once(open_hall, interpreter, used):
    async with open_hall(interpreter, with_model=True) as hall:
        hall.model.say('{"text": "Hola"}')
        assert await hall.tool("interpret", as_=hall.acme.member, text="Hello") == "Hola"
        assert (await used(hall.acme.member))[0] == len(hall.model.calls) == 1


async def test_a_translation_by_a_job_shares_its_place_with_the_worker_that_runs_the_turn(
    open_hall, interpreter, used
):
    """The team may run one job at a time, and the model is behind a worker that pulls."""
    async with open_hall(interpreter) as hall:
        made = {"name": "theirs", "mode": "pull", "model": "scripted"}
        worker = hall.bearer((await hall.operator.post("/api/executors", made)).json()["worker_token"])
        roles = {"roles": {"utility": "theirs"}}
        assert (await hall.acme.owner.put("/api/model-roles", roles)).status_code == 200
        async with hall.server.data.write() as writer:
            quotas = hall.server.service(Quotas)
            await quotas.set_limit(writer, "team", hall.acme.id, "jobs.concurrency", "none", 1)
        body = {"kind": KIND, "payload": {"text": "Hello"}}
        job = (await hall.acme.member.post("/api/jobs", body)).json()
        turn = (await worker.post("/api/workers/claim", {"kinds": ["ai.turn"], "max_wait": 20})).json()
        done = {"claim_token": turn["claim_token"], "result": {"reply": '{"text": "Hola"}'}}
        assert (await worker.post(f"/api/workers/jobs/{turn['id']}/complete", done)).status_code == 200
        job = (await hall.acme.member.get(f"/api/jobs/{job['id']}?wait=20")).json()
        assert (job["state"], job["result"]["text"]) == ("succeeded", "Hola")
        assert (await used(hall.acme.member))[0] == 1
        (item,) = (await hall.acme.member.get("/api/translate")).json()["items"]
        assert (item["id"], item["source_text"]) == (job["result"]["id"], "Hello")


async def test_a_glossary_of_ten_thousand_terms_is_read_once_and_holds_nobody_up(hall, monkeypatch):
    from builtin_plugins.translation import glossary
    from builtin_plugins.translation.glossary import sql

    loads = []
    plainly = glossary._terms

    async def counted(*arguments):
        loads.append(arguments)
        return await plainly(*arguments)

    monkeypatch.setattr(glossary, "_terms", counted)
    owner = hall.acme.owner
    await owner.post("/api/glossary", {"target": "es", "term": "term 0", "translation": "término 0"})
    async with hall.server.data.write() as writer:
        for number in range(1, 10_000):
            await writer.run(
                sql.insert_term,
                id=f"term_{number:06}",
                org_id=owner.org_id,
                team_id=owner.team_id,
                target="es",
                term_key=f"term {number}",
                term=f"term {number}",
                translation=f"término {number}",
                note=None,
                user_id=owner.user_id,
                now=0,
            )
    numbers = [number % 300 for number in range(4_000)]

    async def translated():
        for number in (7, 9_999, 0):
            body = {"text": f"This is term {number}.", "target": "es"}
            made = (await hall.acme.member.post("/api/translate", body)).json()
            assert made["text"] == f"This is término {number}."
        long = {"text": "".join(f"Térm {n}, term {n}. " for n in numbers), "target": "es"}
        return (await hall.acme.member.post("/api/translate", long)).json()

    made, held_ms = await quietest(translated, 50)
    assert made["text"] == "".join(f"Térm {n}, término {n}. " for n in numbers)
    assert (len(loads), len(made["glossary"])) == (1, 300)
    assert held_ms < 50
