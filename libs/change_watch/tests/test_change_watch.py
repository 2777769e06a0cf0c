"""Who follows a thing is woken by what happens to it, and by nothing else."""

import asyncio
from contextlib import contextmanager

import pytest

from libs import change_watch
from libs.change_watch import Followers


class Channel:
    def __init__(self):
        self.told, self.queue = [], asyncio.Queue()

    def announce(self, payload):
        self.told.append(payload)
        self.queue.put_nowait(payload)

    @contextmanager
    def listen(self):
        async def announcements():
            while True:
                yield await self.queue.get()

        yield announcements()


@pytest.fixture
async def followers():
    made = Followers(Channel(), ValueError)
    listening = asyncio.create_task(made.listen())
    await asyncio.sleep(0)
    yield made
    listening.cancel()


class Stream:
    """A follower."""


async def test_what_happens_to_a_thing_wakes_its_own_followers_alone(followers):
    with followers.following("a") as a, followers.following("b") as b:
        followers.notify(["a"])
        await a.wait()
        assert not b.is_set()


async def test_after_missed_announcements_all_are_woken(followers):
    with followers.following("a") as a, followers.following("b") as b:
        followers._channel.queue.put_nowait(None)
        await a.wait()
        await b.wait()


async def test_a_read_serves_all_until_something_happens(followers):
    reads = []

    async def read():
        reads.append(1)
        return len(reads)

    with followers.following("a") as woken:
        assert [await followers.read_once("a", "page", read) for _ in range(2)] == [1, 1]
        followers.notify(["a"])
        await woken.wait()
        assert await followers.read_once("a", "page", read) == 2


async def test_one_follower_too_many_is_refused_until_another_is_gone(followers, monkeypatch):
    monkeypatch.setattr(change_watch, "MAX_OF_CREDENTIAL", 1)
    first = Stream()
    followers.admit(first, credential="c", company="o")
    with pytest.raises(ValueError, match="This credential follows 1 things here at once already"):
        followers.admit(Stream(), credential="c", company="o")
    with followers.following("a", first):
        pass
    followers.admit(Stream(), credential="c", company="o")
