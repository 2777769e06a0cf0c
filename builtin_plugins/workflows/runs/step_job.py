"""The job of a step: resolves its arguments, calls the tool as the starter, and tells the engine its end."""

import asyncio
import json
import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from builtin_plugins.workflows.definitions import WORKFLOWS
from builtin_plugins.workflows.runs.engine import RunEngine
from builtin_plugins.workflows.runs.preparation import AdmittedStep, Prepared
from builtin_plugins.workflows.runs.statements import STEP_KIND, map_sql, sql
from builtin_plugins.workflows.runs.values import is_long
from guildhall_sdk import Host, Job, JobCall, JobFailed, JobKind, Problem, Writer
from guildhall_sdk.errors import RetryLater
from guildhall_sdk.jobs import running_job
from guildhall_sdk.services.server import Tracing
from guildhall_sdk.tools import AdmittedTool, Artifact
from libs.fair_slots import RESULTS
from libs.strict_json import encode_steps

# Below the limit of the kind, so that it is this that ends a step, and its retries count.
STEP_SECONDS = 900
KIND_SECONDS = STEP_SECONDS + 120
_MAX_MESSAGE = 2_000
_MAX_PROBLEMS = 5
_MAX_DEPTH = 128
_encode = json.JSONEncoder(allow_nan=False).encode
_log = logging.getLogger("guildhall.workflows")


class _Failure(NamedTuple):
    """Why a try failed, and whether another may do better."""

    code: str
    message: str
    heals: bool


_TOOK_TOO_LONG = _Failure("timeout", f"The step took longer than {STEP_SECONDS} s.", heals=True)


async def run_step(job: JobCall) -> Any:
    """Runs a step, or one item of a map; what it gives is the step's result."""
    running_job.set(replace(running_job.get(), run_id=job.payload["run_id"]))
    engine = job.host.service(RunEngine)
    prepared = await engine.preparation.prepare(job)
    admitted, deadlines, task = prepared.admitted, engine.deadlines, asyncio.current_task()
    assert task is not None
    if isinstance(admitted, RetryLater):
        raise admitted
    if isinstance(admitted, Problem):
        raise await _failed(job, prepared, _failure_of(admitted))
    deadlines.begin(task, STEP_SECONDS)
    tracing = job.host.find_service(Tracing)
    try:
        if tracing is None:
            result = await _result(job, admitted)
        else:
            with tracing.span(
                f"step {prepared.row['name']}", attributes={"guildhall.run": job.payload["run_id"]}
            ):
                result = await _result(job, admitted)
    except (Exception, asyncio.CancelledError) as error:
        too_long = deadlines.end(task) and isinstance(error, asyncio.CancelledError)
        if too_long and not task.cancelling():
            raise await _failed(job, prepared, _TOOK_TOO_LONG) from error
        if isinstance(error, RetryLater | asyncio.CancelledError):
            raise
        raise await _failed(job, prepared, _failure_of(error)) from error
    deadlines.end(task)
    return result


async def _result(job: JobCall, admitted: AdmittedTool | AdmittedStep) -> Any:
    given = await admitted.run()
    value = given.public() if isinstance(given, Artifact) else given
    # What is no JSON fails here, and by the retries that the step has.
    if value is None or isinstance(value, str | int):
        return value
    if is_long(value):
        if await RESULTS.run(job.org_id, is_too_deep, value):
            raise _too_deep()
        await RESULTS.run_steps(f"{id(value):x}", encode_steps(value, _encode))
    elif is_too_deep(value):
        raise _too_deep()
    else:
        _encode(value)
    return value


async def _failed(job: JobCall, prepared: Prepared, failure: _Failure) -> JobFailed:
    """Returns the end of a try that failed; one that is tried again is counted first."""
    again = failure.heals and prepared.row["tries"] < prepared.step.retry
    if again:
        payload = job.payload
        place = {"run_id": payload["run_id"], "number": payload["number"], "attempt": job.attempt}
        async with job.host.data.write() as writer:
            if "index" in payload:
                await writer.run(map_sql.count_item_try, **place, idx=payload["index"])
            else:
                await writer.run(sql.count_step_try, **place)
    return JobFailed(failure.code, failure.message, retry=again)


def is_too_deep(value: Any) -> bool:
    """Tells whether a result has more levels than everybody who reads it later can walk down."""
    level = [value]
    for _ in range(_MAX_DEPTH + 1):
        level = [
            below
            for node in level
            if isinstance(node, dict | list | tuple)
            for below in (node.values() if isinstance(node, dict) else node)
            if isinstance(below, dict | list | tuple)
        ]
        if not level:
            return False
    return True


def _too_deep() -> JobFailed:
    message = f"The result is nested more than {_MAX_DEPTH} levels deep; the tool has to give a flatter one."
    return JobFailed("result_too_deep", message, retry=False)


def _failure_of(error: Exception) -> _Failure:
    if isinstance(error, JobFailed):
        return _Failure(error.code, error.message, error.retry)
    if isinstance(error, Problem):
        places = [f"{one['pointer'] or '/'}: {one['message']}" for one in error.errors[:_MAX_PROBLEMS]]
        message = "; ".join(places) or error.detail
        return _Failure(error.code, message[:_MAX_MESSAGE], error.status >= 500)
    if isinstance(error, TimeoutError):
        return _TOOK_TOO_LONG
    _log.error("step.failed", exc_info=error)
    return _Failure("internal", "The tool failed; the server's log says why.", heals=True)


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
