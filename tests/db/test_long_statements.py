"""A company's long statements: one at once, and with a rest between two while others are at work."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from kernel.db.accounts import RecentCompanies
from kernel.db.long_statements import LongStatements


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
async def first_of_acme(companies: RecentCompanies) -> AsyncIterator[tuple[LongStatements, Run]]:
    """One that is over, and the next one of the same company."""
    statements = LongStatements(2, 30, companies)
    first, second = Run(statements, "org_acme"), Run(statements, "org_acme")
    await first.begun.wait()
    assert not second.begun.is_set()
    first.end.set()
    await first.task
    yield statements, second
    second.end.set()
    await second.task


async def test_alone_the_next_begins_when_the_last_has_ended() -> None:
    companies = RecentCompanies()
    companies.note("org_acme")
    async with first_of_acme(companies) as (_, second):
        await asyncio.sleep(0)
        assert second.begun.is_set()


async def test_while_another_company_is_at_work_there_is_a_rest_between_two() -> None:
    companies = RecentCompanies()
    companies.note("org_globex")
    companies.note("org_acme")
    async with first_of_acme(companies) as (statements, second):
        other = Run(statements, "org_globex")
        await other.begun.wait()
        assert not second.begun.is_set()
        other.end.set()
        await other.task
        await second.begun.wait()


def test_only_the_last_two_companies_are_remembered() -> None:
    companies = RecentCompanies()
    assert not companies.another_since(0, "org_acme")
    for company in ("org_acme", "org_globex", "org_globex"):
        companies.note(company)
    assert companies.another_since(0, "org_acme") and companies.another_since(0, "org_globex")
    assert not companies.another_since(float("inf"), "org_acme")
