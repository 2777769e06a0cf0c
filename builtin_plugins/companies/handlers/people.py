"""The company plane: its people, their teams and their roles in the company."""

from typing import Any

from builtin_plugins.companies.appointing import appoint, check_appointable
from builtin_plugins.companies.field_checks import check_names, given_password
from builtin_plugins.companies.founding import first_session
from builtin_plugins.companies.presentation import colleague_json
from guildhall_sdk import (
    Actor,
    Call,
    Conflict,
    NotFound,
    Origin,
    Reader,
    Reply,
    Writer,
    created,
    cut_page,
    page,
    page_bounds,
)
from guildhall_sdk.services.events import Events
from guildhall_sdk.services.roles import Roles, check_grantable
from guildhall_sdk.services.tenancy import Directory, Member, Team, User
from guildhall_sdk.subscriptions import MEMBER_JOINED, MemberJoined


async def list_people(call: Call) -> Reply:
    after, limit = page_bounds(call.query)
    async with call.read() as reader:
        people = await call.service(Directory).colleagues(reader, call.principal.org_id, after, limit)
    visible, cursor = cut_page(people, limit, lambda colleague: colleague.user.id)
    return page([colleague_json(colleague) for colleague in visible], cursor)


async def add_person(call: Call) -> Reply:
    """Adds a person: a new one gets a first session in the team, a colleague joins with what they have."""
    body, org_role = call.body, call.body.get("org_role")
    check_grantable(call.service(Roles), call.principal, body["role"])
    check_appointable(call.service(Roles), call.principal, None, org_role)
    check_names(body, "username", "display_name")
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
        _tell(call, writer, team, member, new=known is None)
        joined = MemberJoined(user_id=user.id, role=member.role)
        await call.service(Events).emit(writer, MEMBER_JOINED, joined, Origin.of(call.principal, team.id))
        if org_role is not None:
            await appoint(call, writer, user, org_role)
    answer = {"member": _member_json(member, team, org_role or user.org_role), "token": token}
    return created(answer, f"/api/org/members/{user.id}", secret_id=user.id if token else None)


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


def _tell(call: Call, writer: Writer, team: Team, member: Member, *, new: bool) -> None:
    """Records and publishes it in the trail of the team that they join."""
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
        after = await directory.colleague(writer, who.org_id, user_id)
        assert after is not None
    return Reply(colleague_json(after))
