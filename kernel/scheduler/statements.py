"""The scheduler's statements: those of its files, and their further forms."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from guildhall_sdk import Statement, load_queries
from guildhall_sdk.data import Queries

# Steady within a statement, so that an index can be asked with it.
_DATABASE_CLOCK = (
    "COALESCE(CAST({} AS BIGINT), CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000 AS BIGINT))"
)
_LAST_RETURNED = "jobs.scope, jobs.depth"
_OF_WHOLE_JOBS = (
    *("payload", "result", "error_code", "error_message", "attempt", "max_attempts", "progress", "worker"),
    *("user_id", "created_at", "started_at", "finished_at", "within", "trace"),
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
_WAITING = "state IN ('scheduled', 'queued')"


def _forms() -> Iterator[tuple[str, str, Mapping[str, str]]]:
    """Yields the forms in which a condition, an index or a list of columns of a statement is another one."""
    # Returns of jobs that end what their callbacks are given as well.
    more = ", ".join([_LAST_RETURNED, *(f"jobs.{column}" for column in _OF_WHOLE_JOBS)])
    yield "complete_whole", "complete", {_LAST_RETURNED: more}
    for suffix, (lane, job) in _BY_REQUIREMENT.items():
        spellings = {"AND TRUE": f"AND {job}", _ANY_LANE: lane, _IN_TURN: f"{_IN_TURN}_for"}
        for name in ("heads", "lock_lanes"):
            yield name + suffix, name, spellings
    by_company = {f"{_IN_TURN}_for": _BY_COMPANY, _IN_TURN: _BY_COMPANY}
    for name in ("lock_lanes", *(f"lock_lanes{suffix}" for suffix in _BY_REQUIREMENT)):
        yield f"{name}_of_company", name, {"lane.active = 1": _OF_COMPANY, **by_company}
    # One that wants its slot back is in the way of claims, and not of another that does.
    yield "capacities_left", "capacities", {"waiting <> 1": "waiting = 0"}
    for by_kind in ("", "_by_kind"):
        yield f"page_of_waiting{by_kind}", f"page_of_ended{by_kind}", {_ENDED: _WAITING}


def _replace_all(spellings: Mapping[str, str], text: str) -> str:
    for plain, special in spellings.items():
        text = text.replace(plain, special)
    return text


def _on_the_databases_clock(statement: Statement) -> Statement:
    """Processes that share a PostgreSQL share its clock too: without a given time they mean its own.

    `:now` is the time of leases, `:wall` the time of day, which may be set.
    """
    clocks = {bind: _DATABASE_CLOCK.format(bind) for bind in (":now", ":wall")}
    return replace(statement, postgresql=_replace_all(clocks, statement.postgresql))


_FILES = sorted(Path(__file__).parent.glob("*.sql"))
_made = {one.name: one for path in _FILES for one in load_queries(path)}
for _name, _plain, _spellings in _forms():
    _respelled = _made[_plain].respelled(partial(_replace_all, _spellings))
    _made[_name] = replace(_respelled, name=_name)
sql = Queries({name: _on_the_databases_clock(one) for name, one in _made.items()})

# Those that are quick while they are for a handful of jobs, or of teams.
MAX_FEW = 4
_FOR_FEW = (sql.capacities, sql.heads, sql.take, sql.complete, sql.complete_whole)
for_few = Queries({one.name: replace(one, quick=True) for one in _FOR_FEW})


def as_keys(ids: Iterable[str]) -> str:
    """Encodes a list as the keys of a JSON object, which both databases unfold by one function."""
    return json.dumps(dict.fromkeys(ids))
