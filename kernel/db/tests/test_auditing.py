"""Audit entries are written last, in the transaction they tell of."""

from collections.abc import AsyncIterator, Sequence

import pytest

from guildhall_sdk import Actor, Writer
from guildhall_testing.counters import ADD, ALL, COUNTERS
from guildhall_testing.databases import database_at
from kernel.db.database import Database
from kernel.db.scopes import AuditEntry

MIRA = Actor(name="mira", user_id="usr_1", org_id="org_1", team_id="team_1", request_id="req_1")
SYSTEM = Actor(name="system")


class Recorder:
    """A sink that writes each entry as a row and can be told to fail."""

    def __init__(self) -> None:
        self.entries: list[AuditEntry] = []
        self.calls = 0
        self.fails = False

    async def __call__(self, writer: Writer, entries: Sequence[AuditEntry]) -> None:
        self.calls += 1
        self.entries += entries
        for entry in entries:
            await writer.run(ADD, id=f"audit {entry.action}", n=0)
        if self.fails:
            raise OSError("the sink is broken")


@pytest.fixture
def sink() -> Recorder:
    return Recorder()


@pytest.fixture
async def audited(url: str, sink: Recorder) -> AsyncIterator[Database]:
    database = database_at(url, audit_sink=sink)
    await database.connect()
    async with database.write() as writer:
        await writer.run(COUNTERS)
    yield database
    await database.disconnect()


async def keys(database: Database) -> list[str]:
    async with database.read() as reader:
        return [row["id"] for row in await reader.all(ALL)]


async def test_entries_reach_the_sink_once_and_in_order(audited: Database, sink: Recorder) -> None:
    async with audited.write(MIRA) as writer:
        writer.audit("note.create", ("note", "n1"), detail={"title": "x"})
        writer.audit("note.share", actor=SYSTEM)
        assert sink.calls == 0
    assert sink.calls == 1
    assert sink.entries == [
        AuditEntry("note.create", "note", "n1", {"title": "x"}, MIRA),
        AuditEntry("note.share", None, None, {}, SYSTEM),
    ]
    assert await keys(audited) == ["audit note.create", "audit note.share"]


async def test_a_scope_without_entries_does_not_call_the_sink(audited: Database, sink: Recorder) -> None:
    async with audited.write(MIRA) as writer:
        await writer.run(ADD, id="a", n=1)
    assert sink.calls == 0


async def test_the_detail_is_as_it_was_when_recorded(audited: Database, sink: Recorder) -> None:
    detail = {"title": "before"}
    async with audited.write(MIRA) as writer:
        writer.audit("note.update", detail=detail)
        detail["title"] = "after"
    assert sink.entries[0].detail == {"title": "before"}


async def test_a_rollback_takes_the_entries_along(audited: Database, sink: Recorder) -> None:
    with pytest.raises(KeyError):
        async with audited.write(MIRA) as writer:
            writer.audit("note.create")
            raise KeyError
    assert sink.calls == 0
    assert await keys(audited) == []


async def test_a_change_that_cannot_be_recorded_does_not_happen(audited: Database, sink: Recorder) -> None:
    sink.fails = True
    with pytest.raises(OSError, match="broken"):
        async with audited.write(MIRA) as writer:
            await writer.run(ADD, id="a", n=1)
            writer.audit("note.create")
    assert await keys(audited) == []
    sink.fails = False
    async with audited.write(MIRA) as writer:
        await writer.run(ADD, id="a", n=1)
    assert await keys(audited) == ["a"]


async def test_an_entry_nobody_would_keep_is_refused(database: Database) -> None:
    with pytest.raises(RuntimeError, match="without an audit sink"):
        async with database.write() as writer:
            writer.audit("note.create")
