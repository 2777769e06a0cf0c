"""Statements that keep a processor busy: one of each company at once, with rests while others are at work."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from kernel.db.accounts import COMPANIES, RecentCompanies
from kernel.db.fair_slots import FairSlots

# A company that came by within this time counts as at work.
_AT_WORK_SECONDS = 1.0
_SHORTEST_REST_SECONDS, _LONGEST_REST_SECONDS = 0.01, 1.0
_REFUSAL = "Other long questions of your company are being answered; ask again in a moment."


class LongStatements:
    """So many at once, and one of each company.

    While another company is at work, the next one of the same company waits for as long again as the last one
    took: its long statements then take half of one processor at most, and the other feels little of them.
    """

    def __init__(self, at_once: int, patience: float, companies: RecentCompanies = COMPANIES) -> None:
        self._slots = FairSlots(at_once, share=1, reserve=0, patience=patience, refusal=_REFUSAL)
        self._companies = companies

    @asynccontextmanager
    async def held(self, company: str) -> AsyncIterator[None]:
        """Holds the company's turn to run a long statement, for the length of the block."""
        await self._slots.take(company)
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            yield
        finally:
            ended = loop.time()
            if self._companies.another_since(ended - _AT_WORK_SECONDS, company):
                rest = min(max(ended - began, _SHORTEST_REST_SECONDS), _LONGEST_REST_SECONDS)
                loop.call_later(rest, self._slots.give_back, company)
            else:
                self._slots.give_back(company)
