"""A commit that fails, SQLite rolling back by itself, a stop in the middle: nobody hears of success."""

import asyncio
import resource
import sqlite3
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from guildhall_sdk import Unavailable
from guildhall_testing.accounts import job_of
from guildhall_testing.counters import ADD
from guildhall_testing.lines import ENDLESS, LONG_WRITE, ORPHAN, Line, fail

pytestmark = pytest.mark.parametrize("url", ["sqlite"], indirect=True)


@pytest.mark.usefixtures("without_hurry")
async def test_a_commit_that_fails_fails_everybody_and_the_next_is_clean(line: Line) -> None:
    async with line.forms():
        await line.queue("a", line.write("a"))
        await line.queue("culprit", line.write("x", lambda writer: writer.run(ORPHAN, id="nobody")))
        await line.queue("refused", line.write("refused", fail))
        await line.queue("b", line.write("b"))
    outcomes = await line.outcomes()
    assert all(isinstance(outcome, Unavailable) for outcome in outcomes.values())
    assert await line.written() == set()
    assert line.callbacks == []
    await line.write("after")
    assert await line.written() == {"after"}


async def test_a_commit_that_fails_for_one_alone_says_why(line: Line) -> None:
    with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"):
        await line.write("x", lambda writer: writer.run(ORPHAN, id="nobody"))
    assert await line.written() == set()


@pytest.mark.usefixtures("without_hurry")
async def test_what_makes_sqlite_roll_everything_back_fails_everybody(line: Line) -> None:
    """A statement that writes is stopped by its limit: SQLite then ends the transaction by itself."""

    async def write_for_ever(writer: Any) -> None:
        await writer.run(LONG_WRITE, rows=ENDLESS)

    async with line.forms():
        await line.queue("a", line.write("a"))
        await line.queue("b", line.write("b"))
        await line.queue("endless", line.write("endless", write_for_ever))
        await line.queue("c", line.write("c"))
    outcomes = await line.outcomes()
    for name in ("a", "b", "endless"):
        assert isinstance(outcomes[name], Unavailable), name
        assert "nothing was changed" in outcomes[name].detail
    assert outcomes["c"] is None
    assert await line.written() == {"c"}


@pytest.mark.usefixtures("without_hurry")
async def test_whoever_gives_up_on_a_long_write_harms_nobody(line: Line) -> None:
    started = asyncio.Event()

    async def write_long(writer: Any) -> None:
        started.set()
        await writer.run(LONG_WRITE, rows=100_000)

    async with line.forms():
        await line.queue("a", line.write("a"))
        await line.queue("gone", line.write("gone", write_long), job_of("org_acme"))
        await line.queue("b", line.write("b"))
    await started.wait()
    await asyncio.sleep(0)
    line.tasks["gone"].cancel()
    outcomes = await line.outcomes()
    assert isinstance(outcomes.pop("gone"), asyncio.CancelledError)
    assert set(outcomes.values()) == {None}
    assert await line.written() == {"a", "b"}


@pytest.mark.usefixtures("without_hurry")
async def test_the_disconnect_commits_what_waits_and_not_what_is_in_the_middle(line: Line, url: str) -> None:
    inside, may_go_on = asyncio.Event(), asyncio.Event()

    async def pause(writer: Any) -> None:
        inside.set()
        await may_go_on.wait()
        await writer.run(ADD, id="too late", n=1)

    async with line.forms():
        await line.queue("a", line.write("a"))
        await line.queue("middle", line.write("middle", pause))
        await line.queue("b", line.write("b"))
        line.tasks["disconnect"] = asyncio.create_task(_after(inside, line.database.disconnect))
    await line.tasks["disconnect"]
    may_go_on.set()
    outcomes = await line.outcomes()
    assert outcomes["a"] is None
    assert outcomes["middle"] is not None
    assert outcomes["b"] is not None
    await line.database.connect()
    assert await line.written() == {"a"}


async def _after(event: asyncio.Event, work: Callable[[], Awaitable[None]]) -> None:
    await event.wait()
    await work()


@pytest.mark.usefixtures("without_hurry")
async def test_a_full_disk_fails_everybody_and_afterwards_it_goes_on(line: Line, tmp_path: Path) -> None:
    """No file may grow beyond what the log of the database has by now: its commit cannot be written."""
    log = tmp_path / "data" / "guildhall.db-wal"
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    async with line.forms():
        for name in "abc":
            await line.queue(name, line.write(name))
        await line.queue("refused", line.write("refused", fail))
        resource.setrlimit(resource.RLIMIT_FSIZE, (log.stat().st_size, hard))
    try:
        outcomes = await line.outcomes()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert all(isinstance(outcome, Unavailable) for outcome in outcomes.values()), outcomes
    assert await line.written() == set()
    assert line.callbacks == []
    await line.write("after")
    assert await line.written() == {"after"}
