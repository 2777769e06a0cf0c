"""The people of a hall: two companies with somebody of every useful role, and the operator."""

import secrets
from dataclasses import dataclass, field

from guildhall_sdk import Host, Writer
from guildhall_sdk.services.identity import Credentials, NewToken
from guildhall_sdk.services.tenancy import Directory
from guildhall_testing.client import Client, Person, Wire
from guildhall_testing.clock import FakeClock
from libs.passwords import derive

PASSWORD = "a password that every person in the hall shares"
#: The least that Argon2id takes: a test that signs somebody in is about something else than what that costs.
PASSWORD_MEMORY_KIB = 8


@dataclass(frozen=True, slots=True)
class TeamPeople:
    """A team by its members' roles."""

    id: str
    people: dict[str, Person] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CompanyPeople:
    id: str
    slug: str
    team: TeamPeople
    second_team: TeamPeople


@dataclass(frozen=True, slots=True)
class People:
    """Everybody, as data: made once, good in every copy of the database."""

    operator: Person
    acme: CompanyPeople
    globex: CompanyPeople


class Team:
    """A team, as callers by role."""

    def __init__(self, wire: Wire, team: TeamPeople) -> None:
        self.id = team.id
        clients = {name: Client(wire, person.token, person) for name, person in team.people.items()}
        self.owner, self.admin = clients["owner"], clients["admin"]
        self.member, self.viewer = clients["member"], clients["viewer"]
        self._clients = clients

    def __getitem__(self, name: str) -> Client:
        return self._clients[name]


class Company(Team):
    """A company: the people of its first team, those with a role in the company, and a second team.

    `colleague` is another member of the first team; `reader`, `org_admin` and `org_owner` stand in the
    first team as viewer, admin and owner.
    """

    def __init__(self, wire: Wire, company: CompanyPeople) -> None:
        super().__init__(wire, company.team)
        self.org_id = company.id
        self.slug = company.slug
        self.team_id = company.team.id
        self.colleague = self["colleague"]
        self.reader, self.org_admin, self.org_owner = self["reader"], self["org_admin"], self["org_owner"]
        self.second_team = Team(wire, company.second_team)


_TEAM_ROLES = ("owner", "admin", "member", "viewer")
_MORE_PEOPLE = {
    "colleague": ("member", None),
    "reader": ("viewer", "org_reader"),
    "org_admin": ("admin", "org_admin"),
    "org_owner": ("owner", "org_owner"),
}


async def populate(host: Host, clock: FakeClock) -> People:
    """Creates everybody through the kernel's services, in one transaction; hashes one password cheaply."""
    password_hash = derive(PASSWORD, memory_kib=PASSWORD_MEMORY_KIB)
    async with host.data.write() as writer:
        return await _Casting(host, writer, clock, password_hash).everybody()


async def populate_further(host: Host, clock: FakeClock, first: People, count: int) -> tuple[People, ...]:
    """Adds so many further casts, each an operator and two companies, in one transaction."""
    password_hash = derive(PASSWORD, memory_kib=PASSWORD_MEMORY_KIB)
    async with host.data.write() as writer:
        castings = [_Casting(host, writer, clock, password_hash, str(2 + turn)) for turn in range(count)]
        return tuple([await casting.others(first.operator) for casting in castings])


async def add_person(
    host: Host,
    writer: Writer,
    *,
    org_id: str,
    team_id: str,
    role: str,
    org_role: str | None = None,
    operator: bool = False,
    username: str | None = None,
    password_hash: str | None = None,
) -> Person:
    """Adds somebody new to a team, with a session that does not end."""
    username = username or f"{role}-{secrets.token_hex(6)}"
    directory = host.service(Directory)
    user = await directory.create_user(
        writer, org_id, username, operator=operator, org_role=org_role, password_hash=password_hash
    )
    await directory.add_member(writer, team_id, user.id, role)
    issued = await host.service(Credentials).issue(
        writer, NewToken(kind="session", user_id=user.id, team_id=team_id, expires_at=None)
    )
    return Person(user.id, username, role, team_id, org_id, issued.token, org_role, operator)


@dataclass(frozen=True, slots=True)
class _Casting:
    host: Host
    writer: Writer
    clock: FakeClock
    password_hash: str
    number: str = ""

    async def everybody(self) -> People:
        directory = self.host.service(Directory)
        await directory.claim_instance(self.writer)
        house = await directory.create_org(self.writer, "House", plan="enterprise")
        office = await directory.create_team(self.writer, house.id, "Office")
        operator = await self._person(
            "operator", house.id, office.id, "owner", org_role="org_owner", operator=True
        )
        return People(operator, await self._company("Acme"), await self._company("Globex"))

    async def others(self, first: Person) -> People:
        name, house, office = f"operator{self.number}", first.org_id, first.team_id
        operator = await self._person(name, house, office, "owner", org_role="org_owner", operator=True)
        acme, globex = f"Acme{self.number}", f"Globex{self.number}"
        return People(operator, await self._company(acme), await self._company(globex))

    async def _company(self, name: str) -> CompanyPeople:
        directory = self.host.service(Directory)
        org = await directory.create_org(self.writer, name, plan="team")
        team = await self._team(org.id, name, name.lower())
        for who, (role, org_role) in _MORE_PEOPLE.items():
            username = f"{name.lower()}-{who.replace('_', '-')}"
            team.people[who] = await self._person(username, org.id, team.id, role, org_role=org_role)
        second = await self._team(org.id, f"{name} Second", f"{name.lower()}-second")
        return CompanyPeople(org.id, org.slug, team, second)

    async def _team(self, org_id: str, name: str, prefix: str) -> TeamPeople:
        team = await self.host.service(Directory).create_team(self.writer, org_id, name)
        people = {role: await self._person(f"{prefix}-{role}", org_id, team.id, role) for role in _TEAM_ROLES}
        return TeamPeople(team.id, people)

    async def _person(
        self,
        username: str,
        org_id: str,
        team_id: str,
        role: str,
        *,
        org_role: str | None = None,
        operator: bool = False,
    ) -> Person:
        self.clock.advance(milliseconds=1)
        return await add_person(
            self.host,
            self.writer,
            org_id=org_id,
            team_id=team_id,
            role=role,
            org_role=org_role,
            operator=operator,
            username=username,
            password_hash=self.password_hash,
        )
