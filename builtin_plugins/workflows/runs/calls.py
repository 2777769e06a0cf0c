"""The handler of a step: resolves its arguments, calls the tool as the starter, and counts failures."""

import asyncio
import json
import logging
from dataclasses import dataclass
from typing import Any

from builtin_plugins.workflows.runs.engine import RunEngine
from builtin_plugins.workflows.runs.statements import sql
from builtin_plugins.workflows.runs.values import is_long
from builtin_plugins.workflows.spec.model import MapStep, ToolStep
from guildhall_sdk import (
    Artifact,
    Host,
    JobCall,
    JobFailed,
    Problem,
    Row,
    TooManyRequests,
)
from guildhall_sdk.deadlines import Deadlines
from guildhall_sdk.fairness import RESULTS
from guildhall_sdk.json_pieces import written_aside
from guildhall_sdk.services import AdmittedTool
from guildhall_sdk.workflows import running_run

# Below the limit of the kind, so that it is this that ends a step, and its retries count.
STEP_SECONDS = 900
KIND_SECONDS = STEP_SECONDS + 120
_MAX_MESSAGE = 2_000
_MAX_PROBLEMS = 5
_MAX_DEPTH = 128
_encode = json.JSONEncoder(allow_nan=False).encode
_log = logging.getLogger("guildhall.workflows")


@dataclass(frozen=True, slots=True)
class _Failure:
    """Why a try failed, and whether another may do better."""

    code: str
    message: str
    heals: bool


async def run_step(job: JobCall) -> Any:
    """Runs a step, or one item of a map; what it gives is the step's result."""
    running_run.set(job.payload["run_id"])
    return await _StepCall(job).run()


class _StepCall:
    """One attempt at a step's job."""

    def __init__(self, job: JobCall) -> None:
        self._job = job
        self._host: Host = job.host
        self._run_id: str = job.payload["run_id"]
        self._number: int = job.payload["number"]
        self._index: int | None = job.payload.get("index")

    async def run(self) -> Any:
        engine = self._host.service(RunEngine)
        prepared = await engine.preparation.prepare(self._job)
        step, row, admitted = prepared.step, prepared.row, prepared.admitted
        if isinstance(admitted, TooManyRequests):
            raise admitted
        if isinstance(admitted, Problem):
            raise await self._failed(step, row, _failure_of(admitted))
        try:
            return await self._in_time(engine.deadlines, admitted)
        except TooManyRequests:
            raise
        except Exception as error:
            raise await self._failed(step, row, _failure_of(error)) from error

    async def _in_time(self, deadlines: Deadlines, admitted: AdmittedTool) -> Any:
        """Returns the result of the tool; raises `TimeoutError` where that takes too long."""
        task = asyncio.current_task()
        assert task is not None
        deadlines.begin(task, STEP_SECONDS)
        try:
            result = await self._result(admitted)
        except (Exception, asyncio.CancelledError) as error:
            if deadlines.end(task) and isinstance(error, asyncio.CancelledError) and not task.cancelling():
                raise TimeoutError from error
            raise
        deadlines.end(task)
        return result

    async def _result(self, admitted: AdmittedTool) -> Any:
        given = await admitted.run()
        value = given.public() if isinstance(given, Artifact) else given
        # What is no JSON fails here, and by the retries that the step has.
        if value is None or isinstance(value, str | int):
            return value
        if is_long(value):
            if await RESULTS.run(self._job.org_id, _is_too_deep, value):
                raise _too_deep()
            await written_aside(value, _encode)
        elif _is_too_deep(value):
            raise _too_deep()
        else:
            _encode(value)
        return value

    async def _failed(self, step: ToolStep | MapStep, row: Row, failure: _Failure) -> JobFailed:
        """Returns the end of a try that failed; one that is tried again is counted first."""
        again = failure.heals and row["tries"] < step.retry
        if again:
            place = {"run_id": self._run_id, "number": self._number, "attempt": self._job.attempt}
            async with self._host.data.write() as writer:
                if self._index is None:
                    await writer.run(sql.count_step_try, **place)
                else:
                    await writer.run(sql.count_item_try, **place, idx=self._index)
        return JobFailed(failure.code, failure.message, retry=again)


def _is_too_deep(value: Any) -> bool:
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
        return _Failure("timeout", f"The step took longer than {STEP_SECONDS} s.", heals=True)
    _log.error("step.failed", exc_info=error)
    return _Failure("internal", "The tool failed; the server's log says why.", heals=True)
