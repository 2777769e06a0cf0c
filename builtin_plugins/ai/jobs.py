"""Turns as jobs: what an executor is given and must bring back, and a chat in the background."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from builtin_plugins.ai.background import DELTA, Finished, publish, publish_end
from builtin_plugins.ai.chat_turns import answered, turn_of
from builtin_plugins.ai.sources import wants_json
from guildhall_sdk import JobCall, JobKind, PermissionDenied, Principal
from guildhall_sdk.schema import anything, array, integer, obj, string
from guildhall_sdk.services import ModelDelta, Models, NewJobEvent
from guildhall_sdk.turns import turn_fault

CHAT_KIND = "ai.chat"
# Only a lost runner has it tried again: what the model did wrong is the answer.
_CHAT_ATTEMPTS = 3

TURN = JobKind(
    name="ai.turn",
    doc="One turn with a model, for an executor.",
    validator=turn_fault,
    payload=obj(
        {
            "messages": array(anything(), minItems=1),
            "response_format": anything(),
            "tools": array(anything()),
            "max_tokens": integer(1),
            "model": string(),
        },
        required=["messages"],
        example={"messages": [{"role": "user", "content": "Good morning"}], "model": "some-model"},
    ),
    max_attempts=3,
    public=False,
)


async def run_chat(job: JobCall) -> Any:
    """Runs a chat as whoever asked for it, with the rights that they have now."""
    async with job.host.data.read() as reader:
        principal = await job.principal(reader)
    if not principal.may("chat:use"):
        raise PermissionDenied("chat:use")
    return await publish(job, _chat_pieces(job, principal))


async def _chat_pieces(job: JobCall, principal: Principal) -> AsyncGenerator[NewJobEvent | Finished, None]:
    models, executor = job.host.service(Models), job.payload.get("executor")
    turn = await turn_of(job.host, principal, job.payload)
    if wants_json(turn):  # it may take a second turn to fit, and half of it is of no use
        reply = await models.ask(principal, turn, executor=executor, within=job.id)
        yield NewJobEvent(DELTA, {"text": reply.text})
        yield Finished(answered(reply, turn))
        return
    async with aclosing(models.stream(principal, turn, executor=executor, within=job.id)) as pieces:
        async for piece in pieces:
            if isinstance(piece, ModelDelta):
                yield NewJobEvent(DELTA, {"text": piece.text})
            else:
                yield Finished(answered(piece, turn))


CHAT = JobKind(
    name=CHAT_KIND,
    doc="One turn with a model in the background.",
    handler=run_chat,
    max_attempts=_CHAT_ATTEMPTS,
    public=False,
    feature="chat",
    ended=publish_end,
)
