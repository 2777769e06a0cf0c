"""The one place that writes companies, teams, people and who belongs where."""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from guildhall_sdk import Conflict, NotFound, Reader, Row, Writer, load_queries, new_id
from guildhall_sdk.principal import is_demotion
from guildhall_sdk.services.tenancy import Colleague, Member, Team, User, status_of
from kernel.tenancy.companies import StoredCompanies, changed
from libs.names import username_key
from libs.records import record_of, record_or_none

_sql = load_queries(Path(__file__).with_name("queries.sql"))
DEFAULT_LOCALE = "en"


class StoredDirectory(StoredCompanies):
    """Implements the SDK's `Directory`."""

    async def has_users(self, reader: Reader) -> bool:
        return await reader.one(_sql.any_user) is not None

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
        return record_of(User, row)

    async def user(self, reader: Reader, user_id: str) -> User | None:
        return record_or_none(User, await reader.one(_sql.user_by_id, id=user_id))

    async def user_by_name(self, reader: Reader, username: str) -> User | None:
        return record_or_none(User, await reader.one(_sql.user_by_key, username_key=username_key(username)))

    async def users(
        self, reader: Reader, company: str | None, after: str | None, limit: int
    ) -> Sequence[tuple[User, str]]:
        rows = await reader.all(_sql.people, after=after or "", company=company, limit=limit)
        return [(record_of(User, row), row["org_slug"]) for row in rows]

    async def set_operator(self, writer: Writer, user_id: str, operator: bool, *, keep_one: bool) -> bool:
        await writer.serialize("operators")
        if keep_one and not operator and await writer.one(_sql.another_operator, id=user_id) is None:
            raise _last_operator()
        return await writer.one(_sql.set_operator, id=user_id, operator=int(operator)) is not None

    async def password_hash(self, reader: Reader, user_id: str) -> str | None:
        stored: str | None = await reader.value(_sql.password_hash, id=user_id)
        return stored

    async def set_password(self, writer: Writer, user_id: str, password_hash: str) -> None:
        await writer.run(_sql.set_password, id=user_id, password_hash=password_hash)

    async def settle(self, writer: Writer, user_id: str) -> None:
        await writer.run(_sql.settle, id=user_id, now=self._clock.now_ms())

    async def set_two_factor(self, writer: Writer, user_id: str, on: bool) -> None:
        await writer.run(_sql.set_two_factor, id=user_id, two_factor=int(on))

    async def update_profile(
        self, writer: Writer, user_id: str, *, display_name: str | None, locale: str | None
    ) -> User:
        row = await writer.one(_sql.update_profile, id=user_id, display_name=display_name, locale=locale)
        return changed(User, row)

    async def teams_of(self, reader: Reader, user_id: str) -> Sequence[tuple[Team, str]]:
        rows = await reader.all(_sql.teams_of_user, user_id=user_id)
        return [(record_of(Team, row), row["role"]) for row in rows]

    async def team_by_ref(self, reader: Reader, org_id: str, ref: str) -> Team | None:
        return record_or_none(Team, await reader.one(_sql.team_by_ref, org_id=org_id, ref=ref))

    async def member(self, reader: Reader, team_id: str, user_id: str) -> Member | None:
        row = await reader.one(_sql.member, team_id=team_id, user_id=user_id)
        return None if row is None else _member_of(row)

    async def members(self, reader: Reader, team_id: str, after: str | None, limit: int) -> Sequence[Member]:
        rows = await reader.all(_sql.members, team_id=team_id, after=after or "", limit=limit)
        return [_member_of(row) for row in rows]

    async def add_member(self, writer: Writer, team_id: str, user_id: str, role: str) -> Member:
        await writer.serialize(_membership_lock(team_id))
        person = await writer.one(_sql.could_be_member, team_id=team_id, user_id=user_id)
        if person is None:
            raise NotFound
        now = self._clock.now_ms()
        if person["removed_at"] is not None:
            await writer.run(_sql.take_back, id=user_id)
        row = await writer.one(_sql.insert_membership, team_id=team_id, user_id=user_id, role=role, now=now)
        if row is None:
            raise Conflict("That person is already a member of this team.", code="already_member")
        return _member_of({**person, "role": role})

    async def hold_people(self, writer: Writer, org_id: str) -> None:
        await writer.serialize(f"people:{org_id}")

    async def set_role(self, writer: Writer, team_id: str, user_id: str, role: str) -> Member:
        await self._check_standing(writer, team_id, user_id, role)
        row = await writer.one(_sql.set_role, team_id=team_id, user_id=user_id, role=role)
        member = await self._member(writer, team_id, user_id)
        if row is None:
            raise _last_owner()
        return member

    async def remove_member(self, writer: Writer, team_id: str, user_id: str) -> None:
        await self._check_standing(writer, team_id, user_id, None)
        if await writer.one(_sql.delete_membership, team_id=team_id, user_id=user_id) is None:
            raise _last_owner()
        self._person_changes(writer, user_id)

    async def _check_standing(self, writer: Writer, team_id: str, user_id: str, role: str | None) -> None:
        """Raises `NotFound`, and `Conflict` where this would lock an operator or a company's owner out."""
        org_id = await writer.value(_sql.company_of_team, team_id=team_id)
        if org_id is None:
            raise NotFound
        await self.hold_people(writer, org_id)
        standing = await writer.one(_sql.standing, team_id=team_id, user_id=user_id)
        if standing is None:
            raise NotFound
        if standing["elsewhere"] or (role is not None and not is_demotion(standing["role"], role)):
            return
        if standing["operator"]:
            raise Conflict(
                "An operator keeps their last team and their role in it; "
                "at the machine, `guildhall people operator NAME --revoke` makes them one no longer.",
                code="last_operator",
            )
        if standing["org_role"] == "org_owner" and not standing["co_owned"]:
            raise _last_org_owner()

    async def colleagues(
        self, reader: Reader, org_id: str, after: str | None, limit: int
    ) -> Sequence[Colleague]:
        page = {"org_id": org_id, "after": after or "", "limit": limit}
        users = [record_of(User, row) for row in await reader.all(_sql.colleagues, **page)]
        rows = await reader.all(_sql.teams_of_colleagues, **page)
        teams = {
            user_id: [(record_of(Team, row), str(row["role"])) for row in group]
            for user_id, group in groupby(rows, key=lambda row: str(row["user_id"]))
        }
        return [Colleague(user, teams.get(user.id, [])) for user in users]

    async def colleague(self, reader: Reader, org_id: str, user_id: str) -> Colleague | None:
        user = await self.user(reader, user_id)
        if user is None or user.org_id != org_id or user.removed_at is not None:
            return None
        return Colleague(user, await self.teams_of(reader, user_id))

    async def set_org_role(
        self, writer: Writer, org_id: str, user_id: str, org_role: str | None
    ) -> str | None:
        await self.hold_people(writer, org_id)
        before = await writer.one(_sql.org_role, org_id=org_id, user_id=user_id)
        if before is None:
            raise NotFound
        if await writer.one(_sql.set_org_role, org_id=org_id, user_id=user_id, org_role=org_role) is None:
            raise _last_org_owner()
        role: str | None = before["org_role"]
        return role

    async def set_person_suspended(
        self, writer: Writer, org_id: str, user_id: str, at_ms: int | None
    ) -> bool:
        await self.hold_people(writer, org_id)
        found = await self.colleague(writer, org_id, user_id)
        if found is None:
            raise NotFound
        if at_ms is None:
            return await writer.one(_sql.resume_person, id=user_id, org_id=org_id) is not None
        if found.user.operator:
            await writer.serialize("operators")
            if await writer.one(_sql.another_operator, id=user_id) is None:
                raise _last_operator()
        owns = found.user.org_role == "org_owner"
        if owns and await writer.one(_sql.another_org_owner, id=user_id, org_id=org_id) is None:
            raise _last_org_owner()
        self._person_changes(writer, user_id)
        return await writer.one(_sql.suspend_person, id=user_id, org_id=org_id, at=at_ms) is not None

    async def remove_person(self, writer: Writer, org_id: str, user_id: str) -> None:
        await writer.run(_sql.remove_person, id=user_id, org_id=org_id, now=self._clock.now_ms())

    async def rename_team(self, writer: Writer, org_id: str, team_id: str, name: str) -> Team:
        return changed(Team, await writer.one(_sql.rename_team, id=team_id, org_id=org_id, name=name))

    async def delete_team(self, writer: Writer, org_id: str, team_id: str) -> None:
        now = self._clock.now_ms()
        await writer.serialize(_membership_lock(team_id))
        if await writer.one(_sql.delete_team, id=team_id, org_id=org_id, now=now) is None:
            raise NotFound
        for row in await writer.all(_sql.delete_memberships, team_id=team_id):
            self._person_changes(writer, row["user_id"])

    async def _member(self, reader: Reader, team_id: str, user_id: str) -> Member:
        member = await self.member(reader, team_id, user_id)
        if member is None:
            raise NotFound
        return member


def _member_of(row: Row) -> Member:
    status = status_of(suspended_at=row["suspended_at"], has_password=bool(row["has_password"]))
    return record_of(Member, row, status=status)


def _membership_lock(team_id: str) -> str:
    """Returns the key under which people join a team, and under which it is deleted."""
    return f"members:{team_id}"


def _last_operator() -> Conflict:
    return Conflict(
        "They are the only operator who can sign in; make someone else one first.", code="last_operator"
    )


def _last_org_owner() -> Conflict:
    return Conflict(
        "A company keeps at least one org_owner in a team; make someone else one first.",
        code="last_org_owner",
    )


def _last_owner() -> Conflict:
    return Conflict("A team keeps at least one owner; make someone else an owner first.", code="last_owner")
