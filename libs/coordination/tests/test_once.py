"""Calls that are made once: who repeats one gets the answer of the first."""

import asyncio

import pytest

from libs.coordination import OnceCalls, StillRunning


class Call:
    """A call whose row is a dictionary that all processes see."""

    def __init__(self, rows, answer="done", go_on=None):
        self.rows, self.answer, self.go_on = rows, answer, go_on
        self.runs = self.renewals = 0

    async def take(self):
        if "key" in self.rows:
            return False
        self.rows["key"] = None
        return True

    async def find_answer(self):
        if "key" not in self.rows:
            return None
        if self.rows["key"] is None:
            raise StillRunning
        return self.rows["key"]

    async def renew(self):
        self.renewals += 1

    async def run(self):
        self.runs += 1
        if self.go_on is not None:
            await self.go_on.wait()
        if isinstance(self.answer, Exception):
            del self.rows["key"]
            raise self.answer
        self.rows["key"] = self.answer
        return self.answer


def answered(calls, call, wait_seconds=60.0, renew_seconds=60.0):
    made = calls.answer("key", call, wait_seconds=wait_seconds, renew_seconds=renew_seconds)
    return asyncio.create_task(made)


async def until(true):
    while not true():  # noqa: ASYNC110
        await asyncio.sleep(0)


async def test_a_repeat_gets_the_first_answer():
    calls, rows = OnceCalls(), {}
    again = Call(rows, "other")
    assert await answered(calls, Call(rows, "first")) == "first"
    assert (await answered(calls, again), again.runs) == ("first", 0)


async def test_a_repeat_waits_for_the_first_in_this_process():
    calls, rows, go_on = OnceCalls(), {}, asyncio.Event()
    first, again = Call(rows, "first", go_on), Call(rows, "other")
    one = answered(calls, first)
    await until(lambda: first.runs)
    two = answered(calls, again)
    go_on.set()
    assert (await one, await two, again.runs) == ("first", "first", 0)


async def test_a_repeat_looks_for_the_answer_of_another_process():
    rows, go_on = {}, asyncio.Event()
    first, again = Call(rows, "first", go_on), Call(rows, "other")
    one = answered(OnceCalls(), first)
    await until(lambda: first.runs)
    two = answered(OnceCalls(), again)
    go_on.set()
    assert (await one, await two, again.runs) == ("first", "first", 0)


async def test_a_repeat_runs_where_the_first_has_failed():
    calls, rows, go_on = OnceCalls(), {}, asyncio.Event()
    first, again = Call(rows, ValueError("no"), go_on), Call(rows, "second")
    one = answered(calls, first)
    await until(lambda: first.runs)
    two = answered(calls, again)
    go_on.set()
    with pytest.raises(ValueError, match="no"):
        await one
    assert (await two, again.runs) == ("second", 1)


async def test_a_repeat_does_not_wait_for_ever():
    calls, rows, go_on = OnceCalls(), {}, asyncio.Event()
    first = Call(rows, "first", go_on)
    one = answered(calls, first)
    await until(lambda: first.runs)
    with pytest.raises(StillRunning):
        await answered(calls, Call(rows), wait_seconds=0.0)
    go_on.set()
    assert await one == "first"


async def test_the_lease_is_renewed_while_a_call_runs():
    calls, go_on = OnceCalls(), asyncio.Event()
    first = Call({}, "first", go_on)
    one = answered(calls, first, renew_seconds=0.0)
    await until(lambda: first.renewals > 2)
    go_on.set()
    await one
    renewals = first.renewals
    for _ in range(5):
        await asyncio.sleep(0)
    assert first.renewals <= renewals + 1
