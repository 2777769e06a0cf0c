"""An agent in the background: a job that can be followed, and that outlives its caller's connection."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from builtin_plugins.ai.agent.requests import AgentRequest
from builtin_plugins.ai.agent.results import AgentStep
from builtin_plugins.ai.agent.service import run_agent
from builtin_plugins.ai.background import DELTA, Finished, publish, publish_end
from guildhall_sdk import JobCall, JobFailed, JobKind, PermissionDenied, Principal
from guildhall_sdk.errors import RetryLater
from guildhall_sdk.services import ModelDelta, NewJobEvent

AGENT_KIND = "ai.agent"


async def run_in_background(job: JobCall) -> Any:
    """Runs an agent as whoever asked for it, with the rights that they have now."""
    async with job.host.data.read() as reader:
        principal = await job.principal(reader)
    if not principal.may("chat:use"):
        raise PermissionDenied("chat:use")
    return await publish(job, _pieces(job, principal))


async def _pieces(job: JobCall, principal: Principal) -> AsyncGenerator[NewJobEvent | Finished, None]:
    request, stepped = AgentRequest.of(job.payload), False
    try:
        async with aclosing(run_agent(job.host, principal, request, within=job.id)) as happening:
            async for one in happening:
                if isinstance(one, AgentStep):
                    stepped = True
                    yield NewJobEvent("step", one.public())
                elif isinstance(one, ModelDelta):
                    yield NewJobEvent(DELTA, {"text": one.text})
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
    ended=publish_end,
)
