"""A company begins: itself, its first team, and the owner of both."""

from typing import NamedTuple

from guildhall_sdk import Actor, Credential, Host, Origin, Writer
from guildhall_sdk.dimensions import Quotas
from guildhall_sdk.services.identity import Credentials, IssuedToken, NewToken, SignInOrigin
from guildhall_sdk.services.tenancy import Directory, Org, Team, User
from guildhall_sdk.subscriptions import MEMBER_JOINED, Events, MemberJoined

FIRST_TEAM = "General"
FIRST_SESSION_MS = 7 * 24 * 3600 * 1000


class NewOwner(NamedTuple):
    """The person for whom a company is made; without a hash they have no password yet."""

    username: str
    display_name: str | None = None
    locale: str | None = None
    password_hash: str | None = None


class NewCompany(NamedTuple):
    """The company that is made, its first team, and for whom."""

    name: str
    plan: str
    owner: NewOwner
    slug: str | None = None
    domain: str | None = None
    team: str = FIRST_TEAM


class Founded(NamedTuple):
    org: Org
    team: Team
    owner: User


async def found(writer: Writer, host: Host, actor: Actor, company: NewCompany) -> Founded:
    """Founds a company with its team and owner, all of it or nothing.

    Raises `Conflict`: `slug_taken`, `domain_taken`, `username_taken`, in this order. One at a time: two that
    want the same names would else wait for each other.
    """
    directory, owner = host.service(Directory), company.owner
    await writer.serialize("company-founding")
    org = await directory.create_org(writer, company.name, slug=company.slug, plan=company.plan)
    if company.domain is not None:
        org = await directory.set_domain(writer, org.id, company.domain)
    first_team = await directory.create_team(writer, org.id, company.team)
    user = await directory.create_user(
        writer,
        org.id,
        owner.username,
        display_name=owner.display_name,
        locale=owner.locale,
        password_hash=owner.password_hash,
        org_role="org_owner",
    )
    await directory.add_member(writer, first_team.id, user.id, "owner")
    await publish_joining(writer, host, first_team, user, "owner")
    await host.service(Quotas).apply_plan(writer, org.id, company.plan)
    detail = {
        "name": org.name,
        "slug": org.slug,
        "plan": org.plan,
        "domain": org.domain,
        "team": first_team.name,
        "owner": user.username,
    }
    writer.audit("org.created", ("org", org.id), detail=detail, actor=acting_in(actor, org))
    return Founded(org, first_team, user)


async def publish_joining(writer: Writer, host: Host, team: Team, user: User, role: str) -> None:
    """Publishes that people are there from the start: nobody of the company let them in."""
    origin = Origin(org_id=team.org_id, team_id=team.id, user_id=user.id)
    await host.service(Events).emit(writer, MEMBER_JOINED, MemberJoined(user_id=user.id, role=role), origin)


def acting_in(actor: Actor, org: Org) -> Actor:
    """Returns the actor as recorded in the trail of the company that the act concerns."""
    return Actor(actor.name, actor.user_id, org.id, None, actor.request_id)


async def first_session(
    writer: Writer,
    host: Host,
    user: User,
    team: Team,
    made_with: Credential | None = None,
    *,
    origin: SignInOrigin | None = None,
) -> IssuedToken:
    """Issues the first session of a new person; it outlives no token that somebody made them with.

    With an `origin` they begin it themselves, from there.
    """
    ends: int | None = host.clock.now_ms() + FIRST_SESSION_MS
    if made_with is not None:
        ends = made_with.bound_end(ends, asked=False)
    return await host.service(Credentials).issue(
        writer,
        NewToken(
            kind="session",
            user_id=user.id,
            team_id=team.id,
            expires_at=ends,
            made_with=made_with,
            origin=origin,
        ),
    )
