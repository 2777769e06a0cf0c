"""No-op jobs against the libraries that people would take instead, all durable; and jobs with effects."""

import tempfile
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from bench.guildhall import postgresql
from bench.job_places import on_both, on_sqlite
from bench.job_runs import contestant
from bench.peers import is_installed
from bench.report import Aim, Report
from bench.rounds import take_turns
from guildhall_testing.postgres import PostgresServer

NAME = "jobs"
ROUNDS = 10
JOBS = 1500
PER_STEP = ("DBOS, per step", 150, 0.1)
EFFECTS_RATE = 0.6


def run(report: Report) -> None:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-")))
        cluster = stack.enter_context(postgresql(durable=True))
        _throughput(report, folder, cluster)
        _effects(report, folder, cluster)


def _throughput(report: Report, folder: Path, cluster: PostgresServer) -> None:
    new = cluster.create_database
    for database, place, their_place, peer, against, jobs, aim in (
        ("SQLite", on_sqlite(folder, "ours"), str(folder), "huey", "huey with fsync", JOBS, 0.5),
        ("PostgreSQL", new(), new(), "procrastinate", "procrastinate", JOBS, 0.15),
        ("SQLite", on_sqlite(folder, "ours too"), on_sqlite(folder, "dbos"), "dbos", *PER_STEP),
        ("PostgreSQL", new(), new(), "dbos", *PER_STEP),
    ):
        if not is_installed(peer):
            continue
        with contestant("guildhall", place) as ours, contestant(peer, their_place) as theirs:
            for drain in (ours, theirs):
                drain(jobs // 4)
            seconds = take_turns({"ours": partial(ours, jobs), against: partial(theirs, jobs)}, ROUNDS)
        what = f"time per no-op job on {database}"
        report.compare(NAME, what, seconds["ours"], against, seconds[against], Aim(aim))
        for name, series in seconds.items():
            reading = f"{name} on {database}, {jobs:,} at a time"
            report.reading(NAME, reading, [1 / one for one in series], "no-op jobs a second")


def _effects(report: Report, folder: Path, cluster: PostgresServer) -> None:
    for database, url in on_both(folder, cluster, "effects"):
        (_, plain_url) = next(one for one in on_both(folder, cluster, "no-effects") if one[0] == database)
        with (
            contestant("guildhall", plain_url) as plain,
            contestant("guildhall_with_effects", url) as with_effects,
        ):
            for drain in (plain, with_effects):
                drain(JOBS // 4)
            seconds = take_turns(
                {"plain": partial(plain, JOBS), "effects": partial(with_effects, JOBS)}, ROUNDS
            )
        what = f"time per job with an effect on {database}"
        report.compare(NAME, what, seconds["effects"], "without", seconds["plain"], Aim(1 / EFFECTS_RATE))
        report.reading(NAME, what, [1 / one for one in seconds["effects"]], "jobs a second")
