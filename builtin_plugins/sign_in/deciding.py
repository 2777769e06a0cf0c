"""Who somebody is here that proved themself elsewhere, and what they become: decided, and nothing written."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from builtin_plugins.sign_in.rules import Given, roles_given
from builtin_plugins.sign_in.way import Way, sql
from guildhall_sdk import Host, Reader
from guildhall_sdk.services.notifications import Emails
from guildhall_sdk.services.tenancy import Directory, Org, Team, User
from libs.names import locale_fault, name_fault, username_fault
from libs.names.emails import email_fault

Outcome = Literal["sign_in", "create", "link", "refuse"]

REFUSALS = {
    "email_unverified": "The other side says that this e-mail address is not verified.",
    "domain_refused": "People of this e-mail domain do not come in by this way.",
    "link_required": "Somebody here is called so: sign in with the password once, to show that it is you.",
    "no_account": "You have no account here, and this way makes none; ask an admin of your company.",
    "no_access": "Nothing that the other side says of you gives access to a team here.",
    "no_team": "This way leads into no team; ask an admin of your company.",
    "person_suspended": "Your account is suspended; ask who manages your company.",
    "person_removed": "Your account was removed; ask who manages your company.",
    "org_suspended": "This company is suspended; nobody new comes in.",
}


class Membership(NamedTuple):
    """A role that somebody gets in a team, and what gives it."""

    team: Team
    role: str
    rule: int | None


class Decision(NamedTuple):
    """What happens to somebody: `code` says why they are refused."""

    outcome: Outcome
    code: str | None = None
    user: User | None = None
    memberships: Sequence[Membership] = ()
    org: Org | None = None


class Person(NamedTuple):
    """What is said of somebody, as far as it can be used here."""

    username: str | None
    name: str | None
    locale: str | None
    email: str | None
    #: True or False where it is said, else None.
    is_verified: bool | None

    @classmethod
    def of(cls, claims: Mapping[str, Any]) -> "Person":
        email = _text(claims, "email")
        if email is not None and email_fault(email) is not None:
            email = None
        named = (_text(claims, "preferred_username"), email, _text(claims, "name"))
        name, locale, verified = _text(claims, "name"), _text(claims, "locale"), claims.get("email_verified")
        return cls(
            username=next((one for one in named if one is not None and username_fault(one) is None), None),
            name=name if name is not None and name_fault(name) is None else None,
            locale=locale if locale is not None and locale_fault(locale) is None else None,
            email=email,
            # Some providers say it as a text.
            is_verified={True: True, "true": True, False: False, "false": False}.get(verified)
            if isinstance(verified, bool | str)
            else None,
        )


def _text(claims: Mapping[str, Any], name: str) -> str | None:
    found = claims.get(name)
    return found.strip() if isinstance(found, str) and found.strip() else None


async def decide(
    reader: Reader, host: Host, way: Way, claims: Mapping[str, Any], subject: str | None
) -> Decision:
    """Decides what happens to whoever has these claims; without a subject, on their first sign-in."""
    person = Person.of(claims)
    if (code := _refused_by_domain(way, person)) is not None:
        return Decision("refuse", code)
    linked = None if subject is None else await _linked(reader, host, way, subject)
    if linked is not None:
        return await _with_memberships(reader, host, way, claims, "sign_in", linked)
    known = await _known(reader, host, way, person)
    if known is not None:
        code = "email_unverified" if person.is_verified is False else "link_required"
        if await _is_waiting_guest(reader, host, known, person):
            return await _with_memberships(reader, host, way, claims, "link", known)
        return Decision("refuse", code, known)
    if not way.admission.create_people:
        return Decision("refuse", "no_account")
    if person.username is None:
        return Decision("refuse", "no_account")
    return await _with_memberships(reader, host, way, claims, "create", None)


def _refused_by_domain(way: Way, person: Person) -> str | None:
    if not way.admission.domains:
        return None
    if person.email is None:
        return "domain_refused"
    if person.is_verified is False:
        return "email_unverified"
    domain = person.email.rpartition("@")[2].lower()
    return None if domain in way.admission.domains else "domain_refused"


async def _linked(reader: Reader, host: Host, way: Way, subject: str) -> User | None:
    key = way.subject_key(host, subject)
    user_id = await reader.value(sql.linked_person, way_id=way.id, subject=key)
    return None if user_id is None else await host.service(Directory).user(reader, user_id)


async def _known(reader: Reader, host: Host, way: Way, person: Person) -> User | None:
    """Returns somebody who is here already and may be this person: by name, or by a proven address."""
    directory, emails = host.service(Directory), host.find_service(Emails)
    candidates: list[str] = []
    if emails is not None and person.email is not None:
        candidates += await emails.people_at(reader, person.email, org_id=way.org_id)
    users = [await directory.user(reader, user_id) for user_id in candidates]
    for name in {person.username, person.email} - {None}:
        assert name is not None
        users.append(await directory.user_by_name(reader, name))
    ours = (user for user in users if user is not None)
    return next((user for user in ours if way.org_id in (None, user.org_id)), None)


async def _is_waiting_guest(reader: Reader, host: Host, user: User, person: Person) -> bool:
    """Tells whether somebody was invited at this address, and has never been able to prove anything here.

    Whoever manages more than themself is never taken for one: a way is set up by those who may be less.
    """
    if user.has_password or user.last_seen_at is not None or user.operator or user.org_role is not None:
        return False
    emails = host.find_service(Emails)
    if emails is None or person.email is None or person.is_verified is not True:
        return False
    return [user.id] == [*await emails.people_at(reader, person.email, org_id=user.org_id)]


async def _with_memberships(
    reader: Reader, host: Host, way: Way, claims: Mapping[str, Any], outcome: Outcome, user: User | None
) -> Decision:
    directory = host.service(Directory)
    if user is not None and user.removed_at is not None:
        return Decision("refuse", "person_removed", user)
    if user is not None and user.suspended_at is not None:
        return Decision("refuse", "person_suspended", user)
    home = await _home(reader, host, way, user)
    if home is None:
        return Decision("refuse", "no_team", user)
    org = await directory.org(reader, home.org_id)
    assert org is not None
    if user is None and org.suspended_at is not None:
        return Decision("refuse", "org_suspended")
    # Of another company's person an instance's way says nothing about teams.
    given = roles_given(way.admission, claims) if user is None or user.org_id == home.org_id else ()
    memberships = await _memberships(reader, host, home, given)
    stay = () if user is None else await directory.teams_of(reader, user.id)
    if not memberships and not await _left_over(reader, way, user, [team.id for team, _ in stay]):
        return Decision("refuse", "no_access", user, org=org)
    return Decision(outcome, None, user, memberships, org)


async def _home(reader: Reader, host: Host, way: Way, user: User | None) -> Team | None:
    """Returns the team that a way leads to unless a rule names another."""
    directory = host.service(Directory)
    if way.admission.team is not None:
        team = await directory.team(reader, way.admission.team)
        if team is not None and way.org_id in (None, team.org_id):
            return team
    if way.org_id is None:
        teams = () if user is None else await directory.teams_of(reader, user.id)
        return teams[0][0] if teams else None
    first = await directory.teams_of_org(reader, way.org_id, None, 1)
    return first[0] if first else None


async def _memberships(
    reader: Reader, host: Host, home: Team, given: Sequence[Given]
) -> Sequence[Membership]:
    found = dict[str, Membership]()
    for team_id, role, rule in given:
        team = home if team_id is None else await host.service(Directory).team(reader, team_id)
        if team is not None and team.org_id == home.org_id:
            found.setdefault(team.id, Membership(team, role, rule))
    return [*found.values()]


async def _left_over(reader: Reader, way: Way, user: User | None, teams: Sequence[str]) -> bool:
    """Tells whether somebody is in a team that no way gave them."""
    if user is None:
        return False
    rows = await reader.all(sql.granted, way_id=way.id, user_id=user.id, org_id=user.org_id)
    return bool({*teams} - {row["team_id"] for row in rows})
