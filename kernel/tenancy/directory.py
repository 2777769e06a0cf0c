"""The one place that writes companies, teams, people and who belongs where."""

import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from guildhall_sdk import Clock, Conflict, NotFound, Reader, Row, Statement, Writer, load_queries, new_id
from guildhall_sdk.names import slug_of, username_key
from guildhall_sdk.services import Member, Org, Team, User
from kernel.tenancy.rows import member_of, org_of, team_of, user_of

_sql = load_queries(Path(__file__).with_name("queries.sql"))
_NUMBERED_SLUGS = 9
DEFAULT_LOCALE = "en"


class StoredDirectory:
    """Implements the SDK's `Directory`."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    async def claim_instance(self, writer: Writer) -> bool:
        return await writer.one(_sql.claim_instance, now=str(self._clock.now_ms())) is not None

    async def has_users(self, reader: Reader) -> bool:
        return await reader.one(_sql.any_user) is not None

    async def create_org(
        self, writer: Writer, name: str, *, slug: str | None = None, plan: str = "team"
    ) -> Org:
        slugs = iter([slug]) if slug else _free_slugs(slug_of(name, "company"))
        row = await self._insert_with_slug(writer, _sql.insert_org, "org", slugs, name=name, plan=plan)
        return org_of(row)

    async def create_team(self, writer: Writer, org_id: str, name: str) -> Team:
        slugs = _free_slugs(slug_of(name, "team"))
        row = await self._insert_with_slug(writer, _sql.insert_team, "team", slugs, org_id=org_id, name=name)
        return team_of(row)

    async def _insert_with_slug(
        self, writer: Writer, statement: Statement, prefix: str, slugs: Iterator[str], **binds: Any
    ) -> Row:
        """Takes the first slug that nobody holds; the unique column settles a race."""
        now = self._clock.now_ms()
        for slug in slugs:
            row = await writer.one(statement, id=new_id(prefix, now), slug=slug, now=now, **binds)
            if row is not None:
                return row
        raise Conflict("That slug is taken; choose another, or leave it out.", code="slug_taken")

    async def create_user(
        self,
        writer: Writer,
        org_id: str,
        username: str,
        *,
        display_name: str | None = None,
        locale: str | None = None,
        password_hash: str | None = None,
        operator: bool = False,
        org_role: str | None = None,
    ) -> User:
        now = self._clock.now_ms()
        row = await writer.one(
            _sql.insert_user,
            id=new_id("usr", now),
            org_id=org_id,
            username=username,
            username_key=username_key(username),
            display_name=display_name or username,
            locale=locale or DEFAULT_LOCALE,
            operator=int(operator),
            org_role=org_role,
            password_hash=password_hash,
            now=now,
        )
        if row is None:
            raise Conflict("That username is taken; choose another.", code="username_taken")
        return user_of(row)

    async def org(self, reader: Reader, org_id: str) -> Org | None:
        row = await reader.one(_sql.org_by_id, id=org_id)
        return None if row is None else org_of(row)

    async def set_suspended(self, writer: Writer, org_id: str, at_ms: int | None) -> None:
        if await writer.one(_sql.set_suspended, id=org_id, at=at_ms) is None:
            raise NotFound

    async def team(self, reader: Reader, team_id: str) -> Team | None:
        row = await reader.one(_sql.team_by_id, id=team_id)
        return None if row is None else team_of(row)

    async def user(self, reader: Reader, user_id: str) -> User | None:
        row = await reader.one(_sql.user_by_id, id=user_id)
        return None if row is None else user_of(row)

    async def user_by_name(self, reader: Reader, username: str) -> User | None:
        row = await reader.one(_sql.user_by_key, username_key=username_key(username))
        return None if row is None else user_of(row)

    async def password_hash(self, reader: Reader, user_id: str) -> str | None:
        stored: str | None = await reader.value(_sql.password_hash, id=user_id)
        return stored

    async def set_password(self, writer: Writer, user_id: str, password_hash: str) -> None:
        await writer.run(_sql.set_password, id=user_id, password_hash=password_hash)

    async def set_two_factor(self, writer: Writer, user_id: str, on: bool) -> None:
        await writer.run(_sql.set_two_factor, id=user_id, two_factor=int(on))

    async def update_profile(
        self, writer: Writer, user_id: str, *, display_name: str | None, locale: str | None
    ) -> User:
        row = await writer.one(_sql.update_profile, id=user_id, display_name=display_name, locale=locale)
        if row is None:
            raise NotFound
        return user_of(row)

    async def teams_of(self, reader: Reader, user_id: str) -> Sequence[tuple[Team, str]]:
        rows = await reader.all(_sql.teams_of_user, user_id=user_id)
        return [(team_of(row), row["role"]) for row in rows]

    async def member(self, reader: Reader, team_id: str, user_id: str) -> Member | None:
        row = await reader.one(_sql.member, team_id=team_id, user_id=user_id)
        return None if row is None else member_of(row)

    async def members(self, reader: Reader, team_id: str, after: str | None, limit: int) -> Sequence[Member]:
        rows = await reader.all(_sql.members, team_id=team_id, after=after or "", limit=limit)
        return [member_of(row) for row in rows]

    async def add_member(self, writer: Writer, team_id: str, user_id: str, role: str) -> Member:
        if await writer.one(_sql.shares_company, team_id=team_id, user_id=user_id) is None:
            raise NotFound
        now = self._clock.now_ms()
        row = await writer.one(_sql.insert_membership, team_id=team_id, user_id=user_id, role=role, now=now)
        if row is None:
            raise Conflict("That person is already a member of this team.", code="already_member")
        return await self._member(writer, team_id, user_id)

    async def set_role(self, writer: Writer, team_id: str, user_id: str, role: str) -> Member:
        await writer.serialize(_owners_of(team_id))
        row = await writer.one(_sql.set_role, team_id=team_id, user_id=user_id, role=role)
        member = await self._member(writer, team_id, user_id)
        if row is None:
            raise _last_owner()
        return member

    async def remove_member(self, writer: Writer, team_id: str, user_id: str) -> None:
        await writer.serialize(_owners_of(team_id))
        if await writer.one(_sql.delete_membership, team_id=team_id, user_id=user_id) is None:
            await self._member(writer, team_id, user_id)
            raise _last_owner()

    async def _member(self, reader: Reader, team_id: str, user_id: str) -> Member:
        member = await self.member(reader, team_id, user_id)
        if member is None:
            raise NotFound
        return member


def _owners_of(team_id: str) -> str:
    return f"team-owners:{team_id}"


def _last_owner() -> Conflict:
    return Conflict("A team keeps at least one owner; make someone else an owner first.", code="last_owner")


def _free_slugs(base: str) -> Iterator[str]:
    """The slug itself, then numbered, then with chance: the last cannot all be taken."""
    yield base
    for number in range(2, _NUMBERED_SLUGS + 1):
        yield f"{base}-{number}"
    while True:
        yield f"{base}-{secrets.token_hex(3)}"
