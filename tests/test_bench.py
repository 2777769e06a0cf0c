"""Some subjects of the bench in their shortest form: they still run, and fill their lines of the table.

All others, and those that start peers, run with `make soak`.
"""

import asyncio
import os
import subprocess
import time
from contextlib import contextmanager, nullcontext
from pathlib import Path
from shutil import copytree, ignore_patterns
from tempfile import mkdtemp

import pytest

from bench import against, growth_lists, growth_sums, servers
from bench.__main__ import selected, subjects_by_name
from bench.costs import Costs
from bench.published import publish_figures
from bench.report import Aim, Report
from bench.revisions import install, working_revision
from guildhall_testing.postgres import session_server
from tests import commands

ONE_ROUND = {"ROUNDS": 1, "REQUESTS": 2, "WARM_UP": 1}
FEW_TEAMS = {"FEW": 1, "MANY": 2}
SHORT_TEXTS = {"LENGTH": 600, "KEYS": 1, "ANSWERS": 1, "TOKENS": 80, "SLICE": 20}
SHORTEST = {
    "ai": {**ONE_ROUND, "STREAMS": 1, "TOKENS": 2, "OPEN": 1, "HOLD_ROUNDS": 1, "WAITING": 1},
    "ai.first": {"ROUNDS": 1, "FIRSTS": 1},
    "beta": {"ROUNDS": 1, "REPEATS": 1},
    "browser": {"ROUNDS": 1, "CHALLENGES": 1},
    "console": {"ROUNDS": 1, "OPENINGS": 1, "VISITS": 1, **SHORT_TEXTS},
    "console.lists": {"ROUNDS": 1, "MANY": 200, "FEW": 100, "SCREENS": 2, "KEYS": 2},
    "client": ONE_ROUND,
    "commits": {**ONE_ROUND, "WRITERS": 2, "SLOW_COMMIT_US": 0},
    "events": ONE_ROUND,
    "jobs": {"ROUNDS": 1, "JOBS": 8, "PER_STEP": ("DBOS, per step", 8, 0.1)},
    "jobs.claims": {**FEW_TEAMS, "ROUNDS": 1, "CLAIMED": 1},
    "jobs.pull": {"ROUNDS": 1, "WORKERS": 1, "PULLED": 4},
    "jobs.start": {"ROUNDS": 1, "STARTS": 2},
    "growth": {
        "ROUNDS": 1,
        "FEW": 20,
        "MARKERS": 40,
        "WAITING": 40,
        "WAITING_FEW": 2,
        "JOBS": 40,
        "DOCUMENTS": 40,
        "FOLDERS": 10,
        "TICKS": 1,
        "CASES": 1,
        "SUMMED": 2000,
        "_DATABASES": ["SQLite"],  # the lists are compared on both all the same
    },
    "knowledge": {"ROUNDS": 1, "MENTIONS": 100, "FEW": 10, "MANY": 20},
    "l10n": ONE_ROUND,
    "landing": ONE_ROUND,
    "l10n-import": {"ROUNDS": 1, "MESSAGES": 20},
    "memory": {"REQUESTS": 4, "PARTS": 1, "PART_MIB": 1},
    "moving": {"ROUNDS": 1, "ROWS": 10},
    "neighbours": {**ONE_ROUND, "JOBS": 10, "NOTES": 10, "CROWD": 1},
    "notes": {**ONE_ROUND, "FEW": 210, "MANY": 220, "DEEP": 1},
    "plugins": {**ONE_ROUND, "LOAD_ROUNDS": 1, "START_ROUNDS": 1, "FEW": 1, "MANY": 2},
    "processes": {**ONE_ROUND, "WORKERS": 2, "CONNECTIONS": 2, "IDLE_SECONDS": 0.1},
    "quota": {**ONE_ROUND, **FEW_TEAMS},
    "retrieval": {"NOTES": 50, "ROUNDS": 1, "REPEATS": 1},
    "s3.large": {"ROUNDS": 1, "LARGE": 1024},
    "s3.list": {"ROUNDS": 1, "KEYS": 3},
    "s3.small": {"ROUNDS": 1, "OBJECTS": 8, "SOCKET_ROUNDS": 1, "AT_ONCE": 8},
    "scim": {"ROUNDS": 1, "PEOPLE": 4},
    "search": {"NOTES": 50, "ROUNDS": 1, "REPEATS": 1},
    "specs": {"ROUNDS": 1, "REPEATS": 1},
    "startup": {"ROUNDS": 1, "IMPORTS": "import h11"},
    "upkeep": {
        **ONE_ROUND,
        "DATABASES": ["PostgreSQL"],
        "FEW": 5,
        "MANY": 10,
        "FEW_EVENTS": 5,
        "MANY_EVENTS": 10,
        "TAIL": 3,
        "FEW_BLOBS": 3,
        "MANY_BLOBS": 6,
    },
    "triggers": {**ONE_ROUND, "TRIGGERS": 2},
    "webhooks": {"ROUNDS": 1, "DELIVERIES": 6},
    "whoami": ONE_ROUND,
    "workflows": {
        "ROUNDS": 1,
        "RUNS": 2,
        "ITEMS": 3,
        "THEIR_RUNS": 1,
        "THEIR_ITEMS": 1,
    },
}


IN_SHORT = ("beta", "jobs.claims", "knowledge", "l10n", "quota", "search", "specs")
# Its server is a program of the bench, and has a folder and a key of its own.
SEALED_BY_ITSELF = {"workflows"}
RUN = [*SHORTEST] if "SOAK_ROUNDS" in os.environ else IN_SHORT


class Migrated:
    """Stands in for what the bench starts: servers at the price of a fork, on databases that are migrated."""

    def __init__(self, sqlite, postgresql):
        self._sqlite, self._postgresql = sqlite, postgresql
        self._made = []

    def create_database(self):
        self._made.append(session_server().create_database(self._postgresql.database_url))
        return self._made[-1]

    def drop_databases(self):
        """Drops what a subject had made, which would cost every database that is made after it."""
        while self._made:
            session_server().drop_database(self._made.pop())

    @contextmanager
    def running(self, command, port, ready_path, folder, environment):
        site = self._postgresql if "SERVICE_DATABASE_URL" in environment else self._sqlite
        if not any(folder.iterdir()):
            copytree(site.folder, folder, dirs_exist_ok=True, ignore=ignore_patterns("*.lock"))
        process = commands.Running(environment, command[1:], Path(mkdtemp(dir=folder)))
        try:
            while not servers._is_ready(port, ready_path):
                assert process.poll() is None, process.stderr
                time.sleep(0.01)
            yield servers.Server(port, process, 0.01)
        finally:
            process.stop()


@pytest.fixture(scope="module")
async def migrated(hall_sites):
    async with (
        hall_sites.lease("sqlite", populated=False) as sqlite,
        hall_sites.lease("postgresql", populated=False) as postgresql,
    ):
        yield Migrated(sqlite, postgresql)


def test_there_is_a_shortest_form_of_every_subject():
    assert set(SHORTEST) == set(subjects_by_name())


@pytest.mark.parametrize("name", RUN)
async def test_a_subject_runs(name, monkeypatch, migrated):
    subject = subjects_by_name()[name]
    for constant, smaller in SHORTEST[name].items():
        assert hasattr(subject, constant)
        monkeypatch.setattr(subject, constant, smaller)
    monkeypatch.setattr("bench.guildhall.running", migrated.running)
    for constant in ("_PAGE", "_API_PAGE"):
        monkeypatch.setattr(growth_lists, constant, 20)
    monkeypatch.setattr(growth_sums, "_LOOKS", 1)
    if hasattr(subject, "postgresql"):
        cluster = session_server() if name in SEALED_BY_ITSELF else migrated
        monkeypatch.setattr(subject, "postgresql", lambda durable=False: nullcontext(cluster))
    report = Report()
    try:
        await asyncio.to_thread(subject.run, report)
    finally:
        migrated.drop_databases()
    assert any(line.startswith(name) for line in report.table().splitlines())


def test_a_name_stands_for_its_parts():
    known = ["ai", "ai.first", "aim", "s3.large", "s3.small"]
    assert selected([], known) == (known, [])
    assert selected(["ai", "s3.small"], known) == (["ai", "ai.first", "s3.small"], [])
    assert selected(["s3", "s3.tiny", "a"], known) == (["s3.large", "s3.small"], ["s3.tiny", "a"])


def test_the_last_line_says_which_aims_are_met_and_by_how_much_others_are_not():
    report = Report()
    for what, ours, aim in (
        ("a turn", 1.0, Aim(1.0)),
        ("a page", 1.2, Aim(1.0)),
        ("a job", 3.0, Aim(1.5)),
        ("a start", 1.0, Aim(1.0, strictly=True)),
        ("a word", 9.0, None),
    ):
        report.compare("subject", what, [ours] * 3, "peer", [1.0] * 3, aim)
    assert report.table().splitlines()[-1] == (
        "Aims: 1 met, 3 missed: subject, a job against peer: 3.00, 100 % over; "
        "subject, a page against peer: 1.20, 20 % over; subject, a start against peer: 1.00, 0 % over"
    )
    met = Report(comparisons=report.comparisons[:1])
    assert met.table().splitlines()[-1] == "Aims: 1 met, 0 missed"


def test_what_was_measured_beside_other_work_is_marked():
    report = Report(disturbed=True)
    report.compare("subject", "what", [1.0], "peer", [2.0])
    report.disturbed = False
    report.compare("subject", "more", [1.0], "peer", [2.0])
    [first, second] = [line for line in report.table().splitlines() if line.startswith("subject ")][1:]
    assert "0.50*" in first
    assert "*" not in second


def test_figures_take_the_place_of_those_of_their_subjects(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- bench figures: begin -->\n<!-- bench figures: end -->\nafter\n")
    for subject, ours in (("jobs", 1.0), ("ai", 2.0), ("jobs", 3.0)):
        report = Report()
        report.compare(subject, "what", [ours], "peer", [1.0], Aim(1.5))
        publish_figures(page, report.comparisons)
    rows = [line for line in page.read_text().splitlines() if line.startswith("|")]
    assert rows[2:] == [
        "| ai | what | peer | 2.00 | ≤ 1.50 | MISSED | 2.00–2.00 |",
        "| jobs | what | peer | 3.00 | ≤ 1.50 | MISSED | 3.00–3.00 |",
    ]
    page.write_text(page.read_text().replace("Measured on", "Measured long ago on"))
    publish_figures(page, report.comparisons)
    assert "| ai " not in page.read_text()
    assert page.read_text().startswith("before\n") and page.read_text().endswith("\nafter\n")


def test_a_page_without_a_place_for_figures_is_left_as_it_is(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("nothing")
    with pytest.raises(servers.BenchFailed, match="no place"):
        publish_figures(page, [])
    assert page.read_text() == "nothing"


def test_the_page_of_the_release_has_a_place_for_what_the_bench_writes():
    page = (servers.ROOT / "docs" / "benchmarks.md").read_text("utf-8")
    for part in ("figures", "costs"):
        assert f"<!-- bench {part}: begin -->" in page
        assert f"<!-- bench {part}: end -->" in page


def test_a_sample_counts_for_the_innermost_function_of_ours():
    costs = Costs()
    ours, deeper = (f"{servers.ROOT}/kernel/http/gates.py:3", f"{servers.ROOT}/libs/asgi/heads.py:9")
    costs.add(["run (/usr/lib/runners.py:1)", f"gate ({ours})", "dumps (/usr/lib/json.py:7)"], 3)
    costs.add([f"gate ({ours})", f"read ({deeper})"], 1)
    costs.add(["run (/usr/lib/runners.py:1)"], 1)
    costs.add(["run (/usr/lib/runners.py:1)", f"gate ({ours})", "epoll_pwait (/usr/lib/libc.so.6)"], 90)
    assert costs.largest() == [
        ("60 %", "kernel/http", "`gate in gates.py` 60 %"),
        ("20 %", "libs/asgi", "`read in heads.py` 20 %"),
        ("20 %", "libraries alone", "`the event loop, Hypercorn` 20 %"),
    ]


@pytest.mark.long_form
async def test_two_revisions_are_compared(monkeypatch, migrated):
    monkeypatch.setattr("bench.guildhall.running", migrated.running)
    monkeypatch.setattr(against, "install", lambda revision, folder: folder)
    for constant in ("ROUNDS", "START_ROUNDS", "STARTED_ANEW", "REQUESTS", "WARM_UP"):
        monkeypatch.setattr(against, constant, 1)
    report = Report()
    await asyncio.to_thread(against.run, report, "HEAD~1")
    for what in against.AIMS:
        assert f"{what} " in report.table()


@pytest.mark.long_form
def test_a_revision_is_installed_beside_the_dependencies_that_are_here(tmp_path):
    program = install(working_revision(), tmp_path / "ours")
    helped = subprocess.run([program, "--help"], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert "start the server" in helped.stdout
    listed = subprocess.run([program, "plugin", "list"], capture_output=True, text=True, cwd=tmp_path)
    assert "notes" in listed.stdout, listed.stderr
