"""What a claim costs among many teams."""

import asyncio
import tempfile
from contextlib import ExitStack
from pathlib import Path

from bench.guildhall import postgresql
from bench.job_books import opened_books
from bench.job_places import on_both
from bench.report import Aim, Report
from bench.rounds import take_turns
from guildhall_testing.postgres import PostgresServer
from kernel.scheduler.claim import Claimant

NAME = "jobs.claims"
FEW, MANY, CLAIMED, ROUNDS = 10, 1000, 20, 41
_LOCAL = Claimant("exe_local", "local", ("local",), in_process=True)


def run(report: Report) -> None:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-")))
        cluster = stack.enter_context(postgresql(durable=True))
        _compare(report, folder, cluster)


def _compare(report: Report, folder: Path, cluster: PostgresServer) -> None:
    for database, url in on_both(folder, cluster, "few"):
        (_, many_url) = next(one for one in on_both(folder, cluster, "many") if one[0] == database)
        with (
            asyncio.Runner() as runner,
            opened_books(runner, url, FEW, capped=False) as few,
            opened_books(runner, many_url, MANY, capped=False) as many,
        ):
            for books in (few, many):
                runner.run(books.queue(5 * MANY))
                runner.run(books.claim(_LOCAL, CLAIMED))
            seconds = take_turns(
                {
                    "few": lambda: runner.run(few.claim(_LOCAL, CLAIMED)),
                    "many": lambda: runner.run(many.claim(_LOCAL, CLAIMED)),
                },
                ROUNDS,
            )
        what = f"a claim of {CLAIMED} on {database}, {MANY:,} teams"
        report.compare(NAME, what, seconds["many"], f"{FEW} teams", seconds["few"], Aim(1.5))
        report.reading(NAME, what, [one * 1000 for one in seconds["many"]], "ms")
