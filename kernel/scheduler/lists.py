"""Lists of jobs: one statement for each combination of filters, so that every one has its index."""

from collections.abc import Mapping
from typing import Any

from guildhall_sdk import Statement
from guildhall_sdk.jobs import JobState
from kernel.scheduler.statements import sql


def page_filtered_by(state: JobState | None, kind: str | None) -> tuple[Statement, Mapping[str, Any]]:
    """Returns the statement of a page, and what to bind for the filters."""
    of_kind = {} if kind is None else {"kind": kind}
    if state is None:
        return (sql.page_of_jobs if kind is None else sql.page_by_kind), of_kind
    if state == "running":
        return sql.page_of_running, {"kind": kind}
    if state == "queued":  # with what is not due yet
        return (sql.page_of_waiting if kind is None else sql.page_of_waiting_by_kind), of_kind
    page = sql.page_of_ended if kind is None else sql.page_of_ended_by_kind
    return page, {**of_kind, "state": state}
