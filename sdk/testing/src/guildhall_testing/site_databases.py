"""The database of a site without its server: what a test looks up or lays down past every service."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from guildhall_testing.databases import database_at, statement
from guildhall_testing.sites import Site
from kernel.db.database import Database
from kernel.tenancy.suspension import open_to_writing


async def drop_audit_events(*_: object) -> None:
    """Stands for an audit trail that nobody reads."""


@dataclass(frozen=True, slots=True)
class TeamIds:
    """A team of a company, and its owner."""

    org_id: str
    id: str
    user_id: str


@dataclass(slots=True)
class SiteDatabase:
    """The database of a site, opened."""

    site: Site
    data: Database

    @property
    def database(self) -> str:
        return self.site.database

    @property
    def acme(self) -> TeamIds:
        return self._team("acme", "team")

    @property
    def acme_second(self) -> TeamIds:
        return self._team("acme", "second_team")

    @property
    def globex(self) -> TeamIds:
        return self._team("globex", "team")

    def _team(self, company: str, which: str) -> TeamIds:
        assert self.site.people is not None
        members = getattr(self.site.people, company)
        team = getattr(members, which)
        return TeamIds(members.id, team.id, team.people["owner"].user_id)

    async def run(self, text: str, **binds: Any) -> None:
        async with self.data.write() as writer:
            await writer.run(statement(text), **binds)

    async def rows(self, text: str, **binds: Any) -> list[dict[str, Any]]:
        async with self.data.read() as reader:
            return [dict(row) for row in await reader.all(statement(text), **binds)]

    async def value(self, text: str, **binds: Any) -> Any:
        async with self.data.read() as reader:
            return await reader.value(statement(text), **binds)


@asynccontextmanager
async def opened_database(site: Site, **options: Any) -> AsyncIterator[Database]:
    """Yields the database of a site, connected; `options` are those of `DatabaseOptions`."""
    data = database_at(
        site.database_url, audit_sink=drop_audit_events, condition_of=open_to_writing, **options
    )
    await data.connect()
    try:
        yield data
    finally:
        await data.disconnect()


@asynccontextmanager
async def opened_site(site: Site) -> AsyncIterator[SiteDatabase]:
    """Yields the database of a site, with statements by their text."""
    async with opened_database(site) as data:
        yield SiteDatabase(site, data)
