"""Turns over HTTP: whole, as a stream, and the echo."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import aclosing
from typing import Any, TypeVar

from builtin_plugins.ai.metering import CONCURRENCY, REQUESTS, TOKENS
from builtin_plugins.ai.prompts import messages_of
from builtin_plugins.ai.sources import wants_json
from builtin_plugins.ai.tokens import estimated_tokens
from guildhall_sdk import Reply, RequestContext
from guildhall_sdk.events import ServerSentEvent, event_stream, prefetch_first
from guildhall_sdk.request_body import ClientGone
from guildhall_sdk.services import ModelDelta, ModelReply, Models, ModelTurn, Quotas, Repository, TokenUsage
from guildhall_sdk.services.models import DEFAULT_MAX_TOKENS

Result = TypeVar("Result")
_LONGEST_ECHO_MS = 60_000


async def echo(ctx: RequestContext) -> Reply:
    """There is no model to wait for, so that reserving and settling fit in one transaction."""
    text: str = ctx.body["text"]
    caller, quotas = ctx.principal, ctx.service(Quotas)
    tokens = TokenUsage(estimated_tokens(text), estimated_tokens(text))
    async with ctx.write() as writer:
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
    turn = await _turn(ctx)
    asked = ctx.service(Models).ask(ctx.principal, turn, executor=ctx.body.get("executor"))
    return Reply(answered(await unless_gone(ctx, asked), turn))


async def stream_chat(ctx: RequestContext) -> Reply:
    turn = await _turn(ctx)
    return event_stream(await prefetch_first(ctx, _events(ctx, turn)))


async def unless_gone(ctx: RequestContext, work: Coroutine[Any, Any, Result]) -> Result:
    """Waits for work that ends when its caller leaves."""
    working = asyncio.create_task(work)
    gone = asyncio.ensure_future(ctx.hung_up())
    try:
        await asyncio.wait({working, gone}, return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        raise ClientGone
    finally:
        gone.cancel()
        working.cancel()
        await asyncio.wait({working, gone})


def answered(reply: ModelReply, turn: ModelTurn) -> dict[str, Any]:
    """A reply as the API shows it."""
    fields: dict[str, Any] = {
        "reply": reply.text,
        "model": reply.model,
        "executor": reply.executor,
        "simulated": reply.simulated,
        "finish_reason": reply.finish_reason,
        "usage": reply.usage.public(),
    }
    if wants_json(turn) and reply.schema_error is None:
        fields["parsed"] = reply.parsed
    if reply.repaired:
        fields["repaired"] = True
    return fields


async def _turn(ctx: RequestContext) -> ModelTurn:
    body = ctx.body
    if "executor" in body:
        ctx.require("instance:manage")
    async with ctx.read() as reader:
        messages = await messages_of(
            ctx.service(Repository), reader, ctx.principal, body["prompt"], body.get("system")
        )
    return ModelTurn(
        messages=messages,
        response_format=body.get("response_format"),
        max_tokens=body.get("max_tokens", DEFAULT_MAX_TOKENS),
        temperature=body.get("temperature"),
    )


async def _events(ctx: RequestContext, turn: ModelTurn) -> AsyncIterator[ServerSentEvent]:
    pieces = ctx.service(Models).stream(ctx.principal, turn, executor=ctx.body.get("executor"))
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
