"""The company plane: its people, their teams and roles; who is suspended, let in again, or removed."""

from typing import Any

from builtin_plugins.companies.founding import first_session
from builtin_plugins.companies.presentation import colleague_json
from builtin_plugins.companies.ranks import appoint, check_appointable
from builtin_plugins.companies.schemas import check_names, given_password
from builtin_plugins.companies.standing import people_changed
from guildhall_sdk import (
    Actor,
    Call,
    Conflict,
    InvalidRequest,
    NotFound,
    Origin,
    Reader,
    Reply,
    Writer,
    created,
    cut_page,
    no_content,
    page,
    page_bounds,
)
from guildhall_sdk.principal import Roles
from guildhall_sdk.services.notifications import JOINED, AccountLinks, Emails, Notice, notify
from guildhall_sdk.services.tenancy import Colleague, Directory, Member, People, Team, User
from guildhall_sdk.subscriptions import (
    MEMBER_JOINED,
    Events,
    MemberJoined,
)
from libs.names.emails import email_fault


async def list_people(call: Call) -> Reply:
    after, limit = page_bounds(call.query)
    async with call.read() as reader:
        people = await call.service(Directory).colleagues(reader, call.principal.org_id, after, limit)
    visible, cursor = cut_page(people, limit, lambda colleague: colleague.user.id)
    return page([colleague_json(colleague) for colleague in visible], cursor)


async def add_person(call: Call) -> Reply:
    """Adds a person: a new one gets a first session in the team, a colleague joins with what they have."""
    body, org_role = call.body, call.body.get("org_role")
    call.service(Roles).check_grantable(call.principal, body["role"])
    check_appointable(call.service(Roles), call.principal, None, org_role)
    check_names(body, "username", "display_name")
    if (fault := email_fault(body["email"]) if "email" in body else None) is not None:
        raise InvalidRequest.at("/email", fault)
    async with call.read() as reader:
        team = await _team(call, reader)
        known = await _colleague(call, reader)
    password_hash = None if known else await given_password(call, body)
    token = None
    async with call.write() as writer:
        user = known or await _new_colleague(call, writer, password_hash)
        if user is None:  # somebody else made this person meanwhile
            user = known = await _colleague(call, writer)
        if user is None:
            raise Conflict("That username is taken; choose another.", code="username_taken")
        member = await call.service(Directory).add_member(writer, team.id, user.id, body["role"])
        if known is None:
            token = (await first_session(writer, call.host, user, team, call.principal.credential)).token
            await _give_email(call, writer, user)
        _audit_added(call, writer, team, member, new=known is None)
        joined = MemberJoined(user_id=user.id, role=member.role)
        await call.service(Events).emit(writer, MEMBER_JOINED, joined, Origin.of(call.principal, team.id))
        await notify(call.host, writer, _joined_notice(call, team, user))
        people_changed(call, writer, team)
        if org_role is not None:
            await appoint(call, writer, user, org_role)
    answer = {"member": _member_json(member, team, org_role or user.org_role), "token": token}
    return created(answer, f"/api/org/members/{user.id}", secret_id=user.id if token else None)


async def _give_email(call: Call, writer: Writer, user: User) -> None:
    """Notes the address of somebody new, and mails them an invitation unless they were given a password."""
    address, emails = call.body.get("email"), call.host.find_service(Emails)
    if address is None or emails is None:
        return
    await emails.give(writer, user.org_id, user.id, address)
    if not user.has_password:
        await call.service(AccountLinks).mail_invitation(writer, user, address, call.principal)


def _joined_notice(call: Call, team: Team, user: User) -> Notice:
    who = call.principal
    return Notice(
        kind=JOINED,
        org_id=who.org_id,
        team_id=team.id,
        people=[user.id],
        by=who.user_id,
        params={"by": who.display_name, "team": team.name},
        link="/members",
    )


async def _team(call: Call, reader: Reader) -> Team:
    team = await call.service(Directory).team(reader, call.body["team"])
    if team is None or team.org_id != call.principal.org_id:
        raise NotFound("Your company has no team with this id.")
    return team


async def _colleague(call: Call, reader: Reader) -> User | None:
    """Returns the colleague who has the name, or None; somebody of another company is a conflict."""
    user = await call.service(Directory).user_by_name(reader, call.body["username"])
    if user is not None and user.org_id != call.principal.org_id:
        raise Conflict("That username is taken; choose another.", code="username_taken")
    return user


async def _new_colleague(call: Call, writer: Writer, password_hash: str | None) -> User | None:
    try:
        return await call.service(Directory).create_user(
            writer,
            call.principal.org_id,
            call.body["username"],
            display_name=call.body.get("display_name"),
            password_hash=password_hash,
        )
    except Conflict:
        return None


def _audit_added(call: Call, writer: Writer, team: Team, member: Member, *, new: bool) -> None:
    """Records in the trail of the team that somebody joined it."""
    who = call.principal
    actor = Actor(who.username, who.user_id, who.org_id, team.id, call.request_id)
    detail = {"username": member.username, "role": member.role, "team": team.name, "new": new}
    writer.audit("member.added", ("user", member.user_id), detail=detail, actor=actor)


def _member_json(member: Member, team: Team, org_role: str | None) -> dict[str, Any]:
    return {**member.public(), "team": team.public(), "org_role": org_role}


async def change_person(call: Call) -> Reply:
    who, user_id, directory = call.principal, call.params["id"], call.service(Directory)
    async with call.write() as writer:
        before = await directory.colleague(writer, who.org_id, user_id)
        if before is None:
            raise NotFound
        await appoint(call, writer, before.user, call.body["org_role"])
        people_changed(call, writer)
        after = await directory.colleague(writer, who.org_id, user_id)
        assert after is not None
    return Reply(colleague_json(after))


async def suspend_person(call: Call) -> Reply:
    """Suspends a person: whatever they hold answers 403 from here on, and what they asked for ends."""
    async with call.write() as writer:
        await _other(call, writer, "own_suspension", "Nobody suspends themself; ask a colleague.")
        await call.service(People).set_suspended(call, writer, call.params["id"], True)
        return Reply(colleague_json(await _person(call, writer)))


async def resume_person(call: Call) -> Reply:
    async with call.write() as writer:
        await call.service(People).set_suspended(call, writer, call.params["id"], False)
        return Reply(colleague_json(await _person(call, writer)))


async def remove_person(call: Call) -> Reply:
    """Removes a person from all teams, and with them their credentials; what they made stays."""
    async with call.write() as writer:
        await call.service(Directory).hold_people(writer, call.principal.org_id)
        await _other(call, writer, "own_removal", "Nobody removes themself; ask a colleague.")
        await call.service(People).remove(call, writer, call.params["id"])
    return no_content()


async def _person(call: Call, writer: Writer) -> Colleague:
    person = await call.service(Directory).colleague(writer, call.principal.org_id, call.params["id"])
    if person is None:
        raise NotFound
    return person


async def _other(call: Call, writer: Writer, code: str, detail: str) -> Colleague:
    person = await _person(call, writer)
    if person.user.id == call.principal.user_id:
        raise Conflict(detail, code=code)
    return person
