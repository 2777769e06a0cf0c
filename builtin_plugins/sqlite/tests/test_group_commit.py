"""Write scopes that follow one another on SQLite share a commit, and nobody hears of success before it."""

import asyncio
import sqlite3
import threading
from dataclasses import replace
from typing import Any

import pytest

from builtin_plugins.sqlite.tests.held_commits import HeldCommit
from builtin_plugins.sqlite.write_group import WriteGroup
from guildhall_sdk import Row
from guildhall_sdk.engines.pools import WriteCondition
from guildhall_sdk.errors import PaymentRequired
from guildhall_testing.counters import ADD, COUNTERS, GET
from guildhall_testing.databases import database_at, statement
from guildhall_testing.lines import Line, fail, settle

pytestmark = pytest.mark.parametrize("url", ["sqlite"], indirect=True)


@pytest.mark.usefixtures("without_hurry")
async def test_those_in_line_share_one_commit(line: Line, commits: list[str]) -> None:
    async with line.forms():
        for name in "abcdefg":
            await line.queue(name, line.write(name))
    await line.outcomes()
    assert await line.written() == set("abcdefg")
    assert commits == ["COMMIT"]
    assert line.callbacks == list("abcdefg")


@pytest.mark.usefixtures("without_hurry")
async def test_nobody_hears_of_success_before_the_commit(line: Line, held_commit: HeldCommit) -> None:
    """Nor of a refusal, which may be due to what the others wrote."""
    async with line.forms():
        await line.queue("a", line.write("a"))
        await line.queue("refused", line.write("refused", fail))
        await line.queue("b", line.write("b"))
    await held_commit.is_under_way()
    assert not any(task.done() for task in line.tasks.values())
    assert line.callbacks == []
    assert await line.written() == set()
    held_commit.may_go_on.set()
    await line.outcomes()
    assert await line.written() == set(line.callbacks) == {"a", "b"}


@pytest.mark.usefixtures("without_hurry")
async def test_one_that_fails_takes_back_its_own_changes_alone(line: Line, commits: list[str]) -> None:
    async with line.forms():
        await line.queue("a", line.write("a"))
        await line.queue("bad", line.write("bad", fail))
        await line.queue("b", line.write("b", lambda writer: writer.run(ADD, id="b2", n=1)))
        await line.queue("twice", line.write("a"))
        await line.queue("c", line.write("c"))
    outcomes = await line.outcomes()
    assert isinstance(outcomes["bad"], LookupError)
    assert "UNIQUE" in str(outcomes["twice"])
    assert await line.written() == {"a", "b", "b2", "c"}
    assert line.callbacks == ["a", "b", "c"]
    assert commits == ["COMMIT"]


@pytest.mark.usefixtures("without_hurry")
async def test_one_that_is_cancelled_in_the_middle_takes_back_its_own_changes_alone(line: Line) -> None:
    inside = asyncio.Event()

    async def wait_for_ever(_: Any) -> None:
        inside.set()
        await asyncio.Event().wait()

    async with line.forms():
        await line.queue("a", line.write("a"))
        await line.queue("gone", line.write("gone", wait_for_ever))
        await line.queue("b", line.write("b"))
        waiting = asyncio.create_task(inside.wait())
        waiting.add_done_callback(lambda _: line.tasks["gone"].cancel())
    outcomes = await line.outcomes()
    assert isinstance(outcomes["gone"], asyncio.CancelledError)
    assert await line.written() == {"a", "b"}


@pytest.mark.usefixtures("without_hurry")
async def test_one_cancelled_before_its_first_statement_ran_takes_nothing_of_others_back(
    line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its savepoint was never made: the one that is there belongs to somebody else."""
    thread = line.database._pool._group.thread  # type: ignore[attr-defined]
    blocked, may_go_on = threading.Event(), threading.Event()

    def block(_: sqlite3.Connection) -> None:
        blocked.set()
        may_go_on.wait()

    async def occupy_the_thread(_: Any) -> None:
        thread.call(block)

    async with line.forms():
        await line.queue("a", line.write("a"))
        await line.queue("b", line.write("b"))
        await line.queue("c", line.write("c", occupy_the_thread))
        await line.queue("gone", line.write("gone"))
        await line.queue("d", line.write("d"))
    monkeypatch.setattr(WriteGroup, "_may_grow", lambda *_: True)
    await asyncio.to_thread(blocked.wait)
    await settle()
    line.tasks["gone"].cancel()
    await asyncio.sleep(0)
    may_go_on.set()
    await line.outcomes()
    assert await line.written() == {*"abcd"}


@pytest.mark.usefixtures("without_hurry")
async def test_whoever_is_cancelled_while_waiting_for_the_commit_has_written(
    line: Line, held_commit: HeldCommit
) -> None:
    async with line.forms():
        for name in ("a", "gone", "b"):
            await line.queue(name, line.write(name))
    await held_commit.is_under_way()
    line.tasks["gone"].cancel()
    await settle()
    assert line.tasks["gone"].cancelled()
    assert line.callbacks == []
    held_commit.may_go_on.set()
    await line.outcomes()
    assert await line.written() == set(line.callbacks) == {"a", "b", "gone"}


async def test_whoever_has_the_turn_and_does_nothing_holds_up_nobodys_commit(line: Line) -> None:
    enough = asyncio.Event()

    async def idle() -> None:
        async with line.database.write() as writer:
            await enough.wait()
            await writer.run(ADD, id="idle", n=1)

    async with line.forms():
        await line.queue("a", line.write("a"))
        await line.queue("idle", idle())
    await line.tasks["a"]
    assert await line.written() == {"a"}
    enough.set()
    await line.outcomes()
    assert await line.written() == {"a", "idle"}


@pytest.mark.usefixtures("without_hurry")
async def test_when_the_next_in_line_gives_up_the_rest_is_committed(line: Line) -> None:
    async def cancel_the_next(_: Any) -> None:
        # The turn is passed on at the end of this scope: the cancel comes in the same moment.
        asyncio.get_running_loop().call_soon(line.tasks["gone"].cancel)

    async with line.forms():
        await line.queue("a", line.write("a", cancel_the_next))
        await line.queue("gone", line.write("gone"))
    await line.outcomes()
    assert await line.written() == {"a"}


async def test_a_group_has_no_more_members_than_it_may(
    line: Line, commits: list[str], monkeypatch: pytest.MonkeyPatch, without_hurry: None
) -> None:
    monkeypatch.setattr("builtin_plugins.sqlite.write_group.MAX_MEMBERS", 3)
    async with line.forms():
        for name in "abcdefgh":
            await line.queue(name, line.write(name))
    await line.outcomes()
    assert await line.written() == set("abcdefgh")
    assert len(commits) == 3


@pytest.mark.usefixtures("without_hurry")
async def test_a_migration_waits_for_the_commit_of_those_before_it(line: Line) -> None:
    async def migrate() -> None:
        channel = await line.database.pool.migration()
        await channel.script("CREATE TABLE further (id TEXT)")
        await channel.commit()

    async with line.forms():
        await line.queue("a", line.write("a"))
        await line.queue("migration", migrate())
        await line.queue("b", line.write("b"))
    assert set((await line.outcomes()).values()) == {None}
    assert await line.written() == {"a", "b"}


def _refuse(row: Row) -> None:
    raise PaymentRequired("closed")


CLOSED = statement("SELECT id FROM counters WHERE id = 'closed'")


@pytest.mark.usefixtures("without_hurry")
@pytest.mark.parametrize("quick", [False, True])
async def test_a_condition_sees_what_was_written_just_before_it(
    url: str, quick: bool, held_commit: HeldCommit
) -> None:
    """The one that closes commits with those who came before; those behind it are refused, and only then."""
    asked = replace(CLOSED, quick=quick)
    held_commit.may_go_on.set()
    database = database_at(url, condition_of=lambda place: WriteCondition((place,), asked, {}, _refuse))
    await database.connect()
    async with database.write() as writer:
        await writer.run(COUNTERS)
    held_commit.begun.clear()
    held_commit.may_go_on.clear()
    line = Line(database)

    async def write(name: str) -> None:
        async with database.write(within="org_acme") as writer:
            await writer.run(ADD, id=name, n=1)

    async with line.forms():
        for name in ("before", "closed", "behind", "far behind"):
            await line.queue(name, write(name))
    await held_commit.is_under_way()
    assert not any(task.done() for task in line.tasks.values())
    held_commit.may_go_on.set()
    outcomes = await line.outcomes()
    assert await line.written() == {"before", "closed"}
    assert outcomes["before"] is outcomes["closed"] is None
    assert isinstance(outcomes["behind"], PaymentRequired)
    assert isinstance(outcomes["far behind"], PaymentRequired)
    await database.disconnect()


@pytest.mark.usefixtures("without_hurry")
async def test_a_scope_sees_the_changes_of_those_before_it(line: Line) -> None:
    seen: list[Any] = []

    async def look(writer: Any) -> None:
        seen.append(await writer.value(GET, id="a"))

    async with line.forms():
        await line.queue("a", line.write("a"))
        await line.queue("b", line.write("b", look))
    await line.outcomes()
    assert seen == [1]


@pytest.mark.usefixtures("without_hurry")
async def test_whoever_is_apart_sees_nothing_that_could_still_be_lost(line: Line, commits: list[str]) -> None:
    """It may delete a file because a row is gone: that row must not come back with a commit that fails."""
    committed: list[int] = []

    async def act() -> None:
        async with line.database.write(apart=True) as writer:
            await writer.run(ADD, id="apart", n=1)
            committed.append(len(commits))

    async with line.forms():
        await line.queue("a", line.write("a"))
        await line.queue("b", line.write("b"))
        await line.queue("apart", act())
        await line.queue("c", line.write("c"))
    assert set((await line.outcomes()).values()) == {None}
    assert committed == [1]
    assert len(commits) == 2
    assert await line.written() == {"a", "b", "apart", "c"}


@pytest.mark.usefixtures("without_hurry")
async def test_a_group_that_is_overdue_waits_for_one_that_fails_and_for_nobody_behind_it(
    line: Line, commits: list[str]
) -> None:
    """However many are refused one after the other, whoever wrote before them gets their commit."""
    group = line.database._pool._group  # type: ignore[attr-defined]
    committed: list[int] = []

    async def fail_late(_: Any) -> None:
        group._has_waited()
        raise LookupError("on purpose")

    async def look(_: Any) -> None:
        committed.append(len(commits))
        raise LookupError("on purpose")

    async with line.forms():
        await line.queue("a", line.write("a"))
        await line.queue("late", line.write("late", fail_late))
        for name in "bcd":
            await line.queue(name, line.write(name, look))
    outcomes = await line.outcomes()
    assert committed == [1, 1, 1]
    assert outcomes.pop("a") is None
    assert {type(error) for error in outcomes.values()} == {LookupError}
    assert await line.written() == {"a"}


async def test_what_need_not_be_durable_ends_before_its_commit_and_later_writes_see_it(
    line: Line, held_commit: HeldCommit
) -> None:
    called = asyncio.Event()
    async with line.database.write(durable=False) as writer:
        await writer.run(ADD, id="soon", n=1)
        writer.after_commit(called.set)
    await held_commit.is_under_way()
    assert not called.is_set()
    assert await line.written() == set()
    next_one = asyncio.create_task(line.write("next"))
    held_commit.may_go_on.set()
    await next_one
    await called.wait()
    assert await line.written() == {"soon", "next"}
