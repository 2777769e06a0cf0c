"""The agent over HTTP: its result in one piece, or what happens as events."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any

from builtin_plugins.ai.agent.jobs import AGENT_KIND
from builtin_plugins.ai.agent.requests import AgentRequest
from builtin_plugins.ai.agent.results import AgentResult, AgentStep, Reading
from builtin_plugins.ai.agent.service import prepare_agent, run_agent
from builtin_plugins.ai.authority import refused_as_now
from builtin_plugins.ai.handlers.chat import queue_in_background
from builtin_plugins.ai.prompts import READING
from guildhall_sdk import Call, Problem, Reply
from guildhall_sdk.context import unless_gone
from guildhall_sdk.replies import EVENT_STREAM, ServerSentEvent, event_stream
from guildhall_sdk.services.models import ModelDelta

_JSON = "application/json"


async def agent(call: Call) -> Reply:
    if call.body.get("background"):
        prepared = await prepare_agent(call.host, call.principal, AgentRequest.of(call.body))
        return await queue_in_background(call, AGENT_KIND, prepared.choice)
    if _wants_events(call.headers.get("accept", "")):
        return event_stream(_events(call), prefetch=True)
    return Reply(await unless_gone(call, _whole(call)))


def _wants_events(accept: str) -> bool:
    """Whether the caller names event streams, and JSON not before them."""
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


async def _events(call: Call) -> AsyncIterator[ServerSentEvent]:
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
