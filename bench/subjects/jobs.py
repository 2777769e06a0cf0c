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
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from bench.guildhall import Founder, found, guildhall, postgresql
from bench.job_books import Books, opened_books
from bench.job_runs import contestant
from bench.peers import is_installed
from bench.pull_workers import KIND
from bench.report import Aim, Report
from bench.rounds import take_turns
from bench.servers import BenchFailed, Server
from kernel.scheduler.claim import Claimant
from kernel.testing.postgres import PostgresServer

NAME = "jobs"
ROUNDS = 9
OURS, THEIRS = 1500, 60
EFFECTS_RATE = 0.6
START_UPS, SOON_SECONDS = 200, 0.015
FEW, MANY, CLAIMED, CLAIM_ROUNDS = 10, 1000, 20, 41
WORKERS, PULLED, PULL_ROUNDS, PULLED_PER_SECOND = 10, 300, 9, 300


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
    with ExitStack() as stack:
        drains = {
            "SQLite": ("guildhall", f"sqlite:///{folder / 'ours.db'}", OURS),
            "PostgreSQL": ("guildhall", cluster.create_database(), OURS),
            "huey": ("huey", str(folder), THEIRS),
            "procrastinate": ("procrastinate", cluster.create_database(), THEIRS),
            "DBOS on SQLite": ("dbos", f"sqlite:///{folder / 'dbos.db'}", THEIRS),
            "DBOS on PostgreSQL": ("dbos", cluster.create_database(), THEIRS),
        }
        turns: dict[str, Callable[[], float]] = {}
        for name, (who, place, many) in drains.items():
            if who != "guildhall" and not is_installed(who):
                continue
            drain = stack.enter_context(contestant(who, place))
            drain(many // 4)
            turns[name] = partial(drain, many)
        found_seconds = take_turns(turns, ROUNDS)
    for ours, theirs, against, aim in (
        ("SQLite", "huey", "huey with fsync", 1 / 3),
        ("PostgreSQL", "procrastinate", "procrastinate", 0.1),
        ("SQLite", "DBOS on SQLite", "DBOS, per step", 0.1),
        ("PostgreSQL", "DBOS on PostgreSQL", "DBOS, per step", 0.1),
    ):
        what = f"time per no-op job on {ours}"
        if theirs in found_seconds:
            report.compare(NAME, what, found_seconds[ours], against, found_seconds[theirs], Aim(aim))
    for name, seconds in found_seconds.items():
        report.reading(NAME, name, [1 / one for one in seconds], "no-op jobs a second")


def _effects(report: Report, folder: Path, cluster: PostgresServer) -> None:
    for database, url in _both(folder, cluster, "effects"):
        (_, plain_url) = next(one for one in _both(folder, cluster, "no-effects") if one[0] == database)
        with (
            contestant("guildhall", plain_url) as plain,
            contestant("guildhall_with_effects", url) as with_effects,
        ):
            for drain in (plain, with_effects):
                drain(OURS // 4)
            seconds = take_turns(
                {"plain": partial(plain, OURS), "effects": partial(with_effects, OURS)}, ROUNDS
            )
        what = f"time per job with an effect on {database}"
        report.compare(NAME, what, seconds["effects"], "without", seconds["plain"], Aim(1 / EFFECTS_RATE))
        report.reading(NAME, what, [1 / one for one in seconds["effects"]], "jobs a second")


def _start_up(report: Report, folder: Path, cluster: PostgresServer) -> None:
    for database, url in _both(folder, cluster, "start-up"):
        with asyncio.Runner() as runner, opened_books(runner, url, FEW) as books:
            waits = runner.run(books.start_up(START_UPS))
        limits = [SOON_SECONDS] * len(waits)
        report.compare(NAME, f"from asking to starting on {database}", waits, "15 ms", limits, Aim(1.0))
        report.reading(NAME, f"start on {database}", [wait * 1000 for wait in waits], "ms")


def _claims(report: Report, folder: Path, cluster: PostgresServer) -> None:
    for database, url in _both(folder, cluster, "few"):
        (_, many_url) = next(one for one in _both(folder, cluster, "many") if one[0] == database)
        with (
            asyncio.Runner() as runner,
            opened_books(runner, url, FEW) as few,
            opened_books(runner, many_url, MANY) as many,
        ):
            for books in (few, many):
                runner.run(books.queue(5 * MANY))
                runner.run(_claim(books))
            seconds = take_turns(
                {"few": lambda: runner.run(_claim(few)), "many": lambda: runner.run(_claim(many))},
                CLAIM_ROUNDS,
            )
        what = f"a claim of {CLAIMED} on {database}, {MANY:,} teams"
        report.compare(NAME, what, seconds["many"], f"{FEW} teams", seconds["few"], Aim(2.0))
        report.reading(NAME, what, [one * 1000 for one in seconds["many"]], "ms")


class _Undone(Exception):
    """Takes a claim back."""


async def _claim(books: Books) -> float:
    """Without its commit, which costs the same for everybody; what it changed is undone."""
    claimant = Claimant("exe_local", "local", ("local",), in_process=True)
    began = time.perf_counter()
    try:
        async with books.data.write() as writer:
            if len(await books.scheduler.claims.take(writer, claimant, CLAIMED)) != CLAIMED:
                raise BenchFailed("a claim did not get what waits")
            seconds = time.perf_counter() - began
            raise _Undone
    except _Undone:
        return seconds


def _pull_workers(report: Report, folder: Path) -> None:
    with guildhall(folder / "pull") as server, _workers(server, found(server)) as pull:
        pull(PULLED // 4)
        seconds = [pull(PULLED) for _ in range(PULL_ROUNDS)]
    limit = [1 / PULLED_PER_SECOND] * len(seconds)
    what = f"time per job over HTTP with {WORKERS} pull workers"
    report.compare(NAME, what, seconds, f"{PULLED_PER_SECOND} a second", limit, Aim(1.0))
    report.reading(NAME, "pull workers on SQLite", [1 / one for one in seconds], "jobs a second")


@contextmanager
def _workers(server: Server, founder: Founder) -> Iterator[Callable[[int], float]]:
    lifted = {"dimension": "jobs.concurrency", "limit": None, "window": "none"}
    server.ask("POST", f"/api/orgs/{founder.org_id}/quota", lifted, founder.token)
    tokens = [
        server.ask("POST", "/api/executors", {"name": f"worker-{n}", "mode": "pull"}, founder.token)
        for n in range(WORKERS)
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.pull_workers", str(server.port)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None and process.stdout is not None
    sent, answers = process.stdin, process.stdout
    sent.write(json.dumps([made["worker_token"] for made in tokens]) + "\n")

    def pull(many: int) -> float:
        for _ in range(many):
            body = {"kind": KIND, "payload": {"lane": "hamburg-shanghai"}}
            server.ask("POST", "/api/jobs", body, founder.token)
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
    yield "SQLite", f"sqlite:///{folder / name}.db"
    yield "PostgreSQL", cluster.create_database()
