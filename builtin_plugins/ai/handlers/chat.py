"""Turns over HTTP: whole, as a stream, and the echo."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from builtin_plugins.ai.authority import Authority, refused_as_now
from builtin_plugins.ai.chat_turns import answered, check_turn, turn_of
from builtin_plugins.ai.formats import admit_format
from builtin_plugins.ai.jobs import CHAT_KIND
from builtin_plugins.ai.metering import CONCURRENCY, REQUESTS, TOKENS
from builtin_plugins.ai.prompts import READING, Content
from builtin_plugins.ai.tokens import estimated_tokens
from builtin_plugins.ai.usage import UsageBook
from guildhall_sdk import NewJob, Reply, RequestContext, accepted
from guildhall_sdk.callers import unless_gone
from guildhall_sdk.events import ServerSentEvent, event_stream
from guildhall_sdk.services import (
    Jobs,
    JsonSchemas,
    ModelChoice,
    ModelDelta,
    ModelReply,
    Models,
    ModelTurn,
    Quotas,
    TokenUsage,
)

ECHO_MODEL = "echo"
_LONGEST_ECHO_MS = 60_000


async def echo(ctx: RequestContext) -> Reply:
    """There is no model to wait for, so that reserving and settling fit in one transaction."""
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
