"""The scheduler's statements, and the clock that its leases are measured by."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from guildhall_sdk import Clock, Statement, load_queries
from guildhall_sdk.data import Queries
from guildhall_sdk.jobs import JobState
from kernel.clock import SystemClock
from kernel.db import Dialect

# Steady within a statement, so that an index can be asked with it.
_DATABASE_CLOCK = (
    "COALESCE(CAST({} AS BIGINT), CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000 AS BIGINT))"
)
_LAST_RETURNED = "jobs.asked_with, jobs.scope"
_OF_WHOLE_JOBS = (
    *("payload", "result", "error_code", "error_message", "attempt", "max_attempts", "progress", "worker"),
    *("user_id", "created_at", "started_at", "finished_at", "within", "depth"),
)


def _on_the_databases_clock(queries: Queries) -> Queries:
    """Processes that share a PostgreSQL share its clock too: without a given time they mean its own."""

    def spelt(text: str) -> str:
        for bind in (":now", ":wall"):
            text = text.replace(bind, _DATABASE_CLOCK.format(bind))
        return text

    return Queries({one.name: replace(one, postgresql=spelt(one.postgresql)) for one in queries})


def _load(*files: str) -> Queries:
    """Loads the statements; `:now` is the time of leases, `:wall` the time of day, which may be set."""
    here = Path(__file__).parent
    return Queries({one.name: one for name in files for one in load_queries(here / name)})


def _with_whole_jobs(queries: Queries) -> Queries:
    """Adds `complete_whole`, which returns of jobs that end what their callbacks are given as well."""
    more = f"{_LAST_RETURNED}, {', '.join(f'jobs.{column}' for column in _OF_WHOLE_JOBS)}"
    made = replace(
        queries.complete,
        name="complete_whole",
        sqlite=queries.complete.sqlite.replace(_LAST_RETURNED, more),
        postgresql=queries.complete.postgresql.replace(_LAST_RETURNED, more),
    )
    return Queries({**{one.name: one for one in queries}, made.name: made})


# Of which lanes and jobs a claim is, by what these need; each has a form for the lanes of one company.
_ANY_LANE = """lane.requirement >= '' AND (lane.requirement = '' OR lane.requirement = (
        SELECT MIN(requirement) FROM job_lanes
        WHERE pool = :pool AND team_id = lane.team_id AND active = 1 AND blocked_by IS NULL
    ))"""
_BY_REQUIREMENT = {
    "_without_requirement": ("lane.requirement = :none", "requirement IS NULL"),
    "_for": ("lane.requirement = :requirement", "requirement = :requirement"),
}
_IN_TURN, _BY_COMPANY = "INDEXED BY job_lanes_in_turn", "INDEXED BY job_lanes_of_company"
_OF_COMPANY = "lane.org_id = :org_id AND lane.active = 1"


def _with_requirements(queries: Queries) -> Queries:
    """Adds claims of jobs that need nothing, or one thing, and claims for one company."""
    made = {one.name: one for one in queries}
    for suffix, (lane, job) in _BY_REQUIREMENT.items():
        for name in ("heads", "lock_lanes"):
            spelling = {"AND TRUE": f"AND {job}", _ANY_LANE: lane, _IN_TURN: f"{_IN_TURN}_for"}
            made[name + suffix] = _respelt(made[name], suffix, spelling)
    for name in ("lock_lanes", *(f"lock_lanes{suffix}" for suffix in _BY_REQUIREMENT)):
        spelling = {"lane.active = 1": _OF_COMPANY, f"{_IN_TURN}_for": _BY_COMPANY, _IN_TURN: _BY_COMPANY}
        of_company = _respelt(made[name], "_of_company", spelling)
        made[of_company.name] = of_company
    # One that wants its slot back is in the way of claims, and not of another that does.
    made["rooms_to_resume"] = _respelt(made["rooms"], "_to_resume", {"waiting <> 1": "waiting = 0"})
    return Queries(made)


def _respelt(statement: Statement, suffix: str, spellings: Mapping[str, str]) -> Statement:
    sqlite, postgresql = statement.sqlite, statement.postgresql
    for plain, special in spellings.items():
        sqlite, postgresql = sqlite.replace(plain, special), postgresql.replace(plain, special)
    return replace(statement, name=statement.name + suffix, sqlite=sqlite, postgresql=postgresql)


sql = _on_the_databases_clock(
    _with_requirements(
        _with_whole_jobs(
            _load(
                *("jobs.sql", "pages.sql", "cancelling.sql", "rooms.sql", "claim.sql", "completion.sql"),
                *("upkeep.sql", "processes.sql", "parking.sql", "workers.sql", "lanes.sql"),
            )
        )
    )
)


# Those that are quick while they are for a handful of jobs, or of teams.
MAX_FEW = 4
_FOR_FEW = (sql.rooms, sql.heads, sql.advance_lanes, sql.take, sql.complete, sql.complete_whole)
for_few = Queries({one.name: replace(one, quick=True) for one in _FOR_FEW})


def as_keys(ids: Iterable[str]) -> str:
    """Encodes a list as the keys of a JSON object, which both databases unfold by one function."""
    return json.dumps(dict.fromkeys(ids))


class LeaseClock:
    """The values of `:now` and `:wall`: the time of leases never jumps, the time of day does."""

    def __init__(self, clock: Clock, dialect: Dialect) -> None:
        self._clock = clock
        self._by_database = dialect == "postgresql" and isinstance(clock, SystemClock)

    def now(self) -> int | None:
        """Returns the time of leases; None is the database's own time."""
        return None if self._by_database else self._clock.steady_ms()

    def time_of_day(self) -> int | None:
        """Returns the time of day, for `run_at` and for what is shown."""
        return None if self._by_database else self._clock.now_ms()

    def to_time_of_day(self, lease_until: int) -> int:
        """Returns the time of day at which a lease ends, by the present clocks."""
        return lease_until + (0 if self._by_database else self._clock.now_ms() - self._clock.steady_ms())


def page_filtered_by(state: JobState | None, kind: str | None) -> tuple[Statement, Mapping[str, Any]]:
    """Returns the statement of a page, which has an index for these filters, and what to bind for them."""
    of_kind = {} if kind is None else {"kind": kind}
    if state is None:
        return (sql.page_of_jobs if kind is None else sql.page_by_kind), of_kind
    if state == "running":
        return sql.page_of_running, {"kind": kind}
    if state == "queued":  # with what is not due yet
        return (sql.page_of_waiting if kind is None else sql.page_of_waiting_by_kind), of_kind
    page = sql.page_of_ended if kind is None else sql.page_of_ended_by_kind
    return page, {**of_kind, "state": state}
