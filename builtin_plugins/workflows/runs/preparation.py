"""What a step's job needs before its tool is called, read for all jobs of a team that begin together."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from builtin_plugins.workflows.definitions import RUN
from builtin_plugins.workflows.runs.statements import RUN_ENDED, RememberingReader, map_sql, sql, sql_for
from builtin_plugins.workflows.runs.values import (
    MAX_GIVEN,
    TOO_MUCH_GIVEN,
    KnownValues,
    Needs,
    Place,
    Plans,
    RecentValues,
    decoded,
    is_long,
)
from builtin_plugins.workflows.spec.bindings import ABSENT, Values, resolve
from builtin_plugins.workflows.spec.model import ActionStep, ChoiceStep, MapStep, ParallelStep, ToolStep
from guildhall_sdk import (
    Host,
    JobCall,
    JobFailed,
    PermissionDenied,
    Problem,
    Reader,
    Row,
    Unavailable,
    UserError,
)
from guildhall_sdk.plugin import Features, Plugins
from guildhall_sdk.services.workflows import StepCall, StepKind, StepWait
from guildhall_sdk.tools import AdmittedTool, OpenTool, Tools
from libs.strict_json import capacity_after


# Not frozen, here and below: a frozen one takes four times as long to make, and each step has its own.
@dataclass(slots=True)
class Prepared:
    """A step that may be called, or why not; `row` is its run and itself, or the map's item."""

    row: Row
    step: ToolStep | MapStep | ActionStep
    admitted: "AdmittedTool | AdmittedStep | Problem"


@dataclass(slots=True)
class AdmittedStep:
    """A step of a declared kind that may run with these fields."""

    kind: StepKind
    call: StepCall

    async def run(self) -> Any:
        """Runs the step outside every scope of the database; returns its result, or that it waits."""
        given = await self.kind.run(self.call)
        if not isinstance(given, StepWait):
            return {"result": given}
        ending = {"result": given.result} if given.error is None else {"error": list(given.error)}
        wait = {"key": given.key, "until": given.until, "output": given.output, "match": given.match}
        return {"wait": {**wait, "ending": ending}}


@dataclass(slots=True)
class _Found:
    """A job of a step whose row is there; `place` is that of the row."""

    job: JobCall
    place: "_Place"
    row: Row
    step: ToolStep | MapStep | ActionStep


#: The run, the number of the step, and the index of a map's item.
_Place = tuple[str, int, int | None]
_Answer = Prepared | Exception
_Waiting = list[tuple[JobCall, "asyncio.Future[Prepared]"]]


class Preparation:
    """Checks the steps that begin: whether they still should, with what, and whether their starter may.

    Each is checked when its job begins; jobs that begin at the same moment share the statements.
    """

    def __init__(self, host: Host, plans: Plans, recent: RecentValues) -> None:
        self._host = host
        self._plans = plans
        self._recent = recent
        self._waiting: dict[str, _Waiting] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def prepare(self, job: JobCall) -> Prepared:
        """Returns the step of a job; raises `JobFailed` where it is over."""
        answer: asyncio.Future[Prepared] = asyncio.get_running_loop().create_future()
        waiting = self._waiting.setdefault(job.team_id, [])
        waiting.append((job, answer))
        if len(waiting) == 1:
            # In the context of this job: what is read for its company is counted as the company's.
            task = asyncio.create_task(self._answer(job.team_id))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return await answer

    async def _answer(self, team_id: str) -> None:
        # Whatever is ready to run now may bring more: it goes along.
        await asyncio.sleep(0)
        waiting = self._waiting.pop(team_id)
        jobs = [job for job, answer in waiting if not answer.done()]
        try:
            async with self._host.data.read() as reader:
                found = await self._prepare(reader, team_id, jobs)
        except Exception as error:
            found = {job.id: error for job in jobs}
        for job, answer in waiting:
            if answer.done():
                continue
            one = found[job.id]
            if isinstance(one, Exception):
                answer.set_exception(one)
            else:
                answer.set_result(one)

    async def _prepare(self, reader: Reader, team_id: str, jobs: Sequence[JobCall]) -> dict[str, _Answer]:
        places = [_place(job) for job in jobs]
        rows = await self._rows(reader, team_id, places)
        answers: dict[str, _Answer] = {}
        founds: list[_Found] = []
        # What is read for one item of a map serves all of them.
        wanted: dict[Place, Needs] = {}
        for job, place in zip(jobs, places, strict=True):
            row = rows.get(place)
            if row is None or row["run_state"] != "running" or row["state"] != "running":
                answers[job.id] = JobFailed(RUN_ENDED, "The run was over before this began.")
                continue
            plan = await self._plans.at_version(reader, team_id, row["slug"], row["version"])
            step = plan.spec.step(row["name"])
            assert not isinstance(step, ChoiceStep | ParallelStep)
            founds.append(_Found(job, place, row, step))
            wanted[place[:2]] = plan.call_needs(step)
        known = KnownValues()
        for (run_id, number), needs in wanted.items():
            await self._recall(known, run_id, number, needs)
        await known.load(reader, [(run_id, needs) for (run_id, _), needs in wanted.items()])
        admission = _Admission(self._host, RememberingReader(reader), known)
        for found in founds:
            try:
                answers[found.job.id] = Prepared(found.row, found.step, await admission.admit(found))
            except Unavailable as error:
                # The database, say: no fault of the step, and nothing that its retries are for.
                answers[found.job.id] = error
            except Problem as problem:
                answers[found.job.id] = Prepared(found.row, found.step, problem)
            except Exception as error:
                answers[found.job.id] = error
        return answers

    async def _recall(self, known: KnownValues, run_id: str, number: int, needs: Needs) -> None:
        """Adds what came right before a step, where it was here: nothing of that name can be newer."""
        if (recent := self._recent.take((run_id, number - 1))) is None:
            return
        name, text = recent
        if number == 1 and needs.input:
            await known.add_stored(run_id, None, text)
        elif number > 1 and name in needs.steps:
            await known.add_stored(run_id, name, text)

    @staticmethod
    async def _rows(reader: Reader, team_id: str, places: Sequence[_Place]) -> Mapping[_Place, Row]:
        if len(places) == 1:
            run_id, number, index = place = places[0]
            binds = {"run_id": run_id, "team_id": team_id, "number": number}
            row = (
                await reader.one(sql.step_call, **binds)
                if index is None
                else await reader.one(map_sql.item_call, **binds, idx=index)
            )
            return {} if row is None else {place: row}
        steps = [place for place in places if place[2] is None]
        items = [place for place in places if place[2] is not None]
        found: dict[_Place, Row] = {}
        if steps:
            statement = sql_for(len(steps)).step_calls
            for row in await reader.all(statement, team_id=team_id, calls=json.dumps(steps)):
                found[row["run_id"], row["number"], None] = row
        if items:
            for row in await reader.all(map_sql.item_calls, team_id=team_id, calls=json.dumps(items)):
                found[row["run_id"], row["number"], row["idx"]] = row
        return found


class _Admission:
    """Resolves arguments and admits tools, and asks once whether a tool is open to somebody."""

    def __init__(self, host: Host, reader: Reader, known: KnownValues) -> None:
        self._host = host
        self._tools = host.service(Tools)
        self._reader = reader
        self._known = known
        self._open: dict[tuple[Any, ...], OpenTool | Problem] = {}

    async def admit(self, found: _Found) -> "AdmittedTool | AdmittedStep":
        if isinstance(found.step, ActionStep):
            return await self._admit_step(found, found.step)
        job, name = found.job, found.step.tool
        key = (job.user_id, job.asked_with, job.scope, name)
        if (tool := self._open.get(key)) is None:
            tool = self._open[key] = await self._open_to_starter(job, name)
        if isinstance(tool, Problem):
            raise tool
        return await tool.admit(await self._arguments(found))

    async def _admit_step(self, found: _Found, step: ActionStep) -> AdmittedStep:
        job = found.job
        who = await job.principal(self._reader)
        if not who.may(RUN):
            raise PermissionDenied(RUN)
        switches = self._host.service(Features).of(who)
        kinds = self._host.service(Plugins).owned(StepKind, switches)
        kind = next((kind for _, kind in kinds if kind.name == step.kind), None)
        if kind is None:
            raise UserError(f"There is no kind of step {step.kind} for this team now.", code="unknown_kind")
        run_id, number, _ = found.place
        fields = await self._arguments(found)
        call = StepCall(
            job=job,
            run_id=run_id,
            number=number,
            step=step.name,
            fields=fields,
            is_last=found.row["tries"] >= step.retry,
        )
        return AdmittedStep(kind, call)

    async def _open_to_starter(self, job: JobCall, name: str) -> OpenTool | Problem:
        """Returns a tool that the starter may call, who may run workflows still, or why not."""
        try:
            who = await job.principal(self._reader)
            if not who.may(RUN):
                return PermissionDenied(RUN)
            return await self._tools.open_to(self._reader, who, name)
        except Problem as problem:
            return problem

    async def _arguments(self, found: _Found) -> Mapping[str, Any]:
        row = found.row
        run_id, _, index = found.place
        values = Values(
            self._known.inputs.get(run_id, {}),
            self._known.outputs.get(run_id, {}),
            row["locale"],
            run_id,
            found.job.team_id,
            row["created_by"],
            item=ABSENT if index is None else await decoded(row["item"]),
            index=index,
        )
        step = found.step
        given = step.fields if isinstance(step, ActionStep) else step.arguments
        arguments: Mapping[str, Any] = resolve(given, values)
        if is_long(arguments) and await asyncio.to_thread(capacity_after, arguments, MAX_GIVEN) <= 0:
            code, message = TOO_MUCH_GIVEN
            raise UserError(message, code=code)
        return arguments


def _place(job: JobCall) -> _Place:
    payload = job.payload
    return payload["run_id"], payload["number"], payload.get("index")
