"""Every subject of the bench in its shortest form: it still runs, and fills its lines of the table."""

import asyncio
import signal
import time
from contextlib import contextmanager, nullcontext
from pathlib import Path
from tempfile import mkdtemp

import pytest

from bench import raw_objects, servers
from bench.__main__ import subjects_by_name
from bench.report import Report
from kernel.testing.postgres import session_server
from tests import commands

ONE_ROUND = {"ROUNDS": 1, "REQUESTS": 2, "WARM_UP": 1}
FEW_TEAMS = {"FEW": 1, "MANY": 2}
SHORTEST = {
    "ai": {
        **ONE_ROUND,
        "STREAMS": 1,
        "TOKENS": 2,
        "FIRST_ROUNDS": 1,
        "FIRSTS": 1,
        "OPEN": 1,
        "HOLD_ROUNDS": 1,
        "WAITING": 1,
    },
    "commits": {**ONE_ROUND, "WRITERS": 2, "SLOW_COMMIT_US": 0},
    "events": ONE_ROUND,
    "jobs": {
        **FEW_TEAMS,
        "ROUNDS": 1,
        "OURS": 8,
        "START_UPS": 2,
        "CLAIMED": 1,
        "CLAIM_ROUNDS": 1,
        "WORKERS": 1,
        "PULLED": 4,
        "PULL_ROUNDS": 1,
    },
    "memory": {"REQUESTS": 4},
    "neighbours": {**ONE_ROUND, "JOBS": 10, "NOTES": 10, "CROWD": 1},
    "notes": {**ONE_ROUND, "FEW": 210, "MANY": 220, "DEEP": 1},
    "quota": {**ONE_ROUND, **FEW_TEAMS},
    "s3": {"KEYS": 3, "LARGE": 1024, "AT_ONCE": 8, "ROUNDS": {"small": 1, "large": 1, "list": 1}},
    "search": {"NOTES": 50, "ROUNDS": 1, "REPEATS": 1},
    "startup": {"ROUNDS": 1},
    "whoami": ONE_ROUND,
}


@contextmanager
def forked(_command, port, ready_path, folder, environment):
    """Stands in for `bench.servers.running`: of our own server, at the price of a fork."""
    process = commands.Running(environment, ["serve"], Path(mkdtemp(dir=folder)))
    try:
        while not servers._is_ready(port, ready_path):
            assert process.poll() is None, process.stderr
            time.sleep(0.01)
        yield servers.Server(port, process, 0.01)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def test_there_is_a_shortest_form_of_every_subject():
    assert set(SHORTEST) == set(subjects_by_name())


@pytest.mark.parametrize("name", SHORTEST)
async def test_a_subject_runs(name, monkeypatch):
    subject = subjects_by_name()[name]
    for constant, smaller in SHORTEST[name].items():
        assert hasattr(subject, constant)
        monkeypatch.setattr(subject, constant, smaller)
    monkeypatch.setattr("bench.guildhall.running", forked)
    monkeypatch.setattr(raw_objects, "ROUNDS", 1)
    monkeypatch.setattr(raw_objects, "AT_ONCE", 8)
    if hasattr(subject, "postgresql"):
        monkeypatch.setattr(subject, "postgresql", lambda durable=False: nullcontext(session_server()))
    report = Report()
    await asyncio.to_thread(subject.run, report)
    assert any(line.startswith(name) for line in report.table().splitlines())
