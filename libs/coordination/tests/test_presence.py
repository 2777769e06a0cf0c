"""A process among others, and slots that are given up while their tasks wait."""

import asyncio
from functools import partial
from itertools import count

import pytest

from libs.coordination import Loop, PausableSlots, Presence, SlotHolder


class Member(Presence):
    """One whose row is in a list that all see."""

    def __init__(self, rows, *, shared=True):
        self.rows, self.numbers, self.returns, self.is_away = rows, count(1), [], False
        super().__init__(partial(Loop, "presence", seconds=60.0, failed=pytest.fail), shared=shared)

    def make_id(self):
        return f"member {next(self.numbers)}"

    async def add_row(self, member_id, before):
        if self.is_away:
            raise ConnectionError
        self.rows.append(member_id)

    async def renew_row(self, member_id):
        return member_id in self.rows

    async def remove_row(self, member_id):
        self.rows.remove(member_id)

    def on_return(self, before):
        self.returns.append(before)


async def test_a_process_is_known_from_its_start_to_its_stop():
    member = Member([])
    await member.start()
    await member.beat()
    assert (member.rows, member.returns) == (["member 1"], [])
    await member.stop()
    await member.stop()
    assert member.rows == []


async def test_who_was_taken_for_dead_comes_back_under_a_new_id():
    member = Member([])
    await member.start()
    member.rows.clear()
    await member.beat()
    assert (member.rows, member.id, member.returns) == (["member 2"], "member 2", ["member 1"])
    await member.stop()
    assert member.rows == []


async def test_who_cannot_come_back_keeps_its_id_until_it_can():
    member = Member([])
    await member.start()
    member.rows.clear()
    member.is_away = True
    with pytest.raises(ConnectionError):
        await member.beat()
    assert (member.id, member.returns) == ("member 1", [])
    member.is_away = False
    await member.beat()
    assert (member.rows, member.returns) == (["member 3"], ["member 1"])
    await member.stop()


async def test_the_only_process_has_no_id_and_no_row():
    alone = Member([], shared=False)
    await alone.start()
    await alone.beat()
    await alone.stop()
    assert (alone.id, alone.rows) == (None, [])


class Slots(PausableSlots):
    """Slots in which those that want one back have it while there is any, unless they are `closed`."""

    def __init__(self, slots):
        self.freed, self.noted, self.closed = 0, [], False
        super().__init__(slots, self.notify)

    def notify(self):
        self.freed += 1

    async def note_given_up(self, holder):
        self.noted.append(holder)

    async def choose_resumed(self, wanting):
        return () if self.closed else wanting[: self.unworked]


@pytest.fixture
def slots():
    return Slots(1)


class Waiting:
    """A task that gives its slot up until it `may_go_on`, and then works until it `may_end`."""

    def __init__(self, slots):
        self.slots, self.holder, self.worked = slots, SlotHolder(), False
        self.may_go_on, self.may_end = asyncio.Event(), asyncio.Event()
        slots.run(self.holder, self.work(), "waiting")

    async def work(self):
        async with self.slots.slot_given_up(self.holder):
            await self.may_go_on.wait()
        self.worked = True
        await self.may_end.wait()


async def until(true):
    while not true():  # noqa: ASYNC110
        await asyncio.sleep(0)


async def test_a_slot_is_given_up_while_its_task_waits_and_had_again_after_it(slots):
    waiting = Waiting(slots)
    assert (slots.free, slots.given_up, slots.unworked) == (0, 0, 0)
    await until(lambda: slots.given_up == 1)
    assert (slots.noted, slots.unworked, waiting.holder.has_slot) == ([waiting.holder], 1, False)
    waiting.may_go_on.set()
    await until(lambda: waiting.worked)
    assert (slots.given_up, slots.unworked, waiting.holder.has_slot) == (0, 0, True)
    waiting.may_end.set()
    await slots.idle()


async def test_who_wants_a_slot_back_waits_until_there_is_one(slots):
    slots.closed, waiting = True, Waiting(slots)
    await until(lambda: slots.given_up == 1)
    waiting.may_go_on.set()
    await until(lambda: waiting.holder.slot_back is not None)
    assert (await slots.resume(), waiting.worked, slots.given_up) == (True, False, 0)
    slots.closed = False
    assert not await slots.resume()
    await until(lambda: waiting.worked)
    waiting.may_end.set()
    await slots.idle()


async def test_of_several_waits_the_last_brings_the_slot_back(slots):
    holder, may_end = SlotHolder(), asyncio.Event()
    slots.run(holder, may_end.wait(), "several")
    async with slots.slot_given_up(holder):
        async with slots.slot_given_up(holder):
            assert (holder.waits, holder.has_slot, slots.noted) == (2, False, [holder])
        assert (holder.waits, holder.has_slot) == (1, False)
    assert (holder.waits, holder.has_slot) == (0, True)
    may_end.set()
    await slots.idle()


async def test_what_runs_in_no_slot_gives_none_up(slots):
    async with slots.slot_given_up(None):
        assert (slots.free, slots.noted) == (1, [])
