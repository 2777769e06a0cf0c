"""Who is let in next: first come, first served within a company, and company by company."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from libs.pooling import FairSlots, First

SERVER, GATES = "server", "gates"


class Busy(Exception):
    """Raised for whoever waits for too long."""


def slots(many: int, *, share: int, reserve: int = 0, patience: float = 30) -> FairSlots:
    first = First(SERVER, GATES)
    return FairSlots(many, share=share, reserve=reserve, patience=patience, refuse=Busy, first=first)


def takes_at_once(inside: FairSlots, holder: str) -> bool:
    taking = inside.take(holder)
    try:
        taking.send(None)
    except StopIteration:
        return True
    taking.close()
    return False


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


class Crowd:
    """Whoever comes, in the order in which they were let in."""

    def __init__(self, inside: FairSlots) -> None:
        self._slots = inside
        self.let_in: list[str] = []
        self.tasks: list[asyncio.Task[None]] = []

    async def come(self, *names: str) -> None:
        """A name's first letter is its company."""
        for name in names:
            self.tasks.append(asyncio.create_task(self._come(name, holder_of(name))))
        await settle()

    async def _come(self, name: str, holder: str) -> None:
        await self._slots.take(holder)
        self.let_in.append(name)

    async def leave(self, *names: str) -> None:
        for name in names:
            self._slots.give_back(holder_of(name))
        await settle()


def holder_of(name: str) -> str:
    return {"S": SERVER, "G": GATES}.get(name[0], f"org_{name[0]}")


@asynccontextmanager
async def crowd(inside: FairSlots) -> AsyncIterator[Crowd]:
    come = Crowd(inside)
    yield come
    for task in come.tasks:
        task.cancel()
    await asyncio.gather(*come.tasks, return_exceptions=True)


async def test_one_company_has_its_share_and_another_is_let_in_at_once() -> None:
    async with crowd(slots(4, share=2)) as people:
        await people.come("a1", "a2", "a3", "b1")
        assert people.let_in == ["a1", "a2", "b1"]
        await people.leave("b1")
        assert people.let_in == ["a1", "a2", "b1"]
        await people.leave("a1")
        assert people.let_in[3:] == ["a3"]


async def test_companies_take_turns_and_within_one_it_is_first_come_first_served() -> None:
    async with crowd(slots(1, share=1)) as people:
        await people.come("a1", "a2", "a3", "a4", "b1", "c1", "b2")
        while len(people.let_in) < 7:
            await people.leave(people.let_in[-1])
        assert people.let_in == ["a1", "a2", "b1", "c1", "a3", "b2", "a4"]


async def test_the_server_goes_first_but_never_twice_while_a_company_waits() -> None:
    async with crowd(slots(1, share=1)) as people:
        await people.come("a1", "b1", "S1", "S2", "a2", "S3")
        while len(people.let_in) < 6:
            await people.leave(people.let_in[-1])
        assert people.let_in == ["a1", "S1", "b1", "S2", "a2", "S3"]


async def test_companies_leave_a_reserve_and_the_gates_the_last_place() -> None:
    async with crowd(slots(5, share=2, reserve=2)) as people:
        await people.come("a1", "a2", "b1", "c1", "G1", "G2", "S1", "S2")
        assert people.let_in == ["a1", "a2", "b1", "G1", "S1"]
        await people.leave("a1")
        assert people.let_in[5:] == ["S2"]
        await people.leave("S1", "S2", "G1")
        assert people.let_in[6:] == ["c1", "G2"]


async def test_whoever_gives_up_waiting_holds_nobody_up() -> None:
    inside = slots(1, share=1)
    async with crowd(inside) as people:
        await people.come("a1", "a2", "a3", "b1")
        people.tasks[1].cancel()
        await people.leave("a1")
        assert people.let_in == ["a1", "a3"]
        # Let in and cancelled in the same moment: the place is passed on.
        inside.give_back("org_a")
        people.tasks[3].cancel()
        await settle()
        assert takes_at_once(inside, "org_c")


async def test_only_cancelled_ones_before_it_do_not_make_a_newcomer_wait() -> None:
    inside = slots(2, share=1)
    async with crowd(inside) as people:
        await people.come("a1", "a2")
        people.tasks[1].cancel()
        inside.give_back("org_a")
        await people.come("a3")
        assert people.let_in == ["a1", "a3"]


async def test_after_its_patience_it_is_refused() -> None:
    inside = slots(2, share=1, patience=0.01)
    assert takes_at_once(inside, "org_a")
    with pytest.raises(Busy):
        await inside.take("org_a")
    assert takes_at_once(inside, "org_b")
    inside.give_back("org_a")
    assert takes_at_once(inside, "org_a")
    assert inside.waited_seconds > 0
