"""A company's long statements: one at once, and with a rest between two while others are at work."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from libs.pooling import FairSlots, First, LongStatements


class Run:
    """A long statement that ends when it is told to."""

    def __init__(self, statements: LongStatements, company: str) -> None:
        self.begun, self.end = asyncio.Event(), asyncio.Event()
        self.task = asyncio.create_task(self._run(statements, company))

    async def _run(self, statements: LongStatements, company: str) -> None:
        async with statements.held(company):
            self.begun.set()
            await self.end.wait()


@asynccontextmanager
async def first_of_acme(*at_work: str) -> AsyncIterator[tuple[LongStatements, Run]]:
    """One that is over, and the next one of the same company."""
    slots = FairSlots(2, share=1, reserve=0, patience=30, refuse=TimeoutError, first=First("server", "gates"))
    statements = LongStatements(slots, lambda since, company: any(one != company for one in at_work))
    first, second = Run(statements, "org_acme"), Run(statements, "org_acme")
    await first.begun.wait()
    assert not second.begun.is_set()
    first.end.set()
    await first.task
    yield statements, second
    second.end.set()
    await second.task


async def test_alone_the_next_begins_when_the_last_has_ended() -> None:
    async with first_of_acme("org_acme") as (_, second):
        await asyncio.sleep(0)
        assert second.begun.is_set()


async def test_while_another_company_is_at_work_there_is_a_rest_between_two() -> None:
    async with first_of_acme("org_globex", "org_acme") as (statements, second):
        other = Run(statements, "org_globex")
        await other.begun.wait()
        assert not second.begun.is_set()
        other.end.set()
        await other.task
        await second.begun.wait()
