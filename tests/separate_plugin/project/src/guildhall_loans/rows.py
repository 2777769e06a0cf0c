"""The HTTP API below `/api/loans`, and its stream of events."""

from collections.abc import AsyncIterator
from functools import partial
from typing import Any

from guildhall_loans.appraisals import FEATURE, KIND
from guildhall_loans.things import LEND, MAX_DAYS, READ, add_thing, read_thing, sql
from guildhall_sdk import (
    Call,
    Host,
    NewJob,
    NotFound,
    Reader,
    Reply,
    Route,
    SampleClient,
    UserError,
    created,
    new_id,
    rfc3339_or_none,
)
from guildhall_sdk.replies import EVENT_STREAM, ServerSentEvent, accepted, event_stream
from guildhall_sdk.schema import array, integer, nullable, obj, shape, string
from guildhall_sdk.services.jobs import Jobs
from guildhall_sdk.services.pages import LiveLists
from guildhall_sdk.services.search import SearchIndex

_DAY_MS = 24 * 3600 * 1000
_THING = shape(
    {
        "id": string(),
        "label": string(),
        "object_id": nullable(string()),
        "borrower": nullable(string()),
        "due_at": nullable(string()),
        "value": nullable(integer()),
    }
)
_NEW = obj({"label": string(min_length=1, max_length=200)}, required=["label"], example={"label": "Ladder"})
_LOAN = obj(
    {"borrower": string(min_length=1, max_length=100), "days": integer(1)},
    required=["borrower", "days"],
    example={"borrower": "Grace", "days": 3},
)

ROUTES = [
    Route(
        "GET",
        "/api/loans/watch",
        "watch",
        "What is lent from now on",
        permission=READ,
        content_type=EVENT_STREAM,
    ),
    Route(
        "GET",
        "/api/loans",
        "list_things",
        "What the team lends out",
        permission=READ,
        reply=shape({"items": array(_THING)}),
    ),
    Route("POST", "/api/loans", "add", "Add a thing", permission=LEND, body=_NEW, reply=_THING, status=201),
    Route("GET", "/api/loans/:id", "read", "One thing", permission=READ, reply=_THING),
    Route("POST", "/api/loans/:id/lend", "lend", "Lend it", permission=LEND, body=_LOAN, reply=_THING),
    Route(
        "POST",
        "/api/loans/:id/appraise",
        "appraise",
        "Have its value judged by a worker",
        permission=LEND,
        feature=FEATURE.name,
        reply=shape({"job_id": string()}),
        status=202,
    ),
]


async def watch(call: Call) -> Reply:
    return event_stream(_loans_of(call.host, call.principal.team_id))


async def _loans_of(host: Host, team_id: str) -> AsyncIterator[ServerSentEvent]:
    with host.news("lent").listen() as loans:
        yield ServerSentEvent(event="ready")
        async for loan in loans:
            if loan is None:
                yield ServerSentEvent(event="missed")
            elif loan["team_id"] == team_id:
                yield ServerSentEvent(event="lent", data={"id": loan["id"], "borrower": loan["borrower"]})


async def list_things(call: Call) -> Reply:
    async with call.read() as reader:
        things = await reader.all(sql.things_of_team, team_id=call.principal.team_id)
    return Reply({"items": [_public(dict(thing)) for thing in things]})


async def add(call: Call) -> Reply:
    thing_id = new_id("thing", call.now_ms)
    who = call.principal
    async with call.write() as writer:
        await add_thing(
            writer,
            call.service(SearchIndex),
            id=thing_id,
            org_id=who.org_id,
            team_id=who.team_id,
            label=call.body["label"],
        )
        writer.audit("thing.added", ("thing", thing_id))
        writer.after_commit(partial(call.service(LiveLists).changed, "/api/loans", who.team_id))
        thing = await _thing(writer, call, thing_id)
    return created(_public(thing), f"/api/loans/{thing_id}")


async def read(call: Call) -> Reply:
    async with call.read() as reader:
        return Reply(_public(await _thing(reader, call, call.params["id"])))


async def lend(call: Call) -> Reply:
    most = call.setting(MAX_DAYS)
    if call.body["days"] > most:
        raise UserError(f"Things are lent for {most} days at most.")
    due_at = call.now_ms + call.body["days"] * _DAY_MS
    team_id, borrower = call.principal.team_id, call.body["borrower"]
    async with call.write() as writer:
        thing = await _thing(writer, call, call.params["id"])
        await writer.run(sql.lend, id=thing["id"], team_id=team_id, borrower=borrower, due_at=due_at)
        writer.audit("thing.lent", ("thing", thing["id"]))
        loan = {"team_id": team_id, "id": thing["id"], "borrower": borrower}
        writer.after_commit(lambda: call.host.news("lent").announce(loan))
    return Reply(_public({**thing, "borrower": borrower, "due_at": due_at}))


async def appraise(call: Call) -> Reply:
    who = call.principal
    async with call.write() as writer:
        thing = await _thing(writer, call, call.params["id"])
        payload = {"id": thing["id"], "label": thing["label"]}
        new = NewJob(KIND.name, who.org_id, who.team_id, who.user_id, payload)
        job = await call.service(Jobs).enqueue(writer, new)
    return accepted({"job_id": job.id}, f"/api/jobs/{job.id}")


async def make_thing(client: SampleClient, canary: str) -> str:
    _, thing = await client.call("POST", "/api/loans", {"label": canary})
    return str(thing["id"])


HANDLERS = {
    "watch": watch,
    "list_things": list_things,
    "add": add,
    "read": read,
    "lend": lend,
    "appraise": appraise,
}


async def _thing(reader: Reader, call: Call, thing_id: str) -> dict[str, Any]:
    thing = await read_thing(reader, call.principal.team_id, thing_id)
    if thing is None:
        raise NotFound
    return thing


def _public(thing: dict[str, Any]) -> dict[str, Any]:
    return {**thing, "due_at": rfc3339_or_none(thing["due_at"])}
