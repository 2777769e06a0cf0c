"""Workflows: starting runs of them, and what became of the runs."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

from guildhall_sdk.data import Reader, Writer
from guildhall_sdk.jobs import JobCall
from guildhall_sdk.principal import Principal
from guildhall_sdk.schema import Schema


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCause:
    """The trigger that starts a run, the object whose new version fired it, and the triggers before it.

    `chain` is what led to this run: the id of the version that was uploaded first, and the ids of the
    triggers from there on, the one of `trigger_id` included. What a schedule or a webhook starts has its id
    alone.
    """

    trigger_id: str
    object_id: str | None = None
    version: int | None = None
    chain: Sequence[str] = ()


class RunSummary(NamedTuple):
    """A run without its contents; times are milliseconds since the epoch."""

    id: str
    slug: str
    version: int
    state: Literal["running", "succeeded", "failed", "cancelled"]
    created_by: str
    created_at: int
    finished_at: int | None = None


class Workflows(Protocol):
    """The workflows of all teams, and their runs."""

    async def declared_inputs(self, reader: Reader, team_id: str, slug: str) -> frozenset[str] | None:
        """Returns the names of the inputs of a workflow's current version; None where there is none."""

    async def refused_inputs(
        self, reader: Reader, team_id: str, slug: str, inputs: Mapping[str, Any]
    ) -> Sequence[Mapping[str, str]] | None:
        """Returns what the current version of a workflow would refuse of these inputs, none if it takes them.

        Each has a `pointer` below `/input` and a `message`. Returns None where the team has no such workflow.
        """

    async def start(
        self,
        writer: Writer,
        principal: Principal,
        slug: str,
        inputs: Mapping[str, Any],
        *,
        cause: RunCause | None = None,
    ) -> RunSummary:
        """Starts a run as the principal in the caller's transaction, with the scope of their credential.

        Raises `NotFound` for a workflow that the team does not have, `PermissionDenied` without
        `workflows:run`, `InvalidRequest` below `/input` for inputs that it does not take, `FeatureDisabled`,
        `PaymentRequired`, and `TooManyRequests` `queue_full`.
        """

    async def read(self, reader: Reader, principal: Principal, run_id: str) -> dict[str, Any]:
        """Returns a run as `GET /api/runs/:id` shows it to the caller; raises `NotFound`."""

    async def summary(self, reader: Reader, team_id: str, run_id: str) -> RunSummary | None:
        """Returns a run of the team, or None."""

    async def wait_for_end(self, team_id: str, run_id: str, seconds: float) -> RunSummary | None:
        """Returns a run once it has ended, or as it is after so many seconds. Not inside a scope."""

    async def cancel(self, writer: Writer, team_id: str, run_id: str) -> None:
        """Cancels a run; raises `NotFound`, and `Conflict` `not_running` for one that is over."""

    async def end_wait(self, writer: Writer, team_id: str, key: str, result: Any) -> bool:
        """Ends the steps of a team that wait with this `StepWait.key`, soon after the commit.

        Tells whether there are any; the result becomes theirs.
        """

    async def chain(self, reader: Reader, team_id: str, run_id: str) -> Sequence[str]:
        """Returns what led to a run, as its `RunCause` has it; empty for one that a person began."""

    async def touching(
        self, reader: Reader, principal: Principal, object_id: str, run_ids: Sequence[str]
    ) -> Sequence[RunSummary]:
        """Returns the runs that an object started or was given to, and those of these ids, newest first.

        They are runs of the caller's team, a hundred at most; none for whoever may not `workflows:read`.
        """


class StepCall(NamedTuple):
    """One attempt at a step; `fields` are those of the spec, with the values of the run put in.

    `job` is the step's: what has to happen once together with its end goes to `job.on_success`. `is_last`
    says that no retry is left.
    """

    job: JobCall
    run_id: str
    number: int
    step: str
    fields: Mapping[str, Any]
    is_last: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class StepWait:
    """What a step gives that waits: until `Workflows.end_wait` with its `key`, or a time in milliseconds.

    At that time it ends with `result`, or fails with the code and message of `error`. `output` is what the
    step shows until then. While it waits there is no job and no connection. With `match`, a result ends it
    that has these members.
    """

    key: str | None = None
    match: Mapping[str, Any] | None = None
    until: int | None = None
    result: Any = None
    error: tuple[str, str] | None = None
    output: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StepKind:
    """A kind of step for `declare_step_kinds`; its name begins with the id of its plugin and `_`.

    `fields` are the schemas of what a spec says beside `name`, `kind`, `retry`, `next`, `end` and `catch`; of
    JSON Schema they take what `GET /api/workflows/schema` uses, `{"$ref": "#/$defs/binding"}` where a value
    of the run may stand. `check` gives what else is wrong with the fields: field and message. `run` returns
    what becomes the step's `result`, or a `StepWait`; what it raises fails the step.
    """

    name: str
    doc: str
    run: Callable[[StepCall], Awaitable[Any]]
    fields: Mapping[str, Schema] = field(default_factory=dict)
    required: Sequence[str] = ()
    check: Callable[[Mapping[str, Any]], Iterable[tuple[str, str]]] | None = None


@dataclass(frozen=True, slots=True)
class Workflow:
    """A workflow for `declare_workflows`, judged as one that is posted to the API.

    `spec` is laid out as `GET /api/workflows/schema` says; its `version` stands. Every team has the workflow
    from its first look on. Raise the version with each change: runs that began keep the one they began with.
    """

    spec: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadySchedule:
    """A schedule for `declare_schedules`, which every team has and nobody has turned on yet.

    Its `name` is its own among the plugin's. The rest is what `POST /api/schedules` takes. Whoever turns it
    on is who its runs act as; a team that has changed it keeps its own.
    """

    name: str
    workflow_slug: str
    cron: str | None = None
    every_seconds: int | None = None
    timezone: str = "UTC"
    input: Mapping[str, Any] = field(default_factory=dict)
    missed: Literal["none", "last", "all"] = "last"
    overlap: Literal["skip", "queue", "cancel"] = "skip"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadyTrigger:
    """A trigger for `declare_triggers`, which every team has and nobody has turned on yet.

    Its `name` is its own among the plugin's. The rest is what `POST /api/doc-triggers` takes.
    """

    name: str
    workflow_slug: str
    match_prefix: str = ""
    match_types: Sequence[str] = ()
    input: Mapping[str, Any] = field(default_factory=dict)
    fire_on_derived: bool = False
