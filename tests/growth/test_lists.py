"""A page of a list costs the same in a team that has much: the statements behind it read what it shows."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from builtin_plugins.ai.usage import sql as usage
from guildhall_sdk import Statement, load_queries
from kernel.db.accounts import current_account
from kernel.db.scopes import ScopedReader
from tests.growth.effort import rows_on_postgresql, steps_on_sqlite

filling = load_queries(Path(__file__).with_name("filling.sql"))
MANY = 30_000

LISTS = [
    "/api/jobs",
    "/api/jobs?state=failed",
    "/api/jobs?state=queued",
    "/api/jobs?kind=x.rare",
    "/api/jobs?kind=x.common&state=failed",
    "/api/jobs?kind=x.rare&state=succeeded",
    "/api/notes",
    "/api/notes?scope=org",
    "/api/repo",
    "/api/repo?prefix=k1",
    "/api/repo?shared=1",
    "/api/repo?scope=org",
    "/api/documents",
    "/api/audit",
    "/api/org/audit",
    "/api/tokens",
    "/api/members",
    "/api/org/members",
    "/api/org/teams",
    "/api/glossary",
    "/api/glossary?target=es",
    "/api/translate",
    "/api/usage?by=user",
]
# Of whoever sees their own alone.
OWN_LISTS = ["/api/usage?by=user", "/api/usage?by=token"]


async def fill(hall: Any, asker: Any, other: Any) -> None:
    who = {
        "org_id": asker.person.org_id,
        "team_id": asker.person.team_id,
        "user_id": asker.person.user_id,
        "other_id": other.person.user_id,
    }
    async with hall.server.data.write() as writer:
        for statement in filling:
            _, names = statement.numbered
            known = {"many": MANY, **who}
            await writer.run(statement, **{name: known[name] for name in names})


async def effort(hall: Any, asker: Any, monkeypatch: pytest.MonkeyPatch, path: str) -> int:
    """Of all statements that the request runs, each run once more to count."""
    asked: list[tuple[Statement, Mapping[str, Any]]] = []
    plainly = ScopedReader.all

    async def noted(reader: ScopedReader, statement: Statement, **binds: Any) -> Any:
        if current_account.get().limited:  # else it is the server's own
            asked.append((statement, binds))
        return await plainly(reader, statement, **binds)

    with monkeypatch.context() as patched:
        patched.setattr(ScopedReader, "all", noted)
        answer = await asker.get(path)
    assert answer.status_code == 200, path
    return sum([await spent_on(hall, *one) for one in asked])


async def spent_on(hall: Any, statement: Statement, binds: Mapping[str, Any]) -> int:
    url = hall.server.settings.database_url
    if hall.database == "sqlite":
        return steps_on_sqlite(url.removeprefix("sqlite:///"), statement, binds)
    return await rows_on_postgresql(url, statement, binds)


async def test_a_page_reads_what_it_shows_however_much_there_is(
    hall: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For a team that has much, and for one that has little beside it."""
    asker, other = await hall.join(hall.acme, "admin", org_role="org_owner"), await hall.join(hall.acme)
    await fill(hall, asker, other)
    neighbour = await hall.join(hall.globex, "admin", org_role="org_owner")
    for who in (asker, neighbour):
        efforts = {path: await effort(hall, who, monkeypatch, path) for path in LISTS}
        assert all(efforts.values())
        assert {path: spent for path, spent in efforts.items() if spent > MANY / 10} == {}
    efforts = {path: await effort(hall, other, monkeypatch, path) for path in OWN_LISTS}
    assert {path: spent for path, spent in efforts.items() if spent > MANY / 10} == {}


async def test_putting_old_use_together_looks_at_nothing_that_was(hall: Any) -> None:
    asker = hall.acme.member
    await fill(hall, asker, asker)
    for statement in (usage.unfolded_hours, usage.unfolded_days):
        assert await spent_on(hall, statement, {"until": 2**62, "limit": 200}) < MANY / 100
