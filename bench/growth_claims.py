"""Claims past many who wait in vain: of suspended companies, at their cap, or for another model."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import Any

import kernel
from bench.growth_filling import opened, sql
from bench.job_books import Books
from bench.report import Aim, Report
from bench.rounds import take_turns
from guildhall_sdk import Writer
from kernel.job_limits import set_suspended
from kernel.scheduler.claim import Claimant

CLAIMED = 20
# Whoever has jobs to give, behind those who wait in vain.
_GIVING = 10
_FLAT = Aim(1.5)
_LOCAL = Claimant("exe_local", "local", ("local",), in_process=True)
_OUR_MODEL = Claimant("exe_local", "local", ("local",), in_process=True, provides=("ours",))

Fill = Callable[[Writer], Coroutine[Any, Any, None]]


@dataclass(frozen=True, slots=True)
class Case:
    """Who waits in vain: as it is said, how many, how they are put there, and for whom is claimed."""

    what: str
    few: int
    many: int
    fill: Callable[[int, Writer], Coroutine[Any, Any, None]]
    claimant: Claimant = _LOCAL


def cases(waiting: int, jobs: int, small: int) -> list[Case]:
    """Returns the cases, of so many teams or jobs against a few."""
    return [
        Case("suspended companies", small, waiting, _suspended),
        Case("teams at their cap", small, waiting, _at_cap),
        Case("jobs of one team for another model", small, jobs, _one_team_for_another_model, _OUR_MODEL),
        Case("teams that wait for another model", small, waiting, _teams_for_another_model, _OUR_MODEL),
    ]


def compare_claims(
    report: Report,
    subject: str,
    new_url: Callable[[str, str], str],
    databases: list[str],
    asked: list[Case],
    rounds: int,
    ticks: int,
) -> None:
    for database in databases:
        for case in asked:
            with ExitStack() as stack:
                runner = stack.enter_context(asyncio.Runner())
                turns: dict[str, Callable[[], float]] = {}
                for many in (case.few, case.many):
                    url = new_url(database, f"{case.what}-{many}")
                    data = stack.enter_context(
                        opened(runner, url, {"kernel": kernel}, partial(case.fill, many))
                    )
                    books = Books(data, 1)
                    runner.run(_settle(books, ticks))
                    turns[str(many)] = partial(_claim_on, runner, books, case.claimant)
                    turns[str(many)]()
                seconds = take_turns(turns, rounds)
            what = f"a claim of {CLAIMED} past {case.many:,} {case.what}, {database}"
            report.compare(
                subject, what, seconds[str(case.many)], f"{case.few:,}", seconds[str(case.few)], _FLAT
            )
            report.reading(subject, what, [one * 1000 for one in seconds[str(case.many)]], "ms")


async def _settle(books: Books, ticks: int) -> None:
    """Lets the scheduler's upkeep come round for a while, as it does every second."""
    for _ in range(ticks):
        await books.scheduler.upkeep.tick()


def _claim_on(runner: asyncio.Runner, books: Books, claimant: Claimant) -> float:
    return runner.run(books.claim(claimant, CLAIMED))


async def _places(writer: Writer, waiting: int) -> None:
    await writer.run(sql.companies, many=_GIVING + waiting)
    await writer.run(sql.job_companies)
    await writer.run(sql.teams)
    await writer.run(sql.lanes, first=_GIVING)
    await _jobs(writer, "giving_", 0, _GIVING, CLAIMED)


async def jobs_of_one_team(writer: Writer, many: int) -> None:
    """Fills a database with these alone."""
    await writer.run(sql.companies, many=1)
    await writer.run(sql.job_companies)
    await writer.run(sql.teams)
    await _jobs(writer, "all_", 0, 1, many)


async def _jobs(
    writer: Writer,
    tag: str,
    first: int,
    last: int,
    each: int,
    *,
    state: str = "queued",
    priority: int = 0,
    requirement: str | None = None,
) -> None:
    await writer.run(
        sql.jobs,
        tag=tag,
        first=first,
        last=last,
        each=each,
        state=state,
        priority=priority,
        requirement=requirement,
    )


async def _suspended(many: int, writer: Writer) -> None:
    await _places(writer, many)
    await _jobs(writer, "vain_", _GIVING, _GIVING + many, 1)
    for number in range(_GIVING, _GIVING + many):
        await set_suspended(writer, f"org_{number}", 1)


async def _at_cap(many: int, writer: Writer) -> None:
    await _places(writer, many)
    await writer.run(sql.caps, first=_GIVING)
    await _jobs(writer, "vain_", _GIVING, _GIVING + many, 1)
    await _jobs(writer, "running_", _GIVING, _GIVING + many, 1, state="running")


async def _one_team_for_another_model(many: int, writer: Writer) -> None:
    """Which has jobs for ours as well, behind the others."""
    await _places(writer, 1)
    await _jobs(writer, "vain_", _GIVING, _GIVING + 1, many, priority=1, requirement="theirs")
    await _jobs(writer, "ours_", _GIVING, _GIVING + 1, CLAIMED, requirement="ours")
    await _lanes_for(writer, "theirs", "ours")


async def _teams_for_another_model(many: int, writer: Writer) -> None:
    await _places(writer, many)
    await _jobs(writer, "vain_", _GIVING, _GIVING + many, 1, requirement="theirs")
    await _lanes_for(writer, "theirs")


async def _lanes_for(writer: Writer, *requirements: str) -> None:
    """Gives those who wait in vain lanes of these, and no other."""
    for requirement in requirements:
        await writer.run(sql.lanes_for, requirement=requirement, first=_GIVING)
    await writer.run(sql.lanes_without_jobs, first=_GIVING)
