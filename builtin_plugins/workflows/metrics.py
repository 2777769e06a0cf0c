"""What an operator can watch of runs."""

from builtin_plugins.workflows.runs.statements import sql
from guildhall_sdk import Metric
from guildhall_sdk.metrics import measured_by

METRICS = (
    Metric(
        "guildhall_workflow_runs",
        "Runs of workflows by state; those that run and those that ended",
        "gauge",
        ("state",),
        measure=measured_by(sql.runs_by_state),
    ),
)
