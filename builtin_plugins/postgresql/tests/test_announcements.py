"""Words between processes: each channel hears its own, nobody hears themself, and many words arrive whole."""

import asyncio

import pytest

from guildhall_testing.databases import Database, database_at
from guildhall_testing.postgres import session_server

SOON = 60


class Listener:
    """A channel of a process of its own, and what it heard."""

    def __init__(self, database: Database, channel: str) -> None:
        self.heard: asyncio.Queue[str | None] = asyncio.Queue()
        self.channel = database.pool.announcements(channel, self.heard.put_nowait)

    async def next(self) -> str | None:
        return await asyncio.wait_for(self.heard.get(), SOON)


@pytest.fixture
def url():
    server = session_server()
    made = server.create_database()
    yield made
    server.drop_database(made)


@pytest.fixture
async def listeners(url):
    """Two processes, each with the channels `a` and `b`, once all of them listen."""
    here, there = database_at(url), database_at(url)
    made = [Listener(process, name) for process in (here, there) for name in ("a", "b")]
    for listener in made:
        await listener.channel.start()
    for listener in made:
        assert await listener.next() is None, "words said before may have been missed"
    yield made
    for listener in made:
        await listener.channel.stop()


async def test_a_word_reaches_the_same_channel_of_other_processes_alone(listeners):
    here_a, here_b, there_a, there_b = listeners
    here_a.channel.notify("hello")
    assert await there_a.next() == "hello"
    there_b.channel.notify("done")
    assert await here_b.next() == "done"
    assert here_a.heard.empty() and there_a.heard.empty() and there_b.heard.empty()


async def test_the_same_word_many_times_is_told_once(listeners):
    here_a, _, there_a, _ = listeners
    for _ in range(100):
        here_a.channel.notify("again")
    here_a.channel.notify("last")
    assert [await there_a.next(), await there_a.next()] == ["again", "last"]


async def test_more_words_than_one_notification_holds_all_arrive(listeners):
    here_a, _, there_a, _ = listeners
    words = [f"word-{number:05}-{'x' * 60}" for number in range(1000)]
    for word in words:
        here_a.channel.notify(word)
    assert [await there_a.next() for _ in words] == words


async def test_a_lost_connection_is_made_again_and_said(listeners, monkeypatch):
    monkeypatch.setattr("builtin_plugins.postgresql.announcements._AGAIN_SECONDS", 0.05)
    here_a, here_b, there_a, _ = listeners
    here_a.channel._line._connection.terminate()
    assert [await here_a.next(), await here_b.next()] == [None, None]
    there_a.channel.notify("still there")
    assert await here_a.next() == "still there"
