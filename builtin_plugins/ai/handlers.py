"""AI over HTTP: turns whole, as a stream and as an echo, the agent, and which model answers."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any

from builtin_plugins.ai.agent.loop import prepare_agent, run_agent
from builtin_plugins.ai.agent.types import AgentRequest, AgentResult, AgentStep, Reading
from builtin_plugins.ai.authority import Authority, refused_as_now
from builtin_plugins.ai.jobs import AGENT_KIND, CHAT_KIND
from builtin_plugins.ai.metering import CONCURRENCY, REQUESTS, TOKENS, estimated_tokens
from builtin_plugins.ai.models import admit_format
from builtin_plugins.ai.prompts import READING, Content, answered, check_turn, reach, turn_of
from builtin_plugins.ai.settings import TEAM_ROLES, instance_default
from builtin_plugins.ai.usage import UsageBook
from guildhall_sdk import Call, NewJob, Problem, Reader, Reply, UserError
from guildhall_sdk.dimensions import Quotas
from guildhall_sdk.replies import EVENT_STREAM, ServerSentEvent, accepted, event_stream
from guildhall_sdk.services.computing import JsonSchemas
from guildhall_sdk.services.jobs import Jobs
from guildhall_sdk.services.models import (
    MODEL_ROLES,
    Executors,
    ModelChoice,
    ModelDelta,
    ModelReply,
    Models,
    ModelTurn,
    TokenUsage,
)
from guildhall_sdk.settings import Preferences
from libs.request_body import unless_gone

ECHO_MODEL = "echo"
_LONGEST_ECHO_MS = 60_000

_JSON = "application/json"


async def echo(call: Call) -> Reply:
    """Answers at once: without a model to wait for, reserving and settling fit in one transaction."""
    text: str = call.body["text"]
    caller, quotas = call.principal, call.service(Quotas)
    tokens = TokenUsage(estimated_tokens(text), estimated_tokens(text))
    async with call.write() as writer:
        await call.service(UsageBook).add(writer, caller, ECHO_MODEL, requests=1, tokens=tokens.total)
        reservation = await quotas.reserve(
            writer,
            caller.org_id,
            caller.team_id,
            {REQUESTS: 1, TOKENS: tokens.total, CONCURRENCY: 1},
            _LONGEST_ECHO_MS,
        )
        await quotas.settle(writer, reservation)
    return Reply({"text": text, "usage": tokens.public()})


async def chat(call: Call) -> Reply:
    content = await check_turn(call.host, call.principal, call.body)
    if call.body.get("background"):
        return await _queue(call)
    turn = await unless_gone(call, turn_of(call.host, call.principal, call.body, content))
    authority = Authority.of(call.host, call.principal)
    executor = (await reach(call.host, call.principal, call.body)).executor
    asked = call.service(Models).ask(call.principal, turn, executor=executor, before_turn=authority.check)
    with refused_as_now():
        return Reply(answered(await unless_gone(call, asked), turn))


async def stream_chat(call: Call) -> Reply:
    content = await check_turn(call.host, call.principal, call.body)
    return event_stream(_events(call, content), prefetch=True)


async def _queue(call: Call) -> Reply:
    """Refuses what the turn would be refused for, and queues it; it is metered when it runs."""
    wanted = call.body.get("response_format")
    await admit_format(call.service(JsonSchemas), call.principal.org_id, wanted)
    executor = (await reach(call.host, call.principal, call.body)).executor
    async with call.read() as reader:
        choice = await call.service(Models).choose(reader, call.principal, executor=executor)
    return await queue_in_background(call, CHAT_KIND, choice)


async def queue_in_background(call: Call, kind: str, choice: ModelChoice) -> Reply:
    """Queues what the body asks for, and answers with the job, which names the executor that will answer."""
    who = call.principal
    payload = {name: value for name, value in call.body.items() if name != "background"}
    new = NewJob(
        kind,
        who.org_id,
        who.team_id,
        who.user_id,
        payload,
        asked_with=who.credential.id,
        worker=choice.executor,
    )
    async with call.write() as writer:
        job = await call.service(Jobs).enqueue(writer, new)
    return accepted(job.public(with_content=True), f"/api/jobs/{job.id}")


async def _events(call: Call, content: Content) -> AsyncIterator[ServerSentEvent]:
    if content.unread:
        yield ServerSentEvent(event="status", data=READING)
    turn = await turn_of(call.host, call.principal, call.body, content)
    authority = Authority.of(call.host, call.principal)
    executor = (await reach(call.host, call.principal, call.body)).executor
    pieces = call.service(Models).stream(call.principal, turn, executor=executor, before_turn=authority.check)
    with refused_as_now():
        async with aclosing(pieces):
            async for piece in pieces:
                if isinstance(piece, ModelDelta):
                    yield ServerSentEvent(event="delta", data={"text": piece.text})
                else:
                    yield ServerSentEvent(event="done", data=_done(piece, turn))


def _done(reply: ModelReply, turn: ModelTurn) -> dict[str, Any]:
    fields = answered(reply, turn)
    del fields["reply"]
    if reply.schema_error is not None:
        fields["schema_error"] = reply.schema_error
    return fields


async def agent(call: Call) -> Reply:
    if call.body.get("background"):
        prepared = await prepare_agent(call.host, call.principal, AgentRequest.of(call.body))
        return await queue_in_background(call, AGENT_KIND, prepared.choice)
    if _wants_events(call.headers.get("accept", "")):
        return event_stream(_agent_events(call), prefetch=True)
    return Reply(await unless_gone(call, _whole(call)))


def _wants_events(accept: str) -> bool:
    """Returns whether the caller names event streams, and JSON not before them."""
    named = [part.partition(";")[0].strip().lower() for part in accept.split(",")]
    return next((name for name in named if name in (EVENT_STREAM, _JSON)), _JSON) == EVENT_STREAM


def _run(
    call: Call, *, streamed: bool
) -> AsyncGenerator[Reading | AgentStep | ModelDelta | AgentResult, None]:
    request = AgentRequest.of(call.body)
    return run_agent(call.host, call.principal, request, request_id=call.request_id, streamed=streamed)


async def _whole(call: Call) -> dict[str, Any]:
    steps: list[dict[str, Any]] = []
    try:
        with refused_as_now():
            async with aclosing(_run(call, streamed=False)) as happening:
                async for one in happening:
                    if isinstance(one, AgentResult):
                        return one.public()
                    if isinstance(one, AgentStep):
                        steps.append(one.public())
    except Problem as problem:
        if steps:
            # What tools did is done: whoever is refused half-way must be able to see it.
            problem.extras["steps"] = steps
        raise
    raise AssertionError("an agent's run ended without a result")


async def _agent_events(call: Call) -> AsyncIterator[ServerSentEvent]:
    with refused_as_now():
        async with aclosing(_run(call, streamed=True)) as happening:
            async for one in happening:
                if isinstance(one, AgentStep):
                    yield ServerSentEvent(event="step", data=one.public())
                elif isinstance(one, ModelDelta):
                    yield ServerSentEvent(event="delta", data={"text": one.text})
                elif isinstance(one, Reading):
                    yield ServerSentEvent(event="status", data=READING)
                else:
                    yield ServerSentEvent(event="done", data=one.public())


async def read_model(call: Call) -> Reply:
    async with call.read() as reader:
        choice = await call.service(Models).choose(reader, call.principal)
        executor = await call.service(Executors).named(reader, call.principal.org_id, choice.executor)
    assert executor is not None
    return Reply(
        {
            "model": choice.model,
            "executor": choice.executor,
            "simulated": choice.simulated,
            "url": executor.url if call.principal.may("instance:manage") else None,
            "health": executor.health.public(),
        }
    )


async def read_roles(call: Call) -> Reply:
    async with call.read() as reader:
        return Reply(await _roles(call, reader))


async def set_roles(call: Call) -> Reply:
    given = call.body["roles"]
    async with call.write() as writer:
        for name in filter(None, given.values()):
            if await call.service(Executors).named(writer, call.principal.org_id, name) is None:
                raise UserError(
                    f"There is no executor {name!r}; GET /api/executors lists those that there are.",
                    code="unknown_executor",
                )
        preferences = call.service(Preferences)
        before = await preferences.team(writer, call.principal.team_id, TEAM_ROLES)
        await preferences.write(writer, call.principal, TEAM_ROLES, {**before, **given})
        return Reply(await _roles(call, writer))


async def _roles(call: Call, reader: Reader) -> dict[str, Any]:
    chosen = await call.service(Preferences).team(reader, call.principal.team_id, TEAM_ROLES)
    default = {role: instance_default(call.host, role) for role in MODEL_ROLES}
    # A role that has a model of its own where nobody chose an executor is left out until somebody does.
    return {
        "roles": {role: chosen.get(role) for role in MODEL_ROLES if chosen.get(role) or default[role]},
        "default": {role: name for role, name in default.items() if name is not None},
    }


HANDLERS = {
    handler.__name__: handler
    for handler in (agent, echo, chat, stream_chat, read_model, read_roles, set_roles)
}
