"""The scheduler's statements: those of its files, and their further forms."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from guildhall_sdk import Statement, load_queries
from guildhall_sdk.data import Queries

_FILES = (
    *("jobs.sql", "pages.sql", "cancelling.sql", "rooms.sql", "claim.sql", "completion.sql"),
    *("upkeep.sql", "processes.sql", "parking.sql", "workers.sql", "lanes.sql"),
)
# Steady within a statement, so that an index can be asked with it.
_DATABASE_CLOCK = (
    "COALESCE(CAST({} AS BIGINT), CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000 AS BIGINT))"
)
_LAST_RETURNED = "jobs.asked_with, jobs.scope"
_OF_WHOLE_JOBS = (
    *("payload", "result", "error_code", "error_message", "attempt", "max_attempts", "progress", "worker"),
    *("user_id", "created_at", "started_at", "finished_at", "within", "depth"),
)
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
# The walk by kind of jobs that wait is that of jobs that ended, along another index.
_ENDED = "state = :state AND state IN ('succeeded', 'failed', 'cancelled')"
_WAITING = "state IN ('scheduled', 'queued', 'running') AND state <> 'running'"


def _respelt(statement: Statement, name: str, spellings: Mapping[str, str]) -> Statement:
    def change(text: str) -> str:
        for plain, special in spellings.items():
            text = text.replace(plain, special)
        return text

    return replace(statement.respelled(change), name=name)


def _further_forms(made: dict[str, Statement]) -> None:
    """Adds the forms in which a condition, an index or a list of columns is another one."""

    def add(name: str, suffix: str, spellings: Mapping[str, str]) -> None:
        made[name + suffix] = _respelt(made[name], name + suffix, spellings)

    # Returns of jobs that end what their callbacks are given as well.
    more = ", ".join([_LAST_RETURNED, *(f"jobs.{column}" for column in _OF_WHOLE_JOBS)])
    add("complete", "_whole", {_LAST_RETURNED: more})
    for suffix, (lane, job) in _BY_REQUIREMENT.items():
        for name in ("heads", "lock_lanes"):
            add(name, suffix, {"AND TRUE": f"AND {job}", _ANY_LANE: lane, _IN_TURN: f"{_IN_TURN}_for"})
    for name in ("lock_lanes", *(f"lock_lanes{suffix}" for suffix in _BY_REQUIREMENT)):
        by_company = {f"{_IN_TURN}_for": _BY_COMPANY, _IN_TURN: _BY_COMPANY}
        add(name, "_of_company", {"lane.active = 1": _OF_COMPANY, **by_company})
    # One that wants its slot back is in the way of claims, and not of another that does.
    add("rooms", "_to_resume", {"waiting <> 1": "waiting = 0"})
    for name in ("page_of_ended", "page_of_ended_by_kind"):
        waiting = name.replace("ended", "waiting")
        made[waiting] = _respelt(made[name], waiting, {_ENDED: _WAITING})


def _on_the_databases_clock(statement: Statement) -> Statement:
    """Processes that share a PostgreSQL share its clock too: without a given time they mean its own.

    `:now` is the time of leases, `:wall` the time of day, which may be set.
    """
    text = statement.postgresql
    for bind in (":now", ":wall"):
        text = text.replace(bind, _DATABASE_CLOCK.format(bind))
    return replace(statement, postgresql=text)


_made = {one.name: one for name in _FILES for one in load_queries(Path(__file__).with_name(name))}
_further_forms(_made)
sql = Queries({name: _on_the_databases_clock(one) for name, one in _made.items()})

# Those that are quick while they are for a handful of jobs, or of teams.
MAX_FEW = 4
_FOR_FEW = (sql.rooms, sql.heads, sql.advance_lanes, sql.take, sql.complete, sql.complete_whole)
for_few = Queries({one.name: replace(one, quick=True) for one in _FOR_FEW})


def as_keys(ids: Iterable[str]) -> str:
    """Encodes a list as the keys of a JSON object, which both databases unfold by one function."""
    return json.dumps(dict.fromkeys(ids))
