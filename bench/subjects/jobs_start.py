"""How soon a job begins that is asked for, against the libraries that people would take instead."""

import tempfile
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from bench.guildhall import postgresql
from bench.job_places import on_sqlite
from bench.job_runs import contestant
from bench.peers import is_installed
from bench.report import Aim, Report
from bench.rounds import take_turns
from guildhall_testing.postgres import PostgresServer

NAME = "jobs.start"
STARTS, ROUNDS = 20, 15


def run(report: Report) -> None:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-")))
        cluster = stack.enter_context(postgresql(durable=True))
        _compare(report, folder, cluster)


def _compare(report: Report, folder: Path, cluster: PostgresServer) -> None:
    for database, place, peer, their_place, aim in (
        ("SQLite", on_sqlite(folder, "start-up"), "huey", str(folder), 1.5),
        ("PostgreSQL", cluster.create_database(), "procrastinate", cluster.create_database(), 1.0),
    ):
        if not is_installed(peer):
            continue
        with (
            contestant("guildhall_starts", place) as ours,
            contestant(f"{peer}_starts", their_place) as theirs,
        ):
            waits = take_turns({"ours": partial(ours, STARTS), peer: partial(theirs, STARTS)}, ROUNDS)
        what = f"from asking to starting on {database}"
        report.compare(NAME, what, waits["ours"], peer, waits[peer], Aim(aim))
        for name, series in waits.items():
            report.reading(NAME, f"start on {database}, {name}", [one * 1000 for one in series], "ms")
