"""Two companies to try things out in. Their passwords are public: never where strangers can reach them."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from builtin_plugins.companies.founding import NewCompany, NewOwner, found, publish_joining
from guildhall_sdk import Actor, Credential, Host, Principal, Reader, Setting, Writer
from guildhall_sdk.principal import Roles
from guildhall_sdk.services.tenancy import Directory, Org, Team, User
from guildhall_sdk.settings import boolean

DEMO = Setting(
    name="demo", variable="SERVICE_DEMO", help="demo companies may be made", default=False, parse=boolean
)

SETTINGS: Sequence[Setting[Any]] = (DEMO,)


PASSWORD = "a password for demos only"  # noqa: S105 - known on purpose


class DemoPerson(NamedTuple):
    username: str
    display_name: str
    role: str
    org_role: str | None = None


class DemoCompany(NamedTuple):
    slug: str
    name: str
    plan: str
    owner: DemoPerson
    people: tuple[DemoPerson, ...]

    @property
    def everybody(self) -> tuple[DemoPerson, ...]:
        return (self.owner, *self.people)


COMPANIES = (
    DemoCompany(
        "demo-bakery",
        "Juniper Street Bakery",
        "free",
        DemoPerson("demo-iris", "Iris Almeida", "owner", "org_owner"),
        (
            DemoPerson("demo-tomas", "Tomás Reyes", "member"),
            DemoPerson("demo-wen", "Wen Li", "viewer", "org_reader"),
        ),
    ),
    DemoCompany(
        "demo-robotics",
        "Harbour Robotics",
        "team",
        DemoPerson("demo-amara", "Amara Okafor", "owner", "org_owner"),
        (
            DemoPerson("demo-jonas", "Jonas Lindqvist", "admin", "org_admin"),
            DemoPerson("demo-priya", "Priya Nair", "member"),
        ),
    ),
)


class DemoOrg(NamedTuple):
    """A demo company where it stands."""

    org: Org
    team: Team
    owner: User

    def as_owner(self, roles: Roles) -> Principal:
        """Returns the company's owner as a caller, whose the sample content is."""
        return Principal(
            user_id=self.owner.id,
            username=self.owner.username,
            display_name=self.owner.display_name,
            locale=self.owner.locale,
            two_factor=self.owner.two_factor,
            operator=False,
            team_id=self.team.id,
            team_name=self.team.name,
            role="owner",
            org_id=self.org.id,
            org_slug=self.org.slug,
            org_name=self.org.name,
            org_role=self.owner.org_role,
            org_suspended=False,
            credential=Credential("", "session", None, None),
            permissions=roles.held_by("owner") | roles.held_by("org_owner"),
        )


async def put_up(
    writer: Writer, host: Host, company: DemoCompany, password_hash: str, operator: Actor
) -> DemoOrg:
    """Makes the company unless it stands already; one that happens to have its names is left alone."""
    await writer.serialize("company-founding")
    standing = await find(writer, host, company)
    if standing is not None:
        return standing
    owner = company.owner
    founded = await found(
        writer,
        host,
        operator,
        NewCompany(
            name=company.name,
            slug=company.slug,
            plan=company.plan,
            owner=NewOwner(owner.username, owner.display_name, password_hash=password_hash),
        ),
    )
    directory = host.service(Directory)
    for person in company.people:
        user = await directory.create_user(
            writer,
            founded.org.id,
            person.username,
            display_name=person.display_name,
            password_hash=password_hash,
            org_role=person.org_role,
        )
        await directory.add_member(writer, founded.team.id, user.id, person.role)
        await publish_joining(writer, host, founded.team, user, person.role)
    return DemoOrg(founded.org, founded.team, founded.owner)


async def find(reader: Reader, host: Host, company: DemoCompany) -> DemoOrg | None:
    directory = host.service(Directory)
    org = await directory.org_by_ref(reader, company.slug)
    owner = await directory.user_by_name(reader, company.owner.username)
    if org is None or owner is None or owner.org_id != org.id:
        return None
    teams = await directory.teams_of(reader, owner.id)
    return DemoOrg(org, teams[0][0], owner) if teams else None
