"""One run on its way from the end of a step to the jobs of the next; no database here."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final, Literal, NamedTuple

from builtin_plugins.workflows.runs.statements import STEP_KIND
from builtin_plugins.workflows.runs.values import MAX_GIVEN, TOO_MUCH_GIVEN, KnownValues
from builtin_plugins.workflows.spec.bindings import Patience, Values, decide, resolve
from builtin_plugins.workflows.spec.model import (
    ActionStep,
    ChoiceStep,
    MapStep,
    ParallelStep,
    Spec,
    Step,
    ToolStep,
)
from guildhall_sdk import NewJob, Problem, Row
from libs.strict_json import capacity_after

MAX_ITEMS = 10_000
# So many jobs of one map wait or run at a time; more are enqueued when half of them are over.
WINDOW = 200
# Beyond the retries that a step has: servers that are killed use them up, and no step fails for that.
_SPARE_ATTEMPTS = 3

State = Literal["running", "succeeded", "failed", "cancelled"]
Starter = Literal["person", "trigger", "schedule"]
_EMPTY = '{"results":[]}'
#: The number of the step that holds the branch at hand, and that of the branch; None outside of branches.
Lane = tuple[int, int] | None
_ENDLESS = "max_steps_exceeded"


class _Waits(Enum):
    """What a run does that has jobs under way."""

    WAITS = "waits"


WAITS: Final = _Waits.WAITS


# Not frozen: a frozen one takes four times as long to make, and each step has its own.
@dataclass(slots=True)
class StepJob:
    """The job of a step that begins, and what becomes the row of the step beside the job's id."""

    new: NewJob
    number: int
    name: str
    revision: int
    kind: str = "tool"
    lane: Lane = None


class MapStart(NamedTuple):
    """The items of a map that begins, each as JSON; the first of them have jobs."""

    number: int
    items: Sequence[str]
    jobs: Sequence[NewJob]


class _Refused(Exception):
    """The step cannot begin; the run fails there."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def starter(trigger_id: str | None, version: int | None) -> Starter:
    """Returns what started a run: a trigger has the version of an object, a schedule has none."""
    if trigger_id is None:
        return "person"
    return "schedule" if version is None else "trigger"


def lane_of(row: Row) -> Lane:
    """Returns the branch that the row of a step stands in."""
    return None if row["parent"] is None else (row["parent"], row["branch"])


@dataclass(slots=True, kw_only=True, eq=False)
class Walk:
    """A run, locked, and what a transaction does to it."""

    id: str
    org_id: str
    team_id: str
    created_by: str
    slug: str
    version: int
    locale: str
    asked_with: str | None
    scope: frozenset[str] | None
    started_by: Starter = "person"
    parent_run: str | None = None
    state: State = "running"
    steps_used: int = 0
    last_number: int = 0
    revision: int = 0
    error: tuple[str, str, str] | None = None
    changed: bool = False
    #: What `insert_run` takes beyond what `written` returns, of a run that is not inserted yet.
    new: Mapping[str, Any] | None = None
    rows: list[dict[str, Any]] = field(default_factory=list)
    jobs: list[StepJob] = field(default_factory=list)
    maps: list[MapStart] = field(default_factory=list)
    #: Branches that have come to their end.
    joins: list[tuple[int, int]] = field(default_factory=list)
    #: Branches that have failed, with code, message and the name of the step.
    lost: list[tuple[tuple[int, int], tuple[str, str, str]]] = field(default_factory=list)
    #: Jobs that nobody needs any more.
    dead_jobs: list[str] = field(default_factory=list)
    #: Whether it begins or ends to wait, or has branches: whether it only waits is to be seen.
    may_wait: bool = False

    @classmethod
    def of(cls, row: Row) -> "Walk":
        scope = None if row["scope"] is None else frozenset(json.loads(row["scope"]))
        return cls(
            id=row["id"],
            org_id=row["org_id"],
            team_id=row["team_id"],
            created_by=row["created_by"],
            slug=row["slug"],
            version=row["version"],
            locale=row["locale"],
            asked_with=row["asked_with"],
            scope=scope,
            started_by=starter(row["trigger_id"], row["object_version"]),
            parent_run=row["parent_run"],
            state=row["state"],
            steps_used=row["steps_used"],
            last_number=row["last_number"],
            revision=row["revision"],
        )

    def next_revision(self) -> int:
        """Counts a change; what changes after the end of the run is behind its last revision."""
        if self.state != "running":
            return self.revision + 1
        self.changed = True
        self.revision += 1
        return self.revision

    def place(self) -> tuple[str, int, int, int]:
        """Returns how far the run has come, as `move_runs` takes it."""
        return self.id, self.steps_used, self.last_number, self.revision

    def written(self) -> dict[str, Any]:
        """Returns the run as `insert_run` takes it."""
        code, message, step = self.error or (None, None, None)
        return {
            "id": self.id,
            "state": self.state,
            "steps_used": self.steps_used,
            "last_number": self.last_number,
            "revision": self.revision,
            "error_code": code,
            "error_message": message,
            "error_step": step,
        }

    def ending(self) -> tuple[Any, ...]:
        """Returns how the run ended, as `end_runs` takes it."""
        ended = (*self.place(), self.state)
        return ended if self.error is None else (*ended, *self.error)

    def end(self, state: State, error: tuple[str, str, str] | None = None) -> None:
        """Ends the run, which is final."""
        self.next_revision()
        self.state, self.error = state, error

    def values(self, known: KnownValues) -> Values:
        """Returns what bindings outside of maps are resolved with."""
        inputs, outputs = known.inputs.get(self.id, {}), known.outputs.get(self.id, {})
        return Values(inputs, outputs, self.locale, self.id, self.team_id, self.created_by)

    def go_on(self, spec: Spec, step: Step | None, values: Values, lane: Lane = None) -> None:
        """Goes from a step to the next jobs, by choices and empty maps, or to the end."""
        visits: dict[str, int] = {}
        patience = Patience()
        while step is not None:
            visits[step.name] = visits.get(step.name, 0) + 1
            try:
                if visits[step.name] > 2:
                    raise _Refused(_ENDLESS, "The run goes around without a job to do.")
                following = self._visit(spec, step, values, patience, lane)
            except (_Refused, Problem) as refusal:
                message = refusal.detail if isinstance(refusal, Problem) else refusal.message
                self._row(step, "failed", lane, error_code=refusal.code, error_message=message)
                following = self.fail(spec, step, (refusal.code, message, step.name), lane) or WAITS
            if following is WAITS:
                return
            step = following
        if lane is None:
            self.end("succeeded")
        else:
            self.joins.append(lane)

    def fail(self, spec: Spec, step: Step, error: tuple[str, str, str], lane: Lane) -> Step | None:
        """Returns the step that catches the failure of one; without such a step the run, or branch, fails."""
        if step.catch is not None and error[0] != _ENDLESS and step.catch.takes(error[0]):
            return spec.step(step.catch.next)
        if lane is None:
            self.end("failed", error)
        else:
            self.lost.append((lane, error))
        return None

    def _visit(
        self, spec: Spec, step: Step, values: Values, patience: Patience, lane: Lane
    ) -> "Step | _Waits | None":
        """Returns where the run goes on at once, or that it waits for the jobs of the step."""
        if isinstance(step, ChoiceStep):
            holds = decide(step.when, values, patience)
            self._row(step, "succeeded", lane, output=json.dumps({"result": holds}))
            return spec.step(step.then if holds else step.otherwise)
        if isinstance(step, ToolStep | ActionStep):
            self._use(spec, 1)
            self.last_number += 1
            new = self.new_job(step, self.last_number)
            self.jobs.append(StepJob(new, self.last_number, step.name, self.next_revision(), step.kind, lane))
            self.may_wait = self.may_wait or lane is not None
            return WAITS
        if isinstance(step, ParallelStep):
            return self._begin_branches(spec, step, values, lane)
        return self._begin_map(spec, step, values, lane)

    def _begin_branches(self, spec: Spec, step: ParallelStep, values: Values, lane: Lane) -> "_Waits":
        number = self._row(step, "running", lane, total=len(step.branches), done=0, failed=0)["number"]
        self.may_wait = True
        for branch, steps in enumerate(step.branches):
            if not any(parent == number for (parent, _), _ in self.lost):
                self.go_on(spec, steps[0], values, (number, branch))
        return WAITS

    def _begin_map(self, spec: Spec, step: MapStep, values: Values, lane: Lane) -> "Step | _Waits | None":
        items = resolve(step.over, values)
        if not isinstance(items, list):
            raise _Refused("not_a_list", "What the map goes over is not a list.")
        if len(items) > MAX_ITEMS:
            raise _Refused("too_many_items", f"The list has {len(items)} items; a map takes {MAX_ITEMS}.")
        if capacity_after(items, MAX_GIVEN) <= 0:
            raise _Refused(*TOO_MUCH_GIVEN)
        if not items:
            counters = {"total": 0, "waiting": 0, "next_index": 0, "done": 0, "failed": 0, "bytes": 0}
            self._row(step, "succeeded", lane, output=_EMPTY, **counters)
            if isinstance(values.outputs, dict):
                values.outputs[step.name] = {"results": []}
            return spec.after(step)
        self._use(spec, len(items))
        first = min(WINDOW, len(items))
        row = self._row(
            step,
            "running",
            lane,
            total=len(items),
            waiting=len(items) - first,
            next_index=first,
            done=0,
            failed=0,
            bytes=0,
        )
        jobs = [self.new_job(step, row["number"], index) for index in range(first)]
        self.maps.append(MapStart(row["number"], [json.dumps(item) for item in items], jobs))
        return WAITS

    def resume_map(self, spec: Spec, step: Step, kept: Row) -> bool:
        """Begins a map some of whose items are there already; False where the run has failed by it."""
        try:
            self._use(spec, kept["total"])
        except _Refused as refusal:
            self._row(step, "failed", None, error_code=refusal.code, error_message=refusal.message)
            self.end("failed", (refusal.code, refusal.message, step.name))
            return False
        self._row(
            step,
            "running",
            None,
            total=kept["total"],
            waiting=kept["total"] - kept["done"],
            next_index=0,
            done=kept["done"],
            failed=0,
            bytes=kept["bytes"],
        )
        return True

    def _use(self, spec: Spec, jobs: int) -> None:
        if self.steps_used + jobs > spec.max_steps:
            raise _Refused(_ENDLESS, f"The run would take more than its {spec.max_steps} steps (max_steps).")
        self.steps_used += jobs

    def _row(self, step: Step, state: State, lane: Lane, **more: Any) -> dict[str, Any]:
        self.last_number += 1
        if lane is not None:
            self.may_wait = True
            more |= {"parent": lane[0], "branch": lane[1]}
        row = {
            "run_id": self.id,
            "number": self.last_number,
            "name": step.name,
            "kind": step.kind,
            "state": state,
            "revision": self.next_revision(),
            **more,
        }
        self.rows.append(row)
        return row

    def new_job(self, step: ToolStep | MapStep | ActionStep, number: int, index: int | None = None) -> NewJob:
        """Makes the job of a step, or of one item of a map."""
        payload: dict[str, Any] = {"step": step.name, "run_id": self.id, "number": number}
        if index is not None:
            payload["index"] = index
        if isinstance(step, ActionStep):
            payload["kind"] = step.kind
        return NewJob(
            STEP_KIND,
            self.org_id,
            self.team_id,
            self.created_by,
            payload,
            max_attempts=step.retry + 1 + _SPARE_ATTEMPTS,
            asked_with=self.asked_with,
            scope=self.scope,
        )
