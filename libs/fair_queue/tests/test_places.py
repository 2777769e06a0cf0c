"""Places that wait are counted now and then, and never more are taken than there are."""

import asyncio

import pytest

from libs.fair_queue import FEW_PLACES, CountedPlaces


class Queue:
    """A queue that counts itself, and how often it was asked to."""

    def __init__(self, max_places):
        self.waiting, self.counts, self.now, self.max_places = 0, 0, 0, max_places
        self._places = CountedPlaces(lambda: self.now)

    async def _count(self):
        self.counts += 1
        await asyncio.sleep(0)
        return self.waiting

    async def put(self, many=1):
        if not await self._places.take("acme", many, self.max_places, self._count):
            return False
        self.waiting += many
        return True


async def test_many_at_once_never_pass_the_limit():
    queue = Queue(20)
    put = await asyncio.gather(*(queue.put() for _ in range(32)))
    assert (sum(put), queue.waiting) == (20, 20)


async def test_a_count_serves_many():
    queue = Queue(100_000)
    for _ in range(1000):
        assert await queue.put()
    assert queue.counts == 1


async def test_a_full_queue_is_counted_again_after_a_second():
    queue = Queue(2)
    assert [await queue.put(), await queue.put(), await queue.put()] == [True, True, False]
    queue.waiting, asked = 0, queue.counts
    assert not await queue.put()
    assert queue.counts == asked
    queue.now += 1000
    assert await queue.put()


@pytest.mark.parametrize("free", [1, FEW_PLACES, 8 * FEW_PLACES, 1000])
async def test_a_batch_has_room_or_takes_nothing(free):
    queue = Queue(free)
    assert not await queue.put(free + 1)
    queue.now += 1000
    assert await queue.put(free)
    queue.now += 1000
    assert not await queue.put()
