"""What makes lists and sums flat is there for what a database held before, and follows older servers."""

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import builtin_plugins
import kernel
from guildhall_sdk import Statement
from guildhall_testing.databases import database_at
from guildhall_testing.postgres import session_server
from kernel.db.database import Database
from kernel.db.migrations import migrate
from libs.migration_files import MigrationSource

KERNEL = Path(kernel.__file__).with_name("migrations")
BUILTIN = Path(builtin_plugins.__path__[0])
DAY = 86_400_000
#: The last step of the version before, of each.
BEFORE = {"repo": 8, "ai": 4, "l10n": 2}
FILL = [
    "INSERT INTO orgs (id, slug, name, plan, created_at) VALUES ('org', 'org', 'Company', 'team', 0)",
    "INSERT INTO teams (id, org_id, slug, name, created_at) VALUES ('one', 'org', 'one', 'One', 0)",
    "INSERT INTO users (id, org_id, username, username_key, display_name, locale, operator, two_factor,"
    " created_at) VALUES ('ann', 'org', 'ann', 'ann', 'Ann', 'en', 0, 0, 0),"
    " ('bob', 'org', 'bob', 'bob', 'Bob', 'en', 0, 0, 0)",
]
OBJECT = (
    "INSERT INTO objects (id, org_id, team_id, owner_id, key, visibility, revision, last_number, newest_id,"
    " present, document, text_status, created_at, updated_at)"
    " VALUES (:id, 'org', 'one', 'ann', :id, :visibility, 1, 2, :newest, :present, 0, 'none', 0, 0)"
)
VERSION = (
    "INSERT INTO object_versions (id, object_id, org_id, number, marker, sha256, size, etag, content_type,"
    " filename, attributes, created_at, created_by)"
    " VALUES (:id, :object_id, 'org', :number, :marker, 'x', 1, 'x', 'text/plain', 'x', '{}', :at, 'ann')"
)
GRANT = (
    "INSERT INTO object_grants (object_id, principal_type, principal_id, org_id, team_id, key, capability,"
    " granted_by, granted_at) VALUES (:id, 'user', 'bob', 'org', 'one', :id, 'view', 'ann', 0)"
)
USE = (
    "INSERT INTO ai_usage (team_id, at, user_id, model, credential, requests, tokens)"
    " VALUES ('one', :at, :user_id, 'm', 'session', 1, :tokens)"
    " ON CONFLICT (team_id, at, user_id, model, credential) DO UPDATE"
    " SET requests = ai_usage.requests + excluded.requests, tokens = ai_usage.tokens + excluded.tokens"
)
MESSAGE = (
    "INSERT INTO l10n_messages (id, locale, key, ns, status, version, created_at, updated_at, source,"
    " approved_text) VALUES (:id, 'fr', :id, 'nav', :status, 1, 0, 0, 'x', :approved_text)"
)
#: The status, and the text that was approved.
MESSAGES = {"a": ("approved", "y"), "b": ("stale", "y"), "c": ("missing", None), "d": ("gone", "y")}
#: The visibility, and whether a version or a delete marker is the newest.
OBJECTS = {
    "there": ("shared", 1),
    "private": ("private", 1),
    "deleted": ("team", 0),
    "hidden": ("private", 0),
}
USED = [(DAY + 5, "ann", 3), (DAY + 9, "ann", 4), (DAY + 9, "bob", 1), (3 * DAY, "ann", 2)]


@pytest.fixture(params=["sqlite", "postgresql"])
async def data(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Database]:
    """Yields a database of the version before, with some of everything."""
    is_sqlite = request.param == "sqlite"
    opened = database_at(
        f"sqlite:///{tmp_path / 'x.db'}" if is_sqlite else session_server().create_database()
    )
    await opened.connect()
    await migrate(
        opened, [MigrationSource("kernel", KERNEL), *(earlier(name, tmp_path) for name in BEFORE)], 0
    )
    for text in FILL:
        await run(opened, text)
    for name, (visibility, present) in OBJECTS.items():
        await run(opened, OBJECT, id=name, visibility=visibility, newest=f"{name}2", present=present)
        for number in (1, 2):
            marker = int(number == 2 and not present)
            await run(
                opened, VERSION, id=f"{name}{number}", object_id=name, number=number, marker=marker, at=number
            )
        await run(opened, GRANT, id=name)
    for at, user_id, tokens in USED:
        await run(opened, USE, at=at, user_id=user_id, tokens=tokens)
    for name, (status, text) in MESSAGES.items():
        await run(opened, MESSAGE, id=name, status=status, approved_text=text)
    yield opened
    await opened.disconnect()


def earlier(name: str, tmp_path: Path) -> MigrationSource:
    folder = tmp_path / name
    folder.mkdir()
    for path in (BUILTIN / name / "migrations").glob("*.sql"):
        if int(path.name[:4]) <= BEFORE[name]:
            shutil.copy(path, folder)
    return MigrationSource(name, folder)


async def upgrade(data: Database) -> None:
    now = [MigrationSource(name, BUILTIN / name / "migrations") for name in BEFORE]
    await migrate(data, [MigrationSource("kernel", KERNEL), *now], 0)


async def run(data: Database, text: str, **binds: object) -> list[tuple[object, ...]]:
    async with data.write() as writer:
        return [tuple(row.values()) for row in await writer.all(Statement("asked", text, text), **binds)]


async def sums(data: Database) -> list[tuple[object, ...]]:
    return await run(data, "SELECT day, user_id, requests, tokens FROM ai_usage_days ORDER BY day, user_id")


async def test_the_days_of_what_was_used_before_are_summed_and_follow_older_servers(data: Database) -> None:
    await upgrade(data)
    assert await sums(data) == [(DAY, "ann", 2, 7), (DAY, "bob", 1, 1), (3 * DAY, "ann", 1, 2)]
    # As a server of the version before writes and throws away.
    await run(data, USE, at=DAY + 9, user_id="ann", tokens=10)
    await run(data, USE, at=4 * DAY, user_id="bob", tokens=5)
    await run(data, "DELETE FROM ai_usage WHERE at = :at", at=3 * DAY)
    await run(data, "DELETE FROM ai_usage WHERE at = :at", at=DAY + 5)
    assert await sums(data) == [(DAY, "ann", 2, 14), (DAY, "bob", 1, 1), (4 * DAY, "bob", 1, 5)]


async def test_what_was_given_before_is_listed_while_it_can_be_seen(data: Database) -> None:
    listed = "SELECT object_id FROM object_grants WHERE listed = 1 ORDER BY object_id"
    await upgrade(data)
    assert await run(data, listed) == [("there",)]
    # As a server of the version before deletes, brings back, and shares.
    await run(data, "UPDATE objects SET present = 0 WHERE id = 'there'")
    await run(data, "UPDATE objects SET present = 1, visibility = 'shared' WHERE id IN ('deleted', 'hidden')")
    await run(data, "UPDATE objects SET visibility = 'team' WHERE id = 'private'")
    assert await run(data, listed) == [("deleted",), ("hidden",), ("private",)]


async def test_old_versions_of_before_have_their_time(data: Database) -> None:
    old = "SELECT id, old_in, old_since FROM object_versions WHERE old_in IS NOT NULL ORDER BY id"
    await upgrade(data)
    assert await run(data, old) == [(f"{name}1", "one", 2) for name in sorted(OBJECTS)]


async def test_how_far_a_language_was_is_counted_and_follows_older_servers(data: Database) -> None:
    await upgrade(data)
    counted = "SELECT locale, approved, total FROM l10n_progress"
    assert await run(data, counted) == [("fr", 2, 3)]
    await run(data, "UPDATE l10n_messages SET approved_text = 'y', status = 'approved' WHERE id = 'c'")
    await run(data, "UPDATE l10n_messages SET status = 'stale' WHERE id IN ('c', 'd')")
    assert await run(data, counted) == [("fr", 4, 4)]
    await run(data, "DELETE FROM l10n_messages WHERE id IN ('a', 'b')")
    assert await run(data, counted) == [("fr", 2, 2)]
