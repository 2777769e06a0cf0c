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
from guildhall_sdk import Call, NewJob, Reply
from guildhall_sdk.context import unless_gone
from guildhall_sdk.replies import ServerSentEvent, accepted, event_stream
from guildhall_sdk.services.computing import JsonSchemas
from guildhall_sdk.services.jobs import Jobs
from guildhall_sdk.services.models import ModelChoice, ModelDelta, ModelReply, Models, ModelTurn, TokenUsage
from guildhall_sdk.services.quotas import Quotas

ECHO_MODEL = "echo"
_LONGEST_ECHO_MS = 60_000


async def echo(call: Call) -> Reply:
    """There is no model to wait for, so that reserving and settling fit in one transaction."""
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
    asked = call.service(Models).ask(
        call.principal, turn, executor=call.body.get("executor"), before_turn=authority.check
    )
    with refused_as_now():
        return Reply(answered(await unless_gone(call, asked), turn))


async def stream_chat(call: Call) -> Reply:
    content = await check_turn(call.host, call.principal, call.body)
    return event_stream(_events(call, content), prefetch=True)


async def _queue(call: Call) -> Reply:
    """Refuses what the turn would be refused for, and queues it; it is metered when it runs."""
    wanted = call.body.get("response_format")
    await admit_format(call.service(JsonSchemas), call.principal.org_id, wanted)
    async with call.read() as reader:
        choice = await call.service(Models).choose(reader, call.principal, executor=call.body.get("executor"))
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
    pieces = call.service(Models).stream(
        call.principal, turn, executor=call.body.get("executor"), before_turn=authority.check
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
