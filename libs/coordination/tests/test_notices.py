"""Notices to every process, and clocks that are set."""

from functools import partial

import pytest

from libs.coordination import ClockReading, Loop, PolledNotices


class Wire:
    """The channel between processes, which may lose words."""

    def __init__(self):
        self.ends, self.loses = [], False

    def open(self, name, receive):
        self.ends.append(receive)
        return Channel(self, receive)


class Channel:
    def __init__(self, wire, receive):
        self.wire, self.receive = wire, receive

    async def start(self): ...

    async def stop(self): ...

    def notify(self, word):
        for receive in self.wire.ends:
            if receive != self.receive:
                receive(None if self.wire.loses else word)


class Process(PolledNotices):
    def __init__(self, wire, asked):
        super().__init__(wire.open, "toys", partial(Loop, "toys", seconds=60.0, failed=pytest.fail))
        self.asked, self.received = asked, []

    def receive(self, ids):
        self.received += ids

    async def poll(self):
        self.receive(self.asked)


async def test_a_notice_reaches_this_process_and_the_others():
    wire = Wire()
    one, other = Process(wire, []), Process(wire, [])
    one.notify(["a", "b"])
    assert (one.received, other.received) == (["a", "b"], ["a", "b"])


async def test_what_a_lost_word_told_of_is_found_by_the_next_poll():
    wire = Wire()
    wire.loses = True
    one, other = Process(wire, ["a"]), Process(wire, ["a"])
    one.notify(["a"])
    assert other.received == []
    await other.poll()
    assert other.received == ["a"]


def test_a_clock_that_was_set_has_jumped_by_what_did_not_pass():
    before = ClockReading(now=1_000, of_day=50_000, steady=10)
    assert ClockReading(now=1_500, of_day=50_500, steady=510).jumps_since(before) == (0, 0)
    assert ClockReading(now=9_500, of_day=40_500, steady=510).jumps_since(before) == (8_000, -10_000)
