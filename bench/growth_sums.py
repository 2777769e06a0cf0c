"""What is added up or looked for among all there is: the use of models, and the longest wait of a job."""

import asyncio
import time
from collections.abc import Callable, Coroutine, Mapping
from contextlib import ExitStack
from functools import partial
from typing import Any

import builtin_plugins.ai
import kernel
from bench.growth_claims import jobs_of_one_team
from bench.growth_filling import opened, sql
from bench.report import Aim, Report
from bench.rounds import take_turns
from builtin_plugins.ai.usage import UsageBook
from guildhall_sdk import Reader, Writer
from kernel.db.database import Database
from kernel.scheduler.statements import sql as scheduler

_OWNERS = {"kernel": kernel, "ai": builtin_plugins.ai}
_FLAT = Aim(1.5)
_LINES = 50
_LOOKS = 20

Query = Callable[[Reader], Coroutine[Any, Any, Any]]


def compare_sums(
    report: Report,
    subject: str,
    new_url: Callable[[str, str], str],
    databases: list[str],
    few: int,
    many: int,
    rounds: int,
) -> None:
    """Takes each reading of a database with much in it against one with little."""
    for database in databases:
        with ExitStack() as stack:
            runner = stack.enter_context(asyncio.Runner())
            found = {
                size: stack.enter_context(
                    opened(runner, new_url(database, f"sums-{size}"), _OWNERS, partial(_fill, size))
                )
                for size in (few, many)
            }
            for what, query in _queries().items():
                turns = {str(size): partial(_timed_on, runner, data, query) for size, data in found.items()}
                for turn in turns.values():
                    turn()
                seconds = take_turns(turns, rounds)
                said = f"{what} of {many:,}, {database}"
                report.compare(subject, said, seconds[str(many)], f"{few:,}", seconds[str(few)], _FLAT)


def _queries() -> Mapping[str, Query]:
    book: Any = UsageBook(None)  # type: ignore[arg-type] # it is asked, and adds nothing

    def usage(by: str) -> Query:
        return lambda reader: book.lines(reader, "team_0", by, limit=_LINES)

    queries: dict[str, Query] = {
        f"use of models by {by},": usage(by) for by in ("user", "model", "token", "day")
    }
    queries["the longest wait,"] = lambda reader: reader.value(scheduler.longest_wait, wall=1)
    return queries


def _timed_on(runner: asyncio.Runner, data: Database, query: Query) -> float:
    return runner.run(_timed(data, query))


async def _timed(data: Database, query: Query) -> float:
    async with data.read() as reader:
        began = time.perf_counter()
        for _ in range(_LOOKS):
            await query(reader)
        return (time.perf_counter() - began) / _LOOKS


async def _fill(many: int, writer: Writer) -> None:
    await jobs_of_one_team(writer, many)
    await writer.run(sql.usage, many=many)
