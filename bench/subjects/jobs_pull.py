"""What pull workers get through the front door."""

import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from bench.guildhall import Founder, found, guildhall
from bench.plain_queue import plain_queue
from bench.pull_workers import pulling_workers
from bench.report import Aim, Report
from bench.rounds import take_turns
from bench.servers import Server

NAME = "jobs.pull"
WORKERS, PULLED, ROUNDS = 10, 300, 11


def run(report: Report) -> None:
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        _compare(report, Path(folder))


def _compare(report: Report, folder: Path) -> None:
    with (
        guildhall(folder / "pull") as server,
        plain_queue(folder) as plain,
        pulling_workers(server, *_registered(server, found(server))) as ours,
        pulling_workers(plain, ["none"] * WORKERS, "none") as theirs,
    ):
        for pull in (ours, theirs):
            pull(PULLED // 4)
        seconds = take_turns({"ours": partial(ours, PULLED), "plain": partial(theirs, PULLED)}, ROUNDS)
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
