"""Runs of no-op steps against DBOS, which people would take instead, and against as many plain jobs of ours.

All of it is durable.
"""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from bench.contestants import Cost, contestant
from bench.guildhall import postgresql
from bench.peers import is_installed
from bench.report import Aim, Report
from bench.rounds import take_turns

NAME = "workflows"
ROUNDS = 9
RUNS, ITEMS = 200, 1_000
THEIR_RUNS, THEIR_ITEMS = 12, 60
STEPS = 3
WARM_UP = 4

OURS, THEIRS = "bench.flows_of_ours", "bench.flows_of_dbos"
# What is done, by whom, with which work of their program, and how many steps each has.
_CONTESTANTS = {
    "runs": (OURS, "queued_runs", STEPS),
    "asked runs": (OURS, "asked_runs", STEPS),
    "transforms": (OURS, "asked_transforms", STEPS),
    "waits": (OURS, "asked_waits", STEPS),
    "map": (OURS, "map", 1),
    "waiting jobs": (OURS, "queued_jobs", 1),
    "jobs": (OURS, "asked_jobs", 1),
    "DBOS, its queue": (THEIRS, "queued", STEPS),
    "DBOS, called in threads": (THEIRS, "called", STEPS),
    "DBOS, children on its queue": (THEIRS, "children", 1),
    "DBOS, steps gathered": (THEIRS, "gathered", 1),
}
_RUN, _ASKED, _ITEM = "a step of three-step runs", "the same with their start", "an item of a map of 1,000"
_COMPARED = (
    ("runs", _RUN, "DBOS, its queue", 0.1),
    ("asked runs", _ASKED, "DBOS, called in threads", 0.1),
    ("runs", _RUN, "jobs", 2.0),
    ("runs", _RUN, "waiting jobs", None),
    ("transforms", "a step of two transforms and a tool", "asked runs", 1.2),
    ("waits", "a step of two waits of a millisecond and a tool", "asked runs", 1.2),
    ("map", _ITEM, "DBOS, children on its queue", 0.1),
    ("map", _ITEM, "DBOS, steps gathered", 0.1),
    ("map", _ITEM, "jobs", 2.0),
)


def run(report: Report) -> None:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-")))
        cluster = stack.enter_context(postgresql(durable=True))
        for database, urls in (
            ("SQLite", [f"sqlite:///{folder / name}.db" for name in ("ours", "theirs")]),
            ("PostgreSQL", [cluster.create_database() for _ in range(2)]),
        ):
            _compare(report, database, _costs(*urls))


def _costs(our_url: str, their_url: str) -> Mapping[str, Sequence[Cost]]:
    """Per step."""
    with ExitStack() as stack:
        programs = {OURS: stack.enter_context(contestant(OURS, our_url))}
        if is_installed("dbos"):
            programs[THEIRS] = stack.enter_context(contestant(THEIRS, their_url))
        turns: dict[str, Callable[[], Cost]] = {}
        for name, (program, work, steps) in _CONTESTANTS.items():
            if program not in programs:
                continue
            many = _many(program, work)
            programs[program](work, max(1, many // WARM_UP))
            turns[name] = partial(_cost_per_step, programs[program], work, many, steps)
        return take_turns(turns, ROUNDS)


def _many(program: str, work: str) -> int:
    if program == THEIRS:
        return THEIR_RUNS if work in ("queued", "called") else THEIR_ITEMS
    runs = dict.fromkeys(("queued_runs", "asked_runs", "asked_transforms", "asked_waits"), RUNS)
    return {**runs, "queued_jobs": STEPS * RUNS}.get(work, ITEMS)


def _cost_per_step(do: Callable[[str, int], Cost], work: str, many: int, steps: int) -> Cost:
    return do(work, many).per(many * steps)


def _compare(report: Report, database: str, costs: Mapping[str, Sequence[Cost]]) -> None:
    seconds = {name: [one.seconds for one in series] for name, series in costs.items()}
    for ours, what, against, aim in _COMPARED:
        if against in seconds:
            limit = None if aim is None else Aim(aim)
            report.compare(NAME, f"{what} on {database}", seconds[ours], against, seconds[against], limit)
    for name, series in costs.items():
        label = f"{name} on {database}"
        report.reading(NAME, label, [1 / one.seconds for one in series], "steps a second")
        report.reading(NAME, label, [one.cpu_seconds * 1e6 for one in series], "µs of CPU per step")
