"""Long bodies and answers: however many a company sends or asks for at once, they take a bounded memory."""

import asyncio
from contextlib import closing

import pytest

from libs.fair_slots import shares
from libs.fair_slots.shares import InFlight

pytestmark = pytest.mark.hall_databases("sqlite")
MIB = 2**20


class TooMany(Exception):
    pass


def test_a_company_carries_so_much_and_no_more():
    counted = InFlight(TooMany)
    with closing(counted.slot()) as one, closing(counted.slot()) as other, closing(counted.slot()) as foreign:
        one.carry("acme", shares.BYTES_PER_COMPANY)
        with pytest.raises(TooMany):
            other.carry("acme", MIB)
        other.carry("acme", 100)
        foreign.carry("globex", MIB)
    with closing(counted.slot()) as later:
        later.carry("acme", MIB)


def test_whoever_is_alone_carries_what_it_takes():
    with closing(InFlight(TooMany).slot()) as slot:
        slot.carry("acme", shares.BYTES_PER_COMPANY)
        slot.carry("acme", MIB)


async def test_too_many_long_bodies_at_once_are_refused(hall, monkeypatch):
    monkeypatch.setattr(shares, "BYTES_PER_COMPANY", MIB)
    note = {"title": "Long", "body": "a" * 900_000}
    answers = await asyncio.gather(*(hall.acme.owner.post("/api/notes", note) for _ in range(4)))
    assert {answer.status_code for answer in answers} == {201, 429}
    assert (await hall.acme.owner.post("/api/notes", note)).status_code == 201
