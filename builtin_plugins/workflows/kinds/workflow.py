"""The step `workflow`: runs another workflow, and waits for its end."""

from collections.abc import Mapping

from builtin_plugins.workflows.runs.starting import RunStarter, Within, cause_of
from builtin_plugins.workflows.runs.statements import store_sql, wait_sql
from builtin_plugins.workflows.runs.waits import RUN_KEY
from guildhall_sdk import UserError, Writer, new_id
from guildhall_sdk.schema import string
from guildhall_sdk.services.workflows import StepCall, StepKind, StepWait

MAX_DEPTH = 8
#: That one run has begun, and those have, and so on.
MAX_RUNS = 1_000


async def _run(call: StepCall) -> StepWait:
    job, fields = call.job, call.fields
    inputs = fields.get("with", {})
    if not isinstance(inputs, Mapping):
        raise UserError("with is an object of inputs.", code="invalid_input")
    run_id = new_id("run", job.host.clock.now_ms())

    async def begin(writer: Writer) -> None:
        parent = await writer.one(store_sql.run, id=call.run_id, team_id=job.team_id)
        if parent is None or parent["state"] != "running":
            return
        root = parent["root_run"] or parent["id"]
        if parent["depth"] >= MAX_DEPTH:
            raise UserError(f"More than {MAX_DEPTH} workflows run one within another.", code="too_deep")
        if await writer.value(wait_sql.runs_of_root, team_id=job.team_id, root=root) >= MAX_RUNS:
            raise UserError(f"One run led to {MAX_RUNS} others already.", code="too_many_runs")
        who = await job.principal(writer)
        within = Within(run_id, call.run_id, root, parent["depth"] + 1)
        await RunStarter(job.host).start(writer, who, fields["slug"], inputs, cause_of(parent), within=within)

    job.on_success(begin)
    return StepWait(key=f"{RUN_KEY}{run_id}", output={"run_id": run_id})


WORKFLOW = StepKind(
    name="workflow",
    doc="Runs another workflow of the team, as the same person; its result is the output of that run.",
    run=_run,
    fields={"slug": string(min_length=1, max_length=64), "with": {"$ref": "#/$defs/arguments"}},
    required=("slug",),
)
