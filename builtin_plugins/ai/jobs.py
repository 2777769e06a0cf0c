"""Turns and agents as jobs: what an executor is given and must bring back, and how callers follow them."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Any

from builtin_plugins.ai.agent.loop import run_agent
from builtin_plugins.ai.agent.types import AgentRequest, AgentResult, AgentStep, Reading
from builtin_plugins.ai.authority import Authority
from builtin_plugins.ai.background import DELTA, STATUS, Finished, publish, publish_end
from builtin_plugins.ai.prompts import READING, answered, answered_in_part, check_turn, reach, turn_of
from builtin_plugins.ai.sources import wants_json
from guildhall_sdk import JobCall, JobFailed, JobKind
from guildhall_sdk.errors import RetryLater
from guildhall_sdk.schema import anything, array, integer, obj, string
from guildhall_sdk.services.jobs import NewJobEvent
from guildhall_sdk.services.models import ModelDelta, Models
from libs.model_wire import turn_fault

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
            "input": array(string(), minItems=1, description="Texts to be embedded, in place of messages"),
            "response_format": anything(),
            "tools": array(anything()),
            "max_tokens": integer(1),
            "model": string(),
        },
        example={"messages": [{"role": "user", "content": "Good morning"}], "model": "some-model"},
    ),
    max_attempts=3,
    public=False,
)

AGENT_KIND = "ai.agent"


async def run_chat(job: JobCall) -> Any:
    """Runs a chat as whoever asked for it, with the rights that they have now."""
    return await publish(job, _chat_pieces(job))


async def _chat_pieces(job: JobCall) -> AsyncGenerator[NewJobEvent | Finished, None]:
    models, authority = job.host.service(Models), Authority.of_job(job)
    principal = await authority.begin()
    content = await check_turn(job.host, principal, job.payload)
    if content.unread:
        yield NewJobEvent(STATUS, READING)
    turn = await turn_of(job.host, principal, job.payload, content)
    executor = (await reach(job.host, principal, job.payload)).executor
    async with job.host.data.read() as reader:
        choice = await models.choose(reader, principal, executor=executor)
    said: list[str] = []
    job.on_stop(lambda: answered_in_part("".join(said), choice, turn))
    if wants_json(turn):  # it may take a second turn to fit, and half of it is of no use
        reply = await models.ask(
            principal, turn, executor=executor, within=job.id, before_turn=authority.check
        )
        yield NewJobEvent(DELTA, {"text": reply.text})
        yield Finished(answered(reply, turn))
        return
    stream = models.stream(principal, turn, executor=executor, within=job.id, before_turn=authority.check)
    async with aclosing(stream) as pieces:
        async for piece in pieces:
            if isinstance(piece, ModelDelta):
                said.append(piece.text)
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
    stoppable=True,
    ended=publish_end,
)


async def run_in_background(job: JobCall) -> Any:
    """Runs an agent as whoever asked for it, with the rights that they have now."""
    return await publish(job, _pieces(job))


async def _pieces(job: JobCall) -> AsyncGenerator[NewJobEvent | Finished, None]:
    request, stepped = AgentRequest.of(job.payload), False
    principal = await Authority.of_job(job).begin()

    def report_so_far(so_far: Callable[[], AgentResult]) -> None:
        job.on_stop(lambda: so_far().public())

    try:
        run = run_agent(job.host, principal, request, within=job.id, on_begin=report_so_far)
        async with aclosing(run) as happening:
            async for one in happening:
                if isinstance(one, AgentStep):
                    stepped = True
                    yield NewJobEvent("step", one.public())
                elif isinstance(one, ModelDelta):
                    yield NewJobEvent(DELTA, {"text": one.text})
                elif isinstance(one, Reading):
                    yield NewJobEvent(STATUS, READING)
                else:
                    yield Finished(one.public())
    except RetryLater as refusal:
        if stepped:  # put off, it would begin anew and have its tools do everything again
            raise JobFailed(refusal.code, refusal.detail) from None
        raise


AGENT = JobKind(
    name=AGENT_KIND,
    doc="An agent in the background.",
    handler=run_in_background,
    # What its tools did is done: a second attempt would do it again.
    max_attempts=1,
    public=False,
    feature="agent",
    stoppable=True,
    ended=publish_end,
)
