"""Lists of jobs: one statement for each combination of filters, so that every one has its index."""

from collections.abc import Mapping

from guildhall_sdk import Statement
from guildhall_sdk.jobs import JobState
from kernel.scheduler.statements import sql

# What is not due yet is shown as queued.
_STORED_BESIDE: Mapping[str, str] = {"queued": "scheduled"}


def page_filtered_by(state: JobState | None, kind: str | None) -> tuple[Statement, Mapping[str, str]]:
    """Returns the statement of a page, and what to bind for the filters."""
    of_kind = {} if kind is None else {"kind": kind}
    if state is None:
        return (sql.page_of_jobs if kind is None else sql.page_by_kind), of_kind
    of_state = {"state": state, "or_state": _STORED_BESIDE.get(state, "")}
    return (sql.page_by_state if kind is None else sql.page_by_kind_and_state), {**of_kind, **of_state}
