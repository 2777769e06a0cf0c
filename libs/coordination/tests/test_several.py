import asyncio

import pytest

from libs.coordination import each_of


async def test_each_item_is_worked_on_once_and_so_many_at_a_time():
    done, running, most = [], 0, 0

    async def work(item):
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1
        done.append(item)

    await each_of(range(20), work, 3)
    assert (sorted(done), most) == ([*range(20)], 3)


async def test_the_first_failure_ends_all_and_is_the_one_that_is_raised():
    begun = []

    async def work(item):
        begun.append(item)
        await asyncio.sleep(0)
        raise ValueError(item)

    with pytest.raises(ValueError, match=r"^0$"):
        await each_of(range(20), work, 2)
    assert begun == [0, 1]
