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
from builtin_plugins.ai.prompts import READING, Content, answered, check_turn, turn_of
from builtin_plugins.ai.settings import TEAM_ROLES, instance_default
from builtin_plugins.ai.usage import UsageBook
from guildhall_sdk import NewJob, Problem, Reader, Reply, RequestContext, UserError, accepted
from guildhall_sdk.callers import unless_gone
from guildhall_sdk.events import EVENT_STREAM, ServerSentEvent, event_stream
from guildhall_sdk.services import (
    Executors,
    Jobs,
    JsonSchemas,
    ModelChoice,
    ModelDelta,
    ModelReply,
    Models,
    ModelTurn,
    Preferences,
    Quotas,
    TokenUsage,
)
from guildhall_sdk.services.models import MODEL_ROLES

ECHO_MODEL = "echo"
_LONGEST_ECHO_MS = 60_000

_JSON = "application/json"


async def echo(ctx: RequestContext) -> Reply:
    """Answers at once: without a model to wait for, reserving and settling fit in one transaction."""
    text: str = ctx.body["text"]
    caller, quotas = ctx.principal, ctx.service(Quotas)
    tokens = TokenUsage(estimated_tokens(text), estimated_tokens(text))
    async with ctx.write() as writer:
        await ctx.service(UsageBook).add(writer, caller, ECHO_MODEL, requests=1, tokens=tokens.total)
        reservation = await quotas.reserve(
            writer,
            caller.org_id,
            caller.team_id,
            {REQUESTS: 1, TOKENS: tokens.total, CONCURRENCY: 1},
            _LONGEST_ECHO_MS,
        )
        await quotas.settle(writer, reservation)
    return Reply({"text": text, "usage": tokens.public()})


async def chat(ctx: RequestContext) -> Reply:
    content = await check_turn(ctx.host, ctx.principal, ctx.body)
    if ctx.body.get("background"):
        return await _queue(ctx)
    turn = await unless_gone(ctx, turn_of(ctx.host, ctx.principal, ctx.body, content))
    authority = Authority.of(ctx.host, ctx.principal)
    asked = ctx.service(Models).ask(
        ctx.principal, turn, executor=ctx.body.get("executor"), before_turn=authority.check
    )
    with refused_as_now():
        return Reply(answered(await unless_gone(ctx, asked), turn))


async def stream_chat(ctx: RequestContext) -> Reply:
    content = await check_turn(ctx.host, ctx.principal, ctx.body)
    return event_stream(_events(ctx, content), prefetch=True)


async def _queue(ctx: RequestContext) -> Reply:
    """Refuses what the turn would be refused for, and queues it; it is metered when it runs."""
    wanted = ctx.body.get("response_format")
    await admit_format(ctx.service(JsonSchemas), ctx.principal.org_id, wanted)
    async with ctx.read() as reader:
        choice = await ctx.service(Models).choose(reader, ctx.principal, executor=ctx.body.get("executor"))
    return await queue_in_background(ctx, CHAT_KIND, choice)


async def queue_in_background(ctx: RequestContext, kind: str, choice: ModelChoice) -> Reply:
    """Queues what the body asks for, and answers with the job, which names the executor that will answer."""
    who = ctx.principal
    payload = {name: value for name, value in ctx.body.items() if name != "background"}
    new = NewJob(
        kind,
        who.org_id,
        who.team_id,
        who.user_id,
        payload,
        asked_with=who.credential.id,
        worker=choice.executor,
    )
    async with ctx.write() as writer:
        job = await ctx.service(Jobs).enqueue(writer, new)
    return accepted(job.public(with_content=True), f"/api/jobs/{job.id}")


async def _events(ctx: RequestContext, content: Content) -> AsyncIterator[ServerSentEvent]:
    if content.unread:
        yield ServerSentEvent(event="status", data=READING)
    turn = await turn_of(ctx.host, ctx.principal, ctx.body, content)
    authority = Authority.of(ctx.host, ctx.principal)
    pieces = ctx.service(Models).stream(
        ctx.principal, turn, executor=ctx.body.get("executor"), before_turn=authority.check
    )
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


async def agent(ctx: RequestContext) -> Reply:
    if ctx.body.get("background"):
        prepared = await prepare_agent(ctx.host, ctx.principal, AgentRequest.of(ctx.body))
        return await queue_in_background(ctx, AGENT_KIND, prepared.choice)
    if _wants_events(ctx.headers.get("accept", "")):
        return event_stream(_agent_events(ctx), prefetch=True)
    return Reply(await unless_gone(ctx, _whole(ctx)))


def _wants_events(accept: str) -> bool:
    """Returns whether the caller names event streams, and JSON not before them."""
    named = [part.partition(";")[0].strip().lower() for part in accept.split(",")]
    return next((name for name in named if name in (EVENT_STREAM, _JSON)), _JSON) == EVENT_STREAM


def _run(
    ctx: RequestContext, *, streamed: bool
) -> AsyncGenerator[Reading | AgentStep | ModelDelta | AgentResult, None]:
    request = AgentRequest.of(ctx.body)
    return run_agent(ctx.host, ctx.principal, request, request_id=ctx.request_id, streamed=streamed)


async def _whole(ctx: RequestContext) -> dict[str, Any]:
    steps: list[dict[str, Any]] = []
    try:
        with refused_as_now():
            async with aclosing(_run(ctx, streamed=False)) as happening:
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


async def _agent_events(ctx: RequestContext) -> AsyncIterator[ServerSentEvent]:
    with refused_as_now():
        async with aclosing(_run(ctx, streamed=True)) as happening:
            async for one in happening:
                if isinstance(one, AgentStep):
                    yield ServerSentEvent(event="step", data=one.public())
                elif isinstance(one, ModelDelta):
                    yield ServerSentEvent(event="delta", data={"text": one.text})
                elif isinstance(one, Reading):
                    yield ServerSentEvent(event="status", data=READING)
                else:
                    yield ServerSentEvent(event="done", data=one.public())


async def read_model(ctx: RequestContext) -> Reply:
    async with ctx.read() as reader:
        choice = await ctx.service(Models).choose(reader, ctx.principal)
        executor = await ctx.service(Executors).named(reader, ctx.principal.org_id, choice.executor)
    assert executor is not None
    public = executor.public(with_url=ctx.principal.may("instance:manage"))
    return Reply(
        {
            "model": choice.model,
            "executor": choice.executor,
            "simulated": choice.simulated,
            "url": public.get("url"),
            "health": public["health"],
        }
    )


async def read_roles(ctx: RequestContext) -> Reply:
    async with ctx.read() as reader:
        return Reply(await _roles(ctx, reader))


async def set_roles(ctx: RequestContext) -> Reply:
    given = ctx.body["roles"]
    async with ctx.write() as writer:
        for name in filter(None, given.values()):
            if await ctx.service(Executors).named(writer, ctx.principal.org_id, name) is None:
                raise UserError(
                    f"There is no executor {name!r}; GET /api/executors lists those that there are.",
                    code="unknown_executor",
                )
        preferences = ctx.service(Preferences)
        before = await preferences.team(writer, ctx.principal.team_id, TEAM_ROLES)
        await preferences.write(writer, ctx.principal, TEAM_ROLES, {**before, **given})
        return Reply(await _roles(ctx, writer))


async def _roles(ctx: RequestContext, reader: Reader) -> dict[str, Any]:
    chosen = await ctx.service(Preferences).team(reader, ctx.principal.team_id, TEAM_ROLES)
    return {
        "roles": {role: chosen.get(role) for role in MODEL_ROLES},
        "default": {role: instance_default(ctx.host, role) for role in MODEL_ROLES},
    }


HANDLERS = {
    handler.__name__: handler
    for handler in (agent, echo, chat, stream_chat, read_model, read_roles, set_roles)
}
