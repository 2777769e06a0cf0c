"""What a process remembers of shared rows: seldom looked at, never out of date once a change has settled."""

import asyncio
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from builtin_plugins.l10n.catalogs import row_cache
from builtin_plugins.l10n.catalogs.row_cache import FRESH_SECONDS, RowCache


@dataclass
class Rows:
    """A database with one row, which counts how often it is looked at."""

    version: int = 1
    looks: int = 0
    loads: int = 0
    fails: bool = False
    gate: asyncio.Event | None = None

    @asynccontextmanager
    async def read(self) -> Any:
        yield self

    async def look(self, reader: Any) -> int:
        self.looks += 1
        if self.fails:
            raise ConnectionError("the database is away")
        version = self.version
        if self.gate is not None:
            await self.gate.wait()
        return version

    async def load(self, reader: Any) -> str:
        self.loads += 1
        return f"value {self.version}"


@pytest.fixture
def now(monkeypatch):
    """A clock that stands still: `now.value += 1` moves it."""

    class Now:
        value = 1000.0

    monkeypatch.setattr(row_cache, "time", SimpleNamespace(monotonic=lambda: Now.value))
    return Now


def remember(rows):
    return RowCache(rows, rows.look, rows.load)


async def test_what_was_just_looked_at_is_used_again(now):
    rows = Rows()
    value = remember(rows)
    assert [await value.get() for _ in range(10)] == ["value 1"] * 10
    assert (rows.looks, rows.loads) == (1, 1)


async def test_after_a_moment_the_version_is_looked_at_and_the_value_made_anew_where_it_changed(now):
    rows = Rows()
    value = remember(rows)
    await value.get()
    now.value += 2 * FRESH_SECONDS
    assert await value.get() == "value 1"
    assert (rows.looks, rows.loads) == (2, 1)
    rows.version = 2
    now.value += 2 * FRESH_SECONDS
    assert await value.get() == "value 2"
    assert (rows.looks, rows.loads) == (3, 2)


async def test_many_at_once_look_once(now):
    rows = Rows(gate=asyncio.Event())
    value = remember(rows)
    waiting = [asyncio.create_task(value.get()) for _ in range(20)]
    await asyncio.sleep(0)
    rows.gate.set()
    assert {*await asyncio.gather(*waiting)} == {"value 1"}
    assert (rows.looks, rows.loads) == (1, 1)


async def test_a_look_counts_from_when_it_began(now):
    rows = Rows(gate=asyncio.Event())
    value = remember(rows)
    slow = asyncio.create_task(value.get())
    await asyncio.sleep(0)
    # The row changes while the answer is on its way: who comes later must look for themself.
    now.value += 2 * FRESH_SECONDS
    rows.version = 2
    rows.gate.set()
    await slow
    assert await value.get() == "value 2"


async def test_once_a_change_has_settled_nobody_in_any_process_sees_what_was_before():
    rows = Rows()
    here, elsewhere = remember(rows), remember(rows)
    assert [await here.get(), await elsewhere.get()] == ["value 1", "value 1"]
    began = time.monotonic()
    rows.version = 2
    await here.settle()
    assert time.monotonic() - began > FRESH_SECONDS
    assert [await here.get(), await elsewhere.get()] == ["value 2", "value 2"]


async def test_the_time_counts_from_a_commit_that_comes_with_the_first_wait(now):
    rows = Rows()
    value = remember(rows)
    settling = value.settle()
    assert settling.send(None) is None  # it waits, and for no time yet
    await value.get()
    rows.version = 2
    settling.send(None)  # the commit is done: now the time begins
    assert await value.get() == "value 2"
    settling.close()


async def test_what_cannot_be_looked_at_is_no_answer_and_is_tried_again(now):
    rows = Rows(fails=True)
    value = remember(rows)
    with pytest.raises(ConnectionError):
        await value.get()
    rows.fails = False
    assert await value.get() == "value 1"
    rows.fails, now.value = True, now.value + 2 * FRESH_SECONDS
    with pytest.raises(ConnectionError):
        await value.get()


async def test_who_gives_up_waiting_holds_nobody_up(now):
    rows = Rows(gate=asyncio.Event())
    value = remember(rows)
    first, second = asyncio.create_task(value.get()), asyncio.create_task(value.get())
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.wait([first])
    rows.gate.set()
    assert await second == "value 1"
