import asyncio

import pytest

from libs.coordination import PendingWrites, WriteLimits

NEVER = WriteLimits(seconds=3600, enough=4, most=8, tries=3, again_seconds=0)


class Busy(Exception):
    pass


class Book:
    """Takes batches down; it is busy so many times first."""

    def __init__(self, busy=0):
        self.batches = []
        self.busy = busy

    async def write(self, items):
        if self.busy:
            self.busy -= 1
            raise Busy
        self.batches.append([*items])


async def settled():
    for _ in range(20):
        await asyncio.sleep(0)


async def test_what_is_little_waits_and_enough_is_written_together():
    book = Book()
    pending = PendingWrites(book.write, Busy, NEVER)
    await pending.add("a", 1)
    await settled()
    assert (book.batches, pending.last) == ([], "a")
    await pending.add("bcd", 3)
    await settled()
    assert (book.batches, pending.last) == ([["a", "bcd"]], None)
    await pending.stop()


async def test_the_first_of_a_batch_waits_no_longer_than_the_limit_says():
    book = Book()
    pending = PendingWrites(book.write, Busy, WriteLimits(seconds=0))
    await pending.add("a", 1)
    await settled()
    assert book.batches == [["a"]]
    await pending.stop()


async def test_an_item_can_take_the_place_of_the_last():
    book = Book()
    pending = PendingWrites(book.write, Busy, NEVER)
    await pending.add("a", 1)
    await pending.add("ab", 1, in_place=True)
    await pending.put("c")
    assert book.batches == [["ab", "c"]]
    await pending.stop()


async def test_whoever_adds_too_much_waits_for_the_write():
    book = Book()
    pending = PendingWrites(book.write, Busy, NEVER)
    await pending.add("a", 8)
    assert book.batches == [["a"]]
    await pending.stop()


async def test_what_is_left_is_written_at_the_end():
    book = Book()
    pending = PendingWrites(book.write, Busy, NEVER)
    await pending.add("a", 1)
    await pending.finish()
    assert book.batches == [["a"]]


async def test_a_write_that_is_busy_is_tried_again_and_no_more_often_than_the_limit_says():
    book = Book(busy=2)
    pending = PendingWrites(book.write, Busy, NEVER)
    await pending.put("a")
    assert book.batches == [["a"]]
    book.busy = 3
    with pytest.raises(Busy):
        await pending.put("b")
    await pending.stop()


async def test_whoever_adds_hears_what_ended_the_writing():
    async def write(items):
        raise ValueError("gone")

    pending = PendingWrites(write, Busy, NEVER)
    await pending.add("a", 4)
    await settled()
    with pytest.raises(ValueError, match="gone"):
        await pending.add("b", 1)
    await pending.stop()
