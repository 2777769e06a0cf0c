"""What was deleted, what somebody may not read and who waits in vain must cost nothing to those beside it.

Each line is the same work beside much of that and beside little. `BENCH_GROWTH=0.1` in the environment takes
a tenth of the large sizes, `BENCH_GROWTH=20` a million of each but the companies and teams.
"""

import tempfile
from contextlib import ExitStack
from pathlib import Path

from bench.growth_claims import cases, compare_claims
from bench.growth_lists import Sizes, compare_lists
from bench.growth_search import compare_searches
from bench.growth_sizes import grown
from bench.growth_sums import compare_sums
from bench.guildhall import postgresql
from bench.report import Report

NAME = "growth"
ROUNDS = 11
FEW = 1_000
MARKERS = 100_000
WAITING = 10_000
# So few wait in vain on the other side.
WAITING_FEW = 10
JOBS = 100_000
DOCUMENTS = 200_000
SUMMED = 1_000_000
FOLDERS = 1_000
TICKS = 40
CASES = 4
_DATABASES = ["SQLite", "PostgreSQL"]


def run(report: Report) -> None:
    markers, jobs, documents, summed = (grown(one) for one in (MARKERS, JOBS, DOCUMENTS, SUMMED))
    waiting = grown(WAITING, WAITING)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-")))
        cluster = stack.enter_context(postgresql())

        def new_url(database: str, name: str) -> str:
            return f"sqlite:///{folder / name}.db" if database == "SQLite" else cluster.create_database()

        urls = {"SQLite": None, "PostgreSQL": cluster.create_database()}
        compare_lists(report, NAME, folder, urls, Sizes(FEW, markers, folders=FOLDERS), ROUNDS)
        compare_searches(report, NAME, new_url, _DATABASES, FEW, documents, ROUNDS)
        compare_sums(report, NAME, new_url, _DATABASES, FEW, summed, ROUNDS)
        asked = cases(waiting, jobs, WAITING_FEW)[:CASES]
        compare_claims(report, NAME, new_url, _DATABASES, asked, ROUNDS, TICKS)
