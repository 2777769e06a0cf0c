"""An agent in the background: a job that can be followed, and that outlives its caller's connection."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Any

from builtin_plugins.ai.agent.requests import AgentRequest
from builtin_plugins.ai.agent.results import AgentResult, AgentStep, Reading
from builtin_plugins.ai.agent.service import run_agent
from builtin_plugins.ai.authority import Authority
from builtin_plugins.ai.background import DELTA, STATUS, Finished, publish, publish_end
from builtin_plugins.ai.prompts import READING
from guildhall_sdk import JobCall, JobFailed, JobKind
from guildhall_sdk.errors import RetryLater
from guildhall_sdk.services.jobs import NewJobEvent
from guildhall_sdk.services.models import ModelDelta

AGENT_KIND = "ai.agent"


async def run_in_background(job: JobCall) -> Any:
    """Runs an agent as whoever asked for it, with the rights that they have now."""
    return await publish(job, _pieces(job))


async def _pieces(job: JobCall) -> AsyncGenerator[NewJobEvent | Finished, None]:
    request, stepped = AgentRequest.of(job.payload), False
    principal = await Authority.of_job(job).begin()

    def keep(so_far: Callable[[], AgentResult]) -> None:
        job.on_stop(lambda: so_far().public())

    try:
        run = run_agent(job.host, principal, request, within=job.id, on_begin=keep)
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
