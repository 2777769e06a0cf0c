"""No-op jobs against the libraries that people would take instead, all of them durable.

Also: how soon a job begins, what a claim costs among many teams, and what pull workers get through
the front door.
"""

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from bench.guildhall import Founder, found, guildhall, postgresql
from bench.job_books import Books, opened_books
from bench.job_runs import contestant
from bench.peers import is_installed
from bench.plain_queue import plain_queue
from bench.pull_workers import KIND
from bench.report import Aim, Report
from bench.rounds import take_turns
from bench.servers import BenchFailed, Server
from guildhall_testing.postgres import PostgresServer
from kernel.scheduler.claim import Claimant

NAME = "jobs"
ROUNDS = 9
JOBS = 1500
PER_STEP = ("DBOS, per step", 150, 0.1)
EFFECTS_RATE = 0.6
STARTS, START_ROUNDS = 20, 15
FEW, MANY, CLAIMED, CLAIM_ROUNDS = 10, 1000, 20, 41
WORKERS, PULLED, PULL_ROUNDS = 10, 300, 9


def run(report: Report) -> None:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-")))
        cluster = stack.enter_context(postgresql(durable=True))
        _throughput(report, folder, cluster)
        _effects(report, folder, cluster)
        _start_up(report, folder, cluster)
        _claims(report, folder, cluster)
        _pull_workers(report, folder)


def _throughput(report: Report, folder: Path, cluster: PostgresServer) -> None:
    for database, place, their_place, peer, against, jobs, aim in (
        ("SQLite", _sqlite(folder, "ours"), str(folder), "huey", "huey with fsync", JOBS, 0.5),
        ("PostgreSQL", _new(cluster), _new(cluster), "procrastinate", "procrastinate", JOBS, 0.15),
        ("SQLite", _sqlite(folder, "ours too"), _sqlite(folder, "dbos"), "dbos", *PER_STEP),
        ("PostgreSQL", _new(cluster), _new(cluster), "dbos", *PER_STEP),
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
    for database, url in _both(folder, cluster, "effects"):
        (_, plain_url) = next(one for one in _both(folder, cluster, "no-effects") if one[0] == database)
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


def _start_up(report: Report, folder: Path, cluster: PostgresServer) -> None:
    for database, place, peer, their_place, aim in (
        ("SQLite", _sqlite(folder, "start-up"), "huey", str(folder), 1.5),
        ("PostgreSQL", _new(cluster), "procrastinate", _new(cluster), 1.0),
    ):
        if not is_installed(peer):
            continue
        with (
            contestant("guildhall_starts", place) as ours,
            contestant(f"{peer}_starts", their_place) as theirs,
        ):
            waits = take_turns({"ours": partial(ours, STARTS), peer: partial(theirs, STARTS)}, START_ROUNDS)
        what = f"from asking to starting on {database}"
        report.compare(NAME, what, waits["ours"], peer, waits[peer], Aim(aim))
        for name, series in waits.items():
            report.reading(NAME, f"start on {database}, {name}", [one * 1000 for one in series], "ms")


def _claims(report: Report, folder: Path, cluster: PostgresServer) -> None:
    for database, url in _both(folder, cluster, "few"):
        (_, many_url) = next(one for one in _both(folder, cluster, "many") if one[0] == database)
        with (
            asyncio.Runner() as runner,
            opened_books(runner, url, FEW, capped=False) as few,
            opened_books(runner, many_url, MANY, capped=False) as many,
        ):
            for books in (few, many):
                runner.run(books.queue(5 * MANY))
                runner.run(_claim(books))
            seconds = take_turns(
                {"few": lambda: runner.run(_claim(few)), "many": lambda: runner.run(_claim(many))},
                CLAIM_ROUNDS,
            )
        what = f"a claim of {CLAIMED} on {database}, {MANY:,} teams"
        report.compare(NAME, what, seconds["many"], f"{FEW} teams", seconds["few"], Aim(1.5))
        report.reading(NAME, what, [one * 1000 for one in seconds["many"]], "ms")


class _Undone(Exception):
    """Takes a claim back."""


async def _claim(books: Books) -> float:
    """Without its commit, which costs the same for everybody; what it changed is undone."""
    claimant = Claimant("exe_local", "local", ("local",), in_process=True)
    began = time.perf_counter()
    try:
        async with books.data.write() as writer:
            holders = [claimant.holder] * CLAIMED
            taken = await books.scheduler.claims.take_for(writer, claimant.reach, holders)
            if len(taken.rows) != CLAIMED:
                raise BenchFailed("a claim did not get what waits")
            seconds = time.perf_counter() - began
            raise _Undone
    except _Undone:
        return seconds


def _pull_workers(report: Report, folder: Path) -> None:
    with (
        guildhall(folder / "pull") as server,
        plain_queue(folder) as plain,
        pulling_workers(server, *_registered(server, found(server))) as ours,
        pulling_workers(plain, ["none"] * WORKERS, "none") as theirs,
    ):
        for pull in (ours, theirs):
            pull(PULLED // 4)
        seconds = take_turns({"ours": partial(ours, PULLED), "plain": partial(theirs, PULLED)}, PULL_ROUNDS)
    what = f"time per job over HTTP with {WORKERS} pull workers"
    report.compare(NAME, what, seconds["ours"], "a table behind stock Quart", seconds["plain"], Aim(1.3))
    for name, series in seconds.items():
        report.reading(NAME, f"pull workers on SQLite, {name}", [1 / one for one in series], "jobs a second")


def _registered(server: Server, founder: Founder) -> tuple[Sequence[str], str]:
    """Returns the tokens of new workers, and that of who asks for jobs."""
    made = [
        server.ask("POST", "/api/executors", {"name": f"worker-{n}", "mode": "pull"}, founder.token)
        for n in range(WORKERS)
    ]
    return [one["worker_token"] for one in made], founder.token


@contextmanager
def pulling_workers(server: Server, tokens: Sequence[str], asker: str) -> Iterator[Callable[[int], float]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.pull_workers", str(server.port)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None and process.stdout is not None
    sent, answers = process.stdin, process.stdout
    sent.write(json.dumps(list(tokens)) + "\n")

    def pull(many: int) -> float:
        for _ in range(many):
            body = {"kind": KIND, "payload": {"lane": "hamburg-shanghai"}}
            server.ask("POST", "/api/jobs", body, asker)
        sent.write(f"{many}\n")
        sent.flush()
        answer = answers.readline()
        if not answer:
            raise BenchFailed("the pull workers stopped")
        return float(answer)

    try:
        yield pull
    finally:
        sent.close()
        process.wait(10)
        answers.close()


def _both(folder: Path, cluster: PostgresServer, name: str) -> Iterator[tuple[str, str]]:
    yield "SQLite", _sqlite(folder, name)
    yield "PostgreSQL", _new(cluster)


def _sqlite(folder: Path, name: str) -> str:
    return f"sqlite:///{folder / name}.db"


def _new(cluster: PostgresServer) -> str:
    return cluster.create_database()
