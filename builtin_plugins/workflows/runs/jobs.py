"""The job of a step: how it runs, and what its end does."""

from collections.abc import Sequence

from builtin_plugins.workflows.features import WORKFLOWS
from builtin_plugins.workflows.runs.calls import KIND_SECONDS, run_step
from builtin_plugins.workflows.runs.engine import RunEngine
from builtin_plugins.workflows.runs.kinds import STEP_KIND
from guildhall_sdk import Host, Job, JobKind, Writer


async def _jobs_ended(host: Host, writer: Writer, jobs: Sequence[Job]) -> None:
    await host.service(RunEngine).jobs_ended(writer, jobs)


STEP = JobKind(
    name=STEP_KIND,
    doc="One step of a workflow's run, or one item of its map.",
    handler=run_step,
    timeout_seconds=KIND_SECONDS,
    public=False,
    feature=WORKFLOWS,
    stoppable=True,
    ended_together=_jobs_ended,
)
